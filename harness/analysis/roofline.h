#ifndef HARNESS_ANALYSIS_ROOFLINE_H
#define HARNESS_ANALYSIS_ROOFLINE_H

/* How good a time is, compared with the peaks that the same run measured on the same device (roofline model:
 * Williams, Waterman and Patterson, 2009). A run takes at least as long as its FLOP at the highest measured rate, and
 * as its bytes at the highest measured bandwidth for a working set of that size, since caches are faster than memory. A
 * pure function of a record; without a measured peak nothing is known. */

#include "harness/analysis/figure.h"

/* What limits a run. */
enum bound { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_COMPUTE, BOUND_TRANSFER, BOUND_LAUNCH, BOUND_COUNT };

extern const char *const bound_names[BOUND_COUNT]; /* "", "memory", "compute", "transfer", "launch" */

/* The highest rate measured on a device, FLOP or bytes per second. */
struct peak {
    double wall, event;             /* by the host's clock, and by the device's own; NAN unknown */
    double half_width;              /* of the interval of `wall`, relative; NAN unknown or disturbed */
    double run;                     /* seconds of a run behind `wall` */
    const struct cell_record *cell; /* that measured it; NULL: unknown */
};

/* The peak from cells that use all threads: for FLOP those of the element type, for bytes those whose working set is
 * of the same class as `held` bytes, whatever their type. */
struct peak roofline_flops(const struct record *record, const char *device_id, const char *dtype);
struct peak roofline_bandwidth(const struct record *record, const char *device_id, double held);

/* Working sets of one class are assumed to be in the same level of the memory hierarchy: within a factor of two of each
 * other, or both beyond all caches, from half of ROOFLINE_TOP on. */
#define ROOFLINE_TOP (512.0 * 1024 * 1024)

struct roofline {
    struct peak flops, bandwidth; /* that hold for the cell */
    enum roof_kind binding;       /* the one that limits the run; ROOF_NONE: not known */
    double latency;               /* seconds of the device's smallest launch; NAN unknown */
    enum bound bound;             /* of a resident run */
    /* The least time by the binding peak / the measured time, at most 1: the peak is reached. By the device's
     * clock if peak and cell both have a trusted one, otherwise by the host's. NAN unknown, and for the arithmetic
     * of a fast algorithm, which does fewer operations than are counted. */
    double share;
    bool by_event;            /* the share is by the device's clock */
    bool is_exceeded;         /* the rate by the host's clock is above the binding peak by a visible amount */
    bool is_event_impossible; /* for the rate that event times imply */
};

/* Whether the cell's data come from beyond all caches. */
bool roofline_is_beyond_caches(const struct cell_record *cell);

/* Of the figure for data that stay. A cell that measures a peak has no share and no bound. */
void roofline_read(struct roofline *out, const struct record *record, const struct figure *resident);

/* The binding peak; NULL: not known. */
const struct peak *roofline_binding(const struct roofline *roofline);

#endif
