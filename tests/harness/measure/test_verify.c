#include "harness/measure/verify.h"

#include "harness/base/element.h"
#include "harness/measure/random.h"
#include "tests/support/one_truth.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
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

/* Outputs of a test, all right at its beginning; what the latest check found of one, and why it was wrong. */
static float x[COUNT];
static double y[COUNT];
static int32_t z[COUNT];
static struct verification found;
static struct error why;

static void make_right(void)
{
    for (int64_t i = 0; i < COUNT; i++)
        y[i] = x[i] = (float)right(i), z[i] = (int32_t)right(i);
}

TestSuite(verify, .init = make_right);

static bool is_right(const void *output, one_truth *truth)
{
    why = (struct error){ 0 };
    return verify_all(&found, output,
                      output == y   ? DTYPE_F64
                      : output == z ? DTYPE_I32
                                    : DTYPE_F32,
                      COUNT, truth, NULL, &why);
}

/* It is wrong, at that element, which is said so. */
static void expect_wrong_as(const void *output, one_truth *truth, int64_t index, const char *says)
{
    char start[200];
    cr_expect_not(is_right(output, truth), "element %lld%s is wrong", (long long)index, says);
    cr_expect_eq(why.status, STATUS_WRONG);
    snprintf(start, sizeof start, "element %lld of %d %s", (long long)index, COUNT, says);
    cr_expect_eq(strncmp(why.message, start, strlen(start)), 0, "'%s' does not begin with '%s'", why.message, start);
}

static void expect_wrong(const void *output, one_truth *truth, int64_t index)
{
    expect_wrong_as(output, truth, index, "");
}

Test(verify, accepts_a_right_answer)
{
    cr_assert(is_right(x, exact), "%s", why.message);
    cr_assert(found.checked == COUNT && found.of == COUNT && found.largest_error == 0 && !found.weak);
    cr_assert(is_right(y, exact), "%s", why.message);
    cr_assert(verify_sample(&found, x, DTYPE_F32, COUNT, NULL, 1000, 1, within_bound, NULL, &why), "%s", why.message);
    cr_assert(found.checked == 1000 && found.of == COUNT && !found.weak);
}

Test(verify, catches_one_element_off_by_one_unit_in_the_last_place)
{
    static const int64_t places[] = { 0, 1, 4095, 4096, COUNT / 2, COUNT - 2, COUNT - 1 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int64_t at = places[i];
        x[at] = nextafterf(x[at], 2000);
        y[at] = nextafter(y[at], -2000);
        z[at]++;
        expect_wrong(x, exact, at);
        expect_wrong(y, exact, at);
        expect_wrong(z, exact, at);
        make_right();
    }
    cr_assert(is_right(z, exact) && found.smallest_error == 1 && !found.weak, "%s", why.message);
}

Test(verify, catches_every_kind_of_wrong_answer)
{
    const float wrong[] = { NAN, INFINITY, -(float)right(17), 0 };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        x[17] = wrong[i];
        expect_wrong(x, within_bound, 17);
    }
    int64_t other = 18;
    while (right(other) == right(17))
        other++;
    x[17] = (float)right(other);
    x[other] = (float)right(17); /* swapped */
    expect_wrong(x, within_bound, 17);
    x[17] = (float)right(17);
    expect_wrong(x, within_bound, other);

    make_right();
    for (int64_t i = 5000; i < 5100; i++)
        x[i] = (float)right(i + 1); /* one row, of the neighbour's values */
    expect_wrong(x, within_bound, 5000);
    memset(x, 0, sizeof x);
    expect_wrong(x, within_bound, 0);
    random_fill(x, DTYPE_F32, 0, COUNT, 2, 0, &(struct integers){ 1000, 1 }); /* stale: the result of other operands */
    expect_wrong(x, within_bound, 0);
}

Test(verify, reports_an_element_that_was_never_written)
{
    verify_poison(x + COUNT - 1, DTYPE_F32, 1); /* a forgotten tail */
    verify_poison(y + 12345, DTYPE_F64, 1);
    verify_poison(z + 7, DTYPE_I32, 1);
    expect_wrong_as(x, exact, COUNT - 1, "was never written, should be ");
    expect_wrong_as(y, exact, 12345, "was never written, should be ");
    expect_wrong_as(z, exact, 7, "was never written, should be ");
    y[12345] = NAN;
    expect_wrong_as(y, exact, 12345, "is not a number");
}

