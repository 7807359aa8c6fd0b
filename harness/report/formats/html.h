#ifndef HARNESS_REPORT_FORMATS_HTML_H
#define HARNESS_REPORT_FORMATS_HTML_H

/* The parts of a page. Each writes well-formed XML, so that a browser and an XML parser read the same tree. An id
 * consists of a letter for its kind, the section's anchor and numbers: "t-multiply", "n-multiply-2". The ids of
 * chapters have no '-', so they differ from those. Names in any script are within <bdi>, which contains their direction
 * of writing. */

#include "harness/base/xml.h"
#include "harness/report/content/builder.h"

#include <stdio.h>

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* A table with links to the notes of the section with this anchor; that of the answer has none. `caption` is read by
 * screen readers. */
void html_table(FILE *out, const struct table *table, const char *anchor, const char *caption);

#endif
