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

/* What open workers hold beside which a cell may be opened. All zero at first. */
struct held {
    unsigned workers, on_chip; /* all, and those of the cell's chip, through whatever API */
    double chip_bytes;         /* of the chip's own memory, by the latter */
    double host_bytes;         /* of the host's memory, by all */
};

/* Adds a worker of the cell `open` to what is held beside `cell`. `known`: bytes of its device's memory that it holds;
 * where that is not above 0, what it holds at most. */
void admission_hold(struct held *held, const struct cell *cell, const struct cell *open, double known);

/* Whether a worker of the cell may be open beside those: all workers need at most 70 % of the host's memory, of which
 * so much is still available, and those of a chip 70 % of its own; and the chip takes more than one. */
bool admission_has_room(const struct admission *admission, const struct held *held, const struct cell *cell,
                        double available);

/* Records that the device opened for a worker alone, and not beside another. One such refusal may have had any cause:
 * from the second on the device gets one worker at a time. */
void admission_record_refusal(struct admission *admission, const struct device *device);

/* Whether the device's chip gets one worker at a time. */
bool admission_takes_one(const struct admission *admission, const struct device *device);

/* Records a dead worker: counts against this method on this device. The cell must outlive the admission, here and
 * below. */
void admission_record_death(struct admission *admission, const struct cell *cell);

/* Records a lost row: counts against the device. */
void admission_record_loss(struct admission *admission, const struct device *device);

/* Records the seconds of one run. */
void admission_record_run(struct admission *admission, const struct cell *cell, double run);

#endif
