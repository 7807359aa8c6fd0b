#ifndef BENCH_COMMANDS_JOURNALS_H
#define BENCH_COMMANDS_JOURNALS_H

/* The journals that commands read. */

#include "bench/cli/output.h"
#include "harness/journal/results.h"

#include <dirent.h>

/* Reads the journals of a list that ends with NULL, "-" for standard input, and prints what is wrong with each. Fails
 * with the error of the first that cannot be read at all; the others are read all the same. A journal that is given
 * twice is read once. To be closed in any case. */
bool journals_open(struct results *out, const char *const path[], struct error *err);
void journals_close(struct results *results);

/* For scandir: whether the name is that of a journal, and not hidden. */
int journals_entry(const struct dirent *entry);

/* Whether every line of all of them could be used. */
bool journals_are_whole(const struct results *results);

/* Writes the report of `results` (for outputs_write). */
bool journals_report(const void *results, const struct output *output, struct error *err);

#endif
