#ifndef BENCH_SCHEDULE_RUNNER_H
#define BENCH_SCHEDULE_RUNNER_H

/* A runner: the worker process of one cell, as the parent of a run uses it. It is opened once. It takes part in the
 * choice of a method with short slices, and if its method is chosen the same process is measured. Whatever fails
 * becomes the outcome of this runner and of no other. */

#include "bench/schedule/context.h"

/* What a cell is measured for that serves one use alone. */
static const enum measures use_measures[USES] = { MEASURES_RESIDENT, MEASURES_COPIED };

/* One series of a cell. */
struct series_state {
    bool active;
    double run;      /* seconds of one warm run */
    double spent;    /* seconds of slices so far */
    double last;     /* of the latest slice */
    double charged;  /* seconds of slices so far, its own or its baseline's, whichever took longer */
    unsigned visits; /* the number of its latest visit, from 1; 0: none yet */
};

struct runner {
    struct context *context;
    struct cell *cell;
    const struct rule *rule; /* of its block, like `spent`: what the time of the block goes to */
    double *spent;
    struct client *client; /* NULL: not open, or ended */
    struct runner *next;   /* of the open runners of the run: it must not move while it is open */
    struct reply opened;   /* the first run, and the names of its kernel shapes; none if it was never open */
    struct reply verified; /* the checks before timing; none if there were none, or the journal has them */
    struct choice *tuned;  /* the choice of its kernel shape in this run, in the pool; NULL: there was none */
    struct pool pool;
    struct series_state series[SERIES_COUNT];
    enum measures measures;                /* once its method is chosen */
    double opening;                        /* seconds of opening and of the first run; NAN: it had none */
    double run;                            /* seconds of the fastest run so far; NAN: unknown */
    unsigned runs, stumbles;               /* timed while choosing, and of these with an impossible time */
    char verified_shape[KERNEL_SHAPE_MAX]; /* whose results were checked last; it counts if is_verified */
    bool is_verified;
    bool has_copied, repacks; /* it has a copied series; its method has a layout of its own */
    double reading, watched;  /* seconds of the latest reading of its device, NAN: none; when that was (clock_wall) */
    bool is_phased;           /* one run, timed by phase, serves both series */
    bool has_begun;           /* its cell is in the journal */
    bool is_measured;         /* and its outcome is not yet */
    bool has_died;            /* its worker, which is to be ended */
    bool was_replaced;        /* its first worker died */
    bool lacks_device;        /* its worker failed to open the device */
    char words[LAST_LINE];    /* what its driver printed last, while it was asked for something */
    struct error outcome;     /* STATUS_OK until something fails */
};

/* A run longer than this is not repeated to choose a method, and one run serves both series. Seconds. */
static const double timed_once = 0.5;

/* Shorter runs also get the queued series, and kernel shapes are compared by it: a launch with its wait takes up to 50
 * us, and counts where a run takes less than 20 of them. Seconds. */
static const double queued_below = 0.001;

/* The series of its main figure, of which the device's state is read and the energy measured. */
enum series runner_series(const struct runner *runner);

/* Seconds of the runs by which its energy will be measured; 0: it will not. */
double runner_metering(const struct runner *runner);

/* A runner that is not open yet. */
struct runner runner_new(struct context *context, struct cell *cell, const struct rule *rule, double *spent);

/* Starts the worker, up to its first result. `limit`: seconds that it may take to compile kernels; INFINITY: no limit.
 * False with its outcome; STATUS_TOO_SLOW if it took longer. */
bool runner_open(struct runner *runner, double limit);

/* Makes a kernel shape the current one. `spent` grows by its compilation. False with err; the worker may be gone. */
bool runner_use(struct runner *runner, const char *kernel_shape, double *spent, struct error *err);

/* One short slice for a choice: median seconds of a run of the series; for SERIES_COPIED those of computing, and
 * `repack` gets those of repacking. NAN if its clock stumbled. `spent` grows by the slice. False with err. */
bool runner_try(struct runner *runner, enum series series, double *seconds, double *repack, double *spent,
                struct error *err);

/* Checks the results of the current kernel shape before timing, unless they were checked last. False with err. */
bool runner_verify(struct runner *runner, struct error *err);

/* After the line of its cell: writes what is known of it, and brings all series to the start of their visits. False
 * with its outcome. */
bool runner_begin(struct runner *runner);

/* After its worker died during visits: the same with a fresh worker, once. True if its visits can continue. */
bool runner_reopen(struct runner *runner, const struct error *why);

/* After the visits: measures energy, checks the latest result, ends the worker, writes the outcome. */
void runner_close(struct runner *runner);

/* Ends the worker, if it is open, and all its series. One that had died counts against the method. False with err where
 * it crashed or hung then. */
bool runner_end(struct runner *runner, struct error *err);

/* Ends it and frees what it holds. */
void runner_free(struct runner *runner);

/* Sends a request and waits for its reply (client_ask); what that took is counted as `spent`. False with err. */
bool runner_ask(struct runner *runner, enum spent spent, const struct request *request, double expected,
                struct reply *reply, struct error *err);

/* Seconds that this program and its workers have computed. */
double runners_cpu(const struct context *context);

/* Writes the outcome of its cell, measured or not. A row that was lost counts against the device. */
void runner_write_outcome(const struct runner *runner);

#endif
