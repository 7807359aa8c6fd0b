/* Does the 95 % interval of a ratio cover the truth 95 times in 100? Synthetic runs go through the real stop rule,
 * round by round, as real ones do: slices of 50 ms, a baseline and a device in turn, the budgets of suites standard and
 * full and one between them. Fewer rounds, down to six, have the correlation of all rows of a run. SIMULATED_RUNS asks
 * for more runs of each kind than the 1000 of a usual one. */

#include "harness/measure/sampler.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 201, SIGMAS = 3, BUDGETS = 3, TRUTH_ROUNDS = 100000 };
static const double slice_seconds = 0.05;
static const double lowest = 0.93, highest = 0.97;
static const double sigmas[SIGMAS] = { 0.01, 0.03, 0.1 };     /* noise of one slice */
static const double budgets[BUDGETS] = { 1.51, 3.01, 10.01 }; /* 30, 60, 200 rounds */
enum { STANDARD, MIDDLE, FULL };

static unsigned simulated_runs(void)
{
    const char *asked = getenv("SIMULATED_RUNS");
    return asked ? (unsigned)strtoul(asked, NULL, 10) : 1000;
}

/* Three standard errors of a coverage that is simulated. */
static double draws(void)
{
    return 3 * sqrt(0.05 * 0.95 / simulated_runs());
}

/* The noise of one slice is made from a normal variable: an independent one, or an autocorrelated one. */
enum shape { NORMAL, LOGNORMAL, OUTLIERS };
struct noise {
    enum shape shape;
    double sigma;
    double correlation; /* correlation with the same device's slice of the round before */
    bool mixed;         /* half of the variance is autocorrelated, half is independent */
    bool drift;         /* common to both devices: a random walk, steps and a sinusoid, moving from slice to slice */
};

static double slice(struct generator *g, const struct noise *noise, double *state)
{
    *state = noise->correlation * *state + sqrt(1 - noise->correlation * noise->correlation) * normal(g);
    if (noise->shape == LOGNORMAL)
        return 1 + noise->sigma * exp(*state) / 2;
    double outlier = noise->shape == OUTLIERS && uniform(g) < 0.05 ? 0.6 * uniform(g) : 0;
    double value = noise->mixed ? sqrt(0.5) * (*state + normal(g)) : *state;
    return 1 + noise->sigma * value + outlier;
}

struct drift {
    double walk, step, angle;
};

static double drift_factor(struct generator *g, struct drift *drift)
{
    drift->walk += 0.004 * normal(g);
    drift->angle += 0.14;
    if (uniform(g) < 0.02)
        drift->step = 0.1 * normal(g);
    return exp(drift->walk + drift->step + 0.05 * sin(drift->angle));
}

/* Ratios of a run, baseline / device with a true ratio of 1: B A B A ... B, each A against both of its neighbours. */
static void make_ratios(struct generator *g, const struct noise *noise, double ratio[], unsigned rounds)
{
    double a_state = normal(g), b_state = normal(g), before = NAN, a = NAN;
    struct drift drift = { .angle = 6.283185307179586 * uniform(g) };
    for (unsigned turn = 0; turn <= 2 * rounds; turn++) {
        double seconds = slice(g, noise, turn % 2 ? &a_state : &b_state);
        if (noise->drift)
            seconds *= drift_factor(g, &drift);
        if (turn % 2) {
            a = seconds;
            continue;
        }
        if (turn > 0)
            ratio[turn / 2 - 1] = (before + seconds) / 2 / a;
        before = seconds;
    }
}

/* Population median of the ratio: 1 for symmetric noise, found by a long simulation otherwise. */
static double true_ratio(const struct noise *noise)
{
    if (noise->shape == NORMAL)
        return 1;
    struct generator g = { .seed = 7 };
    double *ratio = malloc(TRUTH_ROUNDS * sizeof *ratio);
    cr_assert_not_null(ratio);
    for (unsigned i = 0; i < TRUTH_ROUNDS; i += 100, g.run++)
        make_ratios(&g, noise, ratio + i, 100);
    double truth = stats_median(ratio, TRUTH_ROUNDS);
    free(ratio);
    return truth;
}

