/* What a run costs by three numbers: what was put in must come out. */

#include "harness/analysis/costmodel.h"
#include "harness/measure/random.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SIZES = 9 };

/* Matmul: bytes grow with the square, work with the cube. */
static void squares_and_cubes(struct cost_sample out[SIZES], double launch, double bandwidth, double rate)
{
    for (unsigned i = 0; i < SIZES; i++) {
        double m = 16 * pow(2, 7.0 * i / (SIZES - 1));
        out[i] = (struct cost_sample){ .bytes = 12 * m * m, .flops = 2 * m * m * m };
        out[i].seconds = launch + out[i].bytes / bandwidth + out[i].flops / rate;
    }
}

static void expect_near(double is, double should, double share, const char *what)
{
    cr_expect(fabs(is / should - 1) <= share, "%s is %g, should be %g", what, is, should);
}

Test(costmodel, three_parts_are_recovered)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    squares_and_cubes(sample, 20e-6, 10e9, 200e9);
    cr_assert(cost_fit(&model, sample, SIZES));
    expect_near(model.launch, 20e-6, 1e-6, "launch");
    expect_near(model.bandwidth, 10e9, 1e-6, "bandwidth");
    expect_near(model.rate, 200e9, 1e-6, "rate");
    cr_expect_lt(model.worst, 1e-9);
    expect_near(cost_seconds(&model, 12e6, 2e9), 20e-6 + 12e6 / 10e9 + 2e9 / 200e9, 1e-6, "prediction");
}

Test(costmodel, an_absent_part_costs_nothing)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    squares_and_cubes(sample, 0, INFINITY, 200e9);
    cr_assert(cost_fit(&model, sample, SIZES));
    cr_expect_eq(model.launch, 0);
    cr_expect(isinf(model.bandwidth));
    expect_near(model.rate, 200e9, 1e-9, "rate");
    squares_and_cubes(sample, 5e-6, 10e9, INFINITY);
    cr_assert(cost_fit(&model, sample, SIZES));
    expect_near(model.launch, 5e-6, 1e-9, "launch");
    expect_near(model.bandwidth, 10e9, 1e-9, "bandwidth");
    cr_expect(isinf(model.rate));
}

Test(costmodel, bytes_and_work_that_grow_alike_are_one_part)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    for (unsigned i = 0; i < SIZES; i++) {
        double n = 1000 * pow(4, i);
        sample[i] = (struct cost_sample){ .bytes = 12 * n, .flops = n, .seconds = 8e-6 + 12 * n / 40e9 };
    }
    cr_assert(cost_fit(&model, sample, SIZES));
    expect_near(model.launch, 8e-6, 1e-6, "launch");
    expect_near(model.bandwidth, 40e9, 1e-6, "bandwidth");
    cr_expect(isinf(model.rate));
    for (unsigned i = 0; i < SIZES; i++) {
        double n = pow(2, i); /* images: the filters are the same for all */
        sample[i] = (struct cost_sample){ .bytes = 1.6e6 * n + 1.5e5, .flops = 2.3e8 * n };
        sample[i].seconds = (1e-4 + sample[i].flops / 200e9) * (1 + 0.02 * random_uniform(DTYPE_F64, 1, 0, i));
    }
    cr_assert(cost_fit(&model, sample, SIZES));
    expect_near(model.rate, 200e9, 0.05, "rate of much work on few bytes");
}

/* Times that fall with the size would need a negative part. */
/* Work fits the times by half a percent better than bytes do: by chance. */
Test(costmodel, of_two_parts_that_fit_almost_alike_the_likelier_is_kept)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    for (unsigned i = 0; i < SIZES; i++) {
        double n = 1000 * pow(4, i), sign = i % 2 ? -1 : 1;
        sample[i] = (struct cost_sample){ .bytes = 12 * n, .flops = n * (1 + 2.5e-5 * sign) };
        sample[i].seconds = sample[i].bytes / 10e9 * (1 + 0.01 * sign);
    }
    cr_assert(cost_fit(&model, sample, SIZES));
    cr_expect(isinf(model.rate), "%g FLOP/s", model.rate);
    expect_near(model.bandwidth, 10e9, 0.02, "bandwidth");
}

Test(costmodel, no_part_is_ever_negative)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    for (unsigned seed = 0; seed < 200; seed++) {
        squares_and_cubes(sample, 20e-6, 10e9, 200e9);
        for (unsigned i = 0; i < SIZES; i++)
            sample[i].seconds = 1e-5 * exp(3 * random_uniform(DTYPE_F64, seed, 0, i));
        cr_assert(cost_fit(&model, sample, SIZES));
        cr_expect(model.launch >= 0 && model.bandwidth > 0 && model.rate > 0 && isfinite(model.worst));
    }
}

/* No set of parts is better: moving any of them makes the squares larger. */
static double squares(const struct cost_model *model, const struct cost_sample sample[])
{
    double sum = 0;
    for (unsigned i = 0; i < SIZES; i++)
        sum += pow(cost_seconds(model, sample[i].bytes, sample[i].flops) / sample[i].seconds - 1, 2);
    return sum;
}

Test(costmodel, with_noise_the_fit_is_the_best_possible)
{
    struct cost_sample sample[SIZES];
    for (unsigned seed = 0; seed < 200; seed++) {
        struct cost_model model;
        squares_and_cubes(sample, 20e-6, 10e9, 200e9);
        for (unsigned i = 0; i < SIZES; i++)
            sample[i].seconds *= 1 + 0.05 * random_uniform(DTYPE_F64, seed, 0, i);
        cr_assert(cost_fit(&model, sample, SIZES));
        const double least = squares(&model, sample);
        for (int step = -1; step <= 1; step += 2) {
            struct cost_model other = model;
            other.launch = fmax(0, model.launch + step * 1e-8);
            cr_expect_geq(squares(&other, sample), least - 1e-12);
            other = model;
            other.bandwidth = 1 / fmax(0, 1 / model.bandwidth + step * 1e-13);
            cr_expect_geq(squares(&other, sample), least - 1e-12);
            other = model;
            other.rate = 1 / fmax(0, 1 / model.rate + step * 1e-14);
            cr_expect_geq(squares(&other, sample), least - 1e-12);
        }
        expect_near(model.launch, 20e-6, 0.2, "launch under noise");
        expect_near(model.rate, 200e9, 0.2, "rate under noise");
        cr_expect_lt(model.worst, 0.15);
    }
}

/* A cache that is outgrown: ten times the bandwidth below. */
Test(costmodel, two_bandwidths_do_not_fit_and_the_largest_error_says_so)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    for (unsigned i = 0; i < SIZES; i++) {
        double n = 1000 * pow(4, i), bandwidth = i < 5 ? 300e9 : 30e9;
        sample[i] = (struct cost_sample){ .bytes = 12 * n, .flops = n, .seconds = 1e-7 + 12 * n / bandwidth };
    }
    cr_assert(cost_fit(&model, sample, SIZES));
    cr_expect_gt(model.worst, 0.25);
}

Test(costmodel, invalid_times_are_ignored)
{
    struct cost_sample sample[SIZES];
    struct cost_model model;
    squares_and_cubes(sample, 20e-6, 10e9, 200e9);
    sample[0].seconds = NAN;
    sample[3].seconds = 0;
    sample[5].seconds = INFINITY;
    cr_assert(cost_fit(&model, sample, SIZES));
    expect_near(model.rate, 200e9, 1e-6, "rate");
    cr_expect_not(cost_fit(&model, sample, 2), "two samples, one of them unusable");
    cr_expect_not(cost_fit(&model, sample, 0));
}
