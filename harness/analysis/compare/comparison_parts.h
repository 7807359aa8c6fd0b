#ifndef HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H
#define HARNESS_ANALYSIS_COMPARE_COMPARISON_PARTS_H

/* Shared by the comparison*.c files; others use comparison.h. */

#include "harness/analysis/compare/comparison.h"
#include "harness/analysis/figures.h"

/* A cell of a run and its origin. */
struct entry {
    unsigned side, run, place; /* place: index in the order of all */
    const struct record *record;
    const struct cell_record *cell;
    const struct cell_record *baseline;           /* baseline of its speed-ups */
    const char *device_key, *baseline_device_key; /* "": no baseline */
    struct round_times *times;                    /* of the record */
    bool is_in;                                   /* its speed-ups are used */
    bool is_left_out;                             /* nothing of it is: other runs have the baseline of most */
};

/* The entries that answer one question, each side's in the order of its runs. */
struct group {
    struct entry *entry;
    unsigned entries;
};

/* Whether all journals have the signature of their machine (harness/machine/host.h). */
bool comparison_has_signatures(const struct results side[SIDES]);

/* The key by which devices of different runs are compared. That of a processor ends in its machine's signature, which
 * is cut off where a journal has none: what is unknown is not different. */
const char *comparison_device_key(const struct record *record, const struct device *device, bool has_signatures,
                                  struct pool *pool);

/* Finds the groups (comparison_match.c), in the order of their first entries. False when memory is short. The pool owns
 * them. */
struct matched {
    struct entry *entry;
    unsigned entries;
    struct group *group;
    unsigned groups;
    struct pool *pool;
    bool has_signatures;
};
bool comparison_match(struct matched *out, const struct results side[SIDES], struct pool *pool);

/* Computes the shifts of a quantity for all cells together, since their variances are pooled (comparison_shift.c):
 * those of `group[i]` go to `cell[i].shift[quantity]`, or to its baseline_shift if it is the time of the baseline. */
bool comparison_shift(struct compared cell[], const struct group group[], unsigned cells, enum quantity quantity,
                      bool of_baseline, double margin);

/* "native" if all words are that, or "onednn (3 runs), openblas (2)"; "" of none. */
const char *comparison_tally(const char *const word[], unsigned words, struct pool *pool);

/* Adds warnings to the comparison (comparison_warnings.c). */
bool comparison_warn(struct comparison *comparison, const struct results side[SIDES]);

#endif
