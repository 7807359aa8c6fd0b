#include "bench/schedule/choice.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds of slices after the first ones: so many budgets of a series, and no more than that. */
static const double rounds_seconds = 2, rounds_budgets = 2;

/* A contender is out if its first warm run takes so many times as long as that of the leader. */
static const double hopeless = 3;

/* Without rounds, a remembered contender stays from this share of the leader's speed on: one slice proves little. */
static const double by_one_slice = 0.9;

/* No contender ties with the leader below this share of its speed, even if noise leaves that open. */
static const double tie_margin = 0.95;

/* Dead workers after which a runner gets no other. */
enum { DEATHS_MAX = 3 };

bool choice_add(struct choice *choice, struct runner *runner, const char *kernel_shape)
{
    if (choice->contenders == RACE_CONTENDERS_MAX)
        return false;
    struct contender *contender = &choice->contender[choice->contenders++];
    *contender = (struct contender){ .runner = runner, .run = INFINITY };
    for (enum use use = 0; use < USES; use++)
        contender->standing[use] = (struct standing){ .end = RACE_PASSED_OVER, .ratio = NAN, .run = NAN };
    text_copy(contender->kernel_shape, sizeof contender->kernel_shape, kernel_shape);
    choice->is_copied |= runner->repacks;
    return true;
}

static bool is_in(const struct contender *contender)
{
    return contender->outcome.status == STATUS_OK;
}

/* Takes out a contender that failed. The others of its runner get a new worker if this one is dead, or if its driver
 * failed: an error of a GPU stays with the process. */
static void lose(struct choice *choice, struct contender *contender, const struct error *why)
{
    struct runner *runner = contender->runner;
    contender->outcome = *why;
    choice->deaths += status_is_death(why->status);
    runner->lacks_device |= why->status == STATUS_FAILED && client_lacks_device(runner->client);
    if (status_is_death(why->status) || why->status == STATUS_FAILED || why->status == STATUS_ABANDONED)
        runner_drop(runner);
    for (enum use use = 0; use < USES; use++)
        race_withdraw(&choice->race[use], (unsigned)(contender - choice->contender));
}

/* Makes the contender's kernel shape the current one, in a new worker if the former is gone. */
static bool prepare(struct choice *choice, struct contender *contender, struct error *err)
{
    struct runner *runner = contender->runner;
    const char *shape = contender->kernel_shape;
    for (unsigned i = 0; choice->takes_turns && i < choice->contenders; i++)
        if (choice->contender[i].runner != runner)
            runner_drop(choice->contender[i].runner);
    if (runner->client)
        return !*shape || runner_use(runner, shape, &choice->spent, err);
    if (choice->deaths >= DEATHS_MAX)
        return fail(err, STATUS_ABANDONED, "%d workers of this method died in this choice", DEATHS_MAX);
    if (*shape)
        text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, shape);
    bool is_open = runner_open(runner, INFINITY);
    *err = runner->outcome;
    return is_open;
}

/* Seconds of a run and of its repacking, which for data that move are added up: the difference of runs with and without
 * repacking would be lost in noise. A long run is timed once, by phase. */
static bool time_runner(struct choice *choice, struct runner *runner, double *stay, double *repack, struct error *err)
{
    double ignored;
    const bool is_long = runner->run > long_run;
    *repack = 0;
    return (runner->repacks && is_long)
               ? runner_try(runner, SERIES_COPIED, stay, repack, &choice->spent, err)
               : runner_try(runner, choice->series, stay, &ignored, &choice->spent, err) &&
                     (!runner->repacks || runner_try(runner, SERIES_COPIED, &ignored, repack, &choice->spent, err));
}

/* One slice of a contender for each use. Takes it out if that fails. */
static bool take_slice(struct choice *choice, struct contender *contender, double seconds[USES])
{
    struct error err = { .status = STATUS_OK };
    double stay = NAN, repack = NAN;
    if (prepare(choice, contender, &err) && time_runner(choice, contender->runner, &stay, &repack, &err)) {
        contender->run = fmin(contender->run, stay); /* fmin(x, NAN) is x */
        seconds[USE_RESIDENT] = stay;
        seconds[USE_COPIED] = stay + repack;
        return true;
    }
    seconds[USE_RESIDENT] = seconds[USE_COPIED] = NAN;
    lose(choice, contender, &err);
    return false;
}

static bool verify(struct choice *choice, struct contender *contender)
{
    struct error err = { .status = STATUS_OK };
    if (contender->is_verified)
        return true;
    contender->is_verified = prepare(choice, contender, &err) && runner_verify(contender->runner, &err);
    if (contender->is_verified)
        return true;
    lose(choice, contender, &err);
    return false;
}

/* A run that is too long is not verified: its row will be too slow, whatever it computes. */
static bool is_too_slow(const struct choice *choice, const struct contender *contender)
{
    return contender->run > choice->context->terms->rule.deadline;
}

