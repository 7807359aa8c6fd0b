#ifndef BENCH_DOCTOR_DIAGNOSIS_H
#define BENCH_DOCTOR_DIAGNOSIS_H

/* What `bench doctor` finds: of each graphics adapter and accelerator whether an API shows it, and if none does the
 * most likely reason, what speaks for it, and the command that mends it; and what else costs figures on this machine.
 */

#include "bench/plan/devices.h"
#include "harness/machine/adapter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The machine as it is looked at: in tests a recorded one. */
struct machine_view {
    const char *root; /* "" but in tests; /proc, /sys, /dev, /etc and /usr are looked up below it */
    const struct listing *listing;
    bool (*may_use)(const char *path);         /* whether the caller may read and write this device node */
    const char *(*variable)(const char *name); /* the environment; NULL for what is not set */
};

struct finding {
    bool is_fine;
    char about[160];
    char says[512];    /* a sentence, or several */
    char command[256]; /* what mends it; "" where all is well */
};

enum { FINDINGS_MAX = 96 };
struct diagnosis {
    struct finding finding[FINDINGS_MAX];
    unsigned findings;
};

void diagnosis_make(struct diagnosis *out, const struct machine_view *machine_view);

/* How many findings want mending. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

/* What wants mending comes first, each with its reason and its command below it; of what is well one line each. */
void diagnosis_print(const struct diagnosis *diagnosis, FILE *out);

#endif
