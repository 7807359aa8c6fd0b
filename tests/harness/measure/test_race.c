/* The elimination rule on times made by hand. How often it errs: test_race_simulated.c. */

#include "harness/measure/race.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_over(const struct race *race)
{
    return race_is_over(race, race_choice(race));
}

/* Rounds of these times, which are off by a thousandth in turn. */
static void add_rounds(struct race *race, const double seconds[], unsigned rounds)
{
    double now[RACE_CONTENDERS_MAX];
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < race->contenders; i++)
            now[i] = race_is_out(race, i) ? NAN : seconds[i] * (1 + 0.001 * ((3 * round + 5 * i) % 7));
        race_add(race, now);
        race_eliminate(race);
    }
}

static struct race race_of(unsigned contenders)
{
    struct race race;
    cr_assert(race_open(&race, contenders));
    return race;
}

Test(race, has_one_to_sixty_four_contenders_and_of_one_is_over_at_once)
{
    struct race race;
    cr_expect(!race_open(&race, 0) && !race_open(&race, RACE_CONTENDERS_MAX + 1));
    cr_expect(race_open(&race, RACE_CONTENDERS_MAX));
    race = race_of(1);
    cr_expect(is_over(&race) && race_choice(&race) == 0 && race_ratio(&race, 0) == 1);
}

Test(race, eliminates_nobody_before_the_first_look)
{
    struct race race = race_of(8);
    add_rounds(&race, (double[]){ 1, 2, 2, 2, 2, 2, 2, 2 }, RACE_FIRST_LOOK - 1);
    for (unsigned i = 0; i < race.contenders; i++)
        cr_expect_not(race_is_out(&race, i));
    cr_expect_not(is_over(&race));
    add_rounds(&race, (double[]){ 1, 2, 2, 2, 2, 2, 2, 2 }, 1);
    for (unsigned i = 1; i < race.contenders; i++)
        cr_expect(race_is_out(&race, i));
    cr_expect(is_over(&race));
}

/* Scripted devices, and clocks that are coarse. With the last digits of times as their only noise, nothing is known of
 * its correlation. */
Test(race, without_noise_is_over_at_the_first_look)
{
    static const double last_digits[] = { 0, 0, 1e-15, 3e-16 };
    for (unsigned contenders = 2; contenders <= RACE_CONTENDERS_MAX; contenders *= 2) {
        for (unsigned from = 0; from < 4; from += 2) {
            struct race race;
            double seconds[RACE_CONTENDERS_MAX];
            cr_assert(race_open(&race, contenders));
            for (unsigned round = 0; round < RACE_FIRST_LOOK; round++) {
                for (unsigned i = 0; i < contenders; i++)
                    seconds[i] = 0.003 * (1 + 0.1 * i) * (1 + last_digits[from + (round + i) % 2]);
                race_add(&race, seconds);
            }
            race_eliminate(&race);
            for (unsigned i = 1; i < contenders; i++)
                cr_expect(race_is_out(&race, i), "%u of %u", i, contenders);
            cr_expect(is_over(&race));
        }
    }
}

Test(race, keeps_ties_and_measures_the_first_of_the_table_that_is_close)
{
    struct race race = race_of(4);
    add_rounds(&race, (double[]){ 1.3, 1.008, 1, 1.009 }, 12);
    cr_expect(race_is_out(&race, 0) && !race_is_out(&race, 1) && !race_is_out(&race, 3));
    cr_expect_eq(race_leader(&race), 2);
    cr_expect_eq(race_choice(&race), 1);
    cr_expect(race_is_settled(&race, race_choice(&race)));
    cr_expect_float_eq(race_ratio(&race, 1), 1 / 1.008, 0.003);
}

