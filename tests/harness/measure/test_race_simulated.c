/* How often a race errs. Races are simulated round by round, with noise that is correlated from round to round, and
 * noise that all contenders share. The numbers drawn are the same in each run of this test. SIMULATED_RACES asks for
 * more of each kind than the 200 of a usual run. */

#include "harness/measure/race.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

static unsigned simulated_races(void)
{
    const char *asked = getenv("SIMULATED_RACES");
    return asked ? (unsigned)strtoul(asked, NULL, 10) : 200;
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

enum { BURST_BEGINS_MOST = 8, BURST_ROUNDS_MOST = 7 };

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
    s.burst_end = s.burst + 1 + (unsigned)(BURST_ROUNDS_MOST * uniform(&g));
    s.times = 2 * pow(5, uniform(&g)); /* 2 to 10 times */
    return s;
}

static double next(struct generator *g, double state, double correlation)
{
    return correlation * state + sqrt(1 - correlation * correlation) * normal(g);
}

static void make_round(const struct course *course, struct state *s, double seconds[])
{
    s->common = next(&s->g, s->common, course->correlation);
    for (unsigned i = 0; i < course->contenders; i++) {
        s->own[i] = next(&s->g, s->own[i], course->correlation);
        double noise = sqrt(course->common) * s->common + sqrt(1 - course->common) * s->own[i];
        seconds[i] = 0.01 * (1 + course->slower[i]) * exp(course->noise * noise);
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
        race_expect(race, i, 0.01 * (1 + course->slower[i]) * exp(course->noise * s->own[i]));
    while (race->rounds < course->rounds && !race_is_over(race, race_choice(race))) {
        make_round(course, s, seconds);
        race_add(race, seconds);
        race_eliminate(race);
    }
}

struct tally {
    unsigned lost, wrong, settled, settled_wrong; /* races */
    double loss;                                  /* mean of what the choice is slower by */
};

/* "Lost": all that are within 2 % of the fastest are out. "Wrong": the choice is more than 2 % slower. "Settled": the
 * race says that it is not. */
static struct tally simulate(const struct course *course, unsigned races)
{
    struct tally tally = { .lost = 0 };
    for (unsigned run = 0; run < races; run++) {
        struct race race;
        struct state s = state_of(course, run);
        run_race(course, &s, &race);
        const unsigned choice = race_choice(&race);
        bool has_near = false, is_settled = race_is_settled(&race, choice);
        for (unsigned i = 0; i < course->contenders; i++)
            has_near = has_near || (!race_is_out(&race, i) && 1 / (1 + course->slower[i]) >= race_margin);
        const bool is_wrong = 1 / (1 + course->slower[choice]) < race_margin;
        tally.lost += !has_near;
        tally.wrong += is_wrong;
        tally.settled += is_settled;
        tally.settled_wrong += is_settled && is_wrong;
        tally.loss += course->slower[choice] / races;
    }
    cr_log_info("%u contenders, slowest %.0f %%, noise %.2f, correlation %.1f%s: lost %.1f %%, wrong %.1f %%, settled "
                "%.0f %%, wrong and settled %.1f %%, loses %.2f %%",
                course->contenders, 100 * course->slower[0], course->noise, course->correlation,
                course->bursts > 0 ? ", bursts" : "", 100.0 * tally.lost / races, 100.0 * tally.wrong / races,
                100.0 * tally.settled / races, 100.0 * tally.settled_wrong / races, 100 * tally.loss);
    return tally;
}

enum field { ALL_SLOWER, SPREAD, FIELDS };

/* All 5 % slower, or 50 to 3 %. The fastest is the last of the table, where no preference for the first helps it. */
static void line_up(struct course *course, enum field field)
{
    for (unsigned i = 0; i + 1 < course->contenders; i++)
        course->slower[i] = field == ALL_SLOWER ? 0.05 : 0.5 - 0.47 * i / course->contenders;
    course->slower[course->contenders - 1] = 0;
}

static void expect_few_errors(struct course course)
{
    static const double noises[] = { 0.01, 0.03, 0.1 };
    const unsigned races = simulated_races() / (course.contenders < 16 ? 1 : 2);
    for (enum field field = 0; field < FIELDS; field++)
        for (unsigned n = 0; n < 3; n++) {
            course.noise = noises[n];
            line_up(&course, field);
            const struct tally t = simulate(&course, races);
            const double most = course.correlation > 0 && noises[n] > 0.03 ? 10 : 2; /* of a hundred races */
            cr_expect_leq(t.lost, allowed(most, races), "noise %g: lost %u of %u", course.noise, t.lost, races);
            cr_expect_leq(t.settled_wrong, allowed(most, races), "noise %g: settled for a slower one in %u of %u",
                          course.noise, t.settled_wrong, races);
        }
}

Test(race_simulated, seldom_loses_the_fastest)
{
    static const unsigned contenders[] = { 2, 6, 16 };
    for (unsigned k = 0; k < 3; k++)
        for (unsigned c = 0; c < 2; c++)
            expect_few_errors(
                (struct course){ .contenders = contenders[k], .rounds = RACE_ROUNDS_MAX, .correlation = 0.5 * c });
}

/* A driver, a neighbour, a page daemon: something slows down the fastest alone, for fewer than half of the rounds, from
 * the first one on or later, in one of ten races. */
Test(race_simulated, seldom_loses_the_fastest_to_a_burst_of_noise)
{
    static const unsigned contenders[] = { 2, 6, 16 };
    for (unsigned k = 0; k < 3; k++)
        expect_few_errors((struct course){ .contenders = contenders[k], .rounds = RACE_ROUNDS_MAX, .bursts = 10 });
}

/* Noise is that of a round: of the ratio of two times. At 5 % a method that is 5 % slower is not chosen in 99 of 100;
 * at 10 and 20 % the mean loss is at most 1 and 2 % for one rival. Of 15 that are 3 to 50 % slower it is up to 3 % at
 * 20 %. */
Test(race_simulated, a_wrong_choice_is_rare_or_costs_little)
{
    static const double apart[] = { 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2 };
    static const unsigned contenders[] = { 2, 3, 4, 6, 16 };
    const unsigned races = 2 * simulated_races();
    for (unsigned k = 0; k < sizeof contenders / sizeof *contenders; k++) {
        struct course course = { .contenders = contenders[k], .rounds = RACE_ROUNDS_MAX };
        for (unsigned i = 0; i < sizeof apart / sizeof *apart; i++) {
            for (unsigned rival = 0; rival + 1 < contenders[k]; rival++)
                course.slower[rival] = rival == 0 ? apart[i] : 0.1 + 0.4 * rival / contenders[k];
            course.noise = 0.05 / sqrt(2);
            const unsigned wrong = simulate(&course, races).wrong;
            cr_expect(apart[i] < 0.05 || wrong <= allowed(1, races), "%g %% slower: chosen in %u of %u", 100 * apart[i],
                      wrong, races);
            course.noise = 0.1 / sqrt(2);
            cr_expect_leq(simulate(&course, races).loss, 0.01);
            course.noise = 0.2 / sqrt(2);
            cr_expect_leq(simulate(&course, races).loss, 0.02);
        }
        line_up(&course, SPREAD);
        course.noise = 0.1 / sqrt(2);
        cr_expect_leq(simulate(&course, races).loss, 0.01, "%u", contenders[k]);
        course.noise = 0.2 / sqrt(2);
        cr_expect_leq(simulate(&course, races).loss, 0.03, "%u", contenders[k]);
    }
}

/* Slower methods leave in at most so many rounds, 99 times in 100; 0: some stay for all. */
enum { SLOWER = 5 };
static const double slower[SLOWER] = { 0.03, 0.05, 0.1, 0.2, 0.5 };
static const struct leaving {
    double noise, correlation;
    unsigned rivals, rounds[SLOWER];
} leaving[] = {
    { 0.003, 0, 5, { 8, 5, 4, 4, 4 } },   { 0.003, 0, 15, { 8, 5, 4, 4, 4 } }, { 0.01, 0, 5, { 0, 11, 8, 5, 4 } },
    { 0.01, 0.5, 5, { 0, 12, 6, 4, 4 } }, { 0.03, 0, 5, { 0, 0, 12, 8, 5 } },  { 0.03, 0, 15, { 0, 0, 12, 8, 5 } },
    { 0.03, 0.5, 5, { 0, 0, 13, 8, 5 } }, { 0.1, 0, 5, { 0, 0, 0, 0, 8 } },    { 0.1, 0, 15, { 0, 0, 0, 0, 8 } },
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
