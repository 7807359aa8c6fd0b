/* Where a speed-up crosses 1, by simulation: sweeps that look for it as real ones do, in noise. */

#include "harness/analysis/threshold.h"
#include "tests/support/generator.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

enum { RUNS = 1000, POINTS_MAX = 64, GRID = 9, FURTHER = 12, ROUNDS_MAX = 64 };
static const double from = 1e3, to = 4e7;

/* A machine, and what is measured on it. */
struct world {
    const char *name;
    double (*truth)(double size); /* the speed-up */
    double sigma;                 /* noise of one round's ratio */
    double bias;                  /* of a whole point, whose process is laid out as it is */
    double drift;                 /* of the ratio over the rounds of one point, from its first to its last */
    unsigned rounds;
};

static struct curve_point measured(const struct world *world, double size, struct generator *g)
{
    double ratio[ROUNDS_MAX], drift = world->drift * (2 * uniform(g) - 1);
    double middle = world->truth(size) * exp(world->bias * normal(g));
    for (unsigned i = 0; i < world->rounds; i++)
        ratio[i] = middle * exp(world->sigma * normal(g) + drift * (i / (world->rounds - 1.0) - 0.5));
    /* The pool of a sweep shows that the rounds are independent. */
    return (struct curve_point){ .size = size, .speedup = { stats_estimate(ratio, world->rounds) } };
}

/* A whole sweep: the grid, then where crossings are. */
static unsigned sweep(const struct world *world, struct generator *g, struct curve_point point[POINTS_MAX])
{
    double text_table[GRID], gap;
    unsigned count = threshold_grid(from, to, GRID, 1, text_table);
    for (unsigned i = 0; i < count; i++)
        point[i] = measured(world, text_table[i], g);
    for (unsigned i = 0; i < FURTHER; i++) {
        const struct curve curve = { .point = point, .points = count };
        const double next = threshold_next(&curve, MODE_RESIDENT, 1, &gap);
        if (isnan(next))
            break;
        point[count++] = measured(world, next, g);
        qsort(point, count, sizeof *point, stats_compare);
    }
    return count;
}

static const double there = 300e3;

static double gentle(double n)
{
    return pow(n / there, 0.05);
}

static double usual(double n)
{
    return pow(n / there, 0.2);
}

static double steep(double n)
{
    return pow(n / there, 0.6);
}

/* Launch against bandwidth: rises, and levels off a little above 1. */
static double level(double n)
{
    double c = 12 * n / 40e9, g = 8e-6 + 12 * n / 44e9;
    return c / g;
}
static const double level_there = 8e-6 / (12 / 40e9 - 12 / 44e9);

static double hill(double n)
{
    return 1.5 * exp(-pow(log(n / 200e3) / 3, 2));
}
static const double hill_up = 200e3 * 0.14799, hill_down = 200e3 / 0.14799; /* exp(-3 sqrt(ln 1.5)) */

static double touching(double n)
{
    return fmin(1, pow(n / there, 0.3));
}

static double slower(double n)
{
    return 0.9 * pow(n / to, 0.1);
}

static double faster(double n)
{
    return 1.2 * pow(n / from, 0.1);
}

static const struct world worlds[] = {
    { "usual, quiet", usual, 0.01, 0, 0, 8 },
    { "usual", usual, 0.05, 0, 0, 8 },
    { "usual, noisy", usual, 0.15, 0, 0, 8 },
    { "usual, many rounds", usual, 0.05, 0, 0, 40 },
    { "usual, uneven points", usual, 0.03, 0.01, 0, 8 },
    { "gentle", gentle, 0.05, 0, 0, 8 },
    { "gentle, quiet", gentle, 0.01, 0, 0, 8 },
    { "gentle, uneven points", gentle, 0.03, 0.01, 0, 8 },
    { "steep", steep, 0.05, 0, 0, 8 },
    { "steep, noisy", steep, 0.15, 0, 0, 8 },
    { "drifting", usual, 0.03, 0, 0.1, 8 },
    { "drifting, gentle", gentle, 0.03, 0, 0.1, 8 },
};
static const struct world level_world = { "level", level, 0.02, 0, 0, 8 };

/* What many sweeps of one world came to. */
struct tally {
    unsigned crosses[CROSSINGS_MAX + 1]; /* sweeps by their crossings */
    unsigned outcomes[4];
    unsigned held;        /* sweeps with no other crossings than the true ones, each of which holds its own */
    double width, points; /* means: logarithm of the first crossing's width, and points measured */
};

