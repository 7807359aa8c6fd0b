#ifndef BENCH_DOCTOR_DIAGNOSIS_H
#define BENCH_DOCTOR_DIAGNOSIS_H

/* Examines a machine: which API shows each graphics adapter and accelerator; if none does, the most likely reason, its
 * evidence and the command that solves it. Also the devices, the OpenCL drivers, and the CPU side. */

#include "bench/doctor/finding.h"

void diagnosis_make(struct diagnosis *out, const struct machine_view *view);

#endif