/* A way to stop and to state an interval: the real one, or one that this test must find out. */
struct method {
    const char *name;
    enum stop (*decide)(const struct rule *, const double ratios[], unsigned rounds, double spent, double last);
    struct estimate (*estimate)(const double x[], unsigned n);
};
static const struct method real = { "real", sampler_decide, stats_estimate };

struct tally {
    unsigned runs, unknown, covered, precise;
    double rounds; /* of all runs */
};

static double coverage(const struct tally *tally)
{
    return (double)tally->covered / (tally->runs - tally->unknown);
}

static struct tally simulate(const struct method *method, const struct noise *noise, double budget)
{
    struct tally tally = { .runs = simulated_runs() };
    struct rule rule = { .target = 0.02, .budget = budget };
    double truth = true_ratio(noise), ratio[ROUNDS_MAX];
    for (unsigned run = 0; run < tally.runs; run++) {
        struct generator g = { .seed = 1, .run = run };
        enum stop stop = STOP_NOT_YET;
        unsigned rounds = 0;
        make_ratios(&g, noise, ratio, (unsigned)(budget / slice_seconds));
        while (stop == STOP_NOT_YET) {
            rounds++;
            stop = method->decide(&rule, ratio, rounds, rounds * slice_seconds, slice_seconds);
        }
        struct estimate estimate = method->estimate(ratio, rounds);
        tally.rounds += rounds;
        tally.precise += stop == STOP_PRECISE;
        tally.unknown += isnan(estimate.low);
        tally.covered += estimate.low <= truth && truth <= estimate.high;
    }
    cr_log_info(
        "%s, shape %d, sigma %4.2f, correlation %.1f%s, drift %d, budget %4.1f s: covered %.1f %%, %.0f rounds, "
        "precise %.0f %%, unknown %.0f %%",
        method->name, noise->shape, noise->sigma, noise->correlation, noise->mixed ? " mixed" : "", noise->drift,
        budget, 100 * coverage(&tally), tally.rounds / tally.runs, 100.0 * tally.precise / tally.runs,
        100.0 * tally.unknown / tally.runs);
    return tally;
}

/* In every size of noise, at the budgets named: an interval is the rule, and as many cover as claimed. */
static void expect_coverage(struct noise noise, int first, int last)
{
    for (int budget = first; budget <= last; budget++)
        for (int i = 0; i < SIGMAS; i++) {
            noise.sigma = sigmas[i];
            struct tally tally = simulate(&real, &noise, budgets[budget]);
            cr_expect_eq(tally.unknown, 0);
            cr_expect(coverage(&tally) >= lowest - draws() && coverage(&tally) <= highest + draws(),
                      "sigma %g, budget %g s: %.2f %% of the intervals cover the truth", noise.sigma, budgets[budget],
                      100 * coverage(&tally));
        }
}

Test(coverage, holds_for_normal_noise)
{
    expect_coverage((struct noise){ .shape = NORMAL }, STANDARD, FULL);
}

Test(coverage, holds_for_skewed_noise)
{
    expect_coverage((struct noise){ .shape = LOGNORMAL }, STANDARD, FULL);
}

Test(coverage, holds_for_rare_big_outliers)
{
    expect_coverage((struct noise){ .shape = OUTLIERS }, STANDARD, FULL);
}

Test(coverage, holds_under_common_drift)
{
    expect_coverage((struct noise){ .shape = NORMAL, .drift = true }, STANDARD, FULL);
}

Test(coverage, holds_for_autocorrelated_noise)
{
    expect_coverage((struct noise){ .shape = NORMAL, .correlation = 0.5 }, STANDARD, FULL);
}

Test(coverage, holds_for_skewed_autocorrelated_noise)
{
    expect_coverage((struct noise){ .shape = LOGNORMAL, .correlation = 0.5 }, STANDARD, FULL);
}

Test(coverage, holds_for_autocorrelated_noise_under_common_drift)
{
    expect_coverage((struct noise){ .shape = NORMAL, .correlation = 0.5, .drift = true }, STANDARD, FULL);
}

Test(coverage, holds_for_noise_with_long_autocorrelation)
{
    expect_coverage((struct noise){ .shape = NORMAL, .correlation = 0.8 }, FULL, FULL);
}

/* Thirty to sixty rounds of such noise are worth four to seven independent ones: many intervals are the range of all
 * rounds, or wider. */
