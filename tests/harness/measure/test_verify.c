#include "harness/measure/verify.h"

#include "harness/base/element.h"
#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100003 }; /* odd: no part of a check divides it */
static const double bound = 1e-3;

/* The right answer, as operands of a workload would give it: whole numbers from -1000 to 1000, none of them 0. */
static double right(int64_t index)
{
    int64_t x = random_integer(1, 0, (uint64_t)index, &(struct integers){ 999, 1 });
    return (double)(x < 0 ? x : x + 1);
}

static void exact(const void *context, int64_t index, double *value, double *allowed)
{
    *value = right(index);
    *allowed = 0;
}

static void within_bound(const void *context, int64_t index, double *value, double *allowed)
{
    exact(context, index, value, allowed);
    *allowed = bound;
}

static float *answer_f32(void)
{
    float *x = malloc(COUNT * sizeof *x);
    for (int64_t i = 0; i < COUNT; i++)
        x[i] = (float)right(i);
    return x;
}

static double *answer_f64(void)
{
    double *x = malloc(COUNT * sizeof *x);
    for (int64_t i = 0; i < COUNT; i++)
        x[i] = right(i);
    return x;
}

static bool all_right(const void *output, enum dtype dtype, one_truth *truth, struct error *err)
{
    struct verification verdict;
    return verify_all(&verdict, output, dtype, COUNT, truth, NULL, err);
}

/* The output is found wrong, at this element. */
static void assert_wrong(const void *output, enum dtype dtype, one_truth *truth, int64_t index)
{
    struct error err = { 0 };
    cr_assert_not(all_right(output, dtype, truth, &err));
    cr_assert_eq(err.status, STATUS_WRONG);
    char start[64];
    snprintf(start, sizeof start, "element %lld of %d ", (long long)index, COUNT);
    cr_assert_eq(strncmp(err.message, start, strlen(start)), 0, "%s", err.message);
}

Test(verify, accepts_a_right_answer)
{
    struct verification verdict;
    struct error err = { 0 };
    float *x = answer_f32();
    cr_assert(verify_all(&verdict, x, DTYPE_F32, COUNT, exact, NULL, &err), "%s", err.message);
    cr_assert(verdict.checked == COUNT && verdict.of == COUNT && verdict.largest_error == 0 && !verdict.weak);
    cr_assert(verify_sample(&verdict, x, DTYPE_F32, COUNT, NULL, 1000, 1, within_bound, NULL, &err), "%s", err.message);
    cr_assert(verdict.checked == 1000 && verdict.of == COUNT && !verdict.weak);
    free(x);

    double *y = answer_f64();
    cr_assert(verify_all(&verdict, y, DTYPE_F64, COUNT, exact, NULL, &err), "%s", err.message);
    free(y);
}

Test(verify, catches_one_element_off_by_one_unit_in_the_last_place)
{
    static const int64_t places[] = { 0, 1, 4095, 4096, COUNT / 2, COUNT - 2, COUNT - 1 };
    float *x = answer_f32();
    double *y = answer_f64();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int64_t at = places[i];
        x[at] = nextafterf(x[at], 2000);
        y[at] = nextafter(y[at], -2000);
        assert_wrong(x, DTYPE_F32, exact, at);
        assert_wrong(y, DTYPE_F64, exact, at);
        x[at] = (float)right(at);
        y[at] = right(at);
    }
    free(x);
    free(y);
}

