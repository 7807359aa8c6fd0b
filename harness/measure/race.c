#include "harness/measure/race.h"

#include "harness/measure/stats.h"
#include "harness/measure/variance_pooling.h"

#include <math.h>

/* Constants determined by the simulations of tests/harness/measure/test_race.c. */
static const double error_of_race = 0.01;
static const double correlation_doubt = 1.5; /* standard errors added to the correlation of rounds */
static const double correlation_most = 0.9;  /* above, nothing would ever be decided */

/* The times of a contender that nothing disturbs stay within so many usual changes from round to round. */
static const double usual_changes = 7;

/* Changes of a log time from round to round below this are how times were rounded. They say nothing of correlation. */
static const double rounding = 1e-9;

/* Without rounds, a remembered contender stays from this share of the leader's speed on. */
static const double by_one_run = 0.9;

/* A contender against another: log of its time over the other's, by the rounds that both were in. */
struct comparison {
    unsigned rounds;
    double mean;
    struct variance of_round;
};

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

/* By how much a contender's log time is above its fastest without being disturbed: an unsteady one varies by more. A
 * disturbance of several rounds is two changes, so that it does not move their median. fmax ignores NAN. */
static double allowance(const struct race *race, unsigned contender)
{
    double change[RACE_ROUNDS_MAX];
    unsigned changes = 0;
    for (unsigned round = 1; round < race->rounds; round++) {
        double by = race->log_time[round][contender] - race->log_time[round - 1][contender];
        if (isfinite(by))
            change[changes++] = fabs(by);
    }
    return fmax(log(race_disturbed), usual_changes * stats_median(change, changes));
}

/* What slows down a whole round is in all its times. fmin ignores NAN. */
static void mark_round(struct race *race, unsigned round, const double allowed[], unsigned disturbed[])
{
    double slowed[RACE_CONTENDERS_MAX], least = INFINITY;
    for (unsigned i = 0; i < race->contenders; i++) {
        slowed[i] = race->log_time[round][i] - race->log_fastest[i];
        least = fmin(least, slowed[i]);
    }
    for (unsigned i = 0; i < race->contenders; i++) {
        race->is_disturbed[round][i] = slowed[i] - least > allowed[i];
        disturbed[i] += race->is_disturbed[round][i];
    }
}

/* Anew after each round, since a contender's fastest may be a later one. */
static void mark_disturbed(struct race *race)
{
    double allowed[RACE_CONTENDERS_MAX];
    unsigned disturbed[RACE_CONTENDERS_MAX] = { 0 };
    for (unsigned i = 0; i < race->contenders; i++)
        allowed[i] = allowance(race, i);
    for (unsigned round = 0; round < race->rounds; round++)
        mark_round(race, round, allowed, disturbed);
    for (unsigned i = 0; i < race->contenders; i++)
        for (unsigned round = 0; disturbed[i] > RACE_DISTURBED_MOST && round < race->rounds; round++)
            race->is_disturbed[round][i] = false;
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
    mark_disturbed(race);
}

/* NAN where it was not in the round, or was disturbed. */
static double log_time(const struct race *race, unsigned round, unsigned contender)
{
    return race->is_disturbed[round][contender] ? NAN : race->log_time[round][contender];
}

double race_time(const struct race *race, unsigned round, unsigned contender)
{
    return exp(log_time(race, round, contender));
}

double race_run(const struct race *race, unsigned contender, unsigned *rounds)
{
    double seconds[RACE_ROUNDS_MAX];
    *rounds = 0;
    for (unsigned round = 0; round < race->rounds; round++)
        if (isfinite(log_time(race, round, contender)))
            seconds[(*rounds)++] = race_time(race, round, contender);
    if (*rounds > 0)
        return stats_median(seconds, *rounds);
    return isfinite(race->log_fastest[contender]) ? exp(race->log_fastest[contender]) : NAN;
}

void race_expel(struct race *race, unsigned contender)
{
    race->is_out[contender] = true;
}

void race_withdraw(struct race *race, unsigned contender)
{
    race->is_gone[contender] = true;
}

bool race_is_out(const struct race *race, unsigned contender)
{
    return race->is_out[contender] || race->is_gone[contender];
}