Test(coverage, holds_for_a_few_rounds_of_noise_with_long_autocorrelation)
{
    static const enum shape shapes[] = { NORMAL, LOGNORMAL };
    for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int budget = STANDARD; budget <= MIDDLE; budget++) {
            const struct noise noise = { .shape = shapes[k], .sigma = 0.03, .correlation = 0.8 };
            struct tally tally = simulate(&real, &noise, budgets[budget]);
            cr_expect_eq(tally.unknown, 0);
            cr_expect(coverage(&tally) >= lowest - draws() && coverage(&tally) <= 0.99, "shape %u: %.2f %%", k,
                      100 * coverage(&tally));
        }
}

/* A known limit: noise that hardly changes within a run looks like less noise than there is. */
Test(coverage, suffers_from_noise_that_changes_within_minutes)
{
    const struct noise noise = { .shape = NORMAL, .sigma = 0.03, .correlation = 0.95 };
    struct tally tally = simulate(&real, &noise, budgets[STANDARD]);
    cr_expect(coverage(&tally) > 0.85 - draws() && coverage(&tally) < 0.97, "%.2f %%", 100 * coverage(&tally));
}

/* Fewer rounds than show their own correlation: that of a pool of series of the same run, their own among them. */
enum { FEW = 5, FEW_MOST = 25 };
static const unsigned few_rounds[FEW] = { 6, 8, 12, 16, FEW_MOST }, least_rows[FEW] = { 20, 10, 5, 3, 2 };

static double pooled_coverage(const struct noise *noise, unsigned rounds, unsigned rows)
{
    double truth = true_ratio(noise), own[FEW_MOST], other[FEW_MOST];
    const unsigned runs = simulated_runs();
    unsigned covered = 0;
    for (unsigned run = 0; run < runs; run++) {
        struct generator g = { .seed = 1, .run = run };
        struct correlation pool = { .weight = 0 };
        make_ratios(&g, noise, own, rounds);
        stats_correlation_add(&pool, own, rounds);
        for (unsigned row = 1; row < rows; row++) {
            make_ratios(&g, noise, other, rounds);
            stats_correlation_add(&pool, other, rounds);
        }
        struct estimate estimate = stats_estimate_with(own, rounds, stats_pooled_time(&pool));
        covered += estimate.low <= truth && truth <= estimate.high;
    }
    cr_log_info("shape %d, correlation %.1f, %u rounds, %u rows: covered %.1f %%", noise->shape, noise->correlation,
                rounds, rows, 100.0 * covered / runs);
    return (double)covered / runs;
}

/* With the smallest pool that counts, and with a larger one. */
static void expect_pooled_coverage(struct noise noise)
{
    noise.sigma = 0.03;
    for (unsigned i = 0; i < FEW; i++)
        for (unsigned times = 1; times <= 3; times += 2) {
            double covered = pooled_coverage(&noise, few_rounds[i], times * least_rows[i]);
            cr_expect(covered >= lowest - draws() && covered <= highest + draws(), "%u rounds, %u rows: %.2f %%",
                      few_rounds[i], times * least_rows[i], 100 * covered);
        }
}

Test(coverage, of_few_rounds_holds_for_normal_noise)
{
    expect_pooled_coverage((struct noise){ .shape = NORMAL });
}

Test(coverage, of_few_rounds_holds_for_skewed_noise)
{
    expect_pooled_coverage((struct noise){ .shape = LOGNORMAL });
}

Test(coverage, of_few_rounds_holds_for_autocorrelated_noise)
{
    expect_pooled_coverage((struct noise){ .shape = NORMAL, .correlation = 0.5 });
}

Test(coverage, of_few_rounds_holds_for_skewed_autocorrelated_noise)
{
    expect_pooled_coverage((struct noise){ .shape = LOGNORMAL, .correlation = 0.5 });
}

Test(coverage, of_few_rounds_holds_for_noise_with_long_autocorrelation)
{
    expect_pooled_coverage((struct noise){ .shape = NORMAL, .correlation = 0.8 });
}

