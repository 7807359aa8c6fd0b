#ifndef HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H
#define HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H

/* Shared by the comparison*.c files; others use comparison.h. */

#include "harness/analysis/compare/comparison.h"
#include "harness/analysis/figure.h"

/* A cell of a run and its origin. */
struct entry {
    unsigned side, run;
    const struct record *record;
    const struct cell_record *cell;
    const struct cell_record *baseline; /* of its resident speed-up; NULL: none */
    struct figure figure[USES];
    const char *over; /* the baselines of its speed-ups */
    bool is_left_out; /* most runs have other baselines: none of its figures is used */
};

/* Finds the cells of a comparison with their entries (comparison_match.c), in the order of the first entries. */
void comparison_match(struct comparison *out, const struct results side[SIDES]);

/* Computes the shifts of a quantity for all cells together, since a variance is in part that of all
 * (comparison_shift.c). */
void comparison_shift(struct comparison *comparison, enum quantity quantity);

/* "native" if all words are that, or "onednn (3 runs), openblas (2)"; "" of none. */
const char *comparison_tally(const char *const word[], unsigned words, struct pool *pool);

/* Adds warnings to the comparison (comparison_warnings.c). */
void comparison_warn(struct comparison *comparison, const struct results side[SIDES]);

#endif
