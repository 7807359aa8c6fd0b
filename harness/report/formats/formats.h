#ifndef HARNESS_REPORT_FORMATS_FORMATS_H
#define HARNESS_REPORT_FORMATS_FORMATS_H

/* The formats of reports: each for people writes any document, each for programs what it has columns for. */

#include "harness/report/makers/makers.h"

document_writer text_write, markdown_write, html_write;

/* Appends a clean text, which has no line breaks, escaped for GitHub-flavoured Markdown: it becomes no emphasis, link,
 * image, mention, entity or HTML, and no further cell of a table. If it begins a line or a list item, it becomes no
 * list or heading either; otherwise what follows must not continue its last word. */
void markdown_text(struct string_builder *to, const char *text, bool begins_line);

bool csv_runs(const struct results *results, const struct answer_set set[], const struct layout *layout, FILE *out,
              struct error *err);
bool json_runs(const struct results *results, const struct answer_set set[], const struct layout *layout, FILE *out,
               struct error *err);
bool json_comparison(const struct comparison *comparison, FILE *out, struct error *err);
bool csv_fleet(const struct fleet *fleet, FILE *out, struct error *err);
bool json_fleet(const struct fleet *fleet, FILE *out, struct error *err);

#endif
