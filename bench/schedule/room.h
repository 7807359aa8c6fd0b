#ifndef BENCH_SCHEDULE_ROOM_H
#define BENCH_SCHEDULE_ROOM_H

/* Which problems of a run are open together. A run is cut into rotations, as few as possible and of like length, whose
 * workers fit into memory together. Decided before anything is opened; pure arithmetic. */

#include "bench/schedule/context.h"

/* The host's memory, and the own memory of each chip. */
enum { POOLS_MAX = 1 + DEVICES_MAX };

/* The methods of a row may not fit together, and neither may the rows of a device. */
enum in_turn { ALL_AT_ONCE, METHODS_IN_TURN, ROWS_IN_TURN };

/* A problem: what it needs, and where it goes. Bytes of each pool. */
struct room_problem {
    double kept[POOLS_MAX];     /* by the workers that stay open: of each row the two best methods, as far as there are
                                   two */
    double choosing[POOLS_MAX]; /* and by the other methods of the row with the most of them */
    double seconds;             /* that it is predicted to take */
    unsigned rotation;          /* which it belongs to, from 0 */
    enum in_turn in_turn;
};

/* Sets rotation and in_turn of each problem; returns how many rotations there are. `memory`: bytes of each pool of
 * which 70 % may be used; NAN: unknown, everything fits. `one_process`: a device takes a single process, so that
 * problems and methods come one by one. */
unsigned room_plan(struct room_problem *const problem[], unsigned problems, const double memory[POOLS_MAX],
                   bool one_process);

/* What the cells of a problem need: as they say, and for each worker what a driver and its libraries take, which is
 * known from earlier runs or allowed for. */
struct room_problem room_needed(const struct context *context, const struct cell cell[], unsigned cells);

/* How much there is now; `held`: of the host's memory by workers that are open. */
void room_memory(const struct listing *listing, double held, double memory[POOLS_MAX]);

/* Remembers what the driver of a cell's device took, bytes of host memory. */
void room_remember(struct context *context, const struct cell *cell, double bytes);

#endif
