#ifndef HARNESS_REPORT_FORMATS_MARKDOWN_H
#define HARNESS_REPORT_FORMATS_MARKDOWN_H

/* Text escaped for GitHub-flavoured Markdown: a text from anywhere becomes no emphasis, link, image, mention, entity or
 * HTML, no list or heading at the start of a line, and no further cell of a table. */

#include "harness/base/text.h"

/* Appends a clean text, which has no line breaks. What follows must not continue its last word. */
void markdown_text(struct string_builder *to, const char *text);

/* The same at the start of a line or of a list item. */
void markdown_start(struct string_builder *to, const char *text);

#endif