static struct tally tally(const struct world *world, const double truth[], unsigned truths)
{
    struct tally tally = { .held = 0 };
    for (unsigned run = 0; run < RUNS; run++) {
        struct generator g = { .seed = 5, .run = run };
        struct curve_point point[POINTS_MAX];
        struct threshold found;
        unsigned count = sweep(world, &g, point);
        threshold_find(&found, &(struct curve){ .point = point, .points = count }, MODE_RESIDENT);
        bool held = found.crossings == truths;
        for (unsigned i = 0; held && i < truths; i++)
            held = found.crossing[i].low <= truth[i] && truth[i] <= found.crossing[i].high &&
                   found.crossing[i].is_up == (i % 2 == 0);
        tally.held += held;
        tally.crosses[found.crossings]++;
        tally.outcomes[found.outcome]++;
        tally.width += found.crossings > 0 ? log(found.crossing[0].high / found.crossing[0].low) / RUNS : 0;
        tally.points += (double)count / RUNS;
    }
    cr_log_info("%s: held in %.1f %%, within a factor of %.2f, by %.1f points", world->name, 100.0 * tally.held / RUNS,
                exp(tally.width), tally.points);
    return tally;
}

static void expect_held(const struct world *world, const double truth[], unsigned truths)
{
    unsigned held = tally(world, truth, truths).held;
    cr_expect_geq(held, 0.95 * RUNS, "%s: held in %u sweeps of %d", world->name, held, RUNS);
}

Test(threshold, one_crossing_is_covered_in_95_of_100_sweeps)
{
    for (unsigned i = 0; i < sizeof worlds / sizeof *worlds; i++)
        expect_held(&worlds[i], &there, 1);
    expect_held(&level_world, &level_there, 1);
}

Test(threshold, two_crossings_are_both_covered)
{
    const double truth[] = { hill_up, hill_down };
    expect_held(&(struct world){ "hill", hill, 0.05, 0, 0, 8 }, truth, 2);
    expect_held(&(struct world){ "hill, noisy", hill, 0.1, 0, 0, 8 }, truth, 2);
    expect_held(&(struct world){ "hill, uneven points", hill, 0.03, 0.01, 0, 8 }, truth, 2);
}

/* Better known is better: a machine without noise leaves what the search leaves. */
Test(threshold, the_quieter_the_machine_the_narrower_the_interval)
{
    double noisy = exp(tally(&worlds[2], &there, 1).width), plain = exp(tally(&worlds[1], &there, 1).width);
    double quiet = exp(tally(&worlds[0], &there, 1).width);
    double silent = exp(tally(&(struct world){ "silent", usual, 1e-6, 0, 0, 8 }, &there, 1).width);
    cr_expect(silent <= quiet && quiet < plain && plain < noisy, "%g %g %g %g", silent, quiet, plain, noisy);
    cr_expect_lt(silent, 1.5);
    cr_expect_lt(plain, 4);
}

Test(threshold, without_a_crossing_none_is_claimed)
{
    const struct world below = { "slower", slower, 0.05, 0, 0, 8 }, above = { "faster", faster, 0.05, 0, 0, 8 };
    cr_expect_geq(tally(&below, NULL, 0).outcomes[THRESHOLD_NEVER], 0.95 * RUNS);
    cr_expect_geq(tally(&above, NULL, 0).outcomes[THRESHOLD_ALWAYS], 0.95 * RUNS);
}

Test(threshold, a_speed_up_that_only_touches_1_never_pays)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct world world = { "touching", touching, (double[]){ 0.01, 0.05, 0.15 }[i], 0, 0, 8 };
        unsigned never = tally(&world, NULL, 0).outcomes[THRESHOLD_NEVER];
        cr_expect_geq(never, 0.95 * RUNS, "noise %g: never in %u sweeps of %d", world.sigma, never, RUNS);
    }
}

/* Without an interval nothing is concluded, however far apart the two are. */
Test(threshold, few_rounds_show_nothing)
{
    const struct world few = { "steep, five rounds", steep, 0.05, 0, 0, ESTIMATE_VALUES_MIN - 1 };
    cr_expect_eq(tally(&few, NULL, 0).outcomes[THRESHOLD_UNSURE], RUNS);
}

/* --- by hand */

/* A point that is far on its side of 1 (2), just on it (1), unsure (0), or of which nothing is known (9). */
static struct curve_point mark(double size, int side)
{
    static const double unknown = 9;
    double value = side == unknown ? NAN : 1 + 0.06 * side, half = 0.05;
    return (struct curve_point){ .size = size, .speedup = { { value, value - half, value + half, 8 } } };
}

