/* How often a race errs, and what it does to the measurement after it. Races and measurements are simulated round by
 * round, with noise that is correlated from round to round, and noise that all contenders share. The numbers drawn are
 * the same in each run of this test. SIMULATED_RACES asks for more of each kind than the 100 of a usual run. */

#include "harness/measure/race.h"
#include "harness/measure/sampler.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

static unsigned simulated_races(void)
{
    const char *asked = getenv("SIMULATED_RACES");
    return asked ? (unsigned)strtoul(asked, NULL, 10) : 100;
}

/* How many of so many races that may be where the rate is so many percent: three standard deviations more. */
static unsigned allowed(double percent, unsigned races)
{
    const double mean = percent / 100 * races;
    return (unsigned)ceil(mean + 3 * sqrt(mean));
}

/* How the times of a race come about: a contender's true time, noise of its own that is correlated from round to round,
 * and noise that all share. */
struct course {
    unsigned contenders, rounds;
    double noise;                       /* standard deviation of one time, relative */
    double unsteady;                    /* that of the first contender where it is another; 0: it is not */
    double correlation;                 /* of a contender's rounds, and of the noise that all share */
    double common;                      /* share of the variance that all contenders have in common */
    double slower[RACE_CONTENDERS_MAX]; /* than the fastest, relative */
    unsigned bursts; /* in one of so many races something slows down the fastest, alone, for some rounds; 0: in none */
};

struct state {
    struct generator g;
    double own[RACE_CONTENDERS_MAX], common;
    unsigned round, burst, burst_end; /* rounds; the burst of the last contender: `times` as slow */
    double times;
};

enum { BURST_BEGINS_MOST = 8 };

static struct state state_of(const struct course *course, unsigned run)
{
    struct state s = { .g = { .seed = 11, .run = run } };
    s.common = normal(&s.g);
    for (unsigned i = 0; i < course->contenders; i++)
        s.own[i] = normal(&s.g);
    if (course->bursts == 0 || run % course->bursts != 0)
        return s;
    struct generator g = { .seed = 12, .run = run };
    s.burst = (unsigned)(BURST_BEGINS_MOST * uniform(&g));
    s.burst_end = s.burst + 3 + (unsigned)(8 * uniform(&g)); /* 3 to 10 rounds */
    s.times = 2 * pow(5, uniform(&g));                       /* 2 to 10 times */
    return s;
}

static double next(struct generator *g, double state, double correlation)
{
    return correlation * state + sqrt(1 - correlation * correlation) * normal(g);
}

static double noise_of(const struct course *course, unsigned contender)
{
    return contender == 0 && course->unsteady > 0 ? course->unsteady : course->noise;
}

static void make_round(const struct course *course, struct state *s, double seconds[])
{
    s->common = next(&s->g, s->common, course->correlation);
    for (unsigned i = 0; i < course->contenders; i++) {
        s->own[i] = next(&s->g, s->own[i], course->correlation);
        double noise = sqrt(course->common) * s->common + sqrt(1 - course->common) * s->own[i];
        seconds[i] = 0.01 * (1 + course->slower[i]) * exp(noise_of(course, i) * noise);
    }
    if (s->round >= s->burst && s->round < s->burst_end)
        seconds[course->contenders - 1] *= s->times;
    s->round++;
}

static void run_race(const struct course *course, struct state *s, struct race *race)
{
    double seconds[RACE_CONTENDERS_MAX];
    cr_assert(race_open(race, course->contenders));
    for (unsigned i = 0; i < course->contenders; i++) /* as the first runs told */
        race_expect(race, i, 0.01 * (1 + course->slower[i]) * exp(noise_of(course, i) * s->own[i]));
    while (race->rounds < course->rounds && !race_is_over(race, race_choice(race))) {
        make_round(course, s, seconds);
        race_add(race, seconds);
        race_eliminate(race);
    }
}

struct tally {
    unsigned lost, far, settled, settled_far;
};

static bool is_near(const struct course *course, unsigned i)
{
    return 1 / (1 + course->slower[i]) >= race_margin;
}