static struct comparison compare(const struct race *race, unsigned one, unsigned other)
{
    struct comparison c = { .rounds = 0 };
    double squares = 0;
    for (unsigned round = 0; round < race->rounds; round++) {
        double apart = log_time(race, round, one) - log_time(race, round, other), step = apart - c.mean;
        if (!isfinite(apart))
            continue;
        c.rounds++;
        c.mean += step / c.rounds;
        squares += step * (apart - c.mean);
    }
    if (c.rounds > 1)
        c.of_round = (struct variance){ squares / (c.rounds - 1), c.rounds - 1 };
    return c;
}

static bool has_time(const struct race *race, unsigned contender)
{
    for (unsigned round = 0; round < race->rounds; round++)
        if (isfinite(log_time(race, round, contender)))
            return true;
    return false;
}

static bool is_faster(const struct race *race, unsigned one, unsigned other)
{
    if (race->is_out[one] != race->is_out[other])
        return race->is_out[other];
    if (has_time(race, one) != has_time(race, other))
        return has_time(race, one);
    return has_time(race, one) ? compare(race, one, other).mean < 0 : race->log_fastest[one] < race->log_fastest[other];
}

unsigned race_leader(const struct race *race)
{
    unsigned leader = race->contenders;
    for (unsigned i = 0; i < race->contenders; i++)
        if (!race->is_gone[i] && (leader == race->contenders || is_faster(race, i, leader)))
            leader = i;
    return leader;
}

/* Adds to each contender's sum the squares of the changes of its log time over `lag` rounds, relative to the mean
 * change of all that were in both. Returns how many changes there were. */
static unsigned squared_changes(const struct race *race, unsigned lag, double sum[RACE_CONTENDERS_MAX])
{
    unsigned changes = 0;
    for (unsigned round = lag; round < race->rounds; round++) {
        double change[RACE_CONTENDERS_MAX], all = 0;
        unsigned present = 0;
        for (unsigned i = 0; i < race->contenders; i++) {
            change[i] = log_time(race, round, i) - log_time(race, round - lag, i);
            all += isfinite(change[i]) ? change[i] : 0;
            present += isfinite(change[i]) != 0;
        }
        for (unsigned i = 0; i < race->contenders; i++)
            if (isfinite(change[i]))
                sum[i] += (change[i] - all / present) * (change[i] - all / present);
        changes += present;
    }
    return changes;
}

/* Correlation of neighbouring rounds, as that of an autoregressive series, by the mean squares of changes over one and
 * over two rounds: their ratio is 1 + rho, and short series bias neither. Of all contenders together, also of those
 * that are out; where few of them make most of the noise, they count as few. */
static double correlation(const struct race *race)
{
    double near_of[RACE_CONTENDERS_MAX] = { 0 }, far_of[RACE_CONTENDERS_MAX] = { 0 };
    double near = 0, near_squares = 0, far = 0;
    unsigned nears = squared_changes(race, 1, near_of), fars = squared_changes(race, 2, far_of);
    for (unsigned i = 0; i < race->contenders; i++) {
        near += near_of[i];
        near_squares += near_of[i] * near_of[i];
        far += far_of[i];
    }
    if (fars == 0)
        return correlation_most;
    if (near <= nears * rounding * rounding)
        return 0;
    double alike = near * near / near_squares / race->contenders;
    double independent = fars * alike * (race->contenders - 1.0) / race->contenders;
    double rho = far / fars / (near / nears) - 1 + correlation_doubt / sqrt(independent);
    return fmin(fmax(rho, 0), correlation_most);
}

/* Variance of the mean of n values with correlation rho, in units of the variance that they show, which is too small
 * because their mean moves with them. */
static double variance_of_mean(double rho, unsigned n)
{
    double sum = 1, at_lag = rho;
    for (unsigned lag = 1; lag < n; lag++, at_lag *= rho)
        sum += 2 * (1 - (double)lag / n) * at_lag;
    double share = sum / n; /* of the variance of one value */
    return share / (1 - share) * (n - 1.0) / n;
}

