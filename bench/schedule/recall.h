#ifndef BENCH_SCHEDULE_RECALL_H
#define BENCH_SCHEDULE_RECALL_H

/* What a race takes from earlier ones, and leaves to later ones (tuning_cache.h). */

#include "bench/schedule/contest.h"

/* Looks up what an earlier race left: contest->tuned, is_remembered and is_continued. What an earlier race had no time
 * to try, a run that is not quick tries. */
void recall_read(struct contest *contest);

/* The first contender of the method that an earlier race lets race; NULL: none, or nothing is remembered. */
const struct tuned_contender *recall_first(const struct contest *contest, const char *method);

/* Whether the kernel shape races: all do if nothing is remembered. */
bool recall_admits(const struct contest *contest, const char *method, const char *kernel_shape);

/* How many contenders the method of the cell has, as far as is known before it is opened. */
unsigned recall_choices(const struct contest *contest, const struct cell *cell);

/* Whether the method, or one of its kernel shapes, ended so in an earlier race. */
bool recall_has(const struct contest *contest, const char *method, enum tuned_end end);

/* Leaves to later races what is within 5 % of the winner or too noisy to tell, what is bad, and what there was no time
 * for. Leaves nothing if the rounds were too few to tell. */
void recall_write(const struct contest *contest);

#endif
