#ifndef HARNESS_ANALYSIS_CELL_METRICS_H
#define HARNESS_ANALYSIS_CELL_METRICS_H

/* What every format shows of a cell, worked out once: so that a table, a CSV and a JSON of one record never disagree.
 */

#include "harness/analysis/breakeven.h"
#include "harness/analysis/event_clock.h"
#include "harness/analysis/gpu.h"
#include "harness/analysis/launch_overhead.h"
#include "harness/analysis/roofline.h"
#include "harness/journal/record.h"

struct cell_metrics {
    const struct cell_record *cell;
    const struct device *device;        /* NULL when the journal does not list it */
    const struct device *destination;   /* that its result goes to; NULL when it stays, or that is not known */
    const struct cell_record *baseline; /* NULL when there is none; the cell itself when it is it */
    bool only_moves;                    /* data, and computes nothing */
    bool measured;                      /* nothing went wrong so far, and a time is known */
    bool verified; /* by checks that prove something, after the timing too where that was reached */

    double first;             /* seconds of the first run as a whole, its parts together; NAN where not taken */
    const char *first_mostly; /* the part that was more than half of it: "compile"; NULL where none was */
    double tried;             /* seconds of a run when its method was chosen; NAN where it was not tried */
    enum series headline;
    struct estimate time;             /* of one run of the headline series */
    double half_width;                /* of its interval, relative; NAN while unknown */
    double target;                    /* the half width that was asked for; NAN where the journal does not tell */
    double upload, compute, download; /* seconds; NAN where there is no such part */
    double repack;                    /* seconds of both ways, into a layout of the method's own and back */
    double offload_compute;           /* seconds of the compute phase, in the midst of the others */
    struct estimate whole;            /* all of them in a row, without waits in between */
    double event;                     /* seconds on the device's clock: its share of the time; NAN unless trusted */
    enum event_clock event_clock;
    unsigned events, doubtful_events;
    double event_share;                /* of a run that its event typically lasts; NAN where there is none */
    double bandwidth, rate;            /* bytes and FLOP in a second of the headline */
    double share;                      /* of the ceiling that binds, 1 at it; NAN unknown */
    const char *bound;                 /* by "memory", "compute", "transfer" or "launch"; NULL unknown */
    struct estimate resident, offload; /* speed-ups over the baseline */
    struct ratio_range resident_rounds, offload_rounds; /* of the ratios that they are the medians of */
    struct estimate sustained;                          /* time of a run of the device by itself, without a pause */
    struct breakeven breakeven[FETCH_COUNT];
    double host_cpu;  /* host processor seconds burnt in a second of the headline's slices; NAN unknown */
    const char *wait; /* how the host waits: "none", "spins", "sleeps", "both"; "" unknown */
    double power;     /* watts of the processor's packages while the headline ran, idle power included; NAN unknown */
    /* Joules of a run, and FLOP in each of them: by the packages for a device inside of them, by a board's own counter
     * for one that has it. NAN unknown. */
    double energy, flops_per_joule;
    enum energy_domain energy_of; /* ENERGY_PACKAGE or ENERGY_GPU: what was counted */
    double energy_error;          /* share of it that the counter's steps leave open */
    double energy_ratio;          /* a board's, to what the baseline's package takes for a run; NAN: not both known */
    struct gpu_metrics gpu;       /* the state that the device was in */
    unsigned nodes;               /* NUMA nodes that the host's threads are spread over; 0 unknown */
    double others;        /* physical cores that other programs kept busy meanwhile, as a share of all; NAN unknown */
    struct roofline roof; /* the ceilings that share and bound follow from */
    /* In memory that the host maps: what is moved takes no longer than a page does, so that the time is a fixed cost
     * and no bandwidth follows from it; and as quick as that for so much that nothing can have been copied. */
    bool is_fixed, no_copy;
    struct launch_overhead launches; /* what asking costs, and what cutting the run brings */
    double moved;             /* seconds of the upload and the download together; NAN where nothing is moved */
    /* Runs with all transfers took less time than runs without them: nothing follows from the offload series. */
    bool is_offload_disturbed;
    double
        stretch; /* how much longer, relative, it computed between transfers than by itself; 0 within the intervals */
};

/* All but `tried`, which the block knows. */
void cell_metrics_read(struct cell_metrics *out, const struct record *record, const struct cell_record *cell);

/* Watts of a domain while the headline ran; NAN unknown. */
double cell_metrics_power(const struct cell_metrics *metrics, enum energy_domain domain);

/* The facts of a block's cells in the order planned. */
void cell_metrics_fill(struct cell_metrics out[], const struct record *record, const struct block_record *block);

/* The same, to be freed. NULL when memory is short or there is no cell. */
struct cell_metrics *cell_metrics_of_block(const struct record *record, const struct block_record *block);

#endif
