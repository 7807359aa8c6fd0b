/* How often a comparison is wrong: by simulation, on thousands of cells of which the truth is known. */

#include "harness/analysis/compare/comparison.h"
#include "tests/support/simulated_runs.h"

#include <criterion/criterion.h>

/* Times vary by 14 % between runs and drift by up to 10 % within one; ratios vary by 3 % within a run, so that of 26
 * rounds their median varies by 1.2 % between runs, of 12 by 1.4 %. */
static const struct noise realistic = { .times = 0.14, .ratios = 0.009, .slices = 0.03, .drift = 0.1 };

struct counted {
    unsigned cells, slower, faster, same, unsure;
    unsigned held;                  /* intervals of resident speed-ups that contain the true change */
    unsigned steady, steady_slower; /* each twentieth, of noise that makes the others unsteady */
    unsigned baselines;             /* that were called slower or faster, though times vary by more than ratios */
};

/* Compares pairs of sides until there were so many cells, baselines not counted. */
static struct counted count_of(unsigned problems, unsigned old_runs, unsigned new_runs, double factor, unsigned cells,
                               unsigned rounds, struct noise noise)
{
    struct simulated before = { .problems = problems, .rounds = rounds, .factor = 1, .base_factor = 1, .noise = noise };
    struct simulated after = before;
    struct generator g = { .seed = 20 + old_runs + 100 * new_runs + rounds };
    struct counted counted = { 0 };
    struct error err = { .status = STATUS_OK };
    after.factor = factor;
    while (counted.cells < cells) {
        struct results side[SIDES] = { simulate(old_runs, &before, &g), simulate(new_runs, &after, &g) };
        struct comparison comparison;
        cr_assert(comparison_make(&comparison, side, 0.05, &err), "%s", err.message);
        cr_assert_eq(comparison.cells, 2 * before.problems);
        counted.cells += before.problems;
        counted.baselines += before.problems - comparison.count[CHANGE_BASELINE];
        counted.slower += comparison.count[CHANGE_SLOWER];
        counted.faster += comparison.count[CHANGE_FASTER];
        counted.same += comparison.count[CHANGE_SAME];
        counted.unsure += comparison.count[CHANGE_UNSURE];
        for (unsigned i = 0; i < comparison.cells; i++) {
            const struct compared *cell = &comparison.cell[i];
            const struct shift *shift = &cell->shift[QUANTITY_RESIDENT];
            counted.held += !cell->is_baseline && shift->low <= 1 / factor && 1 / factor <= shift->high;
            bool is_steady = !cell->is_baseline && (i / 2) % 20 == 0;
            counted.steady += is_steady;
            counted.steady_slower += is_steady && cell->change == CHANGE_SLOWER;
        }
        comparison_release(&comparison);
        simulated_release(&side[OLD]);
        simulated_release(&side[NEW]);
    }
    cr_log_info("%u to %u, factor %.2f: %u cells, %u slower, %u faster, %u same, %u unsure, %u baselines, %u held",
                old_runs, new_runs, factor, counted.cells, counted.slower, counted.faster, counted.same, counted.unsure,
                counted.baselines, counted.held);
    return counted;
}

static struct counted count(unsigned old_runs, unsigned new_runs, double factor, unsigned cells, unsigned rounds,
                            struct noise noise)
{
    return count_of(50, old_runs, new_runs, factor, cells, rounds, noise);
}

static void expect_few_alarms(struct counted counted)
{
    cr_expect_leq(100 * (counted.slower + counted.faster), counted.cells, "%u slower and %u faster of %u that are not",
                  counted.slower, counted.faster, counted.cells);
}

static void expect_found(struct counted counted, unsigned percent)
{
    cr_expect_geq(100 * counted.slower, percent * counted.cells, "%u of %u found", counted.slower, counted.cells);
    cr_expect_eq(counted.faster, 0);
    cr_expect(100 * counted.held >= 94 * counted.cells, "%u of %u intervals hold the change", counted.held,
              counted.cells);
}

Test(simulated, one_run_a_side_rarely_raises_a_false_alarm)
{
    expect_few_alarms(count(1, 1, 1, 2000, 26, realistic));
}

Test(simulated, one_short_run_a_side_rarely_raises_a_false_alarm)
{
    expect_few_alarms(count(1, 1, 1, 2000, 5, realistic));
}

Test(simulated, five_runs_a_side_rarely_raise_a_false_alarm)
{
    struct counted counted = count(5, 5, 1, 1500, 26, realistic);
    expect_few_alarms(counted);
    cr_expect_geq(10 * counted.same, 9 * counted.cells, "what is the same is called so: %u of %u", counted.same,
                  counted.cells);
}

Test(simulated, two_and_three_runs_a_side_rarely_raise_a_false_alarm)
{
    expect_few_alarms(count(2, 2, 1, 1500, 12, realistic));
    expect_few_alarms(count(3, 3, 1, 1500, 12, realistic));
}

Test(simulated, runs_of_too_few_rounds_for_an_interval_decide_nothing)
{
    struct counted counted = count(5, 5, 2, 200, 3, realistic);
    cr_expect_eq(counted.unsure, counted.cells, "%u of %u", counted.unsure, counted.cells);
}

Test(simulated, five_runs_against_one_rarely_raise_a_false_alarm)
{
    expect_few_alarms(count(5, 1, 1, 1500, 12, realistic));
}

Test(simulated, one_disturbed_run_in_ten_rarely_raises_a_false_alarm)
{
    struct noise noise = realistic;
    noise.disturbed = 0.1;
    expect_few_alarms(count(5, 5, 1, 1500, 12, noise));
}

Test(simulated, five_runs_a_side_find_what_became_5_percent_slower)
{
    expect_found(count(5, 5, 1.05, 1000, 26, realistic), 90);
    expect_found(count(5, 5, 1.05, 1000, 12, realistic), 75);
}

Test(simulated, five_runs_a_side_find_it_though_one_run_in_twenty_was_disturbed)
{
    struct noise noise = realistic;
    noise.disturbed = 0.05;
    expect_found(count(5, 5, 1.05, 1000, 26, noise), 75);
}

/* Of one device in twenty the figures are steady, as a CPU's are beside a GPU's of a shared machine. */
Test(simulated, what_became_slower_is_found_in_a_steady_cell_among_unsteady_ones)
{
    struct noise noise = { .times = 0.14, .ratios = 0.003, .slices = 0.005, .drift = 0.1, .unsteady = 10 };
    expect_few_alarms(count(5, 5, 1, 1500, 26, noise));
    struct counted counted = count(5, 5, 1.05, 1500, 26, noise);
    cr_expect_geq(10 * counted.steady_slower, 9 * counted.steady, "%u of %u found", counted.steady_slower,
                  counted.steady);
}

/* Too few problems to estimate how much runs vary: the usual value is used instead. */
Test(simulated, three_cells_rarely_raise_a_false_alarm_and_five_percent_are_found)
{
    expect_few_alarms(count_of(3, 5, 5, 1, 1500, 26, realistic));
    expect_few_alarms(count_of(3, 2, 2, 1, 1500, 26, realistic));
    expect_found(count_of(3, 5, 5, 1.05, 1000, 26, realistic), 75);
    expect_found(count_of(3, 2, 2, 1.15, 1000, 26, realistic), 75);
}

Test(simulated, one_run_a_side_finds_what_became_a_fifth_slower)
{
    expect_found(count(1, 1, 1.2, 1000, 26, realistic), 90);
}
