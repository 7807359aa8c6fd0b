#ifndef BENCH_DOCTOR_FINDING_H
#define BENCH_DOCTOR_FINDING_H

/* The findings of `bench doctor`, by the table findings.txt: conditions, what is said if one holds, and what to type.
 * It names facts, which diagnosis.c gathers. */

#include "bench/doctor/machine_view.h"

#include <stdbool.h>

struct finding {
    bool is_fine;
    bool is_seen; /* fine, but only seen: it was not used */
    const char *subject;
    const char *text;    /* one sentence or several */
    const char *command; /* solves the problem; "" if the finding is fine */
};

struct diagnosis {
    const char *headline;  /* the GPUs, or why there is none, in one sentence */
    bool has_gpu;          /* one that can be measured */
    const char *no_opencl; /* why OpenCL has no device, where that can be solved; else "" */
    struct finding *finding;
    unsigned findings, of_adapters; /* those on adapters, the first ones */
};

/* What is known about one subject of the machine. */
struct facts {
    const struct machine_view *view;
    const char *subject; /* where the table names none */
    struct fact {
        const char *name, *text;
    } * fact;
    unsigned count;
};

/* Sets or replaces a fact; NULL is "", which is not known. */
void fact_set(struct facts *facts, const char *name, const char *text);

/* Appends the findings about this kind of subject: "adapter". */
void findings_add(struct diagnosis *out, const char *kind, const struct facts *facts);

/* Examines a machine (diagnosis.c): which API shows each graphics adapter and accelerator; if none does, the most
 * likely reason, its evidence and the command that solves it. Also the devices, the OpenCL drivers, and the CPU side.
 * Its texts are valid as long as the view's pool. */
void diagnosis_make(struct diagnosis *out, const struct machine_view *view);

/* Number of findings that are not fine. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

#endif
