#ifndef HARNESS_REPORT_FORMATS_COMPARISON_H
#define HARNESS_REPORT_FORMATS_COMPARISON_H

/* What the formats of a comparison share: names and figures. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/content/builder.h"

/* Whether it has a row: cells of one side only are listed in sentences. */
bool compared_has_row(const struct compared *cell);

/* Adds a line for each problem of which cells are on one side only: "only in the new runs: " and "multiply f32, n =
 * 1,000: opencl:0 (portable, mapped), opencl:0 (portable, pinned)". */
void comparison_lone(struct pool *pool, struct lines *out, const struct comparison *comparison);

/* "multiply f32, n = 40,000,000, cold". */
enum { PROBLEM_ROOM = 320 };
const char *compared_problem(char to[PROBLEM_ROOM], const struct cell_record *cell);
bool compared_is_of(const struct cell_record *cell, const struct cell_record *other); /* the same problem */

/* The cell of the new side, or of the old one if the new side does not have it. */
const struct cell_record *compared_cell(const struct compared *cell);

/* The method, or the memory if there is only one method, as for a transfer; with the memory if another row of the same
 * device and problem has another: "portable, mapped". In the pool. */
const char *compared_method(struct pool *pool, const struct comparison *comparison, const struct compared *cell);

/* How to read the figures. */
extern const char comparison_legend[];

/* "-5.1", "+0.3" percent, with the digits that the half width allows; "-" unknown. */
enum { PERCENT_ROOM = 32 };
const char *percent_text(char to[PERCENT_ROOM], double ratio, double low, double high);
/* Half the 95 % interval in percent: "1.9"; "-" unknown. */
const char *half_text(char to[PERCENT_ROOM], const struct shift *shift);

/* "5 runs before, 5 now. ...": the runs on each side, and what the verdicts are based on. */
enum { BASIS_ROOM = 400 };
const char *comparison_basis(char to[BASIS_ROOM], const struct comparison *comparison);

#endif
