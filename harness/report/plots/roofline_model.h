#ifndef HARNESS_REPORT_PLOTS_ROOFLINE_MODEL_H
#define HARNESS_REPORT_PLOTS_ROOFLINE_MODEL_H

/* The data of a roofline picture, without its form. */

#include "harness/journal/record.h"
#include "harness/report/plots/drawing.h"

enum { ROOFS_MAX = STYLES, POINTS_MAX = 96 };

/* A device: FLOP/s and bytes/s; NAN unknown. */
struct device_roof {
    const struct device *device;
    double rate, bandwidth;               /* as measured */
    double theory_rate, theory_bandwidth; /* theoretical */
    double link;                          /* bandwidth of transfers */
};

/* A cell that computes. */
struct point {
    unsigned roof; /* of its device */
    const struct cell_record *cell;
    double intensity;     /* FLOP per byte */
    double rate, offload; /* FLOP/s of a resident run, and with every transfer; NAN unknown */
};

struct roofline_model {
    struct device_roof roof[ROOFS_MAX];
    unsigned roofs;
    unsigned more_roofs; /* devices beyond the limit, with their cells */
    struct point point[POINTS_MAX];
    unsigned points;
    unsigned left_out;  /* cells beyond the limit */
    unsigned roofless;  /* cells of devices without measured ceilings */
    unsigned by_launch; /* cells bound by launches */
};

/* Reads the cells of an element type. Empty if no ceilings were measured. */
void roofline_model_read(struct roofline_model *out, const struct record *record, const char *dtype);

#endif