static struct threshold found_in(const int side[], unsigned count)
{
    struct curve_point point[POINTS_MAX];
    struct threshold found;
    for (unsigned i = 0; i < count; i++)
        point[i] = mark(1 + i, side[i]);
    threshold_find(&found, &(struct curve){ .point = point, .points = count }, MODE_RESIDENT);
    return found;
}

#define FOUND(...) found_in((const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static void expect_crossing(const struct threshold *found, unsigned at, double low, double high, const char *what)
{
    cr_assert_gt(found->crossings, at, "%s", what);
    cr_expect(found->crossing[at].low == low && found->crossing[at].high == high, "%s: [%g, %g]", what,
              found->crossing[at].low, found->crossing[at].high);
}

Test(threshold, unsure_points_are_part_of_the_crossing)
{
    struct threshold found = FOUND(-2, -2, 2, 2);
    expect_crossing(&found, 0, 2, 3, "none unsure");
    found = FOUND(-2, -2, 0, 0, 2, 2);
    expect_crossing(&found, 0, 2, 5, "two unsure");
    found = FOUND(-2, -2, 9, 2, 2);
    expect_crossing(&found, 0, 2, 4, "one without an interval");
    found = FOUND(-2, 9, -2, 2, 9, 2);
    expect_crossing(&found, 0, 3, 4, "neighbours beyond one without an interval");
    found = FOUND(9, -2, -2, 9);
    cr_expect(found.first == 2 && found.last == 3, "%g to %g", found.first, found.last);
    found = FOUND(0, -2, -2, 2, 2, 0);
    expect_crossing(&found, 0, 3, 4, "unsure ends");
    cr_expect(found.sure_from == 2 && found.sure_to == 5 && found.first == 1 && found.last == 6);
}

Test(threshold, a_crossing_needs_two_neighbours_on_each_side)
{
    struct threshold found = FOUND(-2, -2, 2, -2, -2, 2, 2);
    cr_expect_eq(found.crossings, 1);
    expect_crossing(&found, 0, 5, 6, "one among those of the other side");
    found = FOUND(-2, -2, 1, -1, 2, 2);
    cr_expect_eq(found.crossings, 1);
    expect_crossing(&found, 0, 2, 5, "two that contradict each other");
    cr_expect(isnan(found.lone));
    found = FOUND(-2, -2, 0, 1);
    cr_expect_eq(found.outcome, THRESHOLD_NEVER);
    cr_expect_eq(found.lone, 4, "but it is reported");
    found = FOUND(-2, -2, -2);
    cr_expect(isnan(found.lone));
    found = FOUND(0, 1, 0);
    cr_expect_eq(found.outcome, THRESHOLD_UNSURE);
    found = FOUND(-2, -2, 1, 1, -2, -2, 2, 2);
    cr_expect_eq(found.crossings, 3, "two side by side are believed");
    cr_expect(found.crossing[0].is_up && !found.crossing[1].is_up && found.crossing[2].is_up);
    int side[2 * (CROSSINGS_MAX + 2)];
    for (unsigned i = 0; i < sizeof side / sizeof *side; i++)
        side[i] = i / 2 % 2 ? 2 : -2;
    found = found_in(side, sizeof side / sizeof *side);
    cr_expect_eq(found.crossings, CROSSINGS_MAX, "as many as there is room for: %u", found.crossings);
    expect_crossing(&found, CROSSINGS_MAX - 1, 2 * CROSSINGS_MAX, 2 * CROSSINGS_MAX + 1, "the last of them");
}

Test(threshold, an_interval_is_taken_as_one_percent_wide_at_least)
{
    cr_expect_eq(threshold_side(&(struct estimate){ 0.995, 0.9949, 0.9951, 8 }), NOT_SURE);
    cr_expect_eq(threshold_side(&(struct estimate){ 0.98, 0.9799, 0.9801, 8 }), SURELY_SLOWER);
    cr_expect_eq(threshold_side(&(struct estimate){ 1.009, 1.0089, 1.0091, 8 }), NOT_SURE);
    cr_expect_eq(threshold_side(&(struct estimate){ 1.02, 1.0199, 1.0201, 8 }), SURELY_FASTER);
}

Test(threshold, without_points_nothing_is_known)
{
    struct threshold found;
    threshold_find(&found, &(struct curve){ .points = 0 }, MODE_RESIDENT);
    cr_expect_eq(found.outcome, THRESHOLD_UNSURE);
    cr_expect(isnan(found.first) && isnan(found.last) && isnan(found.sure_from));
    found = FOUND(9, 9, 9);
    cr_expect_eq(found.outcome, THRESHOLD_UNSURE);
    found = FOUND(2);
    cr_expect_eq(found.outcome, THRESHOLD_UNSURE, "one size alone");
}

