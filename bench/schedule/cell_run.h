#ifndef BENCH_SCHEDULE_CELL_RUN_H
#define BENCH_SCHEDULE_CELL_RUN_H

/* One cell while its block is measured: a fresh worker, the first run, verification and warm-up before the rounds; the
 * energy of a run, the second verification and the outcome after them. Whatever fails becomes the outcome of this cell
 * and of no other. */

#include "bench/schedule/context.h"

/* One series of a cell. */
struct series_state {
    bool active;
    double run;      /* seconds of one warm run */
    double spent;    /* seconds of slices so far */
    double last;     /* of the latest slice */
    double baseline; /* seconds that the baseline spent for this series, in so many slices */
    unsigned of_baseline;
};

struct cell_run {
    const struct cell *cell;
    enum measures measures; /* which of its series */
    struct client *client;  /* its worker; NULL once that has ended */
    struct series_state series[SERIES_COUNT];
    bool offloads;        /* it has an offload series: its inputs are written anew before each run */
    bool counts_energy;   /* the device counts its own energy */
    long driver_log;      /* when the device's log was written to last before this cell */
    bool was_replaced;    /* its first worker died */
    bool lost_worker;     /* and that counts against the device */
    bool lacks_device;    /* its worker failed to open the device */
    struct error outcome; /* STATUS_OK until something fails */
};

/* The cells of a block that are measured together. */
struct cell_group {
    struct cell_run *cell_run;
    unsigned count;
    struct cell_group *next; /* of the blocks that are measured in turn */
};

/* Brings a cell to the start of its rounds, or sets its outcome. */
void cell_run_open(struct cell_run *cell_run, struct context *context);

/* Before the rounds: the cell is measured for data that stay and for data that move, open or not yet. */
void cell_run_widen(struct cell_run *cell_run, struct context *context);

/* After its worker died during rounds: the same with a fresh worker, once. True if its rounds can continue. */
bool cell_run_reopen(struct cell_run *cell_run, struct context *context, const struct error *why);

/* Checks the result of a slice's last run, and adds the figures of the check to the slice's line. Not while `slice`
 * says that no check is due. False with the reason in err; the outcome is left alone. */
bool cell_run_check(struct cell_run *cell_run, enum series series, json_t *slice, struct error *err);

/* Seconds that closing takes if all goes well. */
double cell_run_closing_seconds(const struct context *context, const struct cell *cell);

/* Measures energy, verifies again, ends the worker, writes the outcome. */
void cell_run_close(struct cell_run *cell_run, struct context *context);

/* Writes the outcome of a cell, measured or not; `driver_log`: when its device's log was written to last before it was
 * tried. */
void cell_run_write_outcome(const struct cell *cell, struct run_log *run_log, const struct error *outcome,
                            long driver_log);

#endif
