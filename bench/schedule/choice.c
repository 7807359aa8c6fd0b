#include "bench/schedule/choice.h"

#include "bench/backends/registry.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>

/* Seconds of slices after the first ones: so many budgets of a series, and no more than that. */
static const double rounds_seconds = 2, rounds_budgets = 2;

/* A contender is out if its first warm run takes so many times as long as that of the leader. */
static const double hopeless = 3;

/* No contender ties with the leader below this share of its speed, even if noise leaves that open. */
static const double tie_margin = 0.95;

/* Where others compute on our cores a shorter run may be many times as long, as a thread waits for one that the system
 * has stopped: it is out only by its rounds. Seconds. */
static const double stopped = 0.02;

struct contender *choice_add(struct choice *choice, struct runner *runner, const char *kernel_shape)
{
    if (choice->contenders == RACE_CONTENDERS_MAX)
        return NULL;
    struct contender *contender = &choice->contender[choice->contenders++];
    *contender = (struct contender){ .runner = runner };
    text_copy(contender->kernel_shape, sizeof contender->kernel_shape, kernel_shape);
    if (!*kernel_shape) { /* a runner that was not opened is out */
        contender->outcome = runner->outcome;
        text_copy(contender->words, sizeof contender->words, runner->words);
    }
    choice->is_copied |= runner->repacks;
    return contender;
}

static bool is_in(const struct contender *contender)
{
    return contender->outcome.status == STATUS_OK;
}

unsigned choice_remaining(const struct choice *choice)
{
    unsigned left = 0;
    for (unsigned i = 0; i < choice->contenders; i++)
        left += is_in(&choice->contender[i]);
    return left;
}

static void withdraw(struct choice *choice, unsigned i)
{
    for (enum use use = 0; use < USES; use++)
        choice->race[use].is_gone[i] = true;
}

/* Takes out a contender that failed. The others of its runner get a new worker if this one is dead, or if its driver
 * failed: an error of a GPU stays with the process. */
void choice_lose(struct choice *choice, struct contender *contender, const struct error *why)
{
    struct runner *runner = contender->runner;
    contender->outcome = *why;
    text_copy(contender->words, sizeof contender->words, runner->words);
    if (!*contender->kernel_shape)
        runner->outcome = contender->outcome;
    if (status_is_death(why->status) || why->status == STATUS_FAILED || why->status == STATUS_ABANDONED)
        runner_end(runner, NULL);
    withdraw(choice, (unsigned)(contender - choice->contender));
}

/* Makes the contender's kernel shape the current one, in a new worker if the former is gone. */
static bool prepare(struct choice *choice, struct contender *contender, struct error *err)
{
    struct runner *runner = contender->runner;
    const char *shape = contender->kernel_shape;
    for (unsigned i = 0; choice->takes_turns && i < choice->contenders; i++)
        if (choice->contender[i].runner != runner && !choice->contender[i].runner->has_begun)
            runner_end(choice->contender[i].runner, NULL);
    if (runner->client)
        return !*shape || runner_use(runner, shape, &choice->spent, err);
    if (!context_admits(choice->context, runner->cell, err))
        return false;
    if (*shape)
        text_copy(runner->cell->kernel_shape, sizeof runner->cell->kernel_shape, shape);
    bool is_open = runner_open(runner, INFINITY);
    *err = runner->outcome;
    choice->spent += is_open ? runner->opening : 0;
    return is_open;
}

/* One slice of a contender for each use: seconds of a run, and of its repacking, which for copied data are added up:
 * the difference of runs with and without repacking would be lost in noise. A long run is timed once, by phase. Takes
 * the contender out if that fails. */
static bool take_slice(struct choice *choice, struct contender *contender, double seconds[USES])
{
    struct runner *runner = contender->runner;
    struct error err = { .status = STATUS_OK };
    double run = NAN, repack = 0, ignored, *spent = &choice->spent;
    bool is_timed = prepare(choice, contender, &err);
    if (is_timed && runner->repacks && runner->run > timed_once)
        is_timed = runner_try(runner, SERIES_COPIED, &run, &repack, spent, &err);
    else if (is_timed)
        is_timed = runner_try(runner, choice->series, &run, &ignored, spent, &err) &&
                   (!runner->repacks || runner_try(runner, SERIES_COPIED, &ignored, &repack, spent, &err));
    seconds[USE_RESIDENT] = is_timed ? run : NAN;
    seconds[USE_COPIED] = is_timed ? run + repack : NAN;
    if (!is_timed)
        choice_lose(choice, contender, &err);
    return is_timed;
}

