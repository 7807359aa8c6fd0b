#ifndef HARNESS_REPORT_FORMATS_MARKDOWN_H
#define HARNESS_REPORT_FORMATS_MARKDOWN_H

/* Text escaped for GitHub-flavoured Markdown: a text from anywhere becomes no emphasis, link, image, mention, entity or
 * HTML, no list or heading at the start of a line, and no further cell of a table. */

#include "harness/base/text.h"

/* Appends a clean text, which has no line breaks. It begins a line or a list item; or what follows must not continue
 * its last word. */
void markdown_text(struct string_builder *to, const char *text, bool begins_line);

#endif
