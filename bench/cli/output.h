#ifndef BENCH_CLI_OUTPUT_H
#define BENCH_CLI_OUTPUT_H

/* The files of --output, which reports and comparisons are written to. They appear when they are complete. Without
 * --output, and for the file "-", it is standard output, which a run and a sweep also print a table to. */

#include "bench/cli/options.h"
#include "harness/base/atomic_file.h"
#include "harness/report/report.h"

struct output {
    const struct options *options;
    const char *path;            /* as it was typed; NULL: standard output */
    FILE *out;                   /* stdout, or the file */
    const struct report *format; /* by the name of the file, unless --format was given */
    struct atomic_file file;     /* open where there is a path, until it is in its place */
    char stem[PATH_MAX];         /* the file's path without its ending: the names of picture files start with it */
};

struct outputs {
    struct output *output;
    unsigned count;
};

/* Fails when the name of a file chooses no format, or the file cannot be written, or is one of the journals to be read
 * or written. To be closed in any case, which removes what is not in its place. */
bool outputs_open(struct outputs *outputs, const struct options *options, struct error *err);
void outputs_close(struct outputs *outputs);

/* Calls `write` for each of them, and renames each file that was written completely. Fails with the
 * name of the first other one. */
typedef bool output_write(const void *what, const struct output *output, struct error *err);
bool outputs_write(struct outputs *outputs, output_write *write, const void *what, struct error *err);

/* Columns of a report: those of the terminal, or of a file. */
unsigned output_width(const struct output *output);

/* How the options want a report there. Without `claims`. */
struct layout output_layout(const struct output *output);

/* The first of these paths (up to NULL, at most `count`) that is the same file; NULL where none is. "-" is standard
 * input. */
const char *path_same(const char *const path[], unsigned count, const char *file);

#endif
