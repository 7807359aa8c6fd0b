#ifndef BENCH_COMMANDS_JOURNALS_H
#define BENCH_COMMANDS_JOURNALS_H

/* What `report` and `compare` share: the journals that they read, and the output that they write: standard output, or
 * the file of --output, which appears only when it is complete. */

#include "bench/cli/options.h"
#include "harness/base/atomic_file.h"
#include "harness/journal/results.h"

/* Reads the journals of a list that ends with NULL, "-" for standard input, and prints what is wrong with each to `to`.
 * Fails with the error of the first that cannot be read at all; the others are read all the same. A journal that is
 * given twice is read once. To be closed in any case. */
bool journals_open(struct results *out, const char *const path[], FILE *to, struct error *err);
void journals_close(struct results *results);

/* Whether every line of all of them could be used. */
bool journals_are_whole(const struct results *results);

struct output {
    FILE *out;
    struct atomic_file file; /* open where --output names one */
};

/* Fails when the file of --output cannot be written, or is one of the journals to be read. */
bool output_open(struct output *output, const struct options *options, struct error *err);

/* Puts a complete file in its place, and removes an incomplete one. Fails when not all of it could be written. */
bool output_close(struct output *output, bool is_complete, struct error *err);

/* Whether the name of the --output file ends in a dot and this extension, in capitals or not. Where not, the extension
 * is added to `endings`, for the message of output_refuse. */
enum { ENDINGS_MAX = 128 };
bool output_ends_in(const struct options *options, const char *extension, char endings[ENDINGS_MAX]);
bool output_refuse(const struct options *options, const char *endings, struct error *err);

#endif
