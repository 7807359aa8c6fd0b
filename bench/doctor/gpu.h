#ifndef BENCH_DOCTOR_GPU_H
#define BENCH_DOCTOR_GPU_H

/* Why no API shows a graphics adapter or accelerator. */

#include "bench/doctor/finding.h"
#include "bench/doctor/machine_view.h"
#include "harness/machine/adapter.h"

/* Why no API shows an adapter; always says something. */
void diagnosis_unseen(struct finding *out, const struct machine_view *machine_view, const struct adapter *adapter);

#endif
