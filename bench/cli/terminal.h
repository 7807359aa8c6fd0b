#ifndef BENCH_CLI_TERMINAL_H
#define BENCH_CLI_TERMINAL_H

/* What the report is read on. */

#include "bench/cli/options.h"

/* Columns that its tables should fit into: as asked, those of the terminal behind standard output within reason, or 100
 * where there is none. */
unsigned terminal_width(const struct options *options);

#endif
