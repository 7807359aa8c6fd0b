#ifndef BENCH_COMMANDS_COMPARE_H
#define BENCH_COMMANDS_COMPARE_H

#include "bench/cli/options.h"

/* Compares the journals that are named, and prints what changed. Returns the exit status: EXIT_BAD_CELL when there is
 * what --fail-on names, or nothing at all could be compared where it names something. */
int compare(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