Test(verify, poisons_the_whole_of_an_output_and_nothing_else)
{
    verify_poison(x + 1, DTYPE_F32, COUNT - 2);
    cr_assert_eq(x[0], right(0));
    cr_assert_eq(x[COUNT - 1], right(COUNT - 1));
    for (int64_t i = 1; i < COUNT - 1; i++)
        cr_assert(isnan(x[i]));
}

Test(verify, names_the_first_of_many_wrong_elements_its_value_and_the_expected_one)
{
    char says[80];
    for (int64_t i = 60001; i < COUNT; i += 97)
        x[i] += 1;
    x[33333] = 0.25f;
    snprintf(says, sizeof says, "is 0.25, should be %g (allowed error 0.001)", right(33333));
    expect_wrong_as(x, within_bound, 33333, says);
}

Test(verify, accepts_errors_up_to_the_bound)
{
    y[777] += bound * (1 - 1e-9);
    cr_assert(is_right(y, within_bound), "%s", why.message);
    cr_assert_float_eq(found.largest_error, bound, 1e-9);
    y[777] = right(777) + bound * (1 + 1e-9);
    expect_wrong(y, within_bound, 777);
    y[777] = right(777) - bound * (1 + 1e-9);
    expect_wrong(y, within_bound, 777);
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
    float few[4] = { 1, 1, 3, 1 };
    cr_assert(verify_all(&found, few, DTYPE_F32, 4, mostly_ones, NULL, &why));
    cr_assert_eq(found.smallest_error, 0x1p-22); /* the spacing of f32 from 2 to 4 */
    for (int i = 0; i < 4; i++) {
        struct verification again;
        const float kept = few[i];
        few[i] = kept + (float)found.smallest_error;
        cr_assert_not(verify_all(&again, few, DTYPE_F32, 4, mostly_ones, NULL, NULL), "element %d", i);
        few[i] = kept;
    }
    /* With a bound: that error is caught at the element it belongs to, the next smaller one is not. */
    cr_assert(is_right(x, within_bound), "%s", why.message);
    int64_t largest = 0;
    for (int64_t i = 0; i < COUNT; i++)
        largest = right(i) > right(largest) ? i : largest;
    cr_assert_gt(found.smallest_error, bound);
    x[largest] = (float)(right(largest) + found.smallest_error);
    cr_assert_eq((double)x[largest], right(largest) + found.smallest_error);
    expect_wrong(x, within_bound, largest);
    x[largest] = nextafterf(x[largest], 0);
    cr_assert(is_right(x, within_bound), "%s", why.message);
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
    } rows[] = { { DTYPE_F16, 0, 0x1p-24 },
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
                 { DTYPE_I32, 100, 1 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        double two[2];
        for (unsigned k = 0; k < 2; k++)
            element_put(two, rows[i].dtype, k, rows[i].value);
        cr_assert(verify_all(&found, two, rows[i].dtype, 2, same, &rows[i].value, &why), "%u: %s", i, why.message);
        cr_expect_eq(found.smallest_error, rows[i].error, "%s at %g: %g", dtype_name(rows[i].dtype), rows[i].value,
                     found.smallest_error);
    }
}

/* Ones, with the allowed error in the context. */
static void ones(const void *context, int64_t index, double *value, double *allowed)
{
    *value = 1;
    *allowed = *(const double *)context;
}

Test(verify, calls_a_check_weak_that_zeros_would_pass_and_refuses_a_truth_that_is_not_finite)
{
    static const struct {
        double bound;
        bool weak;
    } rows[] = { { 0, false }, { 1e-7, false }, { 0.99, false }, { 1, true }, { 10, true } };
    static const double nonsense[] = { NAN, INFINITY, -1 };
    const float four[4] = { 1, 1, 1, 1 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(verify_all(&found, four, DTYPE_F32, 4, ones, &rows[i].bound, NULL));
        cr_assert_eq(found.weak, rows[i].weak, "allowed error %g", rows[i].bound);
    }
    cr_assert(verify_all(&found, four, DTYPE_F32, 0, ones, &rows[0].bound, NULL));
    cr_assert(found.weak && found.checked == 0, "a check of no element proves nothing");
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        why = (struct error){ 0 };
        cr_assert_not(verify_all(&found, four, DTYPE_F32, 4, ones, &nonsense[i], &why));
        cr_assert_eq(why.status, STATUS_FAILED);
        cr_assert(strstr(why.message, "element 0 of 4 cannot be checked"), "%s", why.message);
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
    memset(asked, 0, COUNT);
    cr_assert(verify_sample(&found, x, DTYPE_F32, COUNT, NULL, sample, seed, noting, &asked, NULL));
    int64_t distinct = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        cr_assert_leq(asked[i], 1);
        distinct += asked[i];
    }
    cr_assert_eq(found.checked, distinct);
    cr_assert(asked[0] && asked[COUNT - 1]);
}

