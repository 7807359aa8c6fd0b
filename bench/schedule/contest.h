#ifndef BENCH_SCHEDULE_CONTEST_H
#define BENCH_SCHEDULE_CONTEST_H

/* The rounds of a race: contenders are opened and verified, race in heats of as many as memory can hold, and leave one
 * by one. What a contender's standing says at the end is for race.c to judge. */

#include "bench/schedule/contender.h"
#include "harness/measure/race.h"

/* A race of one group of candidates. Contenders have the order of the table of methods and kernel
 * shapes; a place without a runner is empty. */
struct contest {
    struct context *context;
    struct runner *runner;
    struct contender *contender;
    unsigned runners, contenders; /* the latter with empty places: KERNEL_SHAPES_MAX for each runner */
    struct tuned tuned;           /* what an earlier race found; without contenders if nothing */
    bool is_remembered;           /* only these race, */
    bool is_continued;            /* and those that it had no time for */
    bool repacks;                 /* a contender does, so that data that move have a race of their own */
    bool is_split;                /* a runner raced alone: heats before and after have no leader in common */
    double share, spent;          /* seconds */
};

/* Puts a contender in its place: kernel shape number `shape` of a runner. */
struct contender *contest_add(struct contest *contest, unsigned runner, unsigned shape, const char *name);

/* Opens, verifies and races all runners that nothing speaks against; their first kernel shapes have been added. */
void contest_run(struct contest *contest);

/* The contender with the fastest run so far; NULL: none has run. */
const struct contender *contest_fastest(const struct contest *contest);

/* Estimated seconds of a method's first kernel shape, or of each further one: for shares of the tuning budget. */
double contest_try_seconds(const struct cell *cell, bool is_first);

#endif
