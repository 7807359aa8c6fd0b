#ifndef HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H
#define HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H

/* What the comparison*.c files share. Everybody else wants comparison.h. */

#include "harness/analysis/compare/comparison.h"

/* A cell of a run, and where it comes from. */
struct entry {
    unsigned side, run, place; /* place: in the order of all entries */
    const struct record *record;
    const struct cell_record *cell;
    const struct cell_record *baseline;           /* that its speed-ups are over; NULL: none, or it is one itself */
    const char *device_key, *baseline_device_key; /* "" where there is no baseline */
    bool is_in;                                   /* its speed-ups count */
};

/* The entries that answer one question, those of a side in the order of its runs. */
struct group {
    struct entry *entry;
    unsigned entries;
};

/* Finds the groups (comparison_match.c), in order of the first entry of each. False when memory is short; what was
 * found lives in the pool. */
struct matched {
    struct entry *entry;
    unsigned entries;
    struct group *group;
    unsigned groups;
};
bool comparison_match(struct matched *out, const struct results side[SIDES], struct pool *pool);

/* Works out the shifts of a quantity in all cells at once, as they tell of each other (comparison_shift.c): those of
 * `group[i]` go to `cell[i].shift[quantity]`. */
bool comparison_shift(struct compared cell[], const struct group group[], unsigned cells, enum quantity quantity,
                      double margin);

/* The same of the times of the baselines, to be shown. */
bool comparison_shift_baseline(struct compared cell[], const struct group group[], unsigned cells, double margin);

/* "native" where all words are that, or "onednn (3 runs), openblas (2)"; "" of none. */
const char *comparison_tally(const char *const word[], unsigned words, struct pool *pool);

/* Adds to the comparison's warnings (comparison_warnings.c). */
bool comparison_warn(struct comparison *comparison, const struct results side[SIDES]);

#endif
