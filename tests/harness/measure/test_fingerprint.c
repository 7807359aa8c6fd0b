#include "harness/measure/fingerprint.h"

#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of 512 f32 elements; the last one has three. */
enum { BLOCK = FINGERPRINT_BYTES / 4, BLOCKS = 40, COUNT = (BLOCKS - 1) * BLOCK + 3 };

static float *result_new(void)
{
    float *x = malloc(COUNT * sizeof *x);
    random_fill(x, DTYPE_F32, 0, COUNT, 7, 0, NULL);
    return x;
}

static void remember(struct fingerprint *known, const float *x)
{
    struct differences differences;
    cr_assert(fingerprint_compare(known, x, COUNT * sizeof *x, &differences, NULL));
    fingerprint_accept(known, &differences);
}

/* Exactly this block differs; none if it is negative. */
static void assert_differs(const struct fingerprint *known, const float *x, int64_t block)
{
    struct differences differences;
    cr_assert(fingerprint_compare(known, x, COUNT * sizeof *x, &differences, NULL));
    cr_assert_eq(differences.count, block >= 0, "%lld blocks differ", (long long)differences.count);
    if (block >= 0)
        cr_assert_eq(differences.block[0], block);
    fingerprint_refuse(&differences);
}

Test(fingerprint, every_block_of_the_first_result_is_new)
{
    struct fingerprint known = { 0 };
    struct differences differences;
    float *x = result_new();
    cr_assert(fingerprint_compare(&known, x, COUNT * sizeof *x, &differences, NULL));
    cr_assert_eq(differences.count, BLOCKS);
    for (int64_t i = 0; i < BLOCKS; i++)
        cr_assert_eq(differences.block[i], i);
    fingerprint_accept(&known, &differences);
    assert_differs(&known, x, -1);
    fingerprint_forget(&known);
    cr_assert(fingerprint_compare(&known, x, COUNT * sizeof *x, &differences, NULL));
    cr_assert_eq(differences.count, BLOCKS);
    fingerprint_refuse(&differences);
    free(x);
}

Test(fingerprint, one_changed_bit_is_found_wherever_it_is)
{
    struct fingerprint known = { 0 };
    float *x = result_new();
    remember(&known, x);
    for (unsigned i = 0; i < 400; i++) {
        size_t byte = i == 0 ? 0 : i == 1 ? COUNT * sizeof *x - 1 : random_bits(11, 0, i) % (COUNT * sizeof *x);
        ((unsigned char *)x)[byte] ^= (unsigned char)(1u << i % 8);
        assert_differs(&known, x, (int64_t)(byte / FINGERPRINT_BYTES));
        ((unsigned char *)x)[byte] ^= (unsigned char)(1u << i % 8);
    }
    fingerprint_forget(&known);
    free(x);
}

/* Fixed weights of 1 would miss both. */
Test(fingerprint, elements_that_changed_places_and_errors_that_add_up_to_nothing_are_found)
{
    struct fingerprint known = { 0 };
    float *x = result_new();
    uint64_t word[2];
    remember(&known, x);
    memcpy(word, x + 4 * BLOCK, sizeof word);
    memcpy(x + 4 * BLOCK, &word[1], sizeof *word);
    memcpy(x + 4 * BLOCK + 2, &word[0], sizeof *word);
    assert_differs(&known, x, 4);
    word[0]++, word[1]--;
    memcpy(x + 4 * BLOCK, word, sizeof word);
    assert_differs(&known, x, 4);
    fingerprint_forget(&known);
    free(x);
}

/* Odd weights alone would miss two highest bits of words: 2^63 times an odd number is 2^63. */
Test(fingerprint, signs_are_found_in_pairs_and_in_a_whole_block)
{
    static const struct {
        int first, step, count; /* f32 words of which the sign is wrong */
    } wrong[] = { { 1, 2, 2 }, { 1, 2, BLOCK / 2 }, { 0, 1, BLOCK }, { 0, 1, 2 }, { 0, 2, 2 } };
    struct fingerprint known = { 0 };
    float *x = result_new();
    for (unsigned i = 0; i < 100; i++) {
        const unsigned kind = i % (sizeof wrong / sizeof *wrong);
        remember(&known, x);
        for (int j = 0; j < wrong[kind].count; j++) {
            float *one = &x[4 * BLOCK + wrong[kind].first + j * wrong[kind].step];
            *one = -*one;
        }
        assert_differs(&known, x, 4);
    }
    fingerprint_forget(&known);
    free(x);
}

Test(fingerprint, no_comparison_uses_the_weights_of_another)
{
    struct fingerprint known = { 0 };
    float *x = result_new();
    uint64_t seed[20], first[20];
    for (unsigned i = 0; i < 20; i++) {
        remember(&known, x);
        seed[i] = known.seed;
        first[i] = known.sum[0];
        for (unsigned j = 0; j < i; j++)
            cr_assert(seed[i] != seed[j] && first[i] != first[j], "comparisons %u and %u", j, i);
    }
    fingerprint_forget(&known);
    free(x);
}

static void truth(const void *context, int64_t index, double *value, double *bound)
{
    *value = random_uniform(DTYPE_F32, 7, 0, (uint64_t)index);
    *bound = *(const double *)context;
}

static bool blocks_are_right(const float *x, const int64_t number[], int64_t count, int64_t sample, double bound,
                             struct verification *out, struct error *err)
{
    const struct blocks blocks = { number, count, BLOCK };
    return verify_sample(out, x, DTYPE_F32, COUNT, &blocks, sample, 5, truth, &bound, err);
}

Test(fingerprint, only_the_elements_of_these_blocks_are_compared)
{
    static const int64_t some[] = { 3, 17, BLOCKS - 1 };
    struct verification verification;
    struct error err = { .status = STATUS_OK };
    float *x = result_new();
    x[4 * BLOCK] = NAN;
    cr_assert(blocks_are_right(x, some, 3, COUNT, 0, &verification, &err), "%s", err.message);
    cr_assert(verification.checked == 2 * BLOCK + 3 && verification.of == COUNT && !verification.is_sample);
    cr_assert(blocks_are_right(x, some, 3, 100, 0, &verification, &err), "%s", err.message);
    cr_assert(verification.checked == 100 && verification.is_sample);
    static const int64_t wrong[] = { 3 * BLOCK, 4 * BLOCK - 1, 17 * BLOCK + 99, COUNT - 3, COUNT - 1 };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        float kept = x[wrong[i]];
        char start[64];
        x[wrong[i]] += 2;
        err = (struct error){ .status = STATUS_OK };
        snprintf(start, sizeof start, "element %lld of %d is ", (long long)wrong[i], COUNT);
        cr_assert_not(blocks_are_right(x, some, 3, COUNT, 1e-3, &verification, &err));
        cr_assert_eq(err.status, STATUS_WRONG);
        cr_assert_eq(strncmp(err.message, start, strlen(start)), 0, "%s", err.message);
        x[wrong[i]] = kept;
    }
    free(x);
}
