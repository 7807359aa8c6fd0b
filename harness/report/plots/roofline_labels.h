#ifndef HARNESS_REPORT_PLOTS_ROOFLINE_LABELS_H
#define HARNESS_REPORT_PLOTS_ROOFLINE_LABELS_H

/* What is written into a roofline, apart from its lines and marks. */

#include "harness/report/plots/roofline_model.h"

/* Pixels: around all, and for the names of the problems at the bottom. */
enum {
    FRAME_LEFT = 62,
    FRAME_RIGHT = 182,
    FRAME_TOP = 28,
    FRAME_BOTTOM = 50,
    FRAME_HEIGHT = 460,
    NAMES_HEIGHT = 130,
};

/* A line of the picture, up to the ridge by the bandwidth, from there on level; and where its label stands. */
struct slope {
    const struct roof *roof;
    double rate, bandwidth;
    bool is_link, is_theory, is_labelled;
    double x, y, width; /* pixels */
};

struct slopes {
    struct slope slope[3 * ROOFS_MAX];
    unsigned count;
};

/* The rates at their lines. */
void roofline_label_lines(struct drawing *drawing, const struct roofline_model *model, struct slopes *slopes);

/* The names of the problems below their marks, upright, in the room below all marks. */
void roofline_label_problems(struct drawing *drawing, const struct roofline_model *model);

#endif
