#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

/* The file that a report is written to, where one is named. */

#include "bench/options.h"

/* What stands behind the last dot of the file's name; NULL where there is no dot. */
const char *target_extension(const char *path);

/* What is read must not be what is written: fails when --output names one of the journals that were given. */
bool target_check(const struct options *options, struct error *err);

#endif
