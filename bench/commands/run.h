#ifndef BENCH_COMMANDS_RUN_H
#define BENCH_COMMANDS_RUN_H

/* The verb `run`: fill a journal, then report it. */

#include "bench/cli/options.h"

/* Measures what the options ask for and prints the report on stdout; argv is recorded. Returns the exit status. err is
 * filled when nothing could be measured at all, or when the journal or the report could not be written. */
int run(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
