#ifndef BENCH_PLAN_PUBLISHED_H
#define BENCH_PLAN_PUBLISHED_H

/* What web pages have published of the problems that the suite uhd620 repeats. */

#include "harness/report/content/claims.h"

extern const struct claim published[]; /* up to one without a workload */

#endif
