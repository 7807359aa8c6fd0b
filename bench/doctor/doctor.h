#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

/* `bench doctor`: which GPUs of this machine no API shows, why, and how to solve it. */

#include "bench/cli/options.h"
#include "bench/doctor/finding.h"

#include <stdio.h>

/* Returns EXIT_OK, or EXIT_BAD_CELL if there is a problem. */
int doctor(const struct options *options, int argc, char *const argv[], struct error *err);

/* Problems come first, each with its command on a line of its own; then one line for each finding that is fine. */
void doctor_print(const struct diagnosis *diagnosis, FILE *out);

#endif
