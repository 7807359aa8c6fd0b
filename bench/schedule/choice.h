#ifndef BENCH_SCHEDULE_CHOICE_H
#define BENCH_SCHEDULE_CHOICE_H

/* The choice of a method, or of a kernel shape: contenders are timed in short slices in turn, and leave once they are
 * surely slower (harness/measure/race.h). Slices of a choice enter no figure. The leader is verified before another
 * leaves because of it; one that gives wrong results is out, and the next leads. */

#include "bench/schedule/runner.h"
#include "harness/measure/race.h"

/* How the choice ended for a contender for one use. */
struct standing {
    enum race_end end;
    unsigned rounds;
    double ratio, run; /* its speed over the leader's, median seconds of a run; NAN unknown */
};

/* A runner with one of its kernel shapes. */
struct contender {
    struct runner *runner;
    char kernel_shape[KERNEL_SHAPE_MAX]; /* "": the one that it was opened with */
    double run;                          /* seconds of its fastest run so far */
    bool is_verified;
    struct standing standing[USES];
    struct error outcome; /* why it is out for another reason than its speed; STATUS_OK: it is not */
};

struct choice {
    struct context *context;
    struct contender contender[RACE_CONTENDERS_MAX]; /* in the order of the table of methods and kernel shapes */
    unsigned contenders;
    enum series series; /* that data that stay are timed by: resident, or queued where runs are short */
    double most;        /* seconds until all have had a first slice; those that come later are not tried */
    bool takes_turns;   /* one worker is open at a time: they are compared by their first slices */
    bool is_copied;     /* a contender repacks: data that move have an order of their own */
    const struct contender *remembered[USES]; /* by an earlier run; NULL: none */
    struct race race[USES];
    bool is_settled[USES]; /* the one to measure is surely as fast as the fastest */
    double spent;          /* seconds */
    unsigned deaths;       /* of workers */
};

/* Adds a contender; false if there are too many. */
bool choice_add(struct choice *choice, struct runner *runner, const char *kernel_shape);

/* Takes first slices, then rounds: RACE_ROUNDS_MAX, or two seconds of slices, at most. */
void choice_run(struct choice *choice);

/* The contenders to measure: for each use the remembered one unless another is surely 2 % faster, else the first of
 * those within 1 % of the leader; one for both uses where it is within 1 % in both. They are verified; NULL: none
 * works. Contenders that fail at that are out. */
void choice_take(struct choice *choice, struct contender *taken[USES]);

/* Sets how the choice ended for each contender, once it is known which are measured. */
void choice_end(struct choice *choice, struct contender *const taken[USES]);

#endif
