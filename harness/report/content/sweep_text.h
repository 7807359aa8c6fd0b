#ifndef HARNESS_REPORT_CONTENT_SWEEP_TEXT_H
#define HARNESS_REPORT_CONTENT_SWEEP_TEXT_H

/* A curve in labelled lines: from which size on the device is faster, for each kind of use, and the cost models. */

#include "harness/analysis/curve.h"
#include "harness/report/content/builder.h"

/* "faster, compute": "from somewhere between n = 98,500 and 104,000 on (model: from n = 100,000)" */
void sweep_thresholds_append(struct pool *pool, struct lines *out, const struct curves *curves,
                             const struct curve *curve);

/* "batch = 256 to 4,096": "gpu 3.1 x the samples per second (1,200,000 to 3,720,000), 1.4 x the memory (1.0 GB
 * to 1.4 GB)": a line for each step of GROWTH or more, of runs on data that stay. None where the sizes count nothing.
 */
void sweep_growth_append(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve);

/* "model": "cpu: launch 100 us + bytes at 1.20 GB/s, off by less than 0.1 %" */
void sweep_models_append(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve);

/* "40,000,000"; "-" for NAN. */
const char *sweep_size(struct pool *pool, double size);

#endif
