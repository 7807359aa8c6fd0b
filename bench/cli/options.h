#ifndef BENCH_CLI_OPTIONS_H
#define BENCH_CLI_OPTIONS_H

/* The command line. The table in options.c is the one description of every option: the parser, the help, the manual,
 * the completion and the messages are made from it. */

#include "bench/workloads/workload.h"
#include "harness/analysis/fleet/fleet.h"
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
    VERB_LIST,
    VERB_CLEAN,
    VERB_SWEEP,
    VERB_EXPLAIN,
    VERB_DOCTOR,
    VERB_MANUAL,
    VERB_COMPLETION,
    VERB_PUBLISH,
    VERB_FLEET,
    VERBS
};
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum fail_on { FAIL_ON_NOTHING, FAIL_ON_SLOWER, FAIL_ON_UNSURE };
enum { LIST_MAX = 16, TERM_WORDS_MAX = 64 };

/* The values of all options. Texts point into argv. Lists end with NULL; an empty list means that the option was not
 * given. */
struct options {
    int argc; /* the whole command line, which a journal records */
    char *const *argv;
    enum verb verb;
    bool help, version;
    /* "all", "cpu", "gpu", "opencl", "opencl:1", part of a name; empty: see listing_select */
    const char *device[LIST_MAX + 1];
    const char *workload[LIST_MAX + 1];
    const char *size[LIST_MAX + 1];   /* one per --size, as a shape has commas itself */
    const char *method[LIST_MAX + 1]; /* names, or "all" */
    bool dtype[DTYPE_COUNT];          /* none set: not given */
    bool memory[MEMORY_COUNT];        /* none set: the best of each device; "all" sets each */
    enum suite suite;                 /* standard */
    double precision;                 /* relative half width to stop at; NAN: the suite's visits, or 0.02 */
    double budget;                    /* seconds per series; NAN: the suite's */
    double time;                      /* seconds that a run may take as a whole; NAN: as long as it takes */
    double wait_quiet;                /* seconds to wait at most for cores without other load; NAN: none */
    bool cold;                        /* flush the caches before each run */
    double sustained;                 /* seconds that each device runs alone after the visits; NAN: the suite's */
    double timeout;                   /* least deadline of one request, seconds; 30 */
    const char *baseline;             /* "auto", "none", or a device */
    unsigned threads;                 /* 0: one per physical core allowed */
    uint64_t seed;                    /* 1 */
    const char *journal;              /* path of the journal that a run writes, NULL: the default place */
    const char *output[LIST_MAX + 1]; /* files of the report, "-" for standard output; empty: that alone */
    const char *resume;               /* journal of an interrupted run to complete; NULL: a new run */
    const char *format;               /* "table", "csv", "json" */
    bool format_given;
    unsigned width; /* columns of a report; 0: not given */
    bool full;      /* the report in full, not on one screen */
    enum color color;
    bool no_peaks;
    bool retune; /* races use nothing that earlier runs found, and have the time to try all */
    bool quiet;
    int64_t from, to;                           /* first and last size of a sweep; 0: the workload's */
    unsigned points;                            /* sizes in the grid of a sweep; 9 */
    unsigned uses;                              /* uses of the same data per transfer; 10 */
    const char *thresholds;                     /* JSON file for the thresholds of a sweep; NULL: none */
    const char *term_words[TERM_WORDS_MAX + 1]; /* positional: the arguments of `explain` */
    const char *file[LIST_MAX + 1]; /* positional: journals of `report` and `publish`, old side of `compare`, folders or
                                     * journals of `fleet` */
    bool is_newest;                 /* without a FILE or --journal: it is the newest run in the default folder */
    const char *with[LIST_MAX + 1]; /* journals of the new side */
    enum fail_on fail_on;
    bool fail_states[FLEET_STATES]; /* of nodes, for which `fleet` fails */
    const char *against;            /* folder of an earlier day's journals; NULL: none */
    double margin;                  /* smallest relative change that counts; 0.05 */
    const char *folder;             /* of published results */
    const char *name;               /* of the machine's folder there; NULL: made from its processor and graphics */
    bool dry_run;
    unsigned keep; /* runs that `clean` leaves; 20 */
    bool all_columns;
    char storage[2048]; /* copies of lists, cut at commas; a copy of the struct must not outlive it */
};

/* Fills `out` from argv. Fails with STATUS_USAGE and one sentence that names the option, the wrong value, what would be
 * right, and the nearest word if one is near. */
bool options_parse(struct options *out, int argc, char *const argv[], struct error *err);

/* Prints the help of one verb, or of the whole program for VERB_NONE. */
void options_help(FILE *out, enum verb verb);

/* The width of text and tables, in columns: --width; or the width of the terminal, but at least 60 and at most 200; or
 * 100 where standard output is no terminal. */
unsigned terminal_width(const struct options *options);

/* Whether a report on standard output has colours: --color, or by the terminal and NO_COLOR. */
bool terminal_is_colored(const struct options *options);

/* The commands `bench manual`, which prints the manual page for man, and `bench completion`, which prints the
 * completion for bash. Both return an exit status. */
int manual(const struct options *options, struct error *err);
int completion(const struct options *options, struct error *err);

/* The values of the verb's options as a JSON object, for the journal. The seed is a text, as it may be larger than an
 * integer of JSON. */
json_t *options_to_json(const struct options *options);

/* Whether a list of names holds the word; an empty list holds every word. */
bool options_names(const char *const list[], const char *word);

/* An array of the texts of a list that ends with NULL; NULL is an empty one. */
json_t *texts_to_json(const char *const texts[]);

/* Copies from `asked` the options that only change how results are displayed. */
void options_copy_display(struct options *options, const struct options *asked);

/* The options that, besides device, workload, size and method, are needed to measure the same again, where they differ
 * from the defaults of `bench run`: " --budget 0.5s --seed 7". Without the baseline, which is a device. Returns `to`.
 */
const char *options_repro(const struct options *options, char *to, size_t room);

#endif