static struct tally simulate(const struct course *course, unsigned races)
{
    struct tally tally = { .lost = 0 };
    for (unsigned run = 0; run < races; run++) {
        struct race race;
        struct state s = state_of(course, run);
        run_race(course, &s, &race);
        bool has_near = false, is_settled = race_is_settled(&race, race_choice(&race));
        for (unsigned i = 0; i < course->contenders; i++)
            has_near = has_near || (!race_is_out(&race, i) && is_near(course, i));
        bool is_far = !is_near(course, race_choice(&race));
        tally.lost += !has_near;
        tally.far += is_far;
        tally.settled += is_settled;
        tally.settled_far += is_settled && is_far;
    }
    return tally;
}

enum field { ALL_JUST_SLOWER, ALL_SLOWER, SPREAD, FIELDS };
static const char *const field_names[FIELDS] = { "all 2.1 % slower", "all 5 % slower", "3 to 50 % slower" };

/* The fastest is the last of the table, where no preference for the first helps it. */
static void line_up(struct course *course, enum field field)
{
    for (unsigned i = 0; i + 1 < course->contenders; i++)
        course->slower[i] = field == ALL_JUST_SLOWER ? 0.021
                            : field == ALL_SLOWER    ? 0.05
                                                     : 0.03 + 0.47 * i / course->contenders;
    course->slower[course->contenders - 1] = 0;
}

static const double noises[] = { 0.01, 0.03, 0.1 };
enum { NOISES = sizeof noises / sizeof *noises };

/* In a hundred races. Sixteen rounds tell little of the correlation of noise: to allow for all of it, races of any kind
 * would need twice the rounds. */
static double lost_most(const struct course *course)
{
    return course->correlation > 0.5 ? 3 : 1;
}

static double settled_far_most(const struct course *course)
{
    return course->correlation > 0.5 ? 7 : course->correlation > 0 ? 2.5 : 1;
}

/* "Lost": all that are within 2 % of the fastest are out. "Settled": the race says that its choice is within 2 %. Where
 * noise is low or rounds are many, a choice is within 2 % whether the race says so or not. */
static void expect_few_losses(struct course course)
{
    const unsigned races = simulated_races() / (course.contenders < 16 ? 1 : course.contenders < 41 ? 2 : 4);
    for (enum field field = 0; field < FIELDS; field++)
        for (unsigned n = 0; n < NOISES; n++) {
            course.noise = noises[n];
            line_up(&course, field);
            struct tally t = simulate(&course, races);
            cr_log_info("unsteady %.2f, %u contenders, %u rounds, %s, noise %.2f, correlation %.1f, common %.1f: lost "
                        "%.2f %%, chose "
                        "one more than "
                        "2 %% slower %.1f %%, settled %.0f %%, both %.2f %%",
                        course.unsteady, course.contenders, course.rounds, field_names[field], course.noise,
                        course.correlation, course.common, 100.0 * t.lost / races, 100.0 * t.far / races,
                        100.0 * t.settled / races, 100.0 * t.settled_far / races);
            if (field != ALL_JUST_SLOWER && course.unsteady == 0 && course.noise <= 0.01 && course.correlation <= 0.5)
                cr_expect_leq(t.far, allowed(2, races), "%s: chose a slower one in %u of %u", field_names[field], t.far,
                              races);
            cr_expect_leq(t.lost, allowed(lost_most(&course), races), "%s, noise %g: lost %u of %u", field_names[field],
                          course.noise, t.lost, races);
            cr_expect_leq(t.settled_far, allowed(settled_far_most(&course), races),
                          "%s, noise %g: settled for a slower one in %u of %u", field_names[field], course.noise,
                          t.settled_far, races);
        }
}

Test(race_simulated, of_5_rivals_seldom_loses_the_fastest)
{
    static const double correlations[] = { 0, 0.5, 0.8 };
    for (unsigned c = 0; c < 3; c++)
        expect_few_losses(
            (struct course){ .contenders = 6, .rounds = RACE_ROUNDS_MAX, .correlation = correlations[c] });
}

Test(race_simulated, of_15_rivals_seldom_loses_the_fastest)
{
    static const double correlations[] = { 0, 0.5, 0.8 };
    for (unsigned c = 0; c < 3; c++)
        expect_few_losses(
            (struct course){ .contenders = 16, .rounds = RACE_ROUNDS_MAX, .correlation = correlations[c] });
}

Test(race_simulated, of_40_rivals_seldom_loses_the_fastest)
{
    static const double correlations[] = { 0, 0.5, 0.8 };
    for (unsigned c = 0; c < 3; c++)
        expect_few_losses(
            (struct course){ .contenders = 41, .rounds = RACE_ROUNDS_MAX, .correlation = correlations[c] });
}

