#include "harness/measure/race.h"

#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>

/* From so many rounds on all ratios beyond the margin are enough, and one less for each SIGNS_MORE further rounds: of
 * ratios that are as often on one side as on the other, one in a hundred does so. Determined, as RACE_FIRST_LOOK, by
 * the simulations of tests/harness/measure/test_race_simulated.c. */
enum { SIGNS_FIRST = 7, SIGNS_MORE = 3 };

bool race_open(struct race *race, unsigned contenders)
{
    *race = (struct race){ .contenders = contenders, .remembered = contenders };
    for (unsigned i = 0; i < RACE_CONTENDERS_MAX; i++)
        race->log_fastest[i] = INFINITY;
    return contenders > 0 && contenders <= RACE_CONTENDERS_MAX;
}

void race_expect(struct race *race, unsigned contender, double seconds)
{
    if (seconds > 0)
        race->log_fastest[contender] = fmin(race->log_fastest[contender], log(seconds));
}

void race_add(struct race *race, const double seconds[])
{
    if (race->rounds == RACE_ROUNDS_MAX)
        return;
    for (unsigned i = 0; i < race->contenders; i++) {
        double taken = race_is_out(race, i) ? NAN : seconds[i];
        race->log_time[race->rounds][i] = taken > 0 ? log(taken) : NAN;
        race_expect(race, i, taken);
    }
    race->rounds++;
}

double race_run(const struct race *race, unsigned contender, unsigned *rounds)
{
    double seconds[RACE_ROUNDS_MAX];
    *rounds = 0;
    for (unsigned round = 0; round < race->rounds; round++)
        if (isfinite(race->log_time[round][contender]))
            seconds[(*rounds)++] = exp(race->log_time[round][contender]);
    if (*rounds > 0)
        return stats_median(seconds, *rounds);
    return isfinite(race->log_fastest[contender]) ? exp(race->log_fastest[contender]) : NAN;
}

bool race_is_out(const struct race *race, unsigned contender)
{
    return race->is_out[contender] || race->is_gone[contender];
}

/* Logarithms of the time of one over that of the other, of the rounds that both were in, in ascending order. Returns
 * how many there are. */
static unsigned log_ratios(const struct race *race, unsigned one, unsigned other, double out[RACE_ROUNDS_MAX])
{
    unsigned count = 0;
    for (unsigned round = 0; round < race->rounds; round++) {
        const double apart = race->log_time[round][one] - race->log_time[round][other];
        if (isfinite(apart))
            out[count++] = apart;
    }
    qsort(out, count, sizeof *out, stats_compare);
    return count;
}

/* The median of these; without any, by the fastest run of each: may be infinite, NAN if both are unknown. */
static double log_ratio(const struct race *race, unsigned one, unsigned other)
{
    double ratio[RACE_ROUNDS_MAX];
    const unsigned count = log_ratios(race, one, other, ratio);
    return count > 0 ? (ratio[(count - 1) / 2] + ratio[count / 2]) / 2
                     : race->log_fastest[one] - race->log_fastest[other];
}

/* Whether the time of one over that of the other is above the margin, a logarithm: by the number of rounds in which it
 * is; or earlier, if in all of them by more than they differ among themselves. It must be above it by the fastest run
 * of each, too: a disturbance that lasts from the first round on shows only by that. */
static bool is_surely_above(const struct race *race, unsigned one, unsigned other, double margin)
{
    double ratio[RACE_ROUNDS_MAX];
    const unsigned count = log_ratios(race, one, other, ratio);
    if (count < RACE_FIRST_LOOK || race->log_fastest[one] - race->log_fastest[other] <= margin)
        return false;
    return ratio[0] - margin > ratio[count - 1] - ratio[0] ||
           (count >= SIGNS_FIRST && ratio[(count - SIGNS_FIRST) / SIGNS_MORE] > margin);
}

static bool is_faster(const struct race *race, unsigned one, unsigned other)
{
    if (race->is_out[one] != race->is_out[other])
        return race->is_out[other];
    return log_ratio(race, one, other) < 0;
}

unsigned race_leader(const struct race *race)
{
    unsigned leader = race->contenders;
    for (unsigned i = 0; i < race->contenders; i++)
        if (!race->is_gone[i] && (leader == race->contenders || is_faster(race, i, leader)))
            leader = i;
    return leader;
}

void race_eliminate(struct race *race)
{
    const unsigned leader = race_leader(race);
    const double margin = -log(race_margin);
    for (unsigned i = 0; leader < race->contenders && i < race->contenders; i++)
        if (is_surely_above(race, i, leader, margin))
            race->is_out[i] = true;
}

double race_ratio(const struct race *race, unsigned contender)
{
    const unsigned leader = race_leader(race);
    if (leader == contender)
        return 1;
    const double by = leader < race->contenders ? log_ratio(race, leader, contender) : NAN;
    return isfinite(by) ? exp(by) : NAN;
}

bool race_is_close(const struct race *race, unsigned contender)
{
    return !race_is_out(race, contender) && race_ratio(race, contender) >= race_close;
}

unsigned race_choice(const struct race *race)
{
    if (race->remembered < race->contenders && race_is_close(race, race->remembered))
        return race->remembered;
    for (unsigned i = 0; i < race->contenders; i++)
        if (race_is_close(race, i))
            return i;
    return race_leader(race);
}

unsigned race_rival(const struct race *race, unsigned choice)
{
    unsigned rival = race->contenders;
    for (unsigned i = 0; choice < race->contenders && i < race->contenders; i++)
        if (i != choice && !race_is_out(race, i) && !is_surely_above(race, i, choice, log(race_margin)) &&
            (rival == race->contenders || is_faster(race, i, rival)))
            rival = i;
    return rival;
}

bool race_is_settled(const struct race *race, unsigned choice)
{
    return race_rival(race, choice) == race->contenders;
}

bool race_is_over(const struct race *race, unsigned choice)
{
    return race->rounds >= RACE_ROUNDS_MAX || race_is_settled(race, choice);
}
