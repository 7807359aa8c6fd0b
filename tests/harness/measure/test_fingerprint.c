#include "harness/measure/fingerprint.h"

#include "harness/measure/random.h"

#include <criterion/criterion.h>
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
