#ifndef BENCH_SCHEDULE_PRUNE_H
#define BENCH_SCHEDULE_PRUNE_H

/* Methods that take long to get ready and fell far behind at one size, and so need not be tried at another near it:
 * what keeps a sweep over many sizes from compiling the same library again at each of them. */

#include "bench/plan/plan.h"
#include "bench/schedule/run_log.h"

/* Takes the cells out of a plan of one problem whose methods cannot be the fastest, by what was tried at other sizes,
 * and writes down why. Only methods that have a rival in their row are ever taken out.
 *
 * Where each time is a fixed cost and a part that grows with the work, a method that took r times as long as the
 * fastest also loses wherever the work is within a factor of r of that: at k times the work it takes no less than
 * before, the other at most k times as long; at a k-th of it it takes a k-th or more, the other no more than before. */
void prune_methods(struct plan *plan, struct run_log *run_log);

#endif