Test(race_simulated, seldom_loses_the_fastest_when_most_noise_is_common)
{
    expect_few_losses((struct course){ .contenders = 6, .rounds = RACE_ROUNDS_MAX, .correlation = 0.8, .common = 0.8 });
    expect_few_losses(
        (struct course){ .contenders = 16, .rounds = RACE_ROUNDS_MAX, .correlation = 0.8, .common = 0.8 });
}

/* A driver, a neighbour, a page daemon: something slows down the fastest alone for three to ten rounds, from the first
 * one on or later, in one of ten races. Of eight rounds, as a remembered race has, and of 24. */
Test(race_simulated, seldom_loses_the_fastest_to_a_burst_of_noise)
{
    static const unsigned rounds[] = { 8, RACE_ROUNDS_MAX }, contenders[] = { 2, 3, 6, 16 };
    static const double correlations[] = { 0, 0.5 };
    for (unsigned r = 0; r < 2; r++)
        for (unsigned k = 0; k < 4; k++)
            for (unsigned c = 0; c < 2; c++)
                expect_few_losses((struct course){
                    .contenders = contenders[k], .rounds = rounds[r], .correlation = correlations[c], .bursts = 10 });
}

/* What is left out as disturbed must not make a contender look faster that is only unsteady. */
Test(race_simulated, seldom_loses_the_fastest_to_an_unsteady_one)
{
    static const unsigned rounds[] = { 8, RACE_ROUNDS_MAX }, contenders[] = { 2, 6 };
    static const double correlations[] = { 0, 0.5 }, unsteady[] = { 0.25, 0.4 };
    for (unsigned r = 0; r < 2; r++)
        for (unsigned k = 0; k < 2; k++)
            for (unsigned c = 0; c < 2; c++)
                for (unsigned u = 0; u < 2; u++)
                    expect_few_losses((struct course){ .contenders = contenders[k],
                                                       .rounds = rounds[r],
                                                       .correlation = correlations[c],
                                                       .unsteady = unsteady[u] });
}

/* The first of the table is slower, and far noisier than the others. Leaving out its slow rounds must not make it the
 * fastest: in a race of 24 rounds its mean is off by 0.05. */
Test(race_simulated, noise_of_one_does_not_make_it_the_fastest)
{
    static const unsigned contenders[] = { 2, 6 };
    const unsigned races = simulated_races();
    for (unsigned k = 0; k < 2; k++) {
        struct course course = {
            .contenders = contenders[k], .rounds = RACE_ROUNDS_MAX, .noise = 0.03, .unsteady = 0.25
        };
        line_up(&course, ALL_SLOWER);
        course.slower[0] = 0.15;
        struct tally t = simulate(&course, races);
        cr_log_info("%u contenders: lost %u, chose a slower one in %u of %u", contenders[k], t.lost, t.far, races);
        cr_expect_leq(t.lost, allowed(1, races), "lost %u of %u", t.lost, races);
        cr_expect_leq(t.far, allowed(2, races), "chose a slower one in %u of %u", t.far, races);
    }
}

/* Those within 2 % of the fastest stay: they are a tie. The error of 1 % is of losing the fastest; one of several that
 * are all but 2 % slower leaves more often where noise is correlated. */
Test(race_simulated, within_two_percent_is_a_tie)
{
    static const double correlations[] = { 0, 0.5, 0.8 };
    const unsigned races = simulated_races();
    for (unsigned c = 0; c < 3; c++)
        for (unsigned n = 0; n < NOISES; n++) {
            struct course course = { .contenders = 5,
                                     .rounds = RACE_ROUNDS_MAX,
                                     .noise = noises[n],
                                     .correlation = correlations[c],
                                     .slower = { 0, 0.005, 0.01, 0.015, 0.02 } };
            unsigned broken = 0;
            for (unsigned run = 0; run < races; run++) {
                struct race race;
                struct state s = state_of(&course, run);
                run_race(&course, &s, &race);
                bool has_lost = false;
                for (unsigned i = 0; i < course.contenders; i++)
                    has_lost = has_lost || race_is_out(&race, i);
                broken += has_lost;
            }
            unsigned most = course.correlation > 0.5 ? 18 : course.correlation > 0 ? 7 : 1; /* of a hundred races */
            cr_expect_leq(broken, allowed(most, races), "noise %g, correlation %g: %u of %u ties lost one",
                          course.noise, course.correlation, broken, races);
        }
}

