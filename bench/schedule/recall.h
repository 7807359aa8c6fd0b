#ifndef BENCH_SCHEDULE_RECALL_H
#define BENCH_SCHEDULE_RECALL_H

/* What a race takes from earlier ones, and leaves to later ones (tuning_cache.h). */

#include "bench/schedule/contest.h"

/* Looks up what an earlier race left: contest->tuned and contest->is_remembered. What a quick run had no time to try, a
 * longer one tries. */
void recall_read(struct contest *contest);

/* The method as an earlier race left it, with this kernel shape (NULL: any), or as it found it bad; NULL: it did not.
 */
const struct tuned_contender *recall_find(const struct contest *contest, const char *method, const char *kernel_shape,
                                          bool is_bad);

/* How many kernel shapes of the method an earlier race left. */
unsigned recall_kernel_shapes(const struct contest *contest, const char *method);

/* Leaves to later races what is within 5 % of the winner, and what is bad. */
void recall_write(const struct contest *contest);

#endif
