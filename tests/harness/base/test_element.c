#include "harness/base/element.h"

#include <criterion/criterion.h>

/* Every number of a small type, and what lies around the middle between two of them. */

/* By the definition: a significand of so many bits, times a power of two that is never below the least. */
static double number_of(uint16_t bits, unsigned fraction, int bias)
{
    const unsigned exponents = 15 - fraction, exponent = bits >> fraction & ((1u << exponents) - 1);
    const unsigned hidden = exponent > 0 ? 1u << fraction : 0, rest = bits & ((1u << fraction) - 1);
    const double size = ldexp(hidden + rest, (int)(exponent > 0 ? exponent : 1) - bias - (int)fraction);
    if (exponent == (1u << exponents) - 1)
        return rest ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
    return bits & 0x8000 ? -size : size;
}

static const struct small {
    enum dtype dtype;
    unsigned fraction;
    int bias;
    uint16_t infinity;
} smalls[] = { { DTYPE_F16, 10, 15, 0x7c00 }, { DTYPE_BF16, 7, 127, 0x7f80 } };

/* Room for an element of any type: the compiler sees them all. */
union room {
    double d;
    uint16_t bits;
};

static double value_of(enum dtype dtype, uint16_t bits)
{
    union room room = { .bits = bits };
    return element_at(&room, dtype, 0);
}

static uint16_t rounded(enum dtype dtype, double value)
{
    union room room = { .bits = 0x1234 };
    element_put(&room, dtype, 0, value);
    return room.bits;
}

Test(element, every_16_bit_number_is_read_and_written_unchanged)
{
    for (size_t k = 0; k < sizeof smalls / sizeof *smalls; k++)
        for (unsigned i = 0; i <= 0xffff; i++) {
            const uint16_t bits = (uint16_t)i;
            const double wanted = number_of(bits, smalls[k].fraction, smalls[k].bias);
            const double value = value_of(smalls[k].dtype, bits);
            if (isnan(wanted)) {
                cr_assert(isnan(value) &&
                          isnan(number_of(rounded(smalls[k].dtype, value), smalls[k].fraction, smalls[k].bias)));
                continue;
            }
            cr_assert(value == wanted && signbit(value) == signbit(wanted), "%04x is %g", i, value);
            cr_assert_eq(rounded(smalls[k].dtype, value), bits, "%04x", i);
        }
}

Test(element, numbers_are_rounded_to_nearest_and_ties_to_even)
{
    for (size_t k = 0; k < sizeof smalls / sizeof *smalls; k++)
        for (uint16_t bits = 0; bits + 1 < smalls[k].infinity; bits++) {
            const enum dtype dtype = smalls[k].dtype;
            const uint16_t above = (uint16_t)(bits + 1), even = bits & 1 ? above : bits;
            const double one = value_of(dtype, bits), next = value_of(dtype, above);
            const double middle = one + (next - one) / 2;
            cr_assert_eq(rounded(dtype, middle), even, "%04x", bits);
            cr_assert_eq(rounded(dtype, nextafter(middle, 0)), bits, "%04x", bits);
            cr_assert_eq(rounded(dtype, nextafter(middle, INFINITY)), above, "%04x", bits);
            cr_assert_eq(rounded(dtype, -middle), even | 0x8000, "%04x", bits);
        }
}

Test(element, overflow_gives_an_infinity)
{
    cr_expect_eq(rounded(DTYPE_F16, 65504), 0x7bff);
    cr_expect_eq(rounded(DTYPE_F16, nextafter(65520, 0)), 0x7bff);
    cr_expect_eq(rounded(DTYPE_F16, 65520), 0x7c00);
    cr_expect_eq(rounded(DTYPE_F16, -1e300), 0xfc00);
    cr_expect_eq(rounded(DTYPE_BF16, 0x1.fep127), 0x7f7f);
    cr_expect_eq(rounded(DTYPE_BF16, 0x1.ffp127), 0x7f80);
    cr_expect_eq(rounded(DTYPE_BF16, INFINITY), 0x7f80);
}

Test(element, f32_and_f64_are_converted_as_in_c)
{
    float f;
    double d;
    element_put(&f, DTYPE_F32, 0, 0.1);
    element_put(&d, DTYPE_F64, 0, 0.1);
    cr_expect(f == 0.1f && d == 0.1 && element_at(&f, DTYPE_F32, 0) == (double)0.1f &&
              element_at(&d, DTYPE_F64, 0) == 0.1);
    element_put(&f, DTYPE_TF32, 0, 0.1);
    cr_expect(f == 0.1f && element_at(&f, DTYPE_TF32, 0) == (double)0.1f);
}

Test(element, integers_are_whole_numbers_of_one_and_four_bytes)
{
    int8_t byte[3] = { 0 };
    int32_t word[2] = { 0 };
    element_put(byte, DTYPE_I8, 1, -64);
    element_put(word, DTYPE_I32, 1, -0x1p31 + 1);
    cr_expect(byte[0] == 0 && byte[1] == -64 && byte[2] == 0 && element_at(byte, DTYPE_I8, 1) == -64);
    cr_expect(word[0] == 0 && word[1] == -INT32_MAX && element_at(word, DTYPE_I32, 1) == -0x1p31 + 1);
    cr_expect(dtype_bytes(DTYPE_I8) == 1 && dtype_bytes(DTYPE_I32) == 4);
}

Test(element, a_problem_may_be_of_i8_but_not_of_what_only_results_are)
{
    cr_expect(dtype_parse("i8") == DTYPE_I8 && dtype_parse("i32") == DTYPE_COUNT);
    cr_expect(dtype_result(DTYPE_I8) == DTYPE_I32 && dtype_result(DTYPE_F16) == DTYPE_F16);
    cr_expect_str_eq(dtype_name(dtype_sums(DTYPE_I8)), "i32");
}
