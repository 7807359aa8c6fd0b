#ifndef BENCH_DOCTOR_HOST_H
#define BENCH_DOCTOR_HOST_H

/* Diagnosis of the CPU side: libraries of the baseline, clock governor, huge pages. */

#include "bench/doctor/finding.h"
#include "bench/doctor/machine_view.h"

void host_diagnose(struct diagnosis *out, const struct machine_view *view);

#endif
