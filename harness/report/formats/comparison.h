#ifndef HARNESS_REPORT_FORMATS_COMPARISON_H
#define HARNESS_REPORT_FORMATS_COMPARISON_H

/* What the formats of a comparison share: order, names and figures. */

#include "harness/analysis/compare/comparison.h"
#include "harness/report/content/builder.h"

/* The cells in the order in which they are told: what became slower first, by problem within each verdict. To be freed;
 * NULL when memory is short. */
const struct compared **comparison_order(const struct comparison *comparison);

/* Whether it has a row: what only one side has is told in a sentence. */
bool compared_has_row(const struct compared *cell);

/* Adds a line for each problem of which cells are on one side only: "only in the new runs: " and "multiply f32, n =
 * 1,000: opencl:0 (portable, mapped), opencl:0 (portable, pinned)". */
void comparison_lone(struct pool *pool, struct lines *out, const struct compared *const order[], unsigned cells);

/* "multiply f32, n = 40,000,000, cold". */
enum { PROBLEM_ROOM = 320 };
const char *compared_problem(char to[PROBLEM_ROOM], const struct cell_record *cell);
bool compared_is_of(const struct cell_record *cell, const struct cell_record *other); /* the same problem */

/* The one of the side that has it, the new one where both do. */
const struct cell_record *compared_cell(const struct compared *cell);

/* What it was done with: its method, or the memory where there is but one method, as of a transfer; and the memory
 * besides where another row of the same device and problem has another: "portable, mapped". In the pool. */
const char *compared_method(struct pool *pool, const struct comparison *comparison, const struct compared *cell);

/* How the figures are to be read. */
extern const char comparison_legend[];

/* "-5.1", "+0.3" percent, with the digits that the half width allows; "-" unknown. */
enum { PERCENT_ROOM = 32 };
const char *percent_text(char to[PERCENT_ROOM], double ratio, double low, double high);
/* Half the 95 % interval in percent: "1.9"; "-" unknown. */
const char *half_text(char to[PERCENT_ROOM], const struct shift *shift);

/* "before 5 runs, now 5": what stands on each side; and what its verdicts rest on. */
enum { BASIS_ROOM = 400 };
const char *comparison_basis(char to[BASIS_ROOM], const struct comparison *comparison);

#endif
