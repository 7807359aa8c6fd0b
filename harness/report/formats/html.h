#ifndef HARNESS_REPORT_FORMATS_HTML_H
#define HARNESS_REPORT_FORMATS_HTML_H

/* The parts of a page. Each writes well-formed XML, so that a browser and an XML parser read the same tree. An id
 * consists of a letter for its kind, the section's anchor and numbers: "t-multiply", "n-multiply-2". The ids of
 * chapters have no '-', so they differ from those. Names in any script are within <bdi>, which contains their direction
 * of writing. */

#include "harness/base/xml.h"
#include "harness/report/content/brief.h"
#include "harness/report/content/document.h"
#include "harness/report/glossary/glossary.h"

#include <stdio.h>

/* The style sheet, as the build embeds it. */
extern const char html_style[];

/* The top of the page of a run: the answer, the hardware, the tables, and what explains them. */
void html_brief(FILE *out, const struct brief *brief, const struct run_heading *run);

/* The table of a section, with links to its notes; that of the answer has no anchor. `caption` is read by screen
 * readers. */
void html_table(FILE *out, const struct table *table, const char *anchor, const char *caption);
void html_notes(FILE *out, const struct section *section);

/* Labels with their texts. */
void html_lines(FILE *out, const struct lines *lines);

/* The glossary's terms of all columns with their explanations; `brief`: of each run. */
void html_glossary(FILE *out, const struct document *document, const struct brief brief[]);

#endif
