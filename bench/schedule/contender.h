#ifndef BENCH_SCHEDULE_CONTENDER_H
#define BENCH_SCHEDULE_CONTENDER_H

/* A contender of a race: a method with one of its kernel shapes. All shapes of a method share one worker and its
 * buffers, the runner. Whatever fails costs the contender: its outcome says why, and the runner goes on. */

#include "bench/schedule/race.h"

/* A method's worker during a race. Must not move while it is open: its client points to its setup. */
struct runner {
    struct context *context;
    struct candidate *candidate;
    struct worker_setup setup;
    struct client *client; /* NULL: not open, or dead */
    json_t *kernel_shapes; /* names; NULL: there is one, or none was asked for */
    const char *current;   /* kernel shape that the worker has prepared */
    unsigned deaths;
    bool repacks;
    bool is_alone;      /* it was refused beside others, or the device takes one worker: no other is open beside it */
    bool lacked_device; /* so it was refused: the device did not open */
};

/* Seconds; a longer run is taken once in a slice, and in no round that the time of its race does not allow, beyond the
 * first. */
static const double race_long_run = 0.5;

/* How a race stands for a contender. */
struct standing {
    enum race_end end;
    unsigned rounds;
    double ratio, run; /* its speed over the leader's, median seconds; NAN unknown */
    bool is_out;       /* surely slower than a leader, by the rounds */
};

struct contender {
    struct runner *runner; /* NULL: there is no such contender */
    struct standing standing[RACE_KINDS];
    char kernel_shape[KERNEL_SHAPE_MAX];
    double first;            /* seconds of its first run as a whole; NAN: it had none */
    double run;              /* seconds of its fastest run so far; INFINITY before the first */
    double repack;           /* seconds of repacking in its first run; NAN: it had none */
    unsigned runs, stumbles; /* timed, and of these with a time that is impossible */
    bool was_left;           /* the race had no time for it, a later one may have */
    struct error outcome;
};

/* Whether it is in the race, has run, and nothing has gone wrong. */
bool contender_is_ready(const struct contender *contender);

/* Seconds that a run in this race is expected to take; NAN where its repacking is not known. */
double contender_expected(const struct contender *contender, enum race_kind kind);

/* Ends a contender for a reason that is no failure. */
void contender_pass_over(struct contender *contender, const char *reason);

/* Starts the runner's worker with the contender's kernel shape, up to its first result. False with its outcome. */
bool contender_open(struct contender *contender);

/* Prepares the contender's kernel shape in the open worker. False with its outcome. */
bool contender_prepare(struct contender *contender);

/* Checks its results. False with its outcome. */
bool contender_verify(struct contender *contender);

/* One short slice: median seconds of a run, or, for RACE_TRANSFERS, of its repacking; NAN if its clock stumbled.
 * `spent` grows by the slice. False with its outcome. */
bool contender_slice(struct contender *contender, enum race_kind kind, double *seconds, double *spent);

/* Ends the worker. */
void runner_close(struct runner *runner);

#endif
