#ifndef BENCH_COMMANDS_INVENTORY_H
#define BENCH_COMMANDS_INVENTORY_H

/* The verbs `devices` and `workloads`: what there is, for people to read. */

#include "bench/cli/options.h"

#include <stdio.h>

/* Lists every device, which entries are the same silicon, and what gave no device and why. */
bool inventory_devices(FILE *out, const struct options *options, struct error *err);

/* Lists workloads, their dimensions, element types and methods. */
bool inventory_workloads(FILE *out, struct error *err);

#endif
