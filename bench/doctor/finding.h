#ifndef BENCH_DOCTOR_FINDING_H
#define BENCH_DOCTOR_FINDING_H

/* The findings of `bench doctor`, by the table findings.txt: conditions, what is said if one holds, and what to type.
 * It names facts, which diagnosis.c gathers. */

#include "bench/doctor/machine_view.h"

#include <stdbool.h>

struct finding {
    bool is_fine;
    bool is_seen; /* fine, but only seen: it was not used */
    char subject[160];
    char text[704];    /* one sentence or several */
    char command[256]; /* solves the problem; "" if the finding is fine */
};

enum { FINDINGS_MAX = 72, FACTS_MAX = 48 };

struct diagnosis {
    char headline[1024]; /* the GPUs, or why there is none, in one sentence */
    bool has_gpu;        /* one that can be measured */
    char no_opencl[896]; /* why OpenCL has no device, where that can be solved; else "" */
    struct finding finding[FINDINGS_MAX];
    unsigned findings, of_adapters; /* those on adapters, the first ones */
};

/* What is known about one subject of the machine. */
struct facts {
    const struct machine_view *view;
    const char *subject; /* where the table names none */
    struct {
        const char *name;
        char text[sizeof((struct error *)NULL)->message];
    } fact[FACTS_MAX];
    unsigned count;
};

/* Sets or replaces a fact; NULL is "", which is not known. */
void fact_set(struct facts *facts, const char *name, const char *text);
void fact_format(struct facts *facts, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends the findings about this kind of subject: "adapter". */
void findings_add(struct diagnosis *out, const char *kind, const struct facts *facts);

/* Examines a machine (diagnosis.c): which API shows each graphics adapter and accelerator; if none does, the most
 * likely reason, its evidence and the command that solves it. Also the devices, the OpenCL drivers, and the CPU side.
 */
void diagnosis_make(struct diagnosis *out, const struct machine_view *view);

/* Number of findings that are not fine. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

#endif
