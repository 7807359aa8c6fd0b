#ifndef BENCH_SCHEDULE_ROTATION_H
#define BENCH_SCHEDULE_ROTATION_H

/* A rotation: problems whose workers are open together. In each turn every problem is visited once, so that the slices
 * of each are spread over the whole time. States of a machine (other tenants, caches, where virtual cores sit) last for
 * seconds to minutes, and an interval contains only the states that its slices saw. */

#include "bench/schedule/block.h"
#include "bench/schedule/room.h"

struct rotation {
    struct context *context;
    const struct rule *rule;       /* of its blocks */
    const struct device *compared; /* the baseline's device; NULL: nothing is compared */
    struct block **block;          /* those that are open */
    unsigned blocks, room;
};

/* Opens a problem and visits it twice, so that its row has a figure early; prints the row if it has a number, from 1.
 * False only when memory is short. */
bool rotation_add(struct rotation *rotation, const struct entry *entry, unsigned number, struct error *err);

/* Whether the time allows for a further problem: for as many visits of each as an interval needs. */
bool rotation_has_time(const struct rotation *rotation, const struct forecast *added);

/* Visits each problem that is due, and closes those that are done; all of them when the time is over or the run was
 * interrupted. */
void rotation_turn(struct rotation *rotation);

/* All turns that are left. Nothing is open afterwards. */
void rotation_finish(struct rotation *rotation);

#endif
