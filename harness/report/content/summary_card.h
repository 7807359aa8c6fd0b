#ifndef HARNESS_REPORT_CONTENT_SUMMARY_CARD_H
#define HARNESS_REPORT_CONTENT_SUMMARY_CARD_H

/* The answer for those who only look: a few large words and the speed-ups behind them, of one device in one section of
 * a document. It says what the sentences say, as both follow from the same judgement. */

#include "harness/analysis/speedup.h"
#include "harness/base/pool.h"

#include <stdbool.h>

struct curve;
struct curves;
struct cell_metrics;

/* A speed-up, or a size from which on there is one. */
struct summary_card_figure {
    const char *use;           /* "data stays", "data moved" */
    const char *value, *range; /* "0.90x" and "[0.89, 0.94]"; range may be "" */
    struct estimate speedup;   /* NAN where it is of no single one */
    enum side side;
};

enum { GLANCE_FIGURES = 3 };

struct summary_card {
    const char *letter; /* of the run; "" where there is one */
    const char *who;    /* "opencl:0 portable, mapped: a CPU through OpenCL" */
    const char *whom;   /* what it is compared with: "cpu openblas"; "" nothing */
    const char *words;  /* "Worth it", "Slower", "14.5 GB/s" */
    enum side side;     /* that they lean to; SIDE_MISSING where they lean to none because nothing is compared */
    struct summary_card_figure figure[GLANCE_FIGURES];
    unsigned figures;
};

struct cards {
    struct summary_card *card;
    unsigned cards, room;
};

/* Adds those of a block, whose facts these are, and that of a curve. What memory is short for is left out, and shows in
 * the pool. */
void summary_cards_add_block(struct cards *to, struct pool *pool, const char *letter,
                             const struct cell_metrics *metrics, unsigned count);
void summary_cards_add_curve(struct cards *to, struct pool *pool, const char *letter, const struct curves *curves,
                             const struct curve *curve);

#endif