/* Not if its only slice so far took no time by the clock: then nothing is known. */
static bool is_long(const struct contender *contender)
{
    return isfinite(contender->run) && contender->run >= long_run;
}

/* The first slices: what a warm run takes. The first of two warms up, unless runs are long. */
static void take_first(struct choice *choice)
{
    for (unsigned i = 0; i < choice->contenders && !choice->context->interrupted; i++) {
        struct contender *contender = &choice->contender[i];
        double first[USES], second[USES] = { NAN, NAN };
        if (choice->spent > choice->most) {
            fail_in(&contender->outcome, "choice", STATUS_TOO_SLOW, "not tried: the time for kernel shapes was over");
            race_withdraw(&choice->race[USE_RESIDENT], i);
            race_withdraw(&choice->race[USE_COPIED], i);
            continue;
        }
        progress_step(&choice->context->progress, false, contender->runner->cell, "trying %u of %u", i + 1,
                      choice->contenders);
        if (!take_slice(choice, contender, first) || (!is_long(contender) && !take_slice(choice, contender, second)))
            continue;
        for (enum use use = 0; use < USES; use++) {
            struct standing *standing = &contender->standing[use];
            standing->run = fmin(first[use], second[use]);
            race_expect(&choice->race[use], i, standing->run);
        }
    }
}

/* The fastest by first slices, also of those that left; NULL: all failed. */
static struct contender *fastest(struct choice *choice, enum use use)
{
    struct contender *best = NULL;
    for (unsigned i = 0; i < choice->contenders; i++) {
        struct contender *contender = &choice->contender[i];
        const double run = contender->standing[use].run;
        if (is_in(contender) && (!best || isnan(best->standing[use].run) || run < best->standing[use].run))
            best = contender;
    }
    return best;
}

/* The fastest by first slices, verified. */
static struct contender *first_leader(struct choice *choice, enum use use)
{
    struct contender *leader = fastest(choice, use);
    while (leader && !is_too_slow(choice, leader) && !verify(choice, leader))
        leader = fastest(choice, use);
    return leader;
}

/* Takes out of the rounds what has no chance for any use. Returns whether rounds are worth their time. */
static bool expel_hopeless(struct choice *choice)
{
    const struct contender *leader[USES];
    unsigned left = 0;
    for (enum use use = 0; use < USES; use++)
        leader[use] = first_leader(choice, use);
    for (unsigned i = 0; i < choice->contenders && leader[USE_RESIDENT]; i++) {
        struct contender *contender = &choice->contender[i];
        bool has_chance = false;
        for (enum use use = 0; use < USES; use++) {
            struct standing *standing = &contender->standing[use];
            double best = leader[use]->standing[use].run;
            standing->ratio = best / standing->run;
            has_chance |= standing->run <= hopeless * best;
        }
        left += is_in(contender) && has_chance;
        for (enum use use = 0; use < USES && !has_chance; use++)
            race_withdraw(&choice->race[use], i);
    }
    return left > 1 && !choice->takes_turns && leader[USE_RESIDENT]->run <= long_run;
}

static void take_round(struct choice *choice)
{
    double seconds[USES][RACE_CONTENDERS_MAX];
    for (unsigned i = 0; i < choice->contenders; i++) {
        bool is_out = race_is_out(&choice->race[USE_RESIDENT], i) && race_is_out(&choice->race[USE_COPIED], i);
        double taken[USES] = { NAN, NAN };
        if (is_in(&choice->contender[i]) && !is_out && !choice->context->interrupted)
            take_slice(choice, &choice->contender[i], taken);
        for (enum use use = 0; use < USES; use++)
            seconds[use][i] = taken[use];
    }
    for (enum use use = 0; use < USES; use++)
        race_add(&choice->race[use], seconds[use]);
}

/* After a round: those leave that are surely slower than the leader, once the leader is verified. */
static void eliminate(struct choice *choice, enum use use)
{
    unsigned leader;
    do {
        leader = race_leader(&choice->race[use]);
    } while (leader < choice->contenders && !verify(choice, &choice->contender[leader]));
    race_eliminate(&choice->race[use]);
}

/* Its speed over that of the leader: by rounds, or without any by first slices. */
static double ratio_of(const struct choice *choice, unsigned i, enum use use)
{
    const struct race *race = &choice->race[use];
    double by_rounds = race->rounds > 0 ? race_ratio(race, i) : NAN;
    return isnan(by_rounds) ? choice->contender[i].standing[use].ratio : by_rounds;
}

/* Whether it may be measured for the use; `best`: the best ratio there is. */
static bool is_eligible(const struct choice *choice, const struct contender *contender, enum use use, double best)
{
    const unsigned i = (unsigned)(contender - choice->contender);
    return is_in(contender) && !race_is_out(&choice->race[use], i) && ratio_of(choice, i, use) >= race_close * best;
}