/* A wrong choice costs little. Noise is that of a round: of the difference of two paired times. At 5 % a method that is
 * 5 % slower is not chosen in 99 of 100; at 10 and 20 % the mean loss is at most 1 and 2 %, for one rival and for
 * several that are 3 to 50 % slower. (Of five rivals that are all 2 to 5 % slower it is up to 1.5 and 2.6 %.) */
static double mean_loss(struct course *course, double of_round, unsigned races, unsigned *wrong)
{
    double loss = 0;
    course->noise = of_round / sqrt(2);
    *wrong = 0;
    for (unsigned run = 0; run < races; run++) {
        struct race race;
        struct state s = state_of(course, run);
        run_race(course, &s, &race);
        const double by = course->slower[race_choice(&race)];
        loss += by / races;
        *wrong += by > 0;
    }
    return loss;
}

Test(race_simulated, a_wrong_choice_is_rare_or_costs_little)
{
    static const double apart[] = { 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2 };
    static const unsigned contenders[] = { 2, 3, 4, 6, 16 };
    const unsigned races = 2 * simulated_races();
    unsigned wrong;
    for (unsigned k = 0; k < sizeof contenders / sizeof *contenders; k++) {
        struct course course = { .contenders = contenders[k], .rounds = RACE_ROUNDS_MAX };
        for (unsigned i = 0; i < sizeof apart / sizeof *apart; i++) {
            for (unsigned rival = 0; rival + 1 < contenders[k]; rival++)
                course.slower[rival] = rival == 0 ? apart[i] : 0.1 + 0.4 * rival / contenders[k];
            mean_loss(&course, 0.05, races, &wrong);
            if (apart[i] >= 0.05)
                cr_expect_leq(wrong, allowed(1, races), "%g %% slower: chosen in %u of %u", 100 * apart[i], wrong,
                              races);
            const double at_10 = mean_loss(&course, 0.1, races, &wrong), at_20 = mean_loss(&course, 0.2, races, &wrong);
            cr_log_info("%u contenders, one %g %% slower: %.2f and %.2f %% are lost at noise of 10 and 20 %%",
                        contenders[k], 100 * apart[i], 100 * at_10, 100 * at_20);
            cr_expect_leq(at_10, 0.01);
            cr_expect_leq(at_20, 0.02);
        }
        line_up(&course, SPREAD);
        cr_expect_leq(mean_loss(&course, 0.1, races, &wrong), 0.01, "%u", contenders[k]);
        cr_expect_leq(mean_loss(&course, 0.2, races, &wrong), 0.02, "%u", contenders[k]);
    }
}

/* Slower methods leave in at most so many rounds, 99 times in 100; 0: some stay for all. */
enum { SLOWER = 5 };
static const double slower[SLOWER] = { 0.03, 0.05, 0.1, 0.2, 0.5 };
static const struct leaving {
    double noise, correlation;
    unsigned rivals, rounds[SLOWER];
} leaving[] = {
    { 0.003, 0, 5, { 0, 14, 12, 10, 8 } }, { 0.003, 0, 15, { 0, 8, 6, 6, 6 } },  { 0.01, 0, 5, { 0, 0, 12, 11, 10 } },
    { 0.01, 0, 15, { 0, 14, 7, 6, 6 } },   { 0.01, 0.5, 5, { 0, 0, 0, 0, 11 } }, { 0.01, 0.5, 15, { 0, 0, 0, 13, 11 } },
    { 0.03, 0, 5, { 0, 0, 0, 12, 11 } },   { 0.03, 0, 15, { 0, 0, 15, 8, 7 } },  { 0.03, 0.5, 5, { 0, 0, 0, 0, 0 } },
    { 0.03, 0.5, 15, { 0, 0, 0, 0, 14 } }, { 0.1, 0, 5, { 0, 0, 0, 0, 13 } },    { 0.1, 0, 15, { 0, 0, 0, 0, 9 } },
};

/* Counts, for each slowness and round, those that are still in after it. */
static void count_late(const struct course *course, unsigned run, unsigned late[SLOWER][RACE_ROUNDS_MAX])
{
    struct race race;
    struct state s = state_of(course, run);
    double seconds[RACE_CONTENDERS_MAX];
    cr_assert(race_open(&race, course->contenders));
    for (unsigned round = 0; round < RACE_ROUNDS_MAX; round++) {
        make_round(course, &s, seconds);
        race_add(&race, seconds);
        race_eliminate(&race);
        for (unsigned i = 1; i < course->contenders; i++)
            late[(i - 1) % SLOWER][round] += !race_is_out(&race, i);
    }
}

