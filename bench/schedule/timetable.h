#ifndef BENCH_SCHEDULE_TIMETABLE_H
#define BENCH_SCHEDULE_TIMETABLE_H

/* The timetable of a run: which problems are measured, and which of them in one rotation. It is decided before anything
 * is opened, from what they need of memory and of time.
 *
 * A rotation: problems whose workers are open together. In each turn every problem is visited once, so that the slices
 * of each are spread over the whole time. States of a machine (other tenants, caches, where virtual cores sit) last for
 * seconds to minutes, and an interval contains only the states that its slices saw. */

#include "bench/schedule/block.h"

struct timetable {
    struct context *context;
    const struct rule *rule;       /* of its blocks */
    const struct device *compared; /* the baseline's device; NULL: nothing is compared */
    bool is_of_peaks;              /* each problem is a rotation of its own, and has no line */
    struct entry *entry;           /* in the order in which they are opened */
    unsigned entries, rotations;
    double seconds;       /* that all of it is predicted to take */
    struct block **block; /* those of the present rotation that are open */
    unsigned blocks;
};

/* Adds the problems of a plan. Where the time is limited the first size of each workload comes first, then the second
 * sizes, and so on: the most important problems come first. */
bool timetable_add_plan(struct timetable *timetable, const struct plan *plan, struct error *err);
void timetable_free(struct timetable *timetable);

/* Cuts what is to be measured into rotations (room_plan). Where the time does not allow for as many visits of each
 * problem as an interval needs, the last ones are left out. False only when memory is short. */
bool timetable_cut(struct timetable *timetable, struct error *err);

/* Seconds of the problem that needs least, from the plan on, and whether --time allows it. */
double timetable_least(const struct timetable *timetable);
bool timetable_has_time(const struct timetable *timetable, struct error *err);

/* Measures everything. `join` is called before each turn of a rotation, and after the last one, and may extend it;
 * NULL: there is nothing to add. False only when memory is short. */
typedef bool timetable_join(void *with, struct error *err);
bool timetable_run(struct timetable *timetable, timetable_join *join, void *with, struct error *err);

/* Adds a problem while a rotation is running: to this one where its workers fit beside those that are open, else as a
 * later one. */
bool timetable_extend(struct timetable *timetable, struct cell cell[], unsigned cells, struct error *err);

/* --- between timetable.c and rotation.c --- */

/* Opens a problem and visits it twice, so that its row has a figure early; prints the row if it has a number, from 1.
 * False only when memory is short. */
bool rotation_add(struct timetable *timetable, const struct entry *entry, unsigned number, struct error *err);

/* Whether the time allows for a further problem: for as many visits of each as an interval needs. */
bool rotation_has_time(const struct timetable *timetable, const struct forecast *added);

/* Visits each problem that is due, and closes those that are done; all of them when the time is over or the run was
 * interrupted. */
void rotation_turn(struct timetable *timetable);

#endif
