#ifndef BENCH_DOCTOR_DIAGNOSIS_H
#define BENCH_DOCTOR_DIAGNOSIS_H

/* What `bench doctor` finds: of each graphics adapter and accelerator whether an API shows it, and if none does the
 * most likely reason, what speaks for it, and the command that mends it; and what else costs figures on this machine.
 */

#include "bench/doctor/finding.h"
#include "bench/doctor/machine_view.h"

void diagnosis_make(struct diagnosis *out, const struct machine_view *machine_view);

#endif