/* The first round after which at most one in a hundred is still in; 0: none. */
static unsigned last_round(const unsigned late[RACE_ROUNDS_MAX], unsigned of)
{
    for (unsigned round = 0; round < RACE_ROUNDS_MAX; round++)
        if (late[round] <= of / 100)
            return round + 1;
    return 0;
}

Test(race_simulated, slower_methods_leave_within_the_rounds_stated)
{
    const unsigned races = simulated_races();
    for (const struct leaving *row = leaving; row < leaving + sizeof leaving / sizeof *leaving; row++) {
        struct course course = {
            .contenders = row->rivals + 1, .noise = row->noise, .correlation = row->correlation, .common = 0.5
        };
        unsigned late[SLOWER][RACE_ROUNDS_MAX] = { { 0 } };
        for (unsigned i = 0; i < row->rivals; i++)
            course.slower[i + 1] = slower[i % SLOWER];
        for (unsigned run = 0; run < races; run++)
            count_late(&course, run, late);
        for (unsigned k = 0; k < SLOWER; k++) {
            const unsigned last = last_round(late[k], races * row->rivals / SLOWER);
            cr_log_info("leaving: noise %g, correlation %g, %u rivals: %g %% slower: %u", row->noise, row->correlation,
                        row->rivals, 100 * slower[k], last);
            cr_expect(
                row->rounds[k] == 0 || (last > 0 && last <= row->rounds[k]),
                "noise %g, correlation %g, %u rivals: 1 in 100 that are %g %% slower is in after %u rounds, not %u",
                row->noise, row->correlation, row->rivals, 100 * slower[k], last, row->rounds[k]);
        }
    }
}

/* The race of each side, then the measurement of the two that were chosen, in slices B A B A ... B, each A against both
 * of its neighbours, until the stop rule ends it. Noise goes on from the race into the measurement. */
enum { SIDES = 2, ROUNDS_MAX = 202 }; /* of 10.01 s: the longest budget */
static const double slice_seconds = 0.05;

struct duel {
    double noise, correlation, apart; /* the second of a side's two contenders is slower by `apart` */
    bool on_both;                     /* else the second side has one contender */
    bool is_skewed;                   /* long slices are more frequent than short ones */
    double budget;
};

static double factor(const struct duel *duel, double state)
{
    return duel->is_skewed ? 1 + duel->noise * exp(state) / 2 : exp(duel->noise * state);
}

/* The race of one side. Returns the choice; `state` is the noise of each contender. */
static unsigned choose(const struct duel *duel, struct generator *g, double state[2], unsigned contenders)
{
    struct race race;
    double seconds[2];
    cr_assert(race_open(&race, contenders));
    while (!race_is_over(&race, race_choice(&race))) {
        for (unsigned i = 0; i < contenders; i++) {
            state[i] = next(g, state[i], duel->correlation);
            seconds[i] = (i == 1 ? 1 + duel->apart : 1) * factor(duel, state[i]);
        }
        race_add(&race, seconds);
        race_eliminate(&race);
    }
    return race_choice(&race);
}

/* Ratios baseline / device of two that are equally fast. */
static unsigned measure(const struct duel *duel, struct generator *g, double baseline, double device, double ratio[])
{
    const struct rule rule = { .target = 0.02, .budget = duel->budget };
    enum stop stop = STOP_NOT_YET;
    double before = factor(duel, baseline = next(g, baseline, duel->correlation));
    unsigned rounds = 0;
    while (stop == STOP_NOT_YET) {
        device = next(g, device, duel->correlation);
        baseline = next(g, baseline, duel->correlation);
        double after = factor(duel, baseline);
        ratio[rounds++] = (before + after) / 2 / factor(duel, device);
        before = after;
        stop = sampler_decide(&rule, ratio, rounds, rounds * slice_seconds, slice_seconds);
    }
    return rounds;
}

