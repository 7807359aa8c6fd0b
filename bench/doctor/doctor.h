#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

/* `bench doctor`: which GPUs of this machine no API shows, why, and how to solve it. */

#include "bench/cli/options.h"
#include "bench/doctor/finding.h"
#include "bench/schedule/context.h"

#include <stdio.h>

/* Returns EXIT_OK, or EXIT_BAD_CELL if there is a problem. */
int doctor(const struct options *options, struct error *err);

/* The headline; then problems, each with its command on a line of its own; then one line for each finding that is
 * fine, and for each that was only seen. */
void doctor_print(const struct diagnosis *diagnosis, FILE *out);

/* The same as one JSON object: headline, has_gpu, and the findings as to_fix, ok and seen. */
void doctor_print_json(const struct diagnosis *diagnosis, FILE *out);

/* Why no GPU of this machine can be measured, for all that say so: in one sentence without its full stop. NULL where
 * one can. */
const char *doctor_why_no_gpu(struct pool *pool, const struct listing *listing);

/* Makes that the message of an error, if --device has named "gpu". */
void doctor_explain(const struct listing *listing, const struct options *options, struct error *err);

/* Without --device: if no GPU of this machine can be measured, prints why before the first measurement. The journal
 * keeps it, as an API that has no device. Else prints which variable hides another GPU. */
void doctor_note_no_gpu(struct context *context);

#endif
