#ifndef HARNESS_REPORT_FORMATS_MARKDOWN_H
#define HARNESS_REPORT_FORMATS_MARKDOWN_H

/* Text that stands in GitHub-flavoured Markdown as what it is, whoever wrote it: no emphasis, link, image, mention,
 * entity or HTML comes of it, no list or heading where it begins a line, and no further cell of a table. */

#include <stdio.h>

/* `text` is clean: one line. It must not be continued in the middle of a word by what follows. */
void markdown_text(FILE *out, const char *text);

/* The same where nothing stands before it on its line, or only what begins an item of a list. */
void markdown_start(FILE *out, const char *text);

#endif