static double best_ratio(const struct choice *choice, enum use use)
{
    double best = 0;
    for (unsigned i = 0; i < choice->contenders; i++)
        if (is_in(&choice->contender[i]) && !race_is_out(&choice->race[use], i))
            best = fmax(best, ratio_of(choice, i, use));
    return best;
}

/* The one to measure, verified or not. If all that did not leave have failed, it is the fastest of the others. */
static struct contender *candidate_of(struct choice *choice, enum use use)
{
    const double best = best_ratio(choice, use), least = choice->race[use].rounds > 0 ? 0 : by_one_slice * best;
    for (unsigned i = 0; i < choice->contenders; i++)
        if (&choice->contender[i] == choice->remembered[use] && is_eligible(choice, &choice->contender[i], use, least))
            return &choice->contender[i];
    for (unsigned i = 0; i < choice->contenders; i++)
        if (is_eligible(choice, &choice->contender[i], use, best))
            return &choice->contender[i];
    return fastest(choice, use);
}

/* Whether further rounds would change nothing: the one to measure is surely as fast as the fastest. */
static bool is_over(struct choice *choice)
{
    for (enum use use = 0; use < USES; use++) {
        const struct contender *now = candidate_of(choice, use);
        if (now && !race_is_over(&choice->race[use], (unsigned)(now - choice->contender)))
            return false;
    }
    return true;
}

void choice_run(struct choice *choice)
{
    struct context *context = choice->context;
    for (enum use use = 0; use < USES; use++)
        race_open(&choice->race[use], choice->contenders);
    if (choice->contenders == 1) { /* there is nothing to choose */
        for (enum use use = 0; use < USES; use++)
            choice->contender[0].standing[use].ratio = 1;
        return;
    }
    take_first(choice);
    if (context->interrupted || !expel_hopeless(choice))
        return;
    const double end = choice->spent + fmin(rounds_seconds, rounds_budgets * context->terms->rule.budget);
    double last = 0;
    for (unsigned round = 1; !is_over(choice) && choice->spent + last <= end; round++) {
        const double before = choice->spent;
        progress_step(&context->progress, false, choice->contender[0].runner->cell, "choosing of %u, round %u",
                      choice->contenders, round);
        take_round(choice);
        for (enum use use = 0; use < USES && round >= RACE_FIRST_LOOK && !context->interrupted; use++)
            eliminate(choice, use);
        last = choice->spent - before;
    }
}

static struct contender *take(struct choice *choice, enum use use)
{
    struct contender *taken = candidate_of(choice, use);
    while (taken && !choice->context->interrupted && !is_too_slow(choice, taken) && !verify(choice, taken))
        taken = candidate_of(choice, use);
    return taken;
}

void choice_take(struct choice *choice, struct contender *taken[USES])
{
    for (enum use use = 0; use < USES; use++)
        taken[use] = take(choice, use);
    struct contender *stay = taken[USE_RESIDENT], *move = taken[USE_COPIED];
    if (stay && is_in(stay) && is_eligible(choice, stay, USE_COPIED, best_ratio(choice, USE_COPIED)))
        taken[USE_COPIED] = stay;
    else if (move && is_eligible(choice, move, USE_RESIDENT, best_ratio(choice, USE_RESIDENT)))
        taken[USE_RESIDENT] = move;
    for (enum use use = 0; use < USES; use++)
        if (taken[use] && !is_in(taken[use])) /* it failed when the one for the other use was verified */
            taken[use] = taken[USES - 1 - use];
}

static void read_rounds(const struct race *race, unsigned i, struct standing *out)
{
    double seconds[RACE_ROUNDS_MAX];
    for (unsigned round = 0; round < race->rounds; round++)
        if (isfinite(race_time(race, round, i)))
            seconds[out->rounds++] = race_time(race, round, i);
    if (out->rounds > 0)
        out->run = stats_median(seconds, out->rounds);
}

void choice_end(struct choice *choice, struct contender *const taken[USES])
{
    for (enum use use = 0; use < USES; use++)
        for (unsigned i = 0; i < choice->contenders; i++) {
            struct contender *contender = &choice->contender[i];
            struct standing *standing = &contender->standing[use];
            const enum status status = contender->outcome.status;
            standing->ratio = ratio_of(choice, i, use);
            standing->rounds = 0;
            read_rounds(&choice->race[use], i, standing);
            if (status != STATUS_OK) {
                standing->end = status_is_bad(status) && status != STATUS_ABANDONED ? RACE_FAILED : RACE_PASSED_OVER;
                standing->ratio = standing->run = NAN;
            } else {
                bool ties = !race_is_out(&choice->race[use], i) && standing->ratio >= tie_margin;
                standing->end = contender == taken[use] ? RACE_MEASURED : ties ? RACE_TIED : RACE_SLOWER;
            }
        }
    for (enum use use = 0; use < USES; use++)
        choice->is_settled[use] = !taken[use] || choice->race[use].rounds == 0 ||
                                  race_is_settled(&choice->race[use], (unsigned)(taken[use] - choice->contender));
}
