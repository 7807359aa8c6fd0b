#ifndef BENCH_DOCTOR_GPU_H
#define BENCH_DOCTOR_GPU_H

/* Why no API shows a graphics adapter or accelerator. */

#include "bench/doctor/driver_file.h"
#include "bench/doctor/finding.h"
#include "harness/machine/adapter.h"

/* Fills a finding with the most likely reason. */
void gpu_diagnose(struct finding *out, const struct machine_view *view, const struct driver_files *files,
                  const struct adapter *adapter);

#endif
