#ifndef HARNESS_REPORT_FORMATS_HTML_TABLE_H
#define HARNESS_REPORT_FORMATS_HTML_TABLE_H

/* A table of a page. */

#include "harness/base/text.h"
#include "harness/report/content/document.h"

/* Appends a table of a section with that title. Its footnotes have the ids "n-SECTION-1" and so on. */
void html_table_append(struct string_builder *to, const struct table *table, const char *title, unsigned section,
                       enum level level);

#endif
