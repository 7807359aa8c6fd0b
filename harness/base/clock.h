#ifndef HARNESS_BASE_CLOCK_H
#define HARNESS_BASE_CLOCK_H

/* The one clock that every comparison uses, and what it costs the host. */

#include "harness/base/error.h"

#include <stdbool.h>

/* Seconds of CLOCK_MONOTONIC_RAW: never stepped or slewed. Only differences mean anything. */
double clock_wall(void);

/* Both clocks that never go back, at the same moment: seconds of CLOCK_MONOTONIC_RAW and of CLOCK_MONOTONIC, which tell
 * of each other whether they tell the truth. */
struct clock_pair {
    double raw, second;
};
struct clock_pair clock_both(void);

/* Whether both went on alike from one moment to another: false with STATUS_IMPOSSIBLE where one of them was stepped. */
bool clock_agrees(const struct clock_pair *from, const struct clock_pair *to, struct error *err);

/* CPU seconds that all threads of this process have burnt, user and system. */
double clock_cpu(void);

/* The same of another process, without the children it waited for; NAN where it is gone. */
double clock_cpu_of(long pid);

/* CPU seconds that this process and those of its children that it has waited for have burnt. */
double clock_cpu_family(void);

/* "2026-11-21T01:40:00Z"; the room is exact. */
void clock_date(char to[21]);

#endif
