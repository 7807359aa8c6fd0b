#ifndef BENCH_DOCTOR_DIAGNOSIS_H
#define BENCH_DOCTOR_DIAGNOSIS_H

/* Examines a machine: which API shows each graphics adapter and accelerator; if none does, the most likely reason, its
 * evidence and the command that solves it. Also the devices, the driver files, and the CPU side. */

#include "bench/doctor/driver_file.h"
#include "bench/doctor/finding.h"
#include "harness/machine/adapter.h"

void diagnosis_make(struct diagnosis *out, const struct machine_view *view);

/* Fills a finding with the most likely reason why no API shows this adapter. */
void gpu_diagnose(struct finding *out, const struct machine_view *view, const struct driver_files *files,
                  const struct adapter *adapter);

#endif
