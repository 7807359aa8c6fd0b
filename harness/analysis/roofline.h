#ifndef HARNESS_ANALYSIS_ROOFLINE_H
#define HARNESS_ANALYSIS_ROOFLINE_H

/* How good a time is: held against the ceilings that the same run measured on the same device (the roofline model of
 * Williams, Waterman and Patterson, 2009). A run takes at least as long as its FLOP take at the highest rate seen, and
 * as long as its bytes take at the highest bandwidth seen with as much memory in use: caches are faster than what lies
 * beyond them. A pure function of a record; where a ceiling was not measured, nothing is known. */

#include "harness/journal/record.h"

/* What decides how long a run takes. */
enum bound { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_COMPUTE, BOUND_TRANSFER, BOUND_LAUNCH, BOUND_COUNT };

extern const char *const bound_names[BOUND_COUNT]; /* "", "memory", "compute", "transfer", "launch" */

/* The best that a device was seen to do, FLOP or bytes a second. */
struct ceiling {
    double wall, event;             /* by the host's clock, and by the device's own; NAN unknown */
    double half_width;              /* of the interval of `wall`, relative; NAN unknown */
    double run;                     /* seconds of one of the runs that told `wall` */
    bool is_repeated;               /* it was measured again, as a row was above it, and the best of both counts */
    const struct cell_record *cell; /* that told it; NULL: unknown */
};

/* Of the cells that measure a ceiling on the device with all its threads: for FLOP those of the element type, for bytes
 * those whose working set is of the same class as `held` bytes, whatever their type. */
struct ceiling roofline_flops(const struct record *record, const char *device_id, const char *dtype);
struct ceiling roofline_bandwidth(const struct record *record, const char *device_id, double held);

/* Seconds of the smallest launch that was measured on the device; NAN where none was. */
double roofline_latency(const struct record *record, const char *device_id);

/* Working sets of the same class lie in the same level of a device's memory, as far as can be told from their size:
 * within a factor of two of each other, or both beyond all caches, from half of ROOFLINE_TOP on. */
#define ROOFLINE_TOP (512.0 * 1024 * 1024)
bool roofline_same_class(double held, double other);

struct roofline {
    struct ceiling flops, bandwidth; /* that hold for the cell */
    enum roof_kind binding;          /* which of them a run comes upon first; ROOF_NONE: not known */
    double latency;                  /* seconds of the device's smallest launch; NAN unknown */
    enum bound bound;                /* of a run on operands that are on the device */
    enum bound offload_bound;        /* of one with all its transfers */
    /* What the binding ceiling allows at least, as a part of the time that a run took: 1 where it is reached. By the
     * device's clock where the ceiling and the cell both have a trusted one, by the host's otherwise. NAN unknown. */
    double share;
    bool by_event; /* the share is */
    /* It is above the binding ceiling by what a reader sees, and beyond the intervals of both: by the host's clock, or
     * by the device's where the share is. */
    bool is_exceeded;
    bool is_exceeded_by_event; /* and only so */
    /* Event times that cannot be for the rate that they stand for, with both numbers; "" where nothing is wrong. */
    char doubt[200];
};

/* Of a cell that measures a ceiling itself there is no share and no bound. */
void roofline_read(struct roofline *out, const struct record *record, const struct cell_record *cell);

/* The ceiling that binds; NULL where none is known to. */
const struct ceiling *roofline_binding(const struct roofline *roofline);

#endif
