#ifndef BENCH_CLI_COMPLETION_H
#define BENCH_CLI_COMPLETION_H

/* `bench completion`: a function for bash that completes verbs, their options, and the words, files and devices that
 * options take, from the tables of verbs and options. */

#include "bench/cli/options.h"

int completion(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