static double next_of(struct curve_point point[], unsigned count, double multiple)
{
    double gap;
    return threshold_next(&(struct curve){ .point = point, .points = count }, MODE_RESIDENT, multiple, &gap);
}

Test(threshold, the_search_goes_to_the_middle_of_the_widest_gap)
{
    struct curve_point point[] = { mark(100, 2), mark(1000, -2), mark(4000, 2), mark(1e5, 2) };
    cr_expect_eq(next_of(point, 4, 1), 316, "of the wider one of two");
    cr_expect_eq(next_of(point + 1, 2, 1), 2000);
    cr_expect_eq(next_of(point + 1, 2, 256), 2048);
    struct curve_point near[] = { mark(1000, -2), mark(1049, 2) };
    cr_expect(isnan(next_of(near, 2, 1)), "within 5 %%");
    struct curve_point apart[] = { mark(1000, -2), mark(1210, 2) };
    cr_expect_eq(next_of(apart, 2, 1), 1100, "both ends are sure");
    struct curve_point steps[] = { mark(32, -2), mark(48, 2) };
    cr_expect(isnan(next_of(steps, 2, 16)), "no multiple between them");
    struct curve_point same[] = { mark(32, 2), mark(480, 2) };
    cr_expect(isnan(next_of(same, 2, 1)), "no crossing");
}

Test(threshold, the_search_ends_at_a_middle_that_is_not_significantly_different_from_1)
{
    struct curve_point wide[] = { mark(100, -2), mark(200, 0), mark(270, 2) };
    cr_expect_eq(next_of(wide, 3, 1), 141, "but its edges are looked for");
    struct curve_point found[] = { mark(141, -2), mark(200, 0), mark(270, 2) };
    cr_expect(isnan(next_of(found, 3, 1)));
    struct curve_point plain[] = { mark(141, -2), mark(200, 9), mark(270, 2) };
    cr_expect(isnan(next_of(plain, 3, 1)), "what gave no interval is not measured again");
    struct curve_point end[] = { mark(100, -2), mark(1000, 0), mark(10000, 0) };
    cr_expect(isnan(next_of(end, 3, 1)), "nothing beyond the unsure");
}

Test(threshold, the_grid_is_readable)
{
    double size[16];
    static const double multiply[] = { 1000, 3800, 14000, 53000, 200000, 750000, 2.8e6, 1.1e7, 4e7 };
    cr_assert_eq(threshold_grid(1000, 4e7, 9, 1, size), 9);
    for (unsigned i = 0; i < 9; i++)
        cr_expect_float_eq(size[i], multiply[i], 1e-6, "%u: %g", i, size[i]);
    static const double images[] = { 1, 2, 3, 5, 8, 13, 23, 38, 64 };
    cr_assert_eq(threshold_grid(1, 64, 9, 1, size), 9);
    for (unsigned i = 0; i < 9; i++)
        cr_expect_eq(size[i], images[i], "%u: %g", i, size[i]);
    cr_expect_eq(threshold_grid(1, 4, 9, 1, size), 4, "no size twice");
    cr_expect_eq(threshold_grid(16, 2048, 9, 16, size), 9);
    for (unsigned i = 0; i < 9; i++)
        cr_expect_eq(fmod(size[i], 16), 0, "%g", size[i]);
    cr_assert_eq(threshold_grid(4, 2048, 9, 16, size), 9);
    cr_expect(size[1] == 9 && size[2] == 16, "what is less than the multiple is none of it: %g %g", size[1], size[2]);
    double many[64];
    const unsigned few = threshold_grid(16, 47, 64, 16, many);
    cr_expect(few == 3 && many[1] == 32 && many[2] == 47, "no multiple beyond the end: %u, %g", few, many[few - 1]);
    cr_expect_eq(threshold_grid(7, 7, 9, 1, size), 1);
    double fine[64];
    cr_expect_eq(threshold_grid(1000, 4e7, 64, 1, fine), 64);
    cr_assert_eq(threshold_grid(1e6, 2e6, 64, 1, fine), 64, "two digits would make them 11");
    for (unsigned i = 0; i < 64; i++)
        cr_expect_float_eq(fine[i] / (1e6 * pow(2, i / 63.0)), 1, 0.005, "%u: %g", i, fine[i]);
}
