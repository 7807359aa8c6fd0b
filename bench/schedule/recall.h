#ifndef BENCH_SCHEDULE_RECALL_H
#define BENCH_SCHEDULE_RECALL_H

/* What a race takes from earlier runs, and leaves to later ones (tuning_cache.h). */

#include "bench/schedule/contest.h"

/* Whether the cache is used at all: not for scripted devices, which may be others in the next run, and only for a race
 * of all methods. */
bool recall_is_possible(const struct contest *contest);

/* Looks up what an earlier run left: contest->tuned and contest->is_remembered. What a quick run had no time to try, a
 * longer one tries. */
void recall_read(struct contest *contest);

/* Whether an earlier run left the method with this kernel shape (NULL: any), or found it bad. The kernel shape it was
 * found with goes to `found` unless that is NULL. */
bool recall_has(const struct contest *contest, const char *method, const char *kernel_shape, bool is_bad,
                const char **found);

/* Passes over a contender that an earlier run did not leave; false if it takes part. */
bool recall_leaves_out(const struct contest *contest, struct contender *contender);

/* Whether an earlier run left a single one, with one kernel shape; `only` is its runner. The others are passed over. */
bool recall_survivor(struct contest *contest, unsigned *only);

/* Leaves to later runs what is within 5 % of the winner, and what is bad. */
void recall_write(const struct contest *contest, enum race_kind kind);

#endif