Test(verify, catches_every_kind_of_wrong_answer)
{
    float *x = answer_f32();

    for (int64_t i = 5000; i < 5100; i++)
        x[i] = (float)right(i + 1); /* one row, of the neighbour's values */
    assert_wrong(x, DTYPE_F32, within_bound, 5000);
    for (int64_t i = 5000; i < 5100; i++)
        x[i] = (float)right(i);

    x[17] = NAN;
    assert_wrong(x, DTYPE_F32, within_bound, 17);
    x[17] = INFINITY;
    assert_wrong(x, DTYPE_F32, within_bound, 17);
    x[17] = -(float)right(17);
    assert_wrong(x, DTYPE_F32, within_bound, 17);
    x[17] = 0;
    assert_wrong(x, DTYPE_F32, within_bound, 17);
    x[17] = (float)right(17);

    int64_t other = 18;
    while (right(other) == right(17))
        other++;
    x[17] = (float)right(other);
    x[other] = (float)right(17); /* swapped */
    assert_wrong(x, DTYPE_F32, within_bound, 17);
    x[17] = (float)right(17);
    assert_wrong(x, DTYPE_F32, within_bound, other);

    memset(x, 0, COUNT * sizeof *x);
    assert_wrong(x, DTYPE_F32, within_bound, 0);
    random_fill(x, DTYPE_F32, 0, COUNT, 2, 0, &(struct integers){ 1000, 1 }); /* stale: the result of other operands */
    assert_wrong(x, DTYPE_F32, within_bound, 0);
    free(x);
}

Test(verify, reports_an_element_that_was_never_written)
{
    float *x = answer_f32();
    double *y = answer_f64();
    verify_poison(x + COUNT - 1, DTYPE_F32, 1); /* a forgotten tail */
    verify_poison(y + 12345, DTYPE_F64, 1);
    struct error err = { 0 };
    cr_assert_not(all_right(x, DTYPE_F32, exact, &err));
    cr_assert(strstr(err.message, "element 100002 of 100003 was never written, should be "), "%s", err.message);
    err = (struct error){ 0 };
    cr_assert_not(all_right(y, DTYPE_F64, exact, &err));
    cr_assert(strstr(err.message, "element 12345 of 100003 was never written"), "%s", err.message);

    err = (struct error){ 0 };
    y[12345] = NAN;
    cr_assert_not(all_right(y, DTYPE_F64, exact, &err));
    cr_assert(strstr(err.message, "is not a number"), "%s", err.message);
    free(x);
    free(y);
}

Test(verify, poisons_the_whole_of_an_output_and_nothing_else)
{
    float *x = answer_f32();
    verify_poison(x + 1, DTYPE_F32, COUNT - 2);
    cr_assert_eq(x[0], right(0));
    cr_assert_eq(x[COUNT - 1], right(COUNT - 1));
    for (int64_t i = 1; i < COUNT - 1; i++)
        cr_assert(isnan(x[i]));
    assert_wrong(x, DTYPE_F32, within_bound, 1);
    free(x);
}

Test(verify, names_the_first_of_many_wrong_elements)
{
    float *x = answer_f32();
    for (int64_t i = 60001; i < COUNT; i += 97)
        x[i] += 1;
    x[33333] += 1;
    assert_wrong(x, DTYPE_F32, exact, 33333);
    free(x);
}

Test(verify, names_the_value_and_the_expected_one)
{
    float *x = answer_f32();
    struct error err = { 0 };
    double wanted = right(17);
    char sentence[200];
    x[17] = 0.25f;
    snprintf(sentence, sizeof sentence, "element 17 of %d is 0.25, should be %g (allowed error 0.001)", COUNT, wanted);
    cr_assert_not(all_right(x, DTYPE_F32, within_bound, &err));
    cr_assert_str_eq(err.message, sentence);
    free(x);
}

Test(verify, accepts_errors_up_to_the_bound)
{
    struct verification verdict;
    struct error err = { 0 };
    double *x = answer_f64();
    x[777] += bound * (1 - 1e-9);
    cr_assert(verify_all(&verdict, x, DTYPE_F64, COUNT, within_bound, NULL, &err), "%s", err.message);
    cr_assert_float_eq(verdict.largest_error, bound, 1e-9);
    x[777] = right(777) + bound * (1 + 1e-9);
    assert_wrong(x, DTYPE_F64, within_bound, 777);
    x[777] = right(777) - bound * (1 + 1e-9);
    assert_wrong(x, DTYPE_F64, within_bound, 777);
    free(x);
}

/* One element of value 3 among ones, as an f32: the smallest error that the exact check sees everywhere is that of 3.
 */
static void mostly_ones(const void *context, int64_t index, double *value, double *allowed)
{
    *value = index == 2 ? 3 : 1;
    *allowed = 0;
}

