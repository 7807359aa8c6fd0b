#include "harness/analysis/costmodel.h"

#include <math.h>
#include <string.h>

/* The parts that a time consists of, as bits of a set. */
enum { LAUNCH, BYTES, WORK, PARTS, SETS = 1 << PARTS };
enum { SAMPLES_MIN = 3 };

/* Columns that differ by less are linearly dependent: their fit would be two huge numbers of opposite signs. */
static const double same = 1e-9;

/* A further part must improve the squares beyond rounding; another part of the same number, clearly. */
static const double seen = 1 - 1e-9, clearly = 0.99, rounding = 1e-20;

/* FLOP per byte above which time is more likely spent on work than on bytes. */
static const double heavy = 32;

/* Sums over the samples of products of columns. The last column is the right-hand side: 1, as each sample is divided by
 * its time. */
struct squares {
    double sum[PARTS + 1][PARTS + 1];
    double scale[PARTS]; /* columns were divided by these, to be of similar size */
};

static bool is_usable(const struct cost_sample *sample)
{
    return sample->seconds > 0 && isfinite(sample->seconds) && sample->bytes >= 0 && sample->flops >= 0;
}

static void columns_of(const struct cost_sample *sample, const double scale[], double out[PARTS + 1])
{
    const double part[PARTS] = { [LAUNCH] = 1, [BYTES] = sample->bytes, [WORK] = sample->flops };
    for (unsigned i = 0; i < PARTS; i++)
        out[i] = scale[i] > 0 ? part[i] / sample->seconds / scale[i] : 0;
    out[PARTS] = 1;
}

static unsigned squares_read(struct squares *out, const struct cost_sample sample[], unsigned count)
{
    static const double plain[PARTS] = { 1, 1, 1 };
    double column[PARTS + 1];
    unsigned used = 0;
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; k < count; k++) {
        if (!is_usable(&sample[k]))
            continue;
        used++;
        columns_of(&sample[k], plain, column);
        for (unsigned i = 0; i < PARTS; i++)
            out->scale[i] = fmax(out->scale[i], column[i]);
    }
    for (unsigned k = 0; k < count; k++) {
        if (!is_usable(&sample[k]))
            continue;
        columns_of(&sample[k], out->scale, column);
        for (unsigned i = 0; i <= PARTS; i++)
            for (unsigned j = 0; j <= PARTS; j++)
                out->sum[i][j] += column[i] * column[j];
    }
    return used;
}

/* Gaussian elimination without pivoting: the matrix is symmetric positive semidefinite. Parts outside the set stay 0.
 * False if two parts are linearly dependent or one is not positive. */
static bool solve(const struct squares *squares, unsigned set, double out[PARTS])
{
    double m[PARTS][PARTS + 1];
    memset(out, 0, PARTS * sizeof *out);
    for (unsigned i = 0; i < PARTS; i++)
        for (unsigned j = 0; j <= PARTS; j++)
            m[i][j] = squares->sum[i][j];
    for (unsigned i = 0; i < PARTS; i++) {
        if (!(set & 1u << i))
            continue;
        if (!(m[i][i] > same * squares->sum[i][i]))
            return false;
        for (unsigned k = i + 1; k < PARTS; k++) {
            double times = m[k][i] / m[i][i];
            for (unsigned j = 0; j <= PARTS; j++)
                m[k][j] -= times * m[i][j];
        }
    }
    for (unsigned i = PARTS; i-- > 0;) {
        if (!(set & 1u << i))
            continue;
        double rest = m[i][PARTS];
        for (unsigned j = i + 1; j < PARTS; j++)
            rest -= m[i][j] * out[j];
        out[i] = rest / m[i][i];
        if (!(out[i] > 0))
            return false;
    }
    return true;
}

static struct cost_model model_of(const struct squares *squares, const double part[PARTS])
{
    double real[PARTS];
    for (unsigned i = 0; i < PARTS; i++)
        real[i] = part[i] > 0 ? part[i] / squares->scale[i] : 0;
    return (struct cost_model){ .launch = real[LAUNCH], .bandwidth = 1 / real[BYTES], .rate = 1 / real[WORK] };
}

/* Sum of squared relative errors; the largest of them becomes model->worst. From the samples themselves: in the sums
 * over them a small rest would be lost to rounding. */
static double error_of(struct cost_model *model, const struct cost_sample sample[], unsigned count)
{
    double error = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!is_usable(&sample[i]))
            continue;
        double off = fabs(cost_seconds(model, sample[i].bytes, sample[i].flops) / sample[i].seconds - 1);
        error += off * off;
        model->worst = fmax(model->worst, off);
    }
    return error;
}

static bool is_heavy(const struct cost_sample sample[], unsigned count)
{
    double bytes = 0, flops = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_usable(&sample[i])) {
            bytes += sample[i].bytes;
            flops += sample[i].flops;
        }
    return flops > heavy * bytes;
}

static unsigned size_of(unsigned set)
{
    return (set >> LAUNCH & 1) + (set >> BYTES & 1) + (set >> WORK & 1);
}

/* With three parts the best non-negative solution is found by trying each subset, smaller ones first: a simpler model
 * is kept unless a larger one improves it, and of bytes and work that grow alike the likelier one. */
bool cost_fit(struct cost_model *out, const struct cost_sample sample[], unsigned count)
{
    const unsigned one = is_heavy(sample, count) ? 1 << WORK : 1 << BYTES, other = (1 << BYTES | 1 << WORK) ^ one;
    const unsigned sets[SETS - 1] = {
        1 << LAUNCH, one, other, 1 << LAUNCH | one, 1 << LAUNCH | other, one | other, 1 << LAUNCH | one | other
    };
    struct squares squares;
    double part[PARTS], least = INFINITY;
    unsigned best = 0;
    if (squares_read(&squares, sample, count) < SAMPLES_MIN)
        return false;
    for (unsigned i = 0; i < SETS - 1; i++) {
        if (!solve(&squares, sets[i], part))
            continue;
        struct cost_model model = model_of(&squares, part);
        double error = error_of(&model, sample, count);
        if (!(error < least * (size_of(sets[i]) == size_of(best) ? clearly : seen) - rounding))
            continue;
        least = error;
        best = sets[i];
        *out = model;
    }
    return true;
}

double cost_seconds(const struct cost_model *model, double bytes, double flops)
{
    return model->launch + bytes / model->bandwidth + flops / model->rate;
}
