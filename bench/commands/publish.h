#ifndef BENCH_COMMANDS_PUBLISH_H
#define BENCH_COMMANDS_PUBLISH_H

/* `bench publish`: journals are checked, redacted and filed below a folder by machine and day; the reports and the
 * index there are made anew from what is filed. */

#include "bench/cli/options.h"

/* Returns the exit status: EXIT_BAD_CELL where a journal is not fit to be published, and then nothing was filed; err is
 * filled where there is an error to be told. */
int publish(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
