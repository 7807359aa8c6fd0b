#ifndef BENCH_SCHEDULE_CONTEXT_H
#define BENCH_SCHEDULE_CONTEXT_H

/* The run context: what all parts of `run` and `sweep` share. It holds the machine and its devices, the stop rule, what
 * the run has seen of each device, the journal, and the progress line. */

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/plan/plan.h"
#include "bench/plan/tuning_cache.h"
#include "bench/schedule/progress.h"
#include "bench/worker/client.h"
#include "harness/journal/run_log.h"
#include "harness/machine/host.h"
#include "harness/machine/neighbour.h"
#include "harness/measure/sampler.h"

struct resume;
struct runner;

enum { DEATHS_KEPT = 256 };

/* A dead worker. */
struct death {
    const struct device *device;
    const struct method *method;
};

/* Must not move once it is open: members point at each other. */
struct context {
    const struct options *options;
    struct resume *resume; /* the run that this one completes; NULL: a new run */
    struct host host;
    struct worker_setup setup;    /* what all workers have in common */
    struct listing listing;       /* the devices found */
    bool selected[DEVICES_MAX];   /* the devices that the options select */
    char left_out[400];           /* devices that another API measures instead; "": none */
    bool takes_part[DEVICES_MAX]; /* the devices with a planned cell */
    const struct plan *plan;      /* one of a run, one for each size of a sweep */
    unsigned plans;
    unsigned losses[DEVICES_MAX]; /* by device: rows that ended with a dead worker or an unopened device */
    struct death death[DEATHS_KEPT];
    unsigned deaths;
    struct tuning_cache tuning_cache; /* what earlier runs found */
    struct neighbours neighbours;     /* checks of our cores for other load */
    double looked;                    /* clock_wall: the latest of these checks */
    struct rule rule;                 /* when a series has been measured enough */
    const struct device *baseline;    /* that all others are compared with; NULL: nothing is compared */
    struct runner *open;              /* the runners whose workers are open */
    struct run_log run_log;           /* journal and record */
    double started;                   /* clock_wall: the program began to measure */
    double reserved;                  /* seconds of --time that are kept for later rotations and the peaks */
    struct progress progress;
    struct outputs outputs;           /* of the report */
    unsigned blocks, begun, finished; /* problems of the run, those with first figures, and those that are done */
    struct interrupt interrupt;       /* the user's */
    bool interrupted;                 /* by the user or a full disk: measuring stops, what was measured is kept */
};

/* Reads the machine and lists its devices. From here on an interrupt is noticed in waits instead of ending the
 * program. `devices`: the words that choose them (NULL-terminated; none: all). `baseline` is the same kind of word,
 * "auto" for the CPU if there is one, or "none". Returns EXIT_OK, or with err filled the exit status. Close it either
 * way. */
int context_open(struct context *context, const struct options *options, struct resume *resume,
                 const char *const devices[], const char *baseline, struct error *err);
void context_close(struct context *context);

/* Notes on the run for its report, and tells the user. */
void context_note(struct context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit status of a run that was interrupted: by which signal. */
int context_signal_status(const struct context *context);

/* False with the outcome that the cell gets without being tried: the plan refuses it, the run was interrupted, the host
 * has no memory for it, or three workers of its method died on its device, or three rows of this were lost. */
bool context_admits(const struct context *context, const struct cell *cell, struct error *why);

/* Records a dead worker, which counts against this method on this device. */
void context_record_death(struct context *context, const struct cell *cell);

/* Seconds that are left of --time, without those that are reserved; INFINITY: there is no limit. */
double context_time_left(const struct context *context);

/* What this run or an earlier one found for a cell's device, workload and element type (tuning_cache.h); `more` is what
 * it depends on beside these. NULL: nothing. `is_lasting`: for later runs, too, unless its device is scripted, or the
 * run was interrupted, perhaps while it was choosing. */
const char *context_recall(const struct context *context, const struct cell *cell, const char *what, const char *more);
void context_remember(struct context *context, const struct cell *cell, const char *what, const char *more,
                      const char *value, bool is_lasting);

#endif
