#ifndef BENCH_RUN_H
#define BENCH_RUN_H

/* The verb `run`: fill a journal, then report it. */

#include "bench/options.h"

/* What the program's exit status tells. */
enum exit_status { EXIT_OK = 0, EXIT_BAD_CELL = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 3, EXIT_INTERRUPTED = 130 };

/* Measures what the options ask for and prints the report on stdout; argv is recorded. Returns the exit status. err is
 * filled when nothing could be measured at all, or when the journal or the report could not be written. */
int run(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
