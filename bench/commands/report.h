#ifndef BENCH_COMMANDS_REPORT_H
#define BENCH_COMMANDS_REPORT_H

/* `bench report`: the reports of journals, which are those that their runs printed. */

#include "bench/cli/options.h"

/* Returns the exit status; err is filled where there is an error to be told. What is wrong with a file goes to stderr:
 * a damaged journal is reported as far as it can be read, and that not all of it was shows in the status. */
int report(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
