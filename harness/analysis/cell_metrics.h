#ifndef HARNESS_ANALYSIS_CELL_METRICS_H
#define HARNESS_ANALYSIS_CELL_METRICS_H

/* All figures of a cell that the formats show, computed once, so that table, CSV and JSON never disagree. */

#include "harness/analysis/breakeven.h"
#include "harness/analysis/figures.h"
#include "harness/analysis/launch_overhead.h"
#include "harness/analysis/roofline.h"
#include "harness/journal/record.h"

/* GPU metrics of a cell from the vendor's management library, over all readings while it was measured. */
struct gpu_metrics {
    unsigned reported, held;        /* headline slices with known throttle reasons, and those that were throttled */
    unsigned held_by[REASON_COUNT]; /* throttled slices by reason */
    double clock;                   /* Hz, typical; NAN unknown, as for all below */
    double ecc_errors;              /* uncorrectable errors during the measurement */
    struct gpu_state most;          /* of each reading the highest, but the latest limit of the power; the power itself
                                     * is the mean by the energy counter if that is precise */
};

struct cell_metrics {
    const struct cell_record *cell;
    const struct device *device;        /* NULL when the journal does not list it */
    const struct device *destination;   /* the device that the result goes to; NULL if it stays, or that is unknown */
    const struct cell_record *baseline; /* NULL: none; the cell itself if it is the baseline */
    bool only_moves;                    /* the workload only moves data */
    bool measured;                      /* no failure so far, and a time is known */
    bool verified;                      /* by strong checks, also after the timing if the run got there */

    double first;             /* seconds of the first run, all parts; NAN if not measured */
    const char *first_mostly; /* the part that took more than half: "compile"; NULL: none did */
    double tried;             /* seconds of a run in its race; NAN if there was none */
    int settled;              /* the race's (record.h); -1 if there was none */
    enum series headline;
    struct estimate time;             /* of one run of the headline series */
    double half_width;                /* of its interval, relative; NAN while unknown */
    double target;                    /* the half width requested; NAN unknown */
    double upload, compute, download; /* seconds; NAN: no such part */
    double repack;                    /* seconds of conversion to the method's own layout and back */
    double copied_compute;            /* seconds of the compute phase between the others */
    struct estimate whole;            /* all phases in a row, without waits in between */
    double event;                     /* seconds by the device's clock; NAN unless trusted */
    enum event_clock event_clock;
    double bandwidth, rate, items;    /* bytes, FLOP and items (record.h) per second in the headline series */
    struct estimate resident, copied; /* speed-ups over the baseline */
    /* Elements of 16 bits: the baseline's device computes the same problem in f32 in so many seconds, surely less than
     * in this type; unknown if it does not, or was not measured. The second: with transfers. */
    struct estimate baseline_in_f32, whole_in_f32;
    struct estimate sustained; /* time of a run without pauses and without other devices */
    struct breakeven breakeven;
    double host_cpu;  /* CPU seconds of the host per second of the headline's slices; NAN unknown */
    const char *wait; /* how the host waits: "none", "spins", "sleeps", "both", "after each kernel"; "" unknown */
    double power[ENERGY_DOMAINS]; /* watts during the headline, idle power included; NAN unknown */
    /* Joules of a run, and FLOP per joule: by the package counters for a device inside a package, by a board's own
     * counter for one that has it. NAN unknown. */
    double energy, flops_per_joule;
    double joules[ENERGY_DOMAINS],
        flops_of_joule[ENERGY_DOMAINS]; /* the same two by their counter, ENERGY_PACKAGE or ENERGY_GPU; NAN by others */
    double energy_error;                /* relative error from the counter's steps */
    struct gpu_metrics gpu;             /* state of the device */
    double nodes;                       /* NUMA nodes that the host's threads use; NAN unknown */
    double others;                      /* physical cores busy with other programs, as a share of all; NAN unknown */
    struct roofline roof;               /* ceilings behind share and bound */
    bool no_copy;                       /* mapping takes no longer than for one page, and is too fast for any copy */
    struct launch_overhead launches;
    bool is_held_back;       /* the CPU was, in its row or its baseline's (record_is_held_back) */
    bool is_beside_others;   /* somebody else used the cores in more than half of its own slices */
    bool is_disturbed[USES]; /* its speed-up decides nothing: it, its baseline or the CPU's f32 was disturbed */
    enum disturbance disturbance[USES]; /* by others on the cores (figures.h) */
    bool total_is_below_part; /* that is so of the copied runs as they took less time than the resident ones */
};

/* All members except `tried` and `settled`, which only the block knows. */
void cell_metrics_read(struct cell_metrics *out, const struct record *record, const struct cell_record *cell);

/* The metrics of a block's cells, in planned order. */
void cell_metrics_fill(struct cell_metrics out[], const struct record *record, const struct block_record *block);

void gpu_metrics_read(struct gpu_metrics *out, const struct cell_record *cell, enum series headline);

/* Whether the relative error of an energy reading, by the counter's steps, is small enough to report. */
bool gpu_energy_is_precise(double error);

/* Whether anything is known. */
bool gpu_metrics_are_known(const struct gpu_metrics *gpu);

/* Throttle reasons: "software power cap, hardware power brake"; "" if there were none. */
void gpu_metrics_reasons(const struct gpu_metrics *gpu, char *to, size_t room);

#endif
