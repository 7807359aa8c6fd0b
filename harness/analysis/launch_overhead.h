#ifndef HARNESS_ANALYSIS_LAUNCH_OVERHEAD_H
#define HARNESS_ANALYSIS_LAUNCH_OVERHEAD_H

/* What launches cost: how soon the calls that start a run return, and how long the same work takes when it is cut into
 * many launches, or into chunks that are moved and computed at the same time. A pure function of a record. Which cells
 * are about this is known by the dimensions of their shape: count, or chunks and queues. */

#include "harness/analysis/figure.h"

struct launch_overhead {
    double enqueue;          /* seconds of a run until its calls returned, before the wait; NAN unknown */
    bool is_launch;          /* the cell measures launches: compare `enqueue` with the whole time */
    unsigned count;          /* launches of one run; 0 unless is_launch */
    double uncut;            /* seconds of the same work in one launch, on the same device in this run; NAN unknown */
    double queued;           /* seconds of a run among many with one wait for all; NAN where not measured */
    unsigned chunks, queues; /* that a run moves and computes in; 0 where it does not */
    double apart;            /* seconds of all uploads, then all computing, then all downloads; NAN unless in chunks */
};

/* Whether the wait after each run is a good part of one that takes so many seconds: less than 20 launches. */
bool launch_overhead_is_felt(const struct launch_overhead *launches, double time);

/* Of the figure for data that stay. */
void launch_overhead_read(struct launch_overhead *out, const struct record *record, const struct figure *resident);

#endif
