#ifndef HARNESS_REPORT_CONTENT_SWEEP_H
#define HARNESS_REPORT_CONTENT_SWEEP_H

/* The results of a sweep: a section for each device with a row for each size, the thresholds in sentences, and the cost
 * model. */

#include "harness/report/content/builder.h"

/* Adds the sections of a sweep, and the notes on its measurements. */
void sweep_append(struct document *document, const struct answer_set *set, const char *letter);

#endif
