#ifndef HARNESS_MEASURE_RACE_H
#define HARNESS_MEASURE_RACE_H

/* The elimination rule of a race: contenders (methods, with a kernel shape where there are several) are timed in rounds
 * and dropped one by one, until it is clear which one to measure. Pure arithmetic on times.
 *
 * Two contenders are compared by the ratios of their times in the rounds that both were in: what slows down a whole
 * round cancels, and the median ignores what slows down one of them in fewer than half of the rounds. A value: it owns
 * nothing. */

#include <stdbool.h>

enum { RACE_CONTENDERS_MAX = 64, RACE_ROUNDS_MAX = 16, RACE_FIRST_LOOK = 4 };

/* A contender is slower if its speed is below this share of the leader's. */
static const double race_margin = 0.98;

/* The order of the table, and what an earlier run chose, decide only among those with this share of the leader's speed
 * or more. */
static const double race_close = 0.99;

/* Contenders have the order of the table of methods and shapes. About 9 KB. */
struct race {
    unsigned contenders, rounds;
    unsigned remembered;               /* the one that an earlier run chose; `contenders`: none */
    bool is_out[RACE_CONTENDERS_MAX];  /* slower; the caller marks those that are far too slow */
    bool is_gone[RACE_CONTENDERS_MAX]; /* marked by the caller: it failed, or is not to be measured */
    double log_time[RACE_ROUNDS_MAX][RACE_CONTENDERS_MAX]; /* NAN: not in that round */
    double log_fastest[RACE_CONTENDERS_MAX];
};

/* False if there are no contenders, or more than RACE_CONTENDERS_MAX. */
bool race_open(struct race *race, unsigned contenders);

/* Before the first round: the contender's fastest run so far, in seconds. Until there are rounds, contenders are
 * compared by it. */
void race_expect(struct race *race, unsigned contender, double seconds);

/* Adds a round: seconds of each contender, NAN for those that are out. Rounds after RACE_ROUNDS_MAX are ignored. */
void race_add(struct race *race, const double seconds[]);

/* After a round: marks those as out that are surely below race_margin of the leader. */
void race_eliminate(struct race *race);

/* The median of a contender's seconds, and in how many rounds it was; without any its fastest run, NAN if that is
 * unknown. */
double race_run(const struct race *race, unsigned contender, unsigned *rounds);

/* Those that are not out are the tie set: as fast as the leader, as far as this race can tell. */
bool race_is_out(const struct race *race, unsigned contender);

/* The fastest contender that is not out, by paired rounds, or without any by the fastest run of each. If all that were
 * left are gone, the fastest of those that are slower. Equal to `contenders` if all are gone. */
unsigned race_leader(const struct race *race);

/* Speed of a contender over the leader's: the median ratio of the rounds that both were in, without any that of their
 * fastest runs. 1 for the leader itself; NAN unknown. */
double race_ratio(const struct race *race, unsigned contender);

/* Whether a contender of the tie set has a ratio of race_close or more. */
bool race_is_close(const struct race *race, unsigned contender);

/* The contender to measure, of those that are close: the remembered one, else the first of the table. Equal to
 * `contenders` if all are gone. */
unsigned race_choice(const struct race *race);

/* Whether a contender that is not out is surely within race_margin of all others that are left; true if all are out. */
bool race_is_settled(const struct race *race, unsigned contender);

/* The fastest of the others that may be faster than the choice by more than race_margin. Equal to `contenders` if the
 * choice is settled. */
unsigned race_rival(const struct race *race, unsigned choice);

/* Whether further rounds would decide nothing for that contender: it is settled, or RACE_ROUNDS_MAX rounds were run. */
bool race_is_over(const struct race *race, unsigned contender);

#endif
