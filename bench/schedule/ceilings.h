#ifndef BENCH_SCHEDULE_CEILINGS_H
#define BENCH_SCHEDULE_CEILINGS_H

/* What a run's figures are held against: the best that its devices can do, measured in the same run by the workload
 * `peak`. Multiply-adds for each element type that something computes in, memory beyond the caches, and memory of the
 * size of each problem that is not clearly bound by arithmetic. They are ordinary cells, with a budget and a gate of
 * their own: what goes wrong with a ceiling is told like all else that goes wrong, and costs no other row. */

#include "bench/schedule/bench.h"

/* Not to be moved once it is open: its parts point at each other. */
struct ceilings {
    const struct bench *run;
    struct bench bench; /* the same, but for the rule and the gate, and nothing is compared */
    struct admission admission;
    struct options options;   /* those that one of them alone would be measured with */
    struct plan plan;         /* empty where none is needed, or wanted */
    const struct plan *wider; /* the run's, which may hold ceilings, too: asked for by the user */
    struct cell *again;       /* those that were measured again */
    unsigned agains, room;
};

/* Plans the ceilings of what is planned, but for those that are planned anyhow. To be closed either way; false only
 * when memory is short. */
bool ceilings_open(struct ceilings *out, const struct bench *bench, const struct plan *plan, struct error *err);
void ceilings_close(struct ceilings *ceilings);

/* Seconds that they take if each spends its budget: for the progress line. */
double ceilings_seconds(const struct ceilings *ceilings);

/* Measures them. False only when memory is short. */
bool ceilings_measure(struct ceilings *ceilings, struct error *err);

/* After a block: measures those again, once in a run, that one of its rows was above. The machine was slower then than
 * now, or there is a better way than ours; the best of both is the ceiling. */
bool ceilings_review(struct ceilings *ceilings, const char *block, struct error *err);

#endif