Test(verify, catches_exactly_the_smallest_error_that_it_records)
{
    struct verification verdict;
    struct error err = { 0 };
    float x[4] = { 1, 1, 3, 1 };
    cr_assert(verify_all(&verdict, x, DTYPE_F32, 4, mostly_ones, NULL, &err));
    cr_assert_eq(verdict.smallest_error, 0x1p-22); /* the spacing of f32 from 2 to 4 */
    for (int i = 0; i < 4; i++) {
        float kept = x[i];
        x[i] = kept + (float)verdict.smallest_error;
        struct verification again;
        cr_assert_not(verify_all(&again, x, DTYPE_F32, 4, mostly_ones, NULL, NULL), "element %d", i);
        x[i] = kept;
    }

    /* With a bound: that error is caught at the element it belongs to, the next smaller one is not. */
    float *y = answer_f32();
    cr_assert(verify_all(&verdict, y, DTYPE_F32, COUNT, within_bound, NULL, &err), "%s", err.message);
    int64_t largest = 0;
    for (int64_t i = 0; i < COUNT; i++)
        largest = right(i) > right(largest) ? i : largest;
    cr_assert_gt(verdict.smallest_error, bound);
    y[largest] = (float)(right(largest) + verdict.smallest_error);
    cr_assert_eq((double)y[largest], right(largest) + verdict.smallest_error);
    assert_wrong(y, DTYPE_F32, within_bound, largest);
    y[largest] = nextafterf(y[largest], 0);
    cr_assert(all_right(y, DTYPE_F32, within_bound, &err), "%s", err.message);
    free(y);
}

static void same(const void *context, int64_t index, double *value, double *allowed)
{
    *value = *(const double *)context;
    *allowed = 0;
}

/* Of each type at 0, at 1, on both sides of its least normal number, and at its largest. */
Test(verify, the_smallest_error_is_the_distance_to_the_next_number_of_the_type)
{
    static const struct {
        enum dtype dtype;
        double value, error;
    } rows[] = {
        { DTYPE_F16, 0, 0x1p-24 },
        { DTYPE_F16, 0x1p-14 - 0x1p-24, 0x1p-24 },
        { DTYPE_F16, 0x1p-14, 0x1p-24 },
        { DTYPE_F16, 0x1p-13, 0x1p-23 },
        { DTYPE_F16, 1, 0x1p-10 },
        { DTYPE_F16, 65504, INFINITY },
        { DTYPE_BF16, 0, 0x1p-133 },
        { DTYPE_BF16, 0x1p-126 - 0x1p-133, 0x1p-133 },
        { DTYPE_BF16, 0x1p-126, 0x1p-133 },
        { DTYPE_BF16, 0x1p-125, 0x1p-132 },
        { DTYPE_BF16, 1, 0x1p-7 },
        { DTYPE_BF16, 0x1.fep127, INFINITY },
        { DTYPE_F32, 0, 0x1p-149 },
        { DTYPE_F32, 0x1p-126, 0x1p-149 },
        { DTYPE_F32, 1, 0x1p-23 },
        { DTYPE_F32, 0x1.fffffep127, INFINITY },
        { DTYPE_TF32, 1, 0x1p-23 },
        { DTYPE_F64, 0, 0x1p-1074 },
        { DTYPE_F64, 1, 0x1p-52 },
        { DTYPE_I8, 100, 1 },
        { DTYPE_I32, 100, 1 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double x[2];
        struct verification verdict;
        struct error err = { 0 };
        for (unsigned k = 0; k < 2; k++)
            element_put(x, rows[i].dtype, k, rows[i].value);
        cr_assert(verify_all(&verdict, x, rows[i].dtype, 2, same, &rows[i].value, &err), "%u: %s", i, err.message);
        cr_expect_eq(verdict.smallest_error, rows[i].error, "%s at %g: %g", dtype_name(rows[i].dtype), rows[i].value,
                     verdict.smallest_error);
    }
}

/* Ones, with the allowed error in the context. */
static void ones(const void *context, int64_t index, double *value, double *allowed)
{
    *value = 1;
    *allowed = *(const double *)context;
}

Test(verify, calls_a_check_weak_that_zeros_would_pass)
{
    static const struct {
        double bound;
        bool weak;
    } rows[] = { { 0, false }, { 1e-7, false }, { 0.99, false }, { 1, true }, { 10, true } };
    float x[4] = { 1, 1, 1, 1 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verification verdict;
        cr_assert(verify_all(&verdict, x, DTYPE_F32, 4, ones, &rows[i].bound, NULL));
        cr_assert_eq(verdict.weak, rows[i].weak, "allowed error %g", rows[i].bound);
    }
    struct verification nothing;
    cr_assert(verify_all(&nothing, x, DTYPE_F32, 0, ones, &rows[0].bound, NULL));
    cr_assert(nothing.weak && nothing.checked == 0, "a check of no element proves nothing");
}

Test(verify, refuses_a_truth_that_is_not_finite)
{
    static const double nonsense[] = { NAN, INFINITY, -1 };
    float x[4] = { 1, 1, 1, 1 };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct verification verdict;
        struct error err = { 0 };
        cr_assert_not(verify_all(&verdict, x, DTYPE_F32, 4, ones, &nonsense[i], &err));
        cr_assert_eq(err.status, STATUS_FAILED);
        cr_assert(strstr(err.message, "element 0 of 4 cannot be checked"), "%s", err.message);
    }
}

