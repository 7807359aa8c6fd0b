#ifndef BENCH_DOCTOR_FINDING_H
#define BENCH_DOCTOR_FINDING_H

/* The findings of `bench doctor`, and the rules that make them: a condition, what is said if it holds, and what to
 * type. The texts of a rule name facts: "its kernel driver is {driver}". "{install NAME}" is the command that installs
 * the package of install.h that the fact NAME has, or that is called so. */

#include "bench/doctor/machine_view.h"

#include <stdbool.h>

struct finding {
    bool is_fine;
    char subject[160];
    char text[512];    /* one sentence or several */
    char command[256]; /* solves the problem; "" if the finding is fine */
};

enum { FINDINGS_MAX = 96, FACTS_MAX = 48 };

struct diagnosis {
    char headline[320]; /* the GPUs, or why there is none, in one sentence */
    bool has_gpu;       /* one that can be measured */
    struct finding finding[FINDINGS_MAX];
    unsigned findings;
};

/* What is known about one subject of the machine. */
struct facts {
    const struct machine_view *view;
    const char *subject;
    struct {
        const char *name;
        char text[224];
    } fact[FACTS_MAX];
    unsigned count;
};

/* Sets or replaces a fact. Long texts are cut; NULL is "". */
void fact_set(struct facts *facts, const char *name, const char *text);
void fact_format(struct facts *facts, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "" if it is not known. */
const char *fact(const struct facts *facts, const char *name);

struct finding_rule {
    const char *subject; /* NULL: that of the facts */
    bool (*holds)(struct facts *facts, const char *of);
    const char *of;
    const char *text;    /* NULL: nothing is said about the subject */
    const char *command; /* NULL: the finding is fine */
};

/* Conditions: all of the facts that `of` names are known; the one fact is not; none. */
bool are_known(struct facts *facts, const char *of);
bool is_unknown(struct facts *facts, const char *of);
bool always(struct facts *facts, const char *of);

/* Appends for each subject the finding of its first rule that holds. */
void findings_add(struct diagnosis *out, const struct finding_rule rules[], unsigned count, struct facts *facts);

/* Number of findings that are not fine. */
unsigned diagnosis_troubles(const struct diagnosis *diagnosis);

#endif
