#ifndef BENCH_SCHEDULE_ADMISSION_H
#define BENCH_SCHEDULE_ADMISSION_H

/* Admission: which cells are tried at all, by the plan's refusals, the host's memory, and what this run has seen of the
 * device. */

#include "bench/plan/plan.h"

/* A run that takes more budgets than this is too slow: beside a method with a longer run no other is tried. */
enum { RUN_BUDGETS_MAX = 10 };

/* Seconds that one run of a cell may take: as many budgets, and no more than the timeout. */
double admission_deadline(const struct options *options);

/* What was observed of a cell. */
struct observation {
    const struct cell *cell;
    double run; /* seconds of one run; NAN: its worker died or was killed */
};

struct admission {
    const struct options *options;
    const struct listing *listing;
    unsigned losses[DEVICES_MAX];   /* by device: rows that ended with a dead worker or an unopened device */
    unsigned refusals[DEVICES_MAX]; /* by device: workers that opened alone, and not beside another */
    struct observation *observation;
    unsigned observations, room;
};

void admission_free(struct admission *admission);

/* False with the cell's outcome: refused by the plan, abandoned, larger than the memory, or too slow, as predicted from
 * smaller problems of the same kind. `held`: bytes of the host's memory that open workers give back before. */
bool admission_allows(const struct admission *admission, const struct cell *cell, double held, struct error *why);

/* An open worker: its device, how much of the device's own memory it holds, and of the host's. */
struct holder {
    const struct device *device;
    double bytes, host_bytes;
};

/* What a worker of the cell holds at most. */
struct holder admission_holder(const struct cell *cell);

/* Whether a worker of the cell may be open beside those: all workers need at most 70 % of the host's memory, of which
 * so much is still available, and those of a chip, through whatever API, 70 % of its own; and the chip takes more than
 * one. */
bool admission_has_room(const struct admission *admission, const struct holder open[], unsigned count,
                        const struct cell *cell, double available);

/* Whether any of them is a worker of the device's chip. */
bool admission_shares_chip(const struct holder open[], unsigned count, const struct device *device);

/* Records that the device opened for a worker alone, and not beside another. One such refusal may have had any cause:
 * from the second on the device gets one worker at a time. */
void admission_record_refusal(struct admission *admission, const struct device *device);

/* Whether the device's chip gets one worker at a time. */
bool admission_takes_one(const struct admission *admission, const struct device *device);

/* Predicted seconds of one run, from its own method's runs on smaller problems; NAN if those were too short to tell. */
double admission_predict(const struct admission *admission, const struct cell *cell);

/* Records a dead worker: counts against this method on this device. The cell must outlive the admission, here and
 * below. */
void admission_record_death(struct admission *admission, const struct cell *cell);

/* Records a lost row: counts against the device. */
void admission_record_loss(struct admission *admission, const struct device *device);

/* Records the seconds of one run. */
void admission_record_run(struct admission *admission, const struct cell *cell, double run);

#endif
