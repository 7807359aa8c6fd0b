#ifndef HARNESS_ANALYSIS_FIGURES_H
#define HARNESS_ANALYSIS_FIGURES_H

/* All figures of a cell that the formats show, computed once, so that table, CSV and JSON never disagree. */

#include "harness/analysis/breakeven.h"
#include "harness/analysis/figure.h"
#include "harness/analysis/launch_overhead.h"
#include "harness/analysis/power.h"
#include "harness/analysis/roofline.h"

/* What a cell costs beside computing. Seconds are NAN where there is no such part. */
struct costs {
    double first;                             /* of the first run, all parts */
    const char *first_mostly;                 /* the part that took more than half: "compile"; NULL: none did */
    double upload, repack, compute, download; /* of the phases of a run with all copies, without waits in between;
                                               * repack: of conversion to the method's own layout and back */
    double event;                             /* by the device's clock; NAN unless trusted */
    enum event_clock event_clock;
    bool no_copy;    /* mapping takes no longer than for one page, and is too fast for any copy */
    double host_cpu; /* CPU seconds of the host per second of the headline's slices; NAN unknown */
    double others;   /* physical cores busy with other programs, as a share of all; NAN unknown */
    double nodes;    /* NUMA nodes that the host's threads use; NAN unknown */
};

struct figures {
    const struct cell_record *cell;
    const struct device *device;        /* NULL when the journal does not list it */
    const struct device *destination;   /* the device that the result goes to; NULL if it stays, or that is unknown */
    const struct cell_record *baseline; /* NULL: none; the cell itself if it is the baseline */
    struct figure use[USES];
    enum use headline;
    struct estimate time;          /* of one run of the headline */
    double half_width;             /* of its interval, relative; NAN while unknown */
    double target;                 /* the half width requested; NAN unknown */
    bool only_moves;               /* the workload only moves data */
    bool measured;                 /* no failure so far, and a time is known */
    bool verified;                 /* by strong checks, also after the timing if the run got there */
    double bandwidth, rate, items; /* bytes, FLOP and items (record.h) per second in the headline series */
    double kept_bandwidth;     /* of uploads, if nothing has just written the data; `bandwidth` is of written data */
    struct estimate sustained; /* time of a run without pauses and without other devices */
    struct costs costs;
    struct power power;
    struct roofline roof; /* peaks behind share and bound */
    struct launch_overhead launches;
    struct breakeven breakeven;
    int settled; /* the race's (record.h); -1 if there was none */
};

/* Of the cells of a block, in planned order. */
void figures_read(struct figures out[], const struct record *record, const struct block_record *block);

/* Of one cell; without `settled`, which only the block knows. */
void figures_read_cell(struct figures *out, const struct record *record, const struct cell_record *cell);

/* Only a cell that ended well, with a verified answer, supports a claim. */
bool figures_are_sound(const struct figures *figures);

/* Those of the baseline of a block; NULL: there is none. */
const struct figures *figures_baseline(const struct figures figures[], unsigned count);

#endif
