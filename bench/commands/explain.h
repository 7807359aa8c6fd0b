#ifndef BENCH_COMMANDS_EXPLAIN_H
#define BENCH_COMMANDS_EXPLAIN_H

/* The verb that explains what reports say. */

#include "bench/cli/options.h"

/* Prints what the words mean that were given, or which there are. Returns the exit status, with err filled where a word
 * means nothing. */
int explain(const struct options *options, int argc, char *const argv[], struct error *err);

#endif
