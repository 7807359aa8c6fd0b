#ifndef HARNESS_BASE_PARALLEL_H
#define HARNESS_BASE_PARALLEL_H

/* The one place that knows OpenMP. Everything that fills, checks or computes an array on the host goes through here, so
 * that all of it shares one team of threads and cuts an array in the same places: the thread that touched a page first
 * is the thread that works on it. Without OpenMP it is an ordinary loop. */

#include <stdint.h>

/* Elements below which waking another thread costs more than it brings; a grain for cheap loops. */
enum { PARALLEL_LEAST = 4096 };

/* Works on [begin, end). Called by several threads at once on slices that do not overlap. */
typedef void parallel_body(void *context, int64_t begin, int64_t end);

/* Cuts [begin, end) into one contiguous slice per thread, the cuts at `begin` plus multiples of `grain`, and returns
 * when all are done. threads 0: as many as OpenMP would use. Returns how many threads there were; a range of one grain
 * is done by the caller alone. */
unsigned parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                         unsigned threads);

/* Where the slice of one part begins; that of part `parts` is `end`. Slices differ by at most one grain. */
int64_t parallel_cut(int64_t begin, int64_t end, int64_t grain, unsigned part, unsigned parts);

/* Threads that parallel_slices uses when asked for 0, and what provides them: "OpenMP 4.5", or "" for one thread. */
unsigned parallel_threads(void);
const char *parallel_runtime(void);

#endif
