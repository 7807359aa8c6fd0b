#include "harness/measure/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Made by a second implementation, in another language and with whole numbers of any size. */
static const struct {
    uint64_t seed, stream, index, bits;
    int64_t uniform;   /* in units of 2^-23 */
    int64_t of_4096_s; /* integer of the range 4096 */
} golden[] = {
    { 1, 0, 0, 0xb18a02f46d8d86c3, 3246594, 1585 },
    { 1, 0, 1, 0xf8c5b62c83f707e8, 7914934, 3865 },
    { 1, 1, 0, 0x9edbe9bd18ad781d, 2022377, 988 },
    { 2, 0, 0, 0x1956ecd1a275ec95, -6727956, -3286 },
    { 0, 0, 0, 0x238275bc38fcbe91, -6061451, -2960 },
    { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x179f01f0d2fba97a, -6840575, -3341 },
    { 42, 7, 39999999, 0x9ea8c7beff075463, 2009287, 981 },
    { 1, 2, UINT64_C(1) << 40, 0xbfc59cde56d15362, 4179356, 2041 },
};

Test(random, gives_the_same_numbers_on_every_machine)
{
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uint64_t seed = golden[i].seed, stream = golden[i].stream, index = golden[i].index;
        cr_assert_eq(random_bits(seed, stream, index), golden[i].bits, "row %zu", i);
        cr_assert_eq(random_uniform(DTYPE_F32, seed, stream, index), (double)golden[i].uniform * 0x1p-23, "row %zu", i);
        cr_assert_eq(random_uniform(DTYPE_F64, seed, stream, index),
                     ((double)(golden[i].bits >> 11) - 0x1p52) * 0x1p-52, "row %zu", i);
        cr_assert_eq(random_integer(seed, stream, index, &(struct integers){ 4096, 1 }), golden[i].of_4096_s, "row %zu",
                     i);
    }
}

Test(random, fills_what_it_gives_one_by_one)
{
    enum { BEGIN = 5, END = 100001 };
    float *f = malloc((END + 1) * sizeof *f);
    double *d = malloc((END + 1) * sizeof *d);
    memset(f, 0, (END + 1) * sizeof *f);
    memset(d, 0, (END + 1) * sizeof *d);

    random_fill(f, DTYPE_F32, BEGIN, END, 3, 1, NULL);
    random_fill(d, DTYPE_F64, BEGIN, END, 3, 1, NULL);
    for (uint64_t i = BEGIN; i < END; i++) {
        cr_assert_eq(f[i], random_uniform(DTYPE_F32, 3, 1, i));
        cr_assert_eq(d[i], random_uniform(DTYPE_F64, 3, 1, i));
    }
    random_fill(f, DTYPE_F32, BEGIN, END, 3, 1, &(struct integers){ 4096, 1 });
    random_fill(d, DTYPE_F64, BEGIN, END, 3, 1, &(struct integers){ 1 << 26, 1 });
    for (uint64_t i = BEGIN; i < END; i++) {
        cr_assert_eq(f[i], random_integer(3, 1, i, &(struct integers){ 4096, 1 }));
        cr_assert_eq(d[i], random_integer(3, 1, i, &(struct integers){ 1 << 26, 1 }));
    }
    cr_assert(f[BEGIN - 1] == 0 && f[END] == 0 && d[BEGIN - 1] == 0 && d[END] == 0, "wrote outside its window");
    free(f);
    free(d);
}

Test(random, is_uniform_in_its_interval)
{
    enum { COUNT = 1 << 20, BINS = 256 };
    double sum = 0, squares = 0, low = 1, high = -1;
    unsigned bins[BINS] = { 0 };
    for (uint64_t i = 0; i < COUNT; i++) {
        double x = random_uniform(DTYPE_F64, 1, 0, i), coarse = random_uniform(DTYPE_F32, 1, 0, i);
        cr_assert(coarse <= x && x < coarse + 0x1p-23);
        sum += x;
        squares += x * x;
        low = fmin(low, x);
        high = fmax(high, x);
        bins[(unsigned)((x + 1) * BINS / 2)]++;
    }
    cr_assert(low >= -1 && low < -0.999 && high > 0.999 && high < 1);
    /* Mean 0 and variance 1/3, within five standard errors. */
    cr_assert_lt(fabs(sum / COUNT), 5 * sqrt(1.0 / 3 / COUNT));
    cr_assert_lt(fabs(squares / COUNT - 1.0 / 3), 5 * sqrt(4.0 / 45 / COUNT));

    double chi_square = 0, expected = (double)COUNT / BINS;
    for (unsigned i = 0; i < BINS; i++)
        chi_square += (bins[i] - expected) * (bins[i] - expected) / expected;
    cr_assert_lt(fabs(chi_square - (BINS - 1)), 5 * sqrt(2.0 * (BINS - 1)), "chi-square %g", chi_square);
}