/* Compares all that are left with one of them. Comparisons without a variance have no freedom. */
static void compare_all(const struct race *race, unsigned with, struct comparison out[RACE_CONTENDERS_MAX])
{
    struct variance pooled[RACE_CONTENDERS_MAX], usual = { 0, 0 };
    for (unsigned i = 0; i < race->contenders; i++) {
        out[i] = race_is_out(race, i) || i == with ? (struct comparison){ .rounds = 0 } : compare(race, i, with);
        pooled[i] = out[i].of_round;
        usual.variance += pooled[i].freedom * pooled[i].variance;
        usual.freedom += pooled[i].freedom;
    }
    usual.variance /= usual.freedom;
    usual.freedom /= 2;
    bool is_pooled = variance_pool(pooled, race->contenders, usual);
    double rho = correlation(race);
    for (unsigned i = 0; i < race->contenders; i++) {
        bool is_known = is_pooled && out[i].rounds >= RACE_FIRST_LOOK;
        out[i].of_round = is_known ? pooled[i] : (struct variance){ NAN, 0 };
        out[i].of_round.variance *= variance_of_mean(rho, out[i].rounds);
        out[i].of_round.freedom *= (1 - rho * rho) / (1 + rho * rho);
    }
}

/* Whether a log ratio is above the margin, one-sided. Looks at later rounds depend on the earlier ones more and more,
 * so that a look's share of the error falls as 1 / round. */
static bool is_surely_above(const struct race *race, const struct comparison *c, double ratio, double margin)
{
    double looks = log((RACE_ROUNDS_MAX + 0.5) / (RACE_FIRST_LOOK - 0.5)), rivals = race->contenders - 1;
    double error = error_of_race / rivals / (race->rounds * looks);
    double t = (ratio - margin) / sqrt(c->of_round.variance);
    return c->of_round.freedom > 0 && t > 0 && student_beyond(t, c->of_round.freedom) / 2 < error;
}

void race_eliminate(struct race *race)
{
    unsigned leader = race_leader(race);
    struct comparison all[RACE_CONTENDERS_MAX];
    if (leader == race->contenders || race->rounds < RACE_FIRST_LOOK)
        return;
    compare_all(race, leader, all);
    for (unsigned i = 0; i < race->contenders; i++)
        race->is_out[i] =
            race->is_out[i] || (i != leader && is_surely_above(race, &all[i], all[i].mean, -log(race_margin)));
}

/* Speed of a contender over the leader's. */
static double ratio_to(const struct race *race, unsigned leader, unsigned contender)
{
    if (contender == leader)
        return 1;
    const struct comparison c = compare(race, contender, leader);
    const double by = c.rounds > 0 ? -c.mean : race->log_fastest[leader] - race->log_fastest[contender];
    return isfinite(by) ? exp(by) : NAN;
}

double race_ratio(const struct race *race, unsigned contender)
{
    const unsigned leader = race_leader(race);
    return leader < race->contenders ? ratio_to(race, leader, contender) : NAN;
}

bool race_is_close(const struct race *race, unsigned contender)
{
    return !race_is_out(race, contender) && race_ratio(race, contender) >= race_close;
}

unsigned race_choice(const struct race *race)
{
    const unsigned leader = race_leader(race), remembered = race->remembered;
    if (remembered < race->contenders && !race_is_out(race, remembered) &&
        (race->rounds > 0 || ratio_to(race, leader, remembered) >= by_one_run))
        return remembered;
    for (unsigned i = 0; i < leader; i++)
        if (!race_is_out(race, i) && ratio_to(race, leader, i) >= race_close)
            return i;
    return leader;
}

bool race_is_settled(const struct race *race, unsigned choice)
{
    struct comparison all[RACE_CONTENDERS_MAX];
    if (choice == race->contenders)
        return true;
    compare_all(race, choice, all);
    for (unsigned i = 0; i < race->contenders; i++)
        if (i != choice && !race_is_out(race, i) && !is_surely_above(race, &all[i], all[i].mean, log(race_margin)))
            return false;
    return true;
}

bool race_is_over(const struct race *race, unsigned choice)
{
    return race->rounds >= RACE_ROUNDS_MAX || race_is_settled(race, choice);
}
