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
    /* How the choice ended for each use: its speed over the leader's, median seconds of a run; NAN unknown. */
    enum race_end end[USES];
    unsigned rounds[USES];
    double ratio[USES], run[USES];
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
    const struct contender *kept[USES];       /* measured already, for that use alone */
    struct race race[USES];
    bool is_disturbed;     /* others computed on our cores meanwhile */
    bool is_settled[USES]; /* the one to measure is surely as fast as the fastest, by undisturbed rounds */
    double spent;          /* seconds */
    unsigned deaths;       /* of workers */
};

/* Adds a contender. NULL if there are too many. */
struct contender *choice_add(struct choice *choice, struct runner *runner, const char *kernel_shape);

/* How many contenders are left. */
unsigned choice_remaining(const struct choice *choice);

/* Takes first slices, then rounds: RACE_ROUNDS_MAX, or two seconds of slices, at most. */
void choice_run(struct choice *choice);

/* Takes out a contender that failed. */
void choice_lose(struct choice *choice, struct contender *contender, const struct error *why);

/* Keeps a contender, which is measured already, for that use alone. It leaves the other use's race, in which another is
 * to be found. */
void choice_keep_for(struct choice *choice, const struct contender *contender, enum use use);

/* The contenders to measure, verified: that of each race (race_choice), or one for both uses where it is close to the
 * leader in both. NULL: none works. Contenders that fail the verification are out. */
void choice_take(struct choice *choice, struct contender *taken[USES]);

/* Sets how the choice ended for each contender, once it is known which are to be measured; the losers stay open. */
void choice_judge(struct choice *choice, struct contender *const taken[USES]);

/* A contender as the journal has it, with texts of its own. */
struct contender_record contender_stated(const struct contender *contender, enum use use);

#endif