Test(random, gives_every_integer_of_a_range_and_no_other)
{
    unsigned seen[7] = { 0 };
    for (uint64_t i = 0; i < 70000; i++) {
        int64_t x = random_integer(1, 0, i, &(struct integers){ 3, 1 });
        cr_assert(x >= -3 && x <= 3);
        seen[x + 3]++;
    }
    for (unsigned i = 0; i < 7; i++)
        cr_assert(seen[i] > 9500 && seen[i] < 10500, "%u times %d", seen[i], (int)i - 3);
    cr_assert_eq(random_integer(1, 0, 0, &(struct integers){ 0, 1 }), 0);
}

Test(random, thins_integers_to_one_in_so_many)
{
    for (int64_t one_in = 1; one_in <= 4; one_in++) {
        unsigned kept = 0;
        for (uint64_t i = 0; i < 60000; i++)
            kept += random_integer(1, 0, i, &(struct integers){ INT64_MAX / 2, one_in }) != 0;
        cr_expect_float_eq(kept * (double)one_in / 60000, 1, 0.03, "one in %d: %u of 60000", (int)one_in, kept);
    }
}

Test(random, keeps_its_range_up_to_the_largest)
{
    for (uint64_t i = 0; i < 1000; i++) {
        int64_t x = random_integer(1, 0, i, &(struct integers){ INT64_MAX, 1 });
        cr_assert_neq(x, INT64_MIN);
    }
}

/* Correlation of two sequences of independent uniform numbers is within five standard errors of 0. */
static void assert_independent(uint64_t seed_a, uint64_t stream_a, uint64_t seed_b, uint64_t stream_b, uint64_t shift)
{
    enum { COUNT = 1 << 16 };
    double products = 0;
    for (uint64_t i = 0; i < COUNT; i++)
        products +=
            random_uniform(DTYPE_F32, seed_a, stream_a, i) * random_uniform(DTYPE_F32, seed_b, stream_b, i + shift);
    cr_assert_lt(fabs(products / COUNT), 5.0 / 3 / sqrt(COUNT), "seeds %d and %d, streams %d and %d, shift %d",
                 (int)seed_a, (int)seed_b, (int)stream_a, (int)stream_b, (int)shift);
}

Test(random, has_independent_streams_seeds_and_neighbours)
{
    for (uint64_t shift = 0; shift < 4; shift++) {
        assert_independent(1, 0, 1, 1, shift);
        assert_independent(1, 0, 2, 0, shift);
        assert_independent(1, 1, 2, 0, shift);
        assert_independent(0, 0, 1, 0, shift);
        if (shift > 0)
            assert_independent(1, 0, 1, 0, shift);
    }
}

Test(random, gives_i8_every_whole_number_from_minus_64_to_63)
{
    enum { COUNT = 1 << 16 };
    static int8_t x[COUNT];
    unsigned bins[128] = { 0 };
    random_fill(x, DTYPE_I8, 0, COUNT, 5, 2, NULL);
    for (uint64_t i = 0; i < COUNT; i++) {
        cr_assert(x[i] >= -64 && x[i] <= 63);
        cr_assert_eq(x[i], random_uniform(DTYPE_I8, 5, 2, i));
        bins[x[i] + 64]++;
    }
    for (size_t i = 0; i < 128; i++) /* 512 each, within six standard deviations */
        cr_assert(bins[i] > 376 && bins[i] < 648, "%u times %d", bins[i], (int)i - 64);
}
