#ifndef BENCH_SCHEDULE_CHOICE_H
#define BENCH_SCHEDULE_CHOICE_H

/* The choice of a method, or of a kernel shape: contenders are timed in short slices in turn, and are dropped once they
 * are surely slower (harness/measure/race.h, one race for each use). No figure uses the slices of a choice. The leader
 * is verified before another is dropped because of it; if its results are wrong it is out, and the next one leads. */

#include "bench/schedule/runner.h"
#include "harness/measure/race.h"

/* A method's runner in the choice of a row, or one kernel shape of a runner in tuning.c. */
struct contender {
    struct runner *runner;
    char kernel_shape[KERNEL_SHAPE_MAX]; /* "": the one that it was opened with */
    bool is_verified;
    struct error outcome;  /* why it is out for another reason than its speed; STATUS_OK: it is not */
    char words[LAST_LINE]; /* what its driver printed then */
};

struct choice {
    struct context *context;
    const struct rule *rule;                         /* of the block */
    struct contender contender[RACE_CONTENDERS_MAX]; /* in the order of the table of methods and kernel shapes */
    unsigned contenders;
    enum series series; /* that resident data are timed by: resident, or queued where runs are short */
    double most;        /* seconds until all have had a first slice; those that come later are not tried */
    bool takes_turns;   /* one worker is open at a time: they are compared by their first slices */
    bool is_copied;     /* a contender repacks: copied data have an order of their own */
    const struct contender *remembered[USES]; /* by an earlier run; NULL: none */
    struct contender *taken[USES];            /* those to measure, verified; NULL: none works */
    struct race race[USES];
    bool is_disturbed; /* others computed on our cores meanwhile */
    double spent;      /* seconds */
};

/* Adds a contender. NULL if there are too many. */
struct contender *choice_add(struct choice *choice, struct runner *runner, const char *kernel_shape);

/* How many contenders are left. */
unsigned choice_remaining(const struct choice *choice);

/* Takes first slices, then rounds: RACE_ROUNDS_MAX, or two seconds of slices, at most. */
void choice_run(struct choice *choice);

/* Takes out a contender that failed. The reason becomes the outcome of its runner, unless it is a kernel shape of it.
 */
void choice_lose(struct choice *choice, struct contender *contender, const struct error *why);

/* Takes the contenders to measure: that of each race (race_choice), or one for both uses where it is close to the
 * leader in both. Contenders that fail the verification are out. One that was taken before and is measured already for
 * a single use stays the one for it, and another is found for the other use. */
void choice_take(struct choice *choice);

/* Whether the one to measure is surely as fast as the fastest, by undisturbed rounds; true where there is none. */
bool choice_is_settled(const struct choice *choice, enum use use);

/* How the choice ended for a contender, as the journal has it. The texts are its own, and its runner's. */
struct contender_record choice_stated(const struct choice *choice, unsigned contender, enum use use);

#endif
