#ifndef BENCH_COMMANDS_SWEEP_H
#define BENCH_COMMANDS_SWEEP_H

/* The verb `sweep`: from which size on a device pays. One problem after the other, each measured as a run measures it:
 * a grid from small to large, then the middle of the gap in which one device overtakes the other. */

#include "bench/cli/options.h"

/* As run() in run.h does. */
int sweep(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
