#ifndef BENCH_SCHEDULE_BLOCK_H
#define BENCH_SCHEDULE_BLOCK_H

/* A block: one problem on all its devices. Opening it opens its rows one after the other, each with the methods that it
 * is chosen from; the workers that are chosen stay open. Each visit takes, for each use, one slice of the baseline and
 * one of each device next to each other. Closing it checks the results for the last time and ends the workers.
 *
 * block.c goes through the rows, contenders.c opens the methods of a row, visit.c takes the slices. */

#include "bench/schedule/choice.h"
#include "bench/schedule/forecast.h"
#include "bench/schedule/room.h"

/* A choice that was not settled: the two best methods of a row are both visited until their slices have decided. These
 * slices enter no figure. Those of the first are in the journal until then, those of the rival are not. */
enum { DECIDING_VISITS = 3 };
struct rival {
    struct runner *runner, *first; /* runner NULL: it is decided */
    double ratio[DECIDING_VISITS]; /* speed of the rival over that of the first */
    unsigned visits;
};

/* A problem that is to be measured. */
struct entry {
    struct cell *cell; /* the first of its problem */
    unsigned cells;
    struct forecast forecast;
    struct room_problem needs; /* of memory, by its workers */
    bool is_left_out;          /* --time does not allow for it */
};

struct block {
    struct context *context;
    struct pool pool; /* has it, and its arrays */
    struct entry entry;
    struct rule rule, asked;       /* when its series have been measured enough; as the run has it */
    const struct device *compared; /* the baseline's device; NULL: nothing is compared */
    struct runner *runner;         /* one for each cell, in the order of the plan */
    unsigned runners;
    struct rival *rival; /* as many, one for each row that needs one */
    unsigned rivals;
    struct runner *baseline[USES]; /* what each use is compared with; NULL: nothing */
    bool is_opening;               /* more rows are to be opened, so the baselines continue */
    struct choice choice;          /* of the row that is opened now */
    unsigned visits, slices;       /* taken so far */
    unsigned visits_before;        /* of these, by the run that this one resumes */
    unsigned turns;                /* rotations since it was opened, its first visits among them */
    double spent[SPENT_COUNT];     /* seconds, by what they went to */
    double visiting;               /* seconds that its visits took */
    double seconds;                /* that it took in all */
};

/* Opens the block of these cells, which `plan` orders by row, and chooses its methods. NULL when memory is short. */
struct block *block_open(struct context *context, const struct rule *rule, const struct device *compared,
                         const struct entry *entry, struct error *err);

/* Seconds of a visit, on average. */
double block_visit_seconds(const struct block *block);

/* Whether a series of it is still measured. */
bool block_is_active(const struct block *block);

/* Whether it is visited in its present turn. */
bool block_is_due(const struct block *block);

/* Takes a visit. A slice that fails ends its cell and no other. A visit that settles a close choice enters no figure,
 * so one more is taken. */
void block_visit(struct block *block);

/* Ends the series that are still measured, for that reason, closes all workers, and frees the block. */
void block_close(struct block *block, enum stop why);

/* --- between block.c, contenders.c and visit.c --- */

/* Opens the methods of one or several rows, except those that are surely too slow: runners from `first` to `end`. They
 * become the contenders of block->choice; those that were not opened are out. */
void contenders_open(struct block *block, unsigned first, unsigned end);

/* Opens the worker of a runner, if it is admitted. False with its outcome. */
bool contenders_open_one(struct block *block, struct runner *runner);

/* Remembers for later runs what this one chose. A change is a note of the journal. */
void contenders_remember(struct block *block);

/* Takes one slice of a series, about `length` seconds long, and writes it to the journal. A slice that fails ends the
 * cell: its series are no longer active. Its result is checked if the worker says so, or if the series has run for
 * `check_after` seconds by then: those of a whole sustained series, INFINITY for any other. */
void visit_slice(struct block *block, struct runner *runner, enum series series, double length, double check_after);

/* Takes one slice of each series that is measured, and stops those that have enough. */
void visit_take(struct block *block);

/* Ends all series of a runner that are active, and writes the reason: this one, unless the run was interrupted. */
void visit_stop(struct block *block, struct runner *runner, enum stop why);

#endif
