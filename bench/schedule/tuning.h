#ifndef BENCH_SCHEDULE_TUNING_H
#define BENCH_SCHEDULE_TUNING_H

/* Kernel shapes (tiles, work per item, vector width): tuned once for a method, element type, device and size class, and
 * used at all sizes of that class, in this run and later ones. Small, middle and large: a class is less than one, less
 * than four, or more groups for each unit of the device. Those of a library are its algorithms: each size is tuned. */

#include "bench/schedule/runner.h"

/* Before a runner is opened: its cell gets the kernel shape that was found before, if any. */
void tuning_recall(struct runner *runner);

/* After one could not be opened: whether that may be since the kernel shape found before is refused now, as by another
 * version of a library, or has no memory for its workspace. Then it is forgotten, and the runner may be opened with any
 * other. */
bool tuning_forget(struct runner *runner);

/* After a runner was opened: tunes its method, unless that was done before or there is no choice. It is tuned at the
 * first problem of its class in the plan, from this one on, whose run takes at least 2 ms, else at the largest. All
 * shapes share one worker. The runner continues with the best; runner->shapes gets all that were tried. If the worker
 * dies, the runner may end, too: then it has an outcome. */
void tuning_run(struct runner *runner);

#endif
