#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

/* `bench doctor`: which GPUs this machine has and no API shows, why, and what mends it. */

#include "bench/cli/options.h"
#include "bench/doctor/finding.h"

#include <stdio.h>

/* Returns EXIT_OK where all is well, EXIT_BAD_CELL where something wants mending. */
int doctor(const struct options *options, int argc, char *const argv[], struct error *err);

/* What wants mending comes first, each with its reason and its command below it; of what is well one line each. */
void diagnosis_print(const struct diagnosis *diagnosis, FILE *out);

#endif
