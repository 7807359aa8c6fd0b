#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

/* What the parts of a run share. */

#include "bench/gate.h"
#include "bench/ledger.h"
#include "bench/progress.h"
#include "bench/remote.h"
#include "harness/sampler.h"

struct bench {
    const struct options *options;
    const struct remote_setup *setup;
    const struct device *baseline; /* that others are compared with; NULL: none */
    struct rule rule;              /* when each series of a cell has been measured enough */
    struct gate *gate;
    struct ledger *ledger;
    struct progress *progress;
};

#endif
