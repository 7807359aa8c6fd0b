#ifndef BENCH_SCHEDULE_TIMETABLE_H
#define BENCH_SCHEDULE_TIMETABLE_H

/* The timetable of a run: which problems are measured, and which of them in one rotation, decided before anything is
 * opened from what they need of memory and of time. */

#include "bench/schedule/room.h"
#include "bench/schedule/rotation.h"

struct entry {
    struct cell *cell; /* the first of its problem */
    unsigned cells;
    struct forecast forecast;
    struct room_problem room;
    bool is_left_out; /* --time does not allow for it */
};

struct timetable {
    struct context *context;
    struct entry *entry; /* in the order in which they are opened */
    unsigned entries, room, rotations;
    double seconds; /* that all of it is predicted to take */
};

/* Adds a problem, unless a resumed journal has it. */
bool timetable_add(struct timetable *timetable, struct cell cell[], unsigned cells, struct error *err);

/* Adds the problems of a plan. Where the time is limited the first size of each
 * workload comes first, then the second sizes, and so on: in this order a problem is worth most, and the last ones are
 * left out if the time does not allow for as many visits of each as an interval needs. Free it either way; false only
 * when memory is short. */
bool timetable_make(struct timetable *out, struct context *context, const struct plan *plan, struct error *err);
void timetable_free(struct timetable *timetable);

/* Cuts what is to be measured into rotations (room_plan). To be called once the seconds reserved for peaks are known. */
void timetable_cut(struct timetable *timetable);

/* Measures everything. `join` is called before each turn of a rotation, and after the last one, and may add problems.
 * False only when memory is short. */
typedef bool timetable_join(void *with, struct rotation *rotation, struct error *err);
bool timetable_run(struct timetable *timetable, timetable_join *join, void *with, struct error *err);

/* Whether the workers of a further problem fit beside those of the rotation. */
bool timetable_has_room(const struct timetable *timetable, const struct rotation *rotation, const struct cell cell[],
                        unsigned cells);

#endif
