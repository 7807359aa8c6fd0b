#ifndef BENCH_DOCTOR_HOST_H
#define BENCH_DOCTOR_HOST_H

/* Everything but the adapters: libraries, clock, pages. */

#include "bench/doctor/finding.h"
#include "bench/doctor/machine_view.h"

void diagnosis_host(struct diagnosis *out, const struct machine_view *machine_view);

#endif
