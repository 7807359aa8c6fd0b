#ifndef HARNESS_REPORT_CONTENT_SUMMARY_CARD_H
#define HARNESS_REPORT_CONTENT_SUMMARY_CARD_H

/* The answer for those who only look: a few large words and the speed-ups behind them, of one device in one section of
 * a document. It says what the sentences say, as both follow from the same judgement. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"

/* Adds those of a block, whose facts these are, and that of a curve. What memory is short for is left out, and shows in
 * the pool. */
void summary_cards_add_block(struct cards *to, struct pool *pool, const char *letter,
                             const struct cell_metrics *metrics, unsigned count);
void summary_cards_add_curve(struct cards *to, struct pool *pool, const char *letter, const struct curves *curves,
                             const struct curve *curve);

#endif
