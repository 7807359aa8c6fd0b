/* Does the 95 % interval of a ratio hold the truth 95 times in 100? Whole runs are simulated on scripted devices, as a
 * run measures: visits in a rotation, spread evenly over the run, twelve in quick and 24 in standard. A visit takes one
 * slice of the baseline and one of the device, next to each other, and alternates which comes first.
 *
 * The machine has states of two kinds, which slow down the device by more than the baseline: two levels between which
 * it jumps, each lasting from half to one and a half times the length stated, or at random; and noise that is as good
 * as independent after that length (the sum of its autocorrelations, in both directions, is the length). Lengths are
 * shares of the run. SIMULATED_RUNS asks for more runs of each kind than the 2000 of a usual one. */

#include "harness/measure/stats.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

enum { QUICK = 12, STANDARD = 24, VISITS_MAX = 32, SUITES = 2 };
static const unsigned visits_of[SUITES] = { QUICK, STANDARD };
static const double lowest = 0.93, highest[SUITES] = { 0.99, 0.98 }; /* in batches of two a little wide */

/* A slice is so much of the time between two visits. */
static const double slice_share = 0.1;

static unsigned simulated_runs(void)
{
    const char *asked = getenv("SIMULATED_RUNS");
    return asked ? (unsigned)strtoul(asked, NULL, 10) : 2000;
}

/* Three standard errors of a coverage that is simulated. */
static double draws(double coverage)
{
    return 3 * sqrt(coverage * (1 - coverage) / simulated_runs());
}

enum shape { NORMAL, LOGNORMAL, OUTLIERS };
enum states { NO_STATES, LEVELS, SLOW_NOISE, RANDOM_LEVELS };
struct machine {
    enum shape shape;
    double sigma; /* of the independent noise of one slice */
    bool drifts;  /* both devices together: a random walk, steps and a sinusoid */
    enum states states;
    double length; /* of a state, as a share of the run */
};

/* Where the machine is in its history; times are shares of the run. */
struct history {
    struct generator g;
    double now;
    double walk, step, angle;
    double slow, level, level_end;
};

static double duration(struct history *h, const struct machine *machine)
{
    const double part = uniform(&h->g);
    return machine->length * (machine->states == RANDOM_LEVELS ? -log(part) : 0.5 + part);
}

static struct history history_of(const struct machine *machine, uint64_t run)
{
    struct history h = { .g = { .seed = 1, .run = run } };
    h.angle = 6.283185307179586 * uniform(&h.g);
    h.slow = normal(&h.g);
    h.level = uniform(&h.g) < 0.5 ? -1 : 1;
    for (h.level_end = -4 * machine->length; h.level_end < 0; h.level = -h.level)
        h.level_end += duration(&h, machine);
    return h;
}

static void pass(struct history *h, const struct machine *machine, double time)
{
    const double rho = machine->length > 0 ? exp(-2 * time / machine->length) : 0;
    h->now += time;
    h->slow = rho * h->slow + sqrt(1 - rho * rho) * normal(&h->g);
    for (; h->level_end < h->now; h->level = -h->level)
        h->level_end += machine->length > 0 ? duration(h, machine) : INFINITY;
    h->walk += 0.02 * sqrt(time) * normal(&h->g);
    h->angle += 20 * time;
    if (uniform(&h->g) < 2 * time)
        h->step = 0.1 * normal(&h->g);
}

/* Of the baseline a state shows a third: the ratio has the rest, which is 10 % between levels, or 2.5 % of noise. */
static double slice(struct history *h, const struct machine *machine, bool is_device)
{
    const double state = machine->states == NO_STATES    ? 0
                         : machine->states == SLOW_NOISE ? 0.025 * h->slow
                                                         : 0.05 * h->level;
    double seconds = exp(state * (is_device ? 1.5 : 0.5));
    if (machine->drifts)
        seconds *= exp(h->walk + h->step + 0.05 * sin(h->angle));
    if (machine->shape == LOGNORMAL)
        return seconds * (1 + machine->sigma * exp(normal(&h->g)) / 2);
    if (machine->shape == OUTLIERS && uniform(&h->g) < 0.05)
        seconds *= 1 + 0.6 * uniform(&h->g);
    return seconds * (1 + machine->sigma * normal(&h->g));
}

/* Ratios baseline / device of the visits of one run, which take `within` of it. The truth is 1. */
static void visit(const struct machine *machine, uint64_t run, double within, double ratio[], unsigned visits)
{
    const double apart = within / visits;
    struct history h = history_of(machine, run);
    pass(&h, machine, (1 - within) * uniform(&h.g));
    for (unsigned i = 0; i < visits; i++) {
        double seconds[2];
        for (unsigned k = 0; k < 2; k++) {
            const bool is_device = (i + k) % 2 == 1;
            seconds[is_device] = slice(&h, machine, is_device);
            pass(&h, machine, slice_share * apart);
        }
        ratio[i] = seconds[0] / seconds[1];
        pass(&h, machine, (1 - 2 * slice_share) * apart);
    }
}

struct tally {
    double covered, half_width; /* shares; the second is the median of all runs */
};

static const char *const shape_names[] = { "normal", "skewed", "outliers" };
static const char *const states_names[] = { "no states", "two levels", "slow noise", "two levels, at random," };

