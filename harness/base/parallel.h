#ifndef HARNESS_BASE_PARALLEL_H
#define HARNESS_BASE_PARALLEL_H

/* The only file that uses OpenMP. All filling, checking and computing of arrays on the host goes through here, so that
 * it uses the same threads and the same cuts: the thread that touched a page first also works on it. */

#include <stdint.h>

/* Elements below which another thread costs more than it saves; a grain for cheap loops. */
enum { PARALLEL_LEAST = 4096 };

/* Works on [begin, end). Called by several threads at once on slices that do not overlap. */
typedef void parallel_body(void *context, int64_t begin, int64_t end);

/* Cuts [begin, end) into one contiguous slice per thread, the cuts at `begin` plus multiples of `grain`, and returns
 * when all are done. threads 0: as many as OpenMP would use. Returns how many threads there were; a range of one grain
 * is done by the caller alone. */
unsigned parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                         unsigned threads);

/* Start of a part's slice; that of part `parts` is `end`. Slices differ by at most one grain. */
int64_t parallel_cut(int64_t begin, int64_t end, int64_t grain, unsigned part, unsigned parts);

/* Threads that parallel_slices uses for 0, and their provider: "OpenMP 4.5". */
unsigned parallel_threads(void);
const char *parallel_runtime(void);

/* Starts that many threads now, 0 for all, and returns how many there are. They may use the processors that the caller
 * may use at this moment, whatever it is restricted to later. */
unsigned parallel_begin(unsigned threads);

/* Starts that many threads, 0 for all, and returns on how many processors they may compute: fewer where a variable or
 * another OpenMP runtime says so. From then on that many are used, by libraries too, which would wait for the others.
 */
unsigned parallel_observe(unsigned threads);

#endif
