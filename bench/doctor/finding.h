#ifndef BENCH_DOCTOR_FINDING_H
#define BENCH_DOCTOR_FINDING_H

/* One line of what `bench doctor` finds, and the list of them. */

#include <stdbool.h>

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

/* Fills a finding: what is well, and what wants mending with the command that does. */
void finding_fine(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_mend(struct finding *finding, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next finding, about this; the last one again where there is no more room. */
struct finding *diagnosis_add(struct diagnosis *diagnosis, const char *about);

/* How many findings want mending. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

#endif