/* Notes which elements are asked for. */
static void noting(const void *context, int64_t index, double *value, double *allowed)
{
    unsigned char *const *asked = context;
    (*asked)[index]++;
    exact(NULL, index, value, allowed);
}

static void sample_into(unsigned char *asked, int64_t sample, uint64_t seed)
{
    float *x = answer_f32();
    struct verification verdict;
    memset(asked, 0, COUNT);
    cr_assert(verify_sample(&verdict, x, DTYPE_F32, COUNT, NULL, sample, seed, noting, &asked, NULL));
    int64_t distinct = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        cr_assert_leq(asked[i], 1);
        distinct += asked[i];
    }
    cr_assert_eq(verdict.checked, distinct);
    cr_assert(asked[0] && asked[COUNT - 1]);
    free(x);
}

Test(verify, samples_everywhere_by_seed_with_the_first_and_the_last)
{
    static unsigned char one[COUNT], same[COUNT], other[COUNT];
    sample_into(one, 1000, 1);
    sample_into(same, 1000, 1);
    sample_into(other, 1000, 2);
    cr_assert_eq(memcmp(one, same, COUNT), 0);
    cr_assert_neq(memcmp(one, other, COUNT), 0);
    for (int64_t begin = 0; begin + 250 < COUNT; begin += 50) /* more than two strata of 100 */
        cr_assert(memchr(one + begin, 1, 250), "nothing from %lld on", (long long)begin);
    sample_into(one, 0, 1);
    sample_into(one, COUNT - 1, 1);
    sample_into(one, COUNT, 1);
    sample_into(one, INT64_MAX, 1);
    sample_into(one, 50000, 1);
}

/* Strata of one element and of two: those that are larger by one come first, and move the others. */
Test(verify, strata_of_unequal_size_reach_to_the_end)
{
    static unsigned char asked[COUNT];
    sample_into(asked, COUNT / 10 * 7, 1);
    for (int64_t begin = 0; begin + 3 <= COUNT; begin++)
        cr_assert(memchr(asked + begin, 1, 3), "nothing from %lld on", (long long)begin);
}

Test(verify, catches_a_fault_in_the_last_element_with_any_sample)
{
    float *x = answer_f32();
    x[COUNT - 1] += 1;
    for (int64_t sample = 0; sample < 200; sample += 7) {
        struct verification verdict;
        cr_assert_not(verify_sample(&verdict, x, DTYPE_F32, COUNT, NULL, sample, 1, exact, NULL, NULL));
    }
    free(x);
}