Test(verify, samples_everywhere_by_seed_with_the_first_and_the_last)
{
    static unsigned char one[COUNT], again[COUNT], other[COUNT];
    sample_into(one, 1000, 1);
    sample_into(again, 1000, 1);
    sample_into(other, 1000, 2);
    cr_assert_eq(memcmp(one, again, COUNT), 0);
    cr_assert_neq(memcmp(one, other, COUNT), 0);
    for (int64_t begin = 0; begin + 250 < COUNT; begin += 50) /* more than two strata of 100 */
        cr_assert(memchr(one + begin, 1, 250), "nothing from %lld on", (long long)begin);
    static const int64_t samples[] = { 0, 50000, COUNT - 1, COUNT, INT64_MAX };
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++)
        sample_into(one, samples[i], 1);
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
    x[COUNT - 1] += 1;
    for (int64_t sample = 0; sample < 200; sample += 7)
        cr_assert_not(verify_sample(&found, x, DTYPE_F32, COUNT, NULL, sample, 1, exact, NULL, NULL));
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
        unsigned char asked[OF] = { 0 }, *const to = asked;
        char seen[OF + 1] = "";
        const struct blocks blocks = { cases[i].number, cases[i].count, BLOCK_LENGTH };
        cr_assert(verify_sample(&found, x, DTYPE_F32, OF, &blocks, cases[i].sample, 1, noting, &to, &why), "%u: %s", i,
                  why.message);
        for (unsigned k = 0; k < OF; k++)
            seen[k] = (char)('0' + asked[k]);
        cr_expect_str_eq(seen, cases[i].asked, "%u", i);
        cr_expect(found.checked == cases[i].checked && found.of == OF, "%u: %lld", i, (long long)found.checked);
        cr_expect_eq(found.is_sample, i == 3, "%u", i);
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

/* What the check of an output of such lines finds, with `sum` times the number of a line as its sum. */
static bool are_lines_right(const float *output, const uint64_t weight[LENGTH], uint64_t sum)
{
    const struct weighted_lines lines = { OUTER, LENGTH, INNER, weight, 0, 0 };
    why = (struct error){ .status = STATUS_OK };
    return verify_projection(&found, output, DTYPE_F32, &lines, line_sums, line_of, &sum, &why);
}

