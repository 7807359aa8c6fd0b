#ifndef HARNESS_BASE_CLOCK_H
#define HARNESS_BASE_CLOCK_H

/* The clock of all measurements, a check of it, and CPU time. */

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdbool.h>

/* Seconds of CLOCK_MONOTONIC_RAW: never stepped or slewed. Only differences mean anything. */
double clock_wall(void);

/* Both monotonic clocks at the same moment: seconds of CLOCK_MONOTONIC_RAW and of CLOCK_MONOTONIC. Each is a check of
 * the other. */
struct clock_pair {
    double raw, second;
};
struct clock_pair clock_both(void);

/* Whether both clocks advanced alike between two moments: false with STATUS_IMPOSSIBLE if one was stepped. */
bool clock_agrees(const struct clock_pair *from, const struct clock_pair *to, struct error *err);

/* CPU seconds used by all threads of this process, user and system. */
double clock_cpu(void);

/* Now, as "2026-11-21T01:40:00Z". */
struct text clock_date(void);

#endif
