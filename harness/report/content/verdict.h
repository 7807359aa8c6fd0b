#ifndef HARNESS_REPORT_CONTENT_VERDICT_H
#define HARNESS_REPORT_CONTENT_VERDICT_H

/* The answer in plain words: is this GPU worth it, for this problem? One sentence for each GPU or accelerator, or one
 * for the block as a whole. Nothing is claimed from a cell that failed or is not finished, a CPU seen through an API is
 * never called a GPU, and an interval that contains 1 shows no difference. */

#include "harness/analysis/cell_metrics.h"

enum { VERDICT_ROOM = 2048, VERDICTS_MAX = DEVICES_MAX };

/* Writes the sentences on the block whose facts these are; returns how many, from 1 to VERDICTS_MAX. */
unsigned verdict_write(const struct cell_metrics metrics[], unsigned count, char out[VERDICTS_MAX][VERDICT_ROOM]);

#endif
