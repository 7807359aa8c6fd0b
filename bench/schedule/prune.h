#ifndef BENCH_SCHEDULE_PRUNE_H
#define BENCH_SCHEDULE_PRUNE_H

/* Prunes the methods of a sweep: one that takes long to get ready and clearly lost at one size is not tried at sizes
 * near it. Otherwise the same library would compile again at each size. */

#include "bench/plan/plan.h"
#include "harness/journal/record.h"

/* Refuses the cells whose methods cannot be the fastest, by races at other sizes. A method without an alternative in
 * its row stays.
 *
 * A time is a fixed cost and a part that grows with the work. A method that took r times as long as the fastest loses
 * wherever the work is within a factor of r: at k times the work it takes no less than before and the other at most k
 * times as long; at a k-th it takes at least a k-th and the other no more than before. */
void prune_methods(struct plan *plan, const struct record *record);

#endif
