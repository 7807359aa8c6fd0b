#ifndef HARNESS_ANALYSIS_LAUNCH_OVERHEAD_H
#define HARNESS_ANALYSIS_LAUNCH_OVERHEAD_H

/* What it costs to ask a device, and to ask it many times: how soon the calls that start a run have returned, and what
 * becomes of the same work when it is cut into many launches, or into chunks that are moved and computed at once. A
 * pure function of a record. */

#include "harness/journal/record.h"

struct launches {
    double enqueue; /* seconds of a run until its calls had returned, before the wait; NAN unknown */
    bool is_launch; /* the workload is about launches: what a program would see that forgets to wait is worth a look */
    unsigned count; /* launches of one run, where that is the question; 0 elsewhere */
    double uncut;   /* seconds of the same work in one launch, as the same device did it in this run; NAN unknown */
    double queued;  /* seconds of a run among many with one wait for all; NAN where not taken */
    unsigned chunks, queues; /* that a run moves and computes by; 0 where that is not the question */
    double apart; /* seconds of moving, computing and moving back, with a wait after each; NAN unless it is in chunks */
};

void launches_read(struct launches *out, const struct record *record, const struct cell_record *cell);

#endif