Test(race, what_is_remembered_is_measured_if_it_is_close)
{
    static const double times[] = { 1.008, 1.02 };
    for (unsigned i = 0; i < 2; i++) {
        struct race race;
        cr_assert(race_open(&race, 3));
        race.remembered = 2;
        for (unsigned k = 0; k < 3; k++)
            race_expect(&race, k, k == 2 ? times[i] : 1);
        cr_expect_eq(race_choice(&race), i == 0 ? 2 : 0, "by one run, %g", times[i]);
        add_rounds(&race, (double[]){ 1, 1, times[i] }, 3);
        cr_expect_eq(race_choice(&race), i == 0 ? 2 : 0, "by rounds, %g", times[i]);
    }
}

/* It may be tied as far as the test can tell; yet it was slower. */
Test(race, does_not_measure_one_that_was_slower)
{
    struct race race = race_of(2);
    add_rounds(&race, (double[]){ 1.1, 1 }, 2);
    cr_expect_not(race_is_out(&race, 0));
    cr_expect_eq(race_choice(&race), 1);
}

Test(race, ends_when_its_rounds_are_spent)
{
    struct race race = race_of(2);
    add_rounds(&race, (double[]){ 1.02, 1 }, 3);
    cr_expect_not(is_over(&race));
    add_rounds(&race, (double[]){ 1.02, 1 }, RACE_ROUNDS_MAX);
    cr_expect_eq(race.rounds, RACE_ROUNDS_MAX);
    cr_expect(is_over(&race));
}

Test(race, goes_on_without_one_that_was_withdrawn)
{
    struct race race = race_of(3);
    add_rounds(&race, (double[]){ 1.2, 1, 1.1 }, 2);
    race.is_gone[1] = true;
    add_rounds(&race, (double[]){ 1.2, 1, 1.1 }, 2);
    cr_expect_eq(race_leader(&race), 2);
    race.is_gone[0] = true;
    race.is_gone[2] = true;
    cr_expect_eq(race_leader(&race), 3);
    cr_expect_eq(race_choice(&race), 3);
    cr_expect(is_over(&race));
}

/* Before the first round the fastest run of each counts. What is slower comes after all that are left. */
Test(race, what_is_slower_leads_once_all_others_are_gone)
{
    static const double runs[] = { 1, 2, 4 };
    unsigned rounds;
    struct race race = race_of(3);
    for (unsigned i = 0; i < 3; i++)
        race_expect(&race, i, runs[i]);
    cr_expect_eq(race_leader(&race), 0);
    cr_expect_float_eq(race_ratio(&race, 1), 0.5, 1e-12);
    cr_expect_float_eq(race_run(&race, 2, &rounds), 4, 1e-12);
    cr_expect_eq(rounds, 0);
    race.is_out[1] = true;
    race.is_gone[0] = true;
    cr_expect_eq(race_leader(&race), 2, "the other is out");
    cr_expect_eq(race_choice(&race), 2);
    race.is_gone[2] = true;
    cr_expect_eq(race_choice(&race), 1);
    cr_expect_not(race_is_close(&race, 1));
    race.is_gone[1] = true;
    cr_expect_eq(race_choice(&race), 3);
}

/* A method that is remembered goes on until it is clear that it is not slower. */
Test(race, is_settled_for_the_contender_that_is_asked_for)
{
    struct race race = race_of(3);
    add_rounds(&race, (double[]){ 1, 1.022, 2 }, 6);
    cr_expect(race_is_settled(&race, 0));
    cr_expect_not(race_is_out(&race, 1), "a third of a percent of noise: it is surely slower, and not surely by 2 %%");
    cr_expect_not(race_is_settled(&race, 1));
    cr_expect_not(race_is_over(&race, 1));
    add_rounds(&race, (double[]){ 1, 1.022, 2 }, RACE_ROUNDS_MAX);
    cr_expect(race_is_over(&race, 1));
}

/* A contender that joined later, or a slice that failed: only rounds that both were in count. */
Test(race, pairs_within_rounds)
{
    struct race race = race_of(3);
    race_add(&race, (double[]){ 1, 2, NAN });
    race_add(&race, (double[]){ 1.5, 3, 2.25 });
    race_add(&race, (double[]){ NAN, 2, INFINITY });
    race_add(&race, (double[]){ 1.2, 0, 1.8 });
    cr_expect_float_eq(race_ratio(&race, 1), 0.5, 1e-12);
    cr_expect_float_eq(race_ratio(&race, 2), 1 / 1.5, 1e-12);
}

