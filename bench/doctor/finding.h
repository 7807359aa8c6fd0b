#ifndef BENCH_DOCTOR_FINDING_H
#define BENCH_DOCTOR_FINDING_H

/* The findings of `bench doctor`: problems, each with the command that solves it, and parts of the machine that are in
 * order. */

#include <stdbool.h>

enum { COMMAND_MAX = 256, FINDINGS_MAX = 96 };

struct finding {
    bool is_fine;
    char subject[160];
    char text[512];            /* one sentence or several */
    char command[COMMAND_MAX]; /* solves the problem; "" if the finding is fine */
};

struct diagnosis {
    char headline[320]; /* the GPUs, or why there is none, in one sentence */
    bool has_gpu;       /* one that can be measured */
    struct finding finding[FINDINGS_MAX];
    unsigned findings;
};

/* A shell command; a value, so that it can be an argument. */
struct command {
    char text[COMMAND_MAX];
};
struct command command_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fill a finding; both return true. */
#define finding_fine(finding, ...) finding_mend(finding, "", __VA_ARGS__)
bool finding_mend(struct finding *finding, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a finding about a subject; returns the last one if there is no more room. */
struct finding *diagnosis_add(struct diagnosis *diagnosis, const char *subject);

/* Number of findings that are not fine. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

#endif