/* The contender that leads a race, or that a race chooses, once it is verified. One that fails at that is out, and the
 * next takes its place. A run that is too long is not verified: its row will be too slow, whatever it computes. */
static unsigned verified(struct choice *choice, enum use use, unsigned (*find)(const struct race *race))
{
    for (;;) {
        const unsigned i = find(&choice->race[use]);
        struct contender *contender = &choice->contender[i];
        struct error err = { .status = STATUS_OK };
        if (i == choice->contenders || contender->is_verified || choice->context->interrupted ||
            !(contender->runner->run <= choice->rule->deadline))
            return i;
        contender->is_verified = prepare(choice, contender, &err) && runner_verify(contender->runner, &err);
        if (!contender->is_verified)
            choice_lose(choice, contender, &err);
    }
}

/* The first slices: what a warm run takes. The first of two warms up, unless runs are long. */
static void take_first(struct choice *choice)
{
    for (unsigned i = 0; i < choice->contenders && !choice->context->interrupted; i++) {
        struct contender *contender = &choice->contender[i];
        double seconds[USES] = { 0 };
        if (is_in(contender) && choice->spent > choice->most) {
            fail_in(&contender->outcome, "choice", STATUS_TOO_SLOW, "not tried: the time for kernel shapes was over");
            withdraw(choice, i);
        }
        if (!is_in(contender))
            continue;
        progress_step(&choice->context->progress, false, contender->runner->cell, "trying %u of %u", i + 1,
                      choice->contenders);
        for (unsigned slice = 0; slice < 2 && !(seconds[USE_RESIDENT] >= timed_once); slice++) {
            if (!take_slice(choice, contender, seconds))
                break;
            for (enum use use = 0; use < USES; use++)
                race_expect(&choice->race[use], i, seconds[use]);
        }
    }
}

/* Seconds for which other programs have used our cores by now; NAN unknown, or of no account: only the threads of a CPU
 * wait for each other on these cores. */
static double used_by_others(const struct choice *choice)
{
    const struct device *device = choice->contender[0].runner->cell->device;
    const bool is_cpu = device->class == CLASS_CPU && !backend_is_scripted(device->backend);
    return is_cpu ? host_busy("") - runners_cpu(choice->context) : NAN;
}

/* Whether they used over a fifth of our cores since then. The system counts in hundredths of a second for each core. */
static bool was_disturbed(const struct choice *choice, double start, double used_before)
{
    static const double tick = 0.01, part = 0.2;
    const double used = used_by_others(choice) - used_before;
    return used > choice->context->setup.host->allowed_cores * (tick + part * (clock_wall() - start));
}

/* Takes out of the rounds what has no chance for any use. Returns whether rounds are worth their time. */
static bool expel_hopeless(struct choice *choice)
{
    unsigned left = 0, leader = choice->contenders;
    for (enum use use = USES; use-- > 0;)
        leader = verified(choice, use, race_leader);
    for (unsigned i = 0; i < choice->contenders; i++) {
        bool has_chance = false;
        for (enum use use = 0; use < USES; use++)
            has_chance |= hopeless * race_ratio(&choice->race[use], i) >= 1;
        has_chance |= choice->is_disturbed && choice->contender[i].runner->run < stopped;
        left += is_in(&choice->contender[i]) && has_chance;
        for (enum use use = 0; use < USES && !has_chance; use++)
            choice->race[use].is_out[i] = true;
    }
    return left > 1 && !choice->takes_turns && choice->contender[leader].runner->run <= timed_once;
}

static void take_round(struct choice *choice)
{
    double seconds[USES][RACE_CONTENDERS_MAX];
    for (unsigned i = 0; i < choice->contenders; i++) {
        bool is_out = race_is_out(&choice->race[USE_RESIDENT], i) && race_is_out(&choice->race[USE_COPIED], i);
        double taken[USES] = { NAN, NAN };
        if (!is_out && !choice->context->interrupted)
            take_slice(choice, &choice->contender[i], taken);
        for (enum use use = 0; use < USES; use++)
            seconds[use][i] = taken[use];
    }
    for (enum use use = 0; use < USES; use++)
        race_add(&choice->race[use], seconds[use]);
}

/* Whether further rounds would change nothing: the one to measure is surely as fast as the fastest. */
static bool is_over(const struct choice *choice)
{
    for (enum use use = 0; use < USES; use++)
        if (!race_is_over(&choice->race[use], race_choice(&choice->race[use])))
            return false;
    return true;
}

