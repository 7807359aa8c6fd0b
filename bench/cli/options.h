#ifndef BENCH_CLI_OPTIONS_H
#define BENCH_CLI_OPTIONS_H

/* The command line. One table in options.c drives the parser, every --help, the error texts and the suggestions. */

#include "bench/workloads/workload.h"
#include "harness/base/error.h"
#include "harness/machine/device.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum verb {
    VERB_NONE,
    VERB_RUN,
    VERB_DEVICES,
    VERB_WORKLOADS,
    VERB_REPORT,
    VERB_COMPARE,
    VERB_SWEEP,
    VERB_EXPLAIN,
    VERB_DOCTOR,
    VERB_MANUAL,
    VERB_COMPLETION,
    VERB_PUBLISH,
    VERBS
};
enum order { ORDER_INTERLEAVED, ORDER_SEQUENTIAL };
enum fail_on { FAIL_ON_NOTHING, FAIL_ON_SLOWER, FAIL_ON_UNSURE };
enum { LIST_MAX = 16, TERM_WORDS_MAX = 64 };

/* What was asked for. Texts point into argv. Lists end with NULL; an empty one means "not asked". */
struct options {
    enum verb verb;
    bool help, version;
    const char *device[LIST_MAX + 1]; /* "all", "cpu", "gpu", "opencl", "opencl:1", part of a name; default: all */
    const char *workload[LIST_MAX + 1];
    const char *size[LIST_MAX + 1];   /* one per --size given: a shape text holds commas itself */
    const char *method[LIST_MAX + 1]; /* names, or "all" */
    bool dtype[DTYPE_COUNT];          /* none set: not asked */
    bool memory[MEMORY_COUNT];        /* none set: the best of each device; "all" sets each */
    enum suite suite;                 /* standard */
    bool suite_given;
    double precision; /* relative half width to stop at; 0.02 */
    double budget;    /* seconds per series; NAN: the suite's */
    bool cold;        /* caches are flushed before each run */
    double sustained; /* seconds of each device by itself after the rounds; NAN: the suite's */
    double timeout;   /* least deadline of one request, seconds; 30 */
    enum order order;
    const char *baseline; /* "auto", "none", or a device */
    unsigned threads;     /* 0: one per physical core allowed */
    uint64_t seed;        /* 1 */
    const char *output;   /* journal path, NULL: the default place */
    const char *report;   /* file that `report` and `compare` write to, NULL: standard output */
    const char *resume;   /* journal of a run that was broken off, to be completed; NULL: a new run */
    const char *format;   /* "table", "csv", "json" */
    bool format_given;
    unsigned width; /* columns of a report; 0: not asked */
    bool no_ceilings;
    bool quiet;
    int64_t from, to;                           /* sizes that a sweep begins and ends at; 0: the workload's */
    const char *from_typed, *to_typed;          /* as they were; NULL: not at all */
    unsigned points;                            /* sizes of its grid; 9 */
    unsigned uses;                              /* of the same data, between always moved and never; 10 */
    const char *thresholds;                     /* file to put what a sweep found into, for programs; NULL: none */
    const char *term_words[TERM_WORDS_MAX + 1]; /* positional: what to `explain`, word by word as it was typed */
    const char *file[LIST_MAX + 1];             /* positional: journals of `report`, and of the old side of `compare` */
    const char *with[LIST_MAX + 1];             /* journals of the new side */
    enum fail_on fail_on;
    double margin;      /* relative change that is no longer the same; 0.05 */
    const char *folder; /* to publish in */
    const char *name;   /* of the machine that is published; NULL: by its processor and graphics */
    bool dry_run;
    char storage[2048]; /* what the list texts point into, where argv had to be cut at commas: do not copy the struct */
};

/* Fills `out` from argv. On a mistake fails with STATUS_USAGE and one sentence that names the option, the value and
 * what would be right, with the nearest word if one is near. */
bool options_parse(struct options *out, int argc, char *const argv[], struct error *err);

/* Prints the help of one verb, or of the whole program for VERB_NONE. */
void options_help(FILE *out, enum verb verb);

/* Columns that tables should fit into: those of --width, or of the terminal that standard output is, from 60 to 200;
 * otherwise 100. */
unsigned terminal_width(const struct options *options);

/* `bench manual`: the manual page, in the language of man. `bench completion`: a bash function that completes commands,
 * options, and the words, files and devices that options take. Both are made from the tables of commands and options,
 * and return an exit status. */
int manual(const struct options *options, int argc, char *const argv[], struct error *err);
int completion(const struct options *options, int argc, char *const argv[], struct error *err);

/* What was asked for, as a JSON object of the verb's options with their values: for the journal. The seed is a text,
 * as it may be larger than JSON's integers. */
json_t *options_to_json(const struct options *options);

/* Takes over from `asked` all that only says how what was measured is shown. */
void options_copy_display(struct options *options, const struct options *asked);

/* What must be typed beside device, workload, size and method to have the same figures again, where it differs from the
 * default of 'bench run': " --budget 0.5s --seed 7". Not the baseline, which is a device. Returns `to`. */
const char *options_repro(const struct options *options, char *to, size_t room);

#endif
