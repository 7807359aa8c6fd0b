#ifndef BENCH_SCHEDULE_CELL_RUN_H
#define BENCH_SCHEDULE_CELL_RUN_H

/* The life of one cell around its rounds: a fresh worker, the first run, verification, warm-up; and at the end
 * what a run takes of the device's energy, the second verification and the outcome. Whatever goes wrong becomes the
 * outcome of this cell and of no other. */

#include "bench/schedule/rounds.h"

/* Brings the contender to where its rounds can begin, or sets its outcome. */
void cell_run_open(struct cell_run *cell_run, struct rounds *rounds);

/* After its worker died in the middle: the same with a fresh worker, once. True if its rounds can go on. */
bool cell_run_reopen(struct cell_run *cell_run, struct rounds *rounds, const struct error *why);

/* Seconds that a row takes once it has its times, if all goes well. */
double cell_run_closing_seconds(const struct cell *cell, const struct options *options, double budget);

/* Meters, verifies again, lets the worker go, writes the outcome. */
void cell_run_close(struct cell_run *cell_run, struct rounds *rounds);

/* Writes the outcome of a cell that is not measured; its device had printed `chatter` bytes before. */
void cell_run_refuse(const struct cell *cell, struct run_log *run_log, const struct error *why, long driver_log);

#endif