/* The median of the ratio of two that are equally fast: about 1, by a long simulation. */
static double median_ratio(const struct duel *duel)
{
    enum { RATIOS = 100000 };
    struct generator g = { .seed = 5 };
    double *ratio = malloc(RATIOS * sizeof *ratio), device = normal(&g), baseline = normal(&g);
    cr_assert_not_null(ratio);
    double before = factor(duel, baseline);
    for (unsigned i = 0; i < RATIOS; i++) {
        device = next(&g, device, duel->correlation);
        baseline = next(&g, baseline, duel->correlation);
        ratio[i] = (before + factor(duel, baseline)) / 2 / factor(duel, device);
        before = factor(duel, baseline);
    }
    double median = stats_median(ratio, RATIOS);
    free(ratio);
    return median;
}

struct result {
    unsigned unknown, below, above; /* intervals; the truth was below or above them */
    double bias;                    /* sum of the log ratios over the truth */
};

static struct result fight(const struct duel *duel, unsigned runs)
{
    struct result result = { .unknown = 0 };
    double truth = median_ratio(duel), ratio[ROUNDS_MAX];
    for (unsigned run = 0; run < runs; run++) {
        struct generator g = { .seed = 3, .run = run };
        double state[SIDES][2];
        unsigned choice[SIDES];
        for (unsigned side = 0; side < SIDES; side++) {
            state[side][0] = normal(&g);
            state[side][1] = normal(&g);
            choice[side] = choose(duel, &g, state[side], side == 0 || duel->on_both ? 2 : 1);
        }
        unsigned rounds = measure(duel, &g, state[0][choice[0]], state[1][choice[1]], ratio);
        struct estimate estimate = stats_estimate(ratio, rounds);
        result.unknown += isnan(estimate.low);
        result.below += truth < estimate.low;
        result.above += truth > estimate.high;
        result.bias += log(estimate.value / truth);
    }
    return result;
}

/* Coverage of 93 to 97 %, each tail of 1 to 4 %, within two standard errors of the draws (1 % of a tail at 400). */
static void expect_fair(struct duel duel)
{
    static const double apart[] = { 0, 0.01, 0.02, 0.05 };
    const unsigned runs = 4 * simulated_races();
    for (unsigned k = 0; k < 2 * sizeof apart / sizeof *apart; k++) {
        duel.apart = apart[k / 2];
        duel.on_both = k % 2;
        struct result r = fight(&duel, runs);
        double known = runs - r.unknown, below = r.below / known, above = r.above / known, bias = r.bias / runs;
        double of_one = 2 * sqrt(0.04 / known), of_both = 2 * sqrt(0.07 / known);
        cr_log_info(
            "noise %g, correlation %g, skew %d, %g %% apart on %s: covered %.1f %%, below %.1f %%, above %.1f %%, "
            "bias %+.2f %%, unknown %.0f %%",
            duel.noise, duel.correlation, duel.is_skewed, 100 * duel.apart, duel.on_both ? "both sides" : "one",
            100 * (1 - below - above), 100 * below, 100 * above, 100 * bias, 100.0 * r.unknown / runs);
        cr_expect(below + above > 0.03 - of_both && below + above < 0.07 + of_both, "covered %.2f %%",
                  100 * (1 - below - above));
        cr_expect(below > 0.01 - of_one && below < 0.04 + of_one, "%.2f %% of the intervals are above the truth",
                  100 * below);
        cr_expect(above > 0.01 - of_one && above < 0.04 + of_one, "%.2f %% of the intervals are below the truth",
                  100 * above);
        cr_expect_lt(fabs(bias), 0.002, "bias of %.2f %%", 100 * bias);
    }
}

Test(race_simulated, measurement_after_it_is_fair)
{
    expect_fair((struct duel){ .noise = 0.02, .budget = 1.51 });
}

Test(race_simulated, measurement_after_it_is_fair_with_skewed_noise)
{
    expect_fair((struct duel){ .noise = 0.02, .is_skewed = true, .budget = 1.51 });
}

Test(race_simulated, measurement_after_it_is_fair_with_correlated_noise)
{
    expect_fair((struct duel){ .noise = 0.02, .correlation = 0.5, .budget = 1.51 });
    expect_fair((struct duel){ .noise = 0.02, .correlation = 0.5, .is_skewed = true, .budget = 1.51 });
}

Test(race_simulated, measurement_after_it_is_fair_with_strongly_correlated_noise)
{
    expect_fair((struct duel){ .noise = 0.02, .correlation = 0.8, .budget = 10.01 });
    expect_fair((struct duel){ .noise = 0.02, .correlation = 0.8, .is_skewed = true, .budget = 10.01 });
}