static struct tally simulate(const struct machine *machine, double within, unsigned visits)
{
    const unsigned runs = simulated_runs();
    double ratio[VISITS_MAX], *width = malloc(runs * sizeof *width);
    unsigned covered = 0;
    cr_assert_not_null(width);
    for (unsigned run = 0; run < runs; run++) {
        visit(machine, run, within, ratio, visits);
        const struct estimate e = stats_estimate(ratio, visits);
        covered += e.low <= 1 && 1 <= e.high;
        width[run] = estimate_half_width(&e);
    }
    const struct tally tally = { (double)covered / runs, stats_median(width, runs) };
    free(width);
    cr_log_info("%2u visits over %.2f of the run, %s noise of %.1f %%%s, %s of %.2f: %.1f %% hold, +-%.1f %%", visits,
                within, shape_names[machine->shape], 100 * machine->sigma, machine->drifts ? " with drift" : "",
                states_names[machine->states], machine->length, 100 * tally.covered, 100 * tally.half_width);
    return tally;
}

static void expect_coverage(struct machine machine)
{
    static const double sigmas[] = { 0.01, 0.03, 0.1 };
    for (unsigned s = 0; s < SUITES; s++)
        for (unsigned i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
            machine.sigma = sigmas[i];
            const double covered = simulate(&machine, 1, visits_of[s]).covered;
            cr_expect(covered >= lowest - draws(lowest) && covered <= highest[s] + draws(highest[s]),
                      "%u visits, noise %g: %.2f %%", visits_of[s], sigmas[i], 100 * covered);
        }
}

Test(stats_coverage, holds_for_independent_noise)
{
    expect_coverage((struct machine){ .shape = NORMAL });
}

Test(stats_coverage, holds_for_skewed_noise)
{
    expect_coverage((struct machine){ .shape = LOGNORMAL });
}

Test(stats_coverage, holds_for_rare_big_outliers)
{
    expect_coverage((struct machine){ .shape = OUTLIERS });
}

Test(stats_coverage, holds_under_common_drift)
{
    expect_coverage((struct machine){ .shape = NORMAL, .drifts = true });
}

static const double lengths[] = { 0.05, 0.1, 0.2, 0.5, 2 };
enum { LENGTHS = sizeof lengths / sizeof *lengths, FIFTH = 3 };

/* Asserts those up to `held`, and prints the others: what lasts longer than the run is not in its values. Where the
 * truth is in a gap between two levels, a right interval has both, and holds more often than claimed. */
static void expect_states(struct machine machine, unsigned held, bool is_in_a_gap)
{
    machine.sigma = 0.01;
    for (unsigned s = 0; s < SUITES; s++)
        for (unsigned i = 0; i < LENGTHS; i++) {
            machine.length = lengths[i];
            const double covered = simulate(&machine, 1, visits_of[s]).covered;
            const double most = is_in_a_gap ? 1 : highest[s] + draws(highest[s]);
            cr_expect(i >= held || (covered >= lowest - draws(lowest) && covered <= most),
                      "%u visits, states of %g of the run: %.2f %%", visits_of[s], lengths[i], 100 * covered);
        }
}

Test(stats_coverage, holds_between_two_levels_that_last_up_to_a_fifth_of_the_run)
{
    expect_states((struct machine){ .states = LEVELS }, FIFTH, true);
}

Test(stats_coverage, holds_for_noise_that_lasts_up_to_a_fifth_of_the_run)
{
    expect_states((struct machine){ .states = SLOW_NOISE }, FIFTH, false);
}

/* A known limit: where many lengths are far above the mean one, the run has too few states. */
Test(stats_coverage, suffers_from_levels_that_last_as_chance_has_it)
{
    expect_states((struct machine){ .states = RANDOM_LEVELS }, 1, true);
}

/* The order of before: all visits of a problem side by side, within a twelfth of the run. */
Test(stats_coverage, of_visits_side_by_side_is_far_too_low)
{
    for (unsigned s = 0; s < SUITES; s++)
        for (enum states states = LEVELS; states <= SLOW_NOISE; states++)
            for (unsigned i = 0; i < FIFTH; i++) {
                const struct machine machine = { .sigma = 0.01, .states = states, .length = lengths[i] };
                const double covered = simulate(&machine, 1 / 12.0, visits_of[s]).covered;
                cr_expect(i == 0 || covered < 0.85, "%u visits, states of %g of the run: %.2f %%", visits_of[s],
                          lengths[i], 100 * covered);
            }
}

/* One visit in which a side took ten times as long: neither the figure nor its interval is moved by much. */
Test(stats_coverage, one_wild_visit_moves_little)
{
    const struct machine machine = { .sigma = 0.02 };
    for (unsigned s = 0; s < SUITES; s++)
        for (unsigned run = 0; run < 2000; run++) {
            double ratio[VISITS_MAX], moved;
            visit(&machine, run, 1, ratio, visits_of[s]);
            const struct estimate before = stats_estimate(ratio, visits_of[s]);
            const struct summary usual = stats_summary(ratio, visits_of[s]);
            ratio[run % visits_of[s]] *= run % 2 ? 10 : 0.1;
            const struct estimate after = stats_estimate(ratio, visits_of[s]);
            moved = fabs(after.value - before.value);
            cr_expect_lt(moved, 2 * estimate_half_width(&before), "%g", moved);
            cr_expect(after.low >= usual.min && after.high <= usual.max, "%g to %g", after.low, after.high);
        }
}
