#ifndef BENCH_CLI_MANUAL_H
#define BENCH_CLI_MANUAL_H

/* `bench manual`: the manual page, in the language of man, from the tables of verbs and options. */

#include "bench/cli/options.h"

int manual(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