/* Blocks 1 and 3 of four, the last of which has two elements instead of three. */
Test(verify, of_some_blocks_checks_their_elements_alone)
{
    enum { OF = 11, BLOCK_LENGTH = 3 };
    static const struct {
        int64_t number[2], count, sample, checked;
        const char *asked; /* a 1 for each element */
    } cases[] = {
        { { 1, 3 }, 2, 100, 5, "00011100011" }, { { 0, 2 }, 2, 100, 6, "11100011100" },
        { { 3 }, 1, 100, 2, "00000000011" },    { { 1, 3 }, 2, 2, 2, "00010000001" },
        { { 1, 3 }, 2, 5, 5, "00011100011" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        float x[OF];
        unsigned char asked[OF] = { 0 }, *const to = asked;
        char seen[OF + 1] = "";
        struct verification verdict;
        struct error err = { .status = STATUS_OK };
        const struct blocks blocks = { cases[i].number, cases[i].count, BLOCK_LENGTH };
        for (unsigned k = 0; k < OF; k++)
            x[k] = (float)right(k);
        cr_assert(verify_sample(&verdict, x, DTYPE_F32, OF, &blocks, cases[i].sample, 1, noting, &to, &err), "%u: %s",
                  i, err.message);
        for (unsigned k = 0; k < OF; k++)
            seen[k] = (char)('0' + asked[k]);
        cr_expect_str_eq(seen, cases[i].asked, "%u", i);
        cr_expect(verdict.checked == cases[i].checked && verdict.of == OF, "%u: %lld", i, (long long)verdict.checked);
        cr_expect_eq(verdict.is_sample, i == 3, "%u", i);
    }
}

/* An output of 7 x 11 x 1300 elements, each the number of its line, with the sums that go with it. */
enum { OUTER = 7, LENGTH = 11, INNER = 1300 };

static void line_of(const void *context, int64_t index, int64_t count, double value[], double allowed[])
{
    *value = (double)(index / (LENGTH * INNER) * INNER + index % INNER);
    *allowed = 1e9; /* not used */
}

static void line_sums(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    const uint64_t *weights = context;
    for (int64_t place = begin; place < end; place++)
        sum[place - begin] = *weights * (uint64_t)place;
}

static float *lines_f32(void)
{
    float *x = malloc(OUTER * LENGTH * INNER * sizeof *x);
    for (int64_t i = 0; i < OUTER * LENGTH * INNER; i++) {
        double value, allowed;
        line_of(NULL, i, 1, &value, &allowed);
        x[i] = (float)value;
    }
    return x;
}

Test(verify, names_the_first_wrong_element_of_the_first_wrong_line)
{
    uint64_t weight[LENGTH], sum = 0;
    const struct weighted_lines lines = { OUTER, LENGTH, INNER, weight, 0, 0 };
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    verify_weights(weight, LENGTH, 3);
    for (unsigned i = 0; i < LENGTH; i++) {
        cr_expect(weight[i] & 1, "an even weight hides an error of 2^63");
        sum += weight[i];
    }
    float *x = lines_f32();
    cr_assert(verify_projection(&verdict, x, DTYPE_F32, &lines, line_sums, line_of, &sum, &err), "%s", err.message);
    cr_expect(verdict.checked == OUTER * LENGTH * INNER && !verdict.weak);

    int64_t late = ((int64_t)2 * LENGTH + 9) * INNER + 1100, early = ((int64_t)2 * LENGTH + 10) * INNER + 1050;
    x[late] += 1; /* an earlier element, of a later line */
    x[early] += 1;
    x[6 * LENGTH * INNER] = NAN;
    cr_assert_not(verify_projection(&verdict, x, DTYPE_F32, &lines, line_sums, line_of, &sum, &err));
    char start[64];
    snprintf(start, sizeof start, "element %lld of %d is 3651, should be 3650 (", (long long)early,
             OUTER * LENGTH * INNER);
    cr_expect_eq(strncmp(err.message, start, strlen(start)), 0, "%s, not %s", err.message, start);
    free(x);
}

Test(verify, says_when_sums_and_elements_contradict_each_other)
{
    uint64_t weight[LENGTH], sum = 1; /* no sum of these weights */
    const struct weighted_lines lines = { OUTER, LENGTH, INNER, weight, 0, 0 };
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    verify_weights(weight, LENGTH, 3);
    float *x = lines_f32();
    cr_assert_not(verify_projection(&verdict, x, DTYPE_F32, &lines, line_sums, line_of, &sum, &err));
    cr_expect_eq(err.status, STATUS_FAILED);
    cr_expect(strstr(err.message, "the sum of the line from element 1 on is wrong, but none of its 11"), "%s",
              err.message);
    free(x);
}

/* The elements 1, 2, 3, ... in one line. */
static void one_more(const void *context, int64_t index, int64_t count, double value[], double allowed[])
{
    *value = (double)index + 1;
    *allowed = 0;
}

static void given_sum(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    for (int64_t place = begin; place < end; place++)
        sum[place - begin] = *(const uint64_t *)context;
}

/* Whole numbers, each a multiple of 1 / scale. */
struct scaled {
    const int64_t *whole;
    double scale;
    uint64_t sum;
};

static void scaled_truth(const void *context, int64_t index, int64_t count, double value[], double allowed[])
{
    const struct scaled *of = context;
    *value = (double)of->whole[index] / of->scale;
    *allowed = 0;
}

static void scaled_sum(const void *context, int64_t begin, int64_t end, uint64_t sum[])
{
    *sum = ((const struct scaled *)context)->sum;
}

Test(verify, by_lines_sees_elements_that_changed_places_and_one_that_is_not_whole)
{
    float x[] = { 1, 2, 3, 4, 5, 6 };
    uint64_t weight[6], sum = 0;
    const struct weighted_lines lines = { 1, 6, 1, weight, 0, 0 };
    struct verification verdict;
    struct error err = { .status = STATUS_OK };
    verify_weights(weight, 6, 3);
    for (unsigned i = 0; i < 6; i++)
        sum += weight[i] * (uint64_t)x[i];
    cr_assert(verify_projection(&verdict, x, DTYPE_F32, &lines, given_sum, one_more, &sum, &err), "%s", err.message);
    x[1] = 3;
    x[2] = 2;
    cr_expect_not(verify_projection(&verdict, x, DTYPE_F32, &lines, given_sum, one_more, &sum, &err));
    cr_expect(err.status == STATUS_WRONG && strstr(err.message, "element 1 of 6 is 3"), "%s", err.message);
    x[1] = 2.25f;
    x[2] = 3;
    err = (struct error){ .status = STATUS_OK };
    cr_expect_not(verify_projection(&verdict, x, DTYPE_F32, &lines, given_sum, one_more, &sum, &err));
    cr_expect(err.status == STATUS_WRONG && strstr(err.message, "element 1 of 6 is 2.25"), "%s", err.message);
}

/* Elements that are multiples of 1 / scale, or whole but for what a method rounds, as many as there are signs. */
Test(verify, by_lines_knows_scale_slack_and_sign)
{
    static const struct {
        const char *what;
        double scale, slack, x[3]; /* the right ones are whole numbers of 1 / scale */
        int64_t whole[3];
        bool is_right, is_weak;
        double largest_error, smallest_error;
    } cases[] = {
        { "whole", 0, 0, { 1, -7, 3 }, { 1, -7, 3 }, true, false, 0, 0x1p-21 },
        { "quarters", 4, 0, { 0.25, -1.75, 0.75 }, { 1, -7, 3 }, true, false, 0, 0x1p-23 },
        { "rounded", 0, 0.25, { 1.125, -7.125, 2.875 }, { 1, -7, 3 }, true, false, 0.125, 0.25 + 0x1p-21 },
        { "rounded quarters", 4, 0.25, { 0.28125, -1.78125, 0.71875 }, { 1, -7, 3 }, true, false, 0.03125, 0 },
        { "too far", 0, 0.25, { 1.125, -7.5, 2.875 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "too far for quarters", 4, 0.25, { 0.25, -1.875, 0.75 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "another sign", 0, 0, { 1, 7, 3 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "huge", 0, 0, { 1, -0x1p60, 3 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "weak quarters", 4, 0.25, { 0.0625, -0.0625, 0 }, { 0, 0, 0 }, true, true, 0.0625, 0 },
        { "not weak for its scale", 4, 0.25, { 0.25, 0, 0 }, { 1, 0, 0 }, true, false, 0, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        float x[3];
        uint64_t weight[3], sum = 0;
        const struct weighted_lines lines = { 1, 3, 1, weight, cases[i].scale, cases[i].slack };
        struct verification verdict;
        struct error err = { .status = STATUS_OK };
        verify_weights(weight, 3, 3);
        for (unsigned k = 0; k < 3; k++) {
            x[k] = (float)cases[i].x[k];
            sum += weight[k] * (uint64_t)cases[i].whole[k];
        }
        const struct scaled truth = { cases[i].whole, cases[i].scale > 0 ? cases[i].scale : 1, sum };
        const bool is_right = verify_projection(&verdict, x, DTYPE_F32, &lines, scaled_sum, scaled_truth, &truth, &err);
        cr_expect_eq(is_right, cases[i].is_right, "%s: %s", cases[i].what, err.message);
        if (!is_right) {
            cr_expect(strstr(err.message, "element 1 of 3 is -") || strstr(err.message, "element 1 of 3 is 7"),
                      "%s: %s", cases[i].what, err.message);
            continue;
        }
        cr_expect_eq(verdict.weak, cases[i].is_weak, "%s", cases[i].what);
        cr_expect_float_eq(verdict.largest_error, cases[i].largest_error, 1e-9, "%s: %g", cases[i].what,
                           verdict.largest_error);
        if (cases[i].smallest_error > 0)
            cr_expect_eq(verdict.smallest_error, cases[i].smallest_error, "%s: %g", cases[i].what,
                         verdict.smallest_error);
    }
}

Test(verify, calls_a_check_of_zeros_by_lines_weak)
{
    float x[6] = { 0 };
    uint64_t weight[3], sum = 0;
    const struct weighted_lines lines = { 2, 3, 1, weight, 0, 0 };
    struct verification verdict;
    verify_weights(weight, 3, 3);
    cr_assert(verify_projection(&verdict, x, DTYPE_F32, &lines, line_sums, line_of, &sum, NULL));
    cr_expect(verdict.weak);
}

Test(verify, finds_one_changed_byte_of_a_guard_band)
{
    enum { BYTES = 4096 };
    unsigned char memory[BYTES + 2];
    memory[0] = 1, memory[BYTES + 1] = 2;
    unsigned char *band = memory + 1;
    verify_guard_write(band, BYTES, 9);
    cr_assert(memory[0] == 1 && memory[BYTES + 1] == 2, "wrote outside the band");

    struct error err = { 0 };
    cr_assert(verify_guard_read(band, BYTES, 9, "the band after c", &err), "%s", err.message);
    static const size_t places[] = { 0, 7, 8, 1000, BYTES - 1 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        err = (struct error){ 0 };
        band[places[i]] ^= 0x40;
        cr_assert_not(verify_guard_read(band, BYTES, 9, "the band after c", &err));
        band[places[i]] ^= 0x40;
        char start[80];
        snprintf(start, sizeof start, "the band after c was written to: byte %zu of 4096 ", places[i]);
        cr_assert_eq(strncmp(err.message, start, strlen(start)), 0, "%s", err.message);
        cr_assert_eq(err.status, STATUS_WRONG);
    }
    cr_assert_not(verify_guard_read(band, BYTES, 10, "the band", NULL), "a band of another seed");
}

Test(verify, of_integers_catches_one_more_and_what_was_never_written)
{
    struct error err = { 0 };
    struct verification verdict;
    int32_t *x = malloc(COUNT * sizeof *x);
    for (int64_t i = 0; i < COUNT; i++)
        x[i] = (int32_t)right(i);
    cr_assert(verify_all(&verdict, x, DTYPE_I32, COUNT, exact, NULL, &err), "%s", err.message);
    cr_assert(verdict.smallest_error == 1 && !verdict.weak);
    x[COUNT / 2]++;
    assert_wrong(x, DTYPE_I32, exact, COUNT / 2);
    verify_poison(x + 7, DTYPE_I32, 1);
    cr_assert_not(all_right(x, DTYPE_I32, exact, &err));
    cr_assert(strstr(err.message, "element 7 of 100003 was never written, should be "), "%s", err.message);
    free(x);
}
