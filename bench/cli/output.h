#ifndef BENCH_CLI_OUTPUT_H
#define BENCH_CLI_OUTPUT_H

/* The file of --output, which reports and comparisons are written to. It appears when it is complete. Without --output
 * they go to standard output. */

#include "bench/cli/options.h"
#include "harness/base/atomic_file.h"
#include "harness/report/report.h"

#include <jansson.h>

struct output {
    FILE *out;                   /* stdout, or the file */
    const struct report *format; /* by the name of the file, unless --format was given */
    struct atomic_file file;     /* open where --output names one */
    char stem[PATH_MAX];         /* the file's path without its ending: the names of picture files start with it */
};

/* Fails when the name of the file of --output chooses no format, or the file cannot be written, or is one of the
 * journals to be read or written. */
bool output_open(struct output *output, const struct options *options, struct error *err);

/* Puts a complete file in its place, and removes an incomplete one. Fails when not all of it could be written. */
bool output_close(struct output *output, bool is_complete, struct error *err);

/* Prints a value and a line break, and releases it. */
void output_json(json_t *value, FILE *out);

/* Columns of a report: those of the terminal, or of a file. */
unsigned output_width(const struct output *output, const struct options *options);

/* How the options want a report there. Without `claims`. */
struct layout output_layout(const struct output *output, const struct options *options);

/* The first of these paths (up to NULL, at most `count`) that is the same file; NULL where none is. "-" is standard
 * input. */
const char *path_same(const char *const path[], unsigned count, const char *file);

#endif
