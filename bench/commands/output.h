#ifndef BENCH_COMMANDS_OUTPUT_H
#define BENCH_COMMANDS_OUTPUT_H

/* Where `report` and `compare` write to: standard output, or the file of --output, which appears only when it is
 * complete. */

#include "bench/cli/options.h"
#include "harness/base/atomic_file.h"

struct output {
    FILE *out;
    struct atomic_file file; /* open where --output names one */
};

/* Whether the name of the --output file ends in a dot and this extension, in capitals or not. Where not, the extension
 * is added to `endings`, for the message of output_refuse. */
enum { ENDINGS_MAX = 128 };
bool output_ends_in(const struct options *options, const char *extension, char endings[ENDINGS_MAX]);
bool output_refuse(const struct options *options, const char *endings, struct error *err);

/* Fails when the file cannot be written, or is one of the journals to be read. */
bool output_open(struct output *output, const struct options *options, struct error *err);

/* Puts a complete file in its place, and removes an incomplete one. Fails when not all of it could be written. */
bool output_close(struct output *output, bool is_complete, struct error *err);

#endif