Test(verify, names_the_first_wrong_element_of_the_first_wrong_line)
{
    static float output[OUTER * LENGTH * INNER];
    uint64_t weight[LENGTH], sum = 0;
    verify_weights(weight, LENGTH, 3);
    for (unsigned i = 0; i < LENGTH; i++) {
        cr_expect(weight[i] & 1, "an even weight hides an error of 2^63");
        sum += weight[i];
    }
    for (int64_t i = 0; i < OUTER * LENGTH * INNER; i++) {
        double value, allowed;
        line_of(NULL, i, 1, &value, &allowed);
        output[i] = (float)value;
    }
    cr_assert(are_lines_right(output, weight, sum), "%s", why.message);
    cr_expect(found.checked == OUTER * LENGTH * INNER && !found.weak);
    cr_expect_not(are_lines_right(output, weight, 1), "no sum of these weights");
    cr_expect_eq(why.status, STATUS_FAILED);
    cr_expect(strstr(why.message, "the sum of the line from element 1 on is wrong, but none of its 11"), "%s",
              why.message);

    int64_t late = ((int64_t)2 * LENGTH + 9) * INNER + 1100, early = ((int64_t)2 * LENGTH + 10) * INNER + 1050;
    output[late] += 1; /* an earlier element, of a later line */
    output[early] += 1;
    output[6 * LENGTH * INNER] = NAN;
    cr_assert_not(are_lines_right(output, weight, sum));
    char start[64];
    snprintf(start, sizeof start, "element %lld of %d is 3651, should be 3650 (", (long long)early,
             OUTER * LENGTH * INNER);
    cr_expect_eq(strncmp(why.message, start, strlen(start)), 0, "%s, not %s", why.message, start);
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

/* Elements that are multiples of 1 / scale, or whole but for what a method rounds, as many as there are signs. */
Test(verify, by_lines_knows_scale_slack_and_sign)
{
    static const struct {
        const char *what;
        double scale, slack, x[3]; /* the right ones are whole numbers of 1 / scale */
        int64_t whole[3];
        bool is_right, is_weak;
        double largest_error, smallest_error; /* 0: as it may be */
    } cases[] = {
        { "whole", 0, 0, { 1, -7, 3 }, { 1, -7, 3 }, true, false, 0, 0x1p-21 },
        { "quarters", 4, 0, { 0.25, -1.75, 0.75 }, { 1, -7, 3 }, true, false, 0, 0x1p-23 },
        { "rounded", 0, 0.25, { 1.125, -7.125, 2.875 }, { 1, -7, 3 }, true, false, 0.125, 0.25 + 0x1p-21 },
        { "rounded quarters", 4, 0.25, { 0.28125, -1.78125, 0.71875 }, { 1, -7, 3 }, true, false, 0.03125, 0 },
        { "too far", 0, 0.25, { 1.125, -7.5, 2.875 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "too far for quarters", 4, 0.25, { 0.25, -1.875, 0.75 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "another sign", 0, 0, { 1, 7, 3 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "changed places", 0, 0, { 1, 7, -7 }, { 1, -7, 7 }, false, false, 0, 0 },
        { "no whole number", 0, 0, { 1, -7.25, 3 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "huge", 0, 0, { 1, -0x1p60, 3 }, { 1, -7, 3 }, false, false, 0, 0 },
        { "zeros", 0, 0, { 0, 0, 0 }, { 0, 0, 0 }, true, true, 0, 0 },
        { "weak quarters", 4, 0.25, { 0.0625, -0.0625, 0 }, { 0, 0, 0 }, true, true, 0.0625, 0 },
        { "not weak for its scale", 4, 0.25, { 0.25, 0, 0 }, { 1, 0, 0 }, true, false, 0, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t weight[3], sum = 0;
        const struct weighted_lines lines = { 1, 3, 1, weight, cases[i].scale, cases[i].slack };
        why = (struct error){ .status = STATUS_OK };
        verify_weights(weight, 3, 3);
        for (unsigned k = 0; k < 3; k++) {
            x[k] = (float)cases[i].x[k];
            sum += weight[k] * (uint64_t)cases[i].whole[k];
        }
        const struct scaled truth = { cases[i].whole, cases[i].scale > 0 ? cases[i].scale : 1, sum };
        const bool passes = verify_projection(&found, x, DTYPE_F32, &lines, scaled_sum, scaled_truth, &truth, &why);
        cr_expect_eq(passes, cases[i].is_right, "%s: %s", cases[i].what, why.message);
        cr_expect(passes || (why.status == STATUS_WRONG && (strstr(why.message, "element 1 of 3 is -") ||
                                                            strstr(why.message, "element 1 of 3 is 7"))),
                  "%s: %s", cases[i].what, why.message);
        if (!passes)
            continue;
        cr_expect_eq(found.weak, cases[i].is_weak, "%s", cases[i].what);
        cr_expect_float_eq(found.largest_error, cases[i].largest_error, 1e-9, "%s: %g", cases[i].what,
                           found.largest_error);
        if (cases[i].smallest_error > 0)
            cr_expect_eq(found.smallest_error, cases[i].smallest_error, "%s: %g", cases[i].what, found.smallest_error);
    }
}

Test(verify, finds_one_changed_byte_of_a_guard_band)
{
    enum { BYTES = 4096 };
    unsigned char memory[BYTES + 2];
    memory[0] = 1, memory[BYTES + 1] = 2;
    unsigned char *band = memory + 1;
    verify_guard_write(band, BYTES, 9);
    cr_assert(memory[0] == 1 && memory[BYTES + 1] == 2, "wrote outside the band");

    cr_assert(verify_guard_read(band, BYTES, 9, "the band after c", &why), "%s", why.message);
    static const size_t places[] = { 0, 7, 8, 1000, BYTES - 1 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        why = (struct error){ 0 };
        band[places[i]] ^= 0x40;
        cr_assert_not(verify_guard_read(band, BYTES, 9, "the band after c", &why));
        band[places[i]] ^= 0x40;
        char start[80];
        snprintf(start, sizeof start, "the band after c was written to: byte %zu of 4096 ", places[i]);
        cr_assert_eq(strncmp(why.message, start, strlen(start)), 0, "%s", why.message);
        cr_assert_eq(why.status, STATUS_WRONG);
    }
    cr_assert_not(verify_guard_read(band, BYTES, 10, "the band", NULL), "a band of another seed");
}