void choice_run(struct choice *choice)
{
    struct context *context = choice->context;
    for (enum use use = 0; use < USES; use++) {
        race_open(&choice->race[use], choice->contenders);
        if (choice->remembered[use])
            choice->race[use].remembered = (unsigned)(choice->remembered[use] - choice->contender);
    }
    for (unsigned i = 0; i < choice->contenders; i++)
        if (!is_in(&choice->contender[i]))
            withdraw(choice, i);
    if (choice_remaining(choice) < 2)
        return;
    const double start = clock_wall(), used = used_by_others(choice);
    take_first(choice);
    choice->is_disturbed = was_disturbed(choice, start, used);
    if (context->interrupted || !expel_hopeless(choice))
        return;
    const double end = choice->spent + fmin(rounds_seconds, rounds_budgets * choice->rule->budget);
    double last = 0;
    for (unsigned round = 1; !is_over(choice) && choice->spent + last <= end; round++) {
        const double before = choice->spent;
        progress_step(&context->progress, false, choice->contender[0].runner->cell, "choosing of %u, round %u",
                      choice->contenders, round);
        take_round(choice);
        for (enum use use = 0; use < USES && round >= RACE_FIRST_LOOK && !context->interrupted; use++) {
            verified(choice, use, race_leader);
            race_eliminate(&choice->race[use]);
        }
        last = choice->spent - before;
    }
    choice->is_disturbed |= was_disturbed(choice, start, used);
}

/* Whether the contender that was taken for a use is measured already, and for that use alone. */
static bool is_kept(const struct choice *choice, enum use use)
{
    const struct contender *taken = choice->taken[use];
    return taken && is_in(taken) && taken->runner->has_begun && taken->runner->measures != MEASURES_BOTH;
}

void choice_take(struct choice *choice)
{
    unsigned of[USES];
    bool is_free = true;
    for (enum use use = 0; use < USES; use++)
        if (is_kept(choice, use)) {
            of[use] = (unsigned)(choice->taken[use] - choice->contender);
            choice->race[USES - 1 - use].is_gone[of[use]] = true;
            is_free = false;
        }
    for (enum use use = 0; use < USES; use++)
        if (!is_kept(choice, use))
            of[use] = verified(choice, use, race_choice);
    if (is_free && of[USE_RESIDENT] < choice->contenders && race_is_close(&choice->race[USE_COPIED], of[USE_RESIDENT]))
        of[USE_COPIED] = of[USE_RESIDENT];
    else if (is_free && of[USE_COPIED] < choice->contenders &&
             race_is_close(&choice->race[USE_RESIDENT], of[USE_COPIED]))
        of[USE_RESIDENT] = of[USE_COPIED];
    for (enum use use = 0; use < USES; use++)
        choice->taken[use] = of[use] < choice->contenders ? &choice->contender[of[use]] : NULL;
}

bool choice_is_settled(const struct choice *choice, enum use use)
{
    const struct contender *taken = choice->taken[use];
    return !taken || !is_in(taken) ||
           (!choice->is_disturbed && race_is_settled(&choice->race[use], (unsigned)(taken - choice->contender)));
}

struct contender_record choice_stated(const struct choice *choice, unsigned i, enum use use)
{
    const struct contender *contender = &choice->contender[i], *taken = choice->taken[use];
    const struct runner *runner = contender->runner;
    const struct race *race = &choice->race[use];
    const enum status status = contender->outcome.status;
    const bool is_shape = *contender->kernel_shape;
    struct contender_record stated = { .method = runner->cell->method->name,
                                       .kernel_shape = is_shape ? contender->kernel_shape : runner->cell->kernel_shape,
                                       .end = RACE_PASSED_OVER,
                                       .ratio = NAN,
                                       .run = NAN,
                                       .first = is_shape ? NAN : runner->opening,
                                       .outcome = contender->outcome,
                                       .log = status_is_bad(status) ? contender->words : "" };
    const double run = race_run(race, i, &stated.rounds);
    if (status_is_bad(status) && status != STATUS_ABANDONED)
        stated.end = RACE_FAILED;
    if (!is_in(contender) || race->is_gone[i]) /* it failed, or is measured for the other use alone */
        return stated;
    stated.run = run;
    stated.ratio = race_ratio(race, i);
    const bool ties = taken && is_in(taken) && !race_is_out(race, i) && stated.ratio >= tie_margin;
    stated.end = contender == taken ? RACE_MEASURED : ties ? RACE_TIED : RACE_SLOWER;
    return stated;
}