/* By a clock that stood still. */
Test(race, a_run_that_took_no_time_is_not_the_fastest)
{
    static const double none[] = { 0, -1, NAN };
    unsigned rounds;
    struct race race = race_of(2);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        race_expect(&race, 0, none[i]);
        cr_expect(isnan(race_run(&race, 0, &rounds)), "%g", none[i]);
    }
    race_expect(&race, 0, 2);
    race_expect(&race, 1, 1);
    race_add(&race, (double[]){ 0, 1 });
    cr_expect_eq(race_leader(&race), 1);
}

Test(race, has_no_ratio_without_a_common_round)
{
    struct race race = race_of(2);
    race_add(&race, (double[]){ 1, NAN });
    cr_expect(isnan(race_ratio(&race, 1)));
    cr_expect_eq(race_choice(&race), 0);
}

/* Adds rounds in which one is so many times as slow as it can be. */
static void add_slowed(struct race *race, unsigned rounds, double one, double other)
{
    for (unsigned round = 0; round < rounds; round++) {
        double much = 1 + 0.001 * (round % 3);
        race_add(race, (double[]){ one * much, 1.1 * other / much });
        race_eliminate(race);
    }
}

static struct race race_of_two(void)
{
    struct race race = race_of(2);
    race_expect(&race, 0, 1);
    race_expect(&race, 1, 1.1);
    return race;
}

/* Only its first run told that the faster one can be faster. */
Test(race, a_disturbance_from_the_first_round_on_eliminates_nobody)
{
    struct race race = race_of_two();
    add_slowed(&race, 7, 3, 1);
    cr_expect_eq(race_choice(&race), 1);
    cr_expect_not(race_is_out(&race, 0));
    add_slowed(&race, 9, 1, 1);
    cr_expect_eq(race_choice(&race), 0);
}

/* One in between, and what slows down all of a round. */
Test(race, a_disturbance_does_not_move_the_ratio)
{
    struct race race = race_of_two();
    for (unsigned round = 0; round < 9; round++)
        race_add(&race, (double[]){ 1, round / 3 == 1 ? 5 : 1.1 });
    cr_expect_float_eq(race_ratio(&race, 1), 1 / 1.1, 1e-12);
    race = race_of_two();
    add_slowed(&race, 3, 5, 5);
    cr_expect_float_eq(race_ratio(&race, 1), 1 / 1.1, 0.005);
}

/* One slow round is one of those that may be on the other side of the margin. */
Test(race, one_slow_round_of_the_leader_delays_an_elimination_by_a_few_rounds)
{
    struct race race = race_of_two();
    add_slowed(&race, 1, 2, 1);
    add_slowed(&race, 8, 1, 1);
    cr_expect_not(race_is_out(&race, 1));
    add_slowed(&race, 1, 1, 1);
    cr_expect(race_is_out(&race, 1));
}

Test(race, the_rival_is_the_fastest_that_may_be_faster)
{
    struct race race = race_of(4);
    cr_expect_eq(race_rival(&race, 4), 4);
    for (unsigned round = 0; round < 8; round++)
        race_add(&race, (double[]){ 1, round % 2 ? 0.9 : 1.12, round % 2 ? 0.9 : 1.05, 1.5 });
    race_eliminate(&race);
    cr_expect_eq(race_choice(&race), 2);
    cr_expect_eq(race_rival(&race, 2), 0);
    cr_expect_eq(race_rival(&race, 0), 2);
    cr_expect_not(race_is_settled(&race, 0));
    race.is_gone[2] = true;
    cr_expect_eq(race_rival(&race, 0), 1);
    race.is_gone[1] = true;
    cr_expect_eq(race_rival(&race, 0), 4, "the other is surely slower");
    cr_expect(race_is_settled(&race, 0));
}
