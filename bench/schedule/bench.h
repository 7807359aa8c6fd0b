#ifndef BENCH_SCHEDULE_BENCH_H
#define BENCH_SCHEDULE_BENCH_H

/* What the parts of a run share. */

#include "bench/schedule/admission.h"
#include "bench/schedule/progress.h"
#include "bench/schedule/run_log.h"
#include "bench/worker/client.h"
#include "harness/measure/sampler.h"

struct bench {
    const struct options *options;
    const struct worker_setup *setup;
    const struct device *baseline; /* that others are compared with; NULL: none */
    struct rule rule;              /* when each series of a cell has been measured enough */
    struct admission *admission;
    struct run_log *run_log;
    struct progress *progress;
};

#endif
