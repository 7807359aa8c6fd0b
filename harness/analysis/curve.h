#ifndef HARNESS_ANALYSIS_CURVE_H
#define HARNESS_ANALYSIS_CURVE_H

/* The results of a sweep as curves: speed-ups of one device over the sizes. A pure function of a record. Where they
 * cross 1 is threshold.h's. */

#include "harness/analysis/figure.h"

/* How data are used: they stay on the device; are copied there and back once for a number of uses; or are copied at
 * every use. */
enum mode { MODE_RESIDENT, MODE_USES, MODE_COPIED, MODES };
extern const char *const mode_names[]; /* "resident", "uses", "copied" */

/* One size. Nothing is known of a use, not even a time, where it is not sound. */
struct curve_point {
    double size;
    const struct cell_record *cell;
    struct figure use[USES];
    struct estimate speedup[MODES];
    bool is_sound; /* data that stay: both cells ended well, with the right answer */
};

struct curve {
    const struct device *device;
    const char *memory;
    const char *method;        /* the method, if each has its own curve; NULL: the fastest at each size */
    bool moves;                /* data are moved to the device; otherwise all modes are the same */
    struct curve_point *point; /* by size */
    unsigned points;
};

struct curves {
    const char *workload, *dtype, *unit; /* of the record */
    const struct device *baseline;       /* NULL where the journal does not list it */
    double from, to;
    unsigned uses;
    struct curve *curve;
    unsigned curves;
    struct pool pool; /* owns all of it */
};

/* False when memory is short; what was read so far is kept. Call curves_free in any case. Without a sweep there are no
 * curves. */
bool curves_read(struct curves *out, const struct record *record);
void curves_free(struct curves *curves);

#endif
