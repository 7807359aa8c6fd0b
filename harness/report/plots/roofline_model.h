#ifndef HARNESS_REPORT_PLOTS_ROOFLINE_MODEL_H
#define HARNESS_REPORT_PLOTS_ROOFLINE_MODEL_H

/* What the roofline of a run has to show, apart from how it is drawn. */

#include "harness/journal/record.h"
#include "harness/report/plots/drawing.h"

enum { ROOFS_MAX = STYLES, POINTS_MAX = 96 };

/* One device: FLOP and bytes in a second, NAN unknown. */
struct device_roof {
    const struct device *device;
    double rate, bandwidth;               /* as measured */
    double theory_rate, theory_bandwidth; /* by its own facts */
    double link;                          /* of the transfers */
};

/* A cell that computes. */
struct point {
    unsigned roof; /* of its device */
    const struct cell_record *cell;
    double intensity;     /* FLOP to a byte */
    double rate, offload; /* FLOP in a second, of a resident run and with every transfer; NAN unknown */
};

struct roofline_model {
    struct device_roof roof[ROOFS_MAX];
    unsigned roofs;
    unsigned more_roofs; /* of devices that there was no room for, with their cells */
    struct point point[POINTS_MAX];
    unsigned points;
    unsigned left_out;  /* cells that there was no room for */
    unsigned roofless;  /* cells of devices without measured ceilings */
    unsigned by_launch; /* cells that only show what a launch costs */
};

/* Of the cells of an element type. Without measured ceilings there is nothing. */
void roofline_model_read(struct roofline_model *out, const struct record *record, const char *dtype);

#endif
