#ifndef BENCH_COMMANDS_TARGET_H
#define BENCH_COMMANDS_TARGET_H

/* The file that a report is written to, where one is named. */

#include "bench/cli/options.h"

enum { TARGET_ENDINGS = 128 };

/* Whether the file's name ends in a dot and this extension, whatever the case of its letters. Where not, the extension
 * is added to those that it might have ended in: ".txt, .md or .csv". */
bool target_ends_in(char endings[TARGET_ENDINGS], const char *path, const char *extension, bool is_last);

/* Fails: the name ends in none of them. */
bool target_refuse(const char *path, const char *endings, struct error *err);

/* What is read must not be what is written: fails when --output names one of the journals that were given. */
bool target_check(const struct options *options, struct error *err);

#endif
