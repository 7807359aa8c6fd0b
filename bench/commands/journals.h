#ifndef BENCH_COMMANDS_JOURNALS_H
#define BENCH_COMMANDS_JOURNALS_H

/* The journals that a verb is given to read. */

#include "harness/journal/results.h"

#include <stdio.h>

/* Reads them, `path` being NULL-terminated, and says on `to` what is wrong with each; to be closed either way. Fails
 * with the first that cannot be read at all; those that can be are there all the same. One that is given twice is read
 * once. */
bool journals_open(struct results *out, const char *const path[], FILE *to, struct error *err);
void journals_close(struct results *results);

/* What stands for a journal on a command line: "-" is standard input, which has a name as a file, too. */
const char *journals_path(const char *typed);

/* Whether both paths lead to one file that exists. */
bool is_same_file(const char *path, const char *other);

/* Whether everything in all of them could be made use of. */
bool journals_are_whole(const struct results *results);

#endif
