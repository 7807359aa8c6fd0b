#ifndef BENCH_SCHEDULE_ADMISSION_H
#define BENCH_SCHEDULE_ADMISSION_H

/* Admission: which cells are tried at all, by the plan's refusals, the host's memory, and how many workers of this run
 * have died; and which workers are open together. */

#include "bench/plan/plan.h"

/* Seconds that one run of a cell may take: ten budgets, and no more than the timeout. A longer one is too slow. */
double admission_deadline(const struct options *options);

struct admission {
    const struct listing *listing;
    unsigned losses[DEVICES_MAX]; /* by device: rows that ended with a dead worker or an unopened device */
    struct death {
        const struct device *device;
        const struct method *method;
    } * death;
    unsigned deaths, room;
};

void admission_free(struct admission *admission);

/* False with the cell's outcome: refused by the plan, abandoned, or larger than the memory. `held`: bytes of the host's
 * memory that open workers give back before. */
bool admission_allows(const struct admission *admission, const struct cell *cell, double held, struct error *why);

/* What open workers hold beside which a cell may be opened. All zero at first. */
struct held {
    unsigned workers, on_chip; /* all, and those of the cell's chip, through whatever API */
    double chip_bytes;         /* of the chip's own memory, by the latter, at most */
    double host_bytes;         /* of the host's memory, by all */
};

/* Adds a worker of the cell `open` to what is held beside `cell`. */
void admission_hold(struct held *held, const struct cell *cell, const struct cell *open);

/* Whether a worker of the cell may be open beside those: all workers need at most 70 % of the host's memory, of which
 * so much is still available, and those of a chip 70 % of its own. */
bool admission_has_room(const struct held *held, const struct cell *cell, double available);

/* Records a dead worker: counts against this method on this device. */
void admission_record_death(struct admission *admission, const struct cell *cell);

/* Records a lost row: counts against the device. */
void admission_record_loss(struct admission *admission, const struct device *device);

#endif
