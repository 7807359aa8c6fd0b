#ifndef HARNESS_REPORT_CONTENT_SUMMARY_CARD_H
#define HARNESS_REPORT_CONTENT_SUMMARY_CARD_H

/* Summary cards: a short answer and the speed-ups behind it, for one device in one section of a document. Cards and
 * sentences follow from the same decision rules, so they agree. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"

/* Add the cards of a block and of a curve. What memory is short for is left out; the pool remembers that. */
void summary_cards_add_block(struct cards *to, struct pool *pool, const char *letter,
                             const struct cell_metrics *metrics, unsigned count);
void summary_cards_add_curve(struct cards *to, struct pool *pool, const char *letter, const struct curves *curves,
                             const struct curve *curve);

#endif