/* A row alone, or with few others, is taken as strongly correlated: its interval is wide, never too narrow. */
Test(coverage, of_few_rounds_without_a_pool_is_never_too_low)
{
    static const double correlations[] = { 0, 0.5, 0.8 };
    for (unsigned c = 0; c < 3; c++)
        for (unsigned i = 0; i + 1 < FEW; i++) {
            struct noise noise = { .shape = NORMAL, .sigma = 0.03, .correlation = correlations[c] };
            double covered = pooled_coverage(&noise, few_rounds[i], 1);
            cr_expect(covered >= lowest - draws(), "correlation %g, %u rounds: %.2f %%", correlations[c], few_rounds[i],
                      100 * covered);
        }
}

/* A known limit; the test asserts how bad coverage gets at most. Long autocorrelation under as much independent noise
 * shows less in neighbours than it matters to the median. */
Test(coverage, suffers_from_long_autocorrelation_hidden_by_noise)
{
    struct noise noise = { .shape = NORMAL, .sigma = 0.03, .correlation = 0.8, .mixed = true };
    for (int budget = STANDARD; budget <= FULL; budget++) {
        struct tally tally = simulate(&real, &noise, budgets[budget]);
        cr_expect(coverage(&tally) > 0.84 - draws() && coverage(&tally) < lowest + draws(), "%.2f %%",
                  100 * coverage(&tally));
    }
}

/* The simulation must recognise a bad method: what one would write first, for independent values. */
static struct estimate naive_estimate(const double x[], unsigned n)
{
    struct estimate e = { .value = stats_median(x, n), .low = NAN, .high = NAN, .samples = n, .groups = n };
    double reach = 0.98 / sqrt(n); /* 1.96 standard deviations of a share of one half */
    if (n >= ESTIMATE_GROUPS_MIN) {
        e.low = stats_quantile(x, n, fmax(0, 0.5 - reach));
        e.high = stats_quantile(x, n, fmin(1, 0.5 + reach));
    }
    return e;
}

static enum stop decide_each_round(const struct rule *rule, const double ratios[], unsigned rounds, double spent,
                                   double last, struct estimate (*estimate)(const double x[], unsigned n))
{
    struct estimate now = estimate(ratios, rounds);
    if (rounds >= ESTIMATE_GROUPS_MIN && estimate_half_width(&now) <= rule->target)
        return STOP_PRECISE;
    return spent + last <= rule->budget ? STOP_NOT_YET : STOP_BUDGET;
}

static enum stop naive_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent,
                              double last)
{
    return decide_each_round(rule, ratios, rounds, spent, last, naive_estimate);
}

/* As if a pool had shown how much neighbours correlate: what it takes to check before 26 rounds. */
static struct estimate hasty_estimate(const double x[], unsigned n)
{
    static const double time = 2.9;
    return n < ESTIMATE_ROUNDS_ALONE ? stats_estimate_with(x, n, time) : stats_estimate(x, n);
}

static enum stop hasty_decide(const struct rule *rule, const double ratios[], unsigned rounds, double spent,
                              double last)
{
    return decide_each_round(rule, ratios, rounds, spent, last, hasty_estimate);
}

static double worst_coverage(const struct method *method, struct noise noise)
{
    double worst = 1;
    for (int i = 0; i < SIGMAS; i++) {
        noise.sigma = sigmas[i];
        struct tally tally = simulate(method, &noise, budgets[MIDDLE]);
        worst = fmin(worst, coverage(&tally));
    }
    return worst;
}

Test(coverage, simulation_detects_a_rule_for_independent_values_that_may_stop_at_every_round)
{
    static const struct method naive = { "naive", naive_decide, naive_estimate };
    cr_expect_lt(worst_coverage(&naive, (struct noise){ .shape = NORMAL }), lowest);
    cr_expect_lt(worst_coverage(&naive, (struct noise){ .shape = NORMAL, .correlation = 0.5 }), 0.85);
}

Test(coverage, simulation_detects_intervals_that_ignore_autocorrelation)
{
    static const struct method forgetful = { "forgetful", sampler_decide, naive_estimate };
    cr_expect_lt(worst_coverage(&forgetful, (struct noise){ .shape = NORMAL, .correlation = 0.5 }), 0.85);
}

Test(coverage, simulation_detects_a_rule_that_checks_every_round)
{
    static const struct method hasty = { "hasty", hasty_decide, hasty_estimate };
    cr_expect_lt(worst_coverage(&hasty, (struct noise){ .shape = NORMAL, .correlation = 0.5 }), lowest);
}
