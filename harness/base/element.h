#ifndef HARNESS_BASE_ELEMENT_H
#define HARNESS_BASE_ELEMENT_H

/* Elements of dense arrays as doubles, for all types. Every f16 and bfloat16 is exactly an f32; in the other direction
 * numbers are rounded to nearest, ties to even (IEEE 754-2019, 4.3.1), and overflow gives an infinity. */

#include "harness/base/dtype.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* binary16: 1 bit of sign, 5 of exponent, 10 of fraction. The bits move to their place in an f32; a multiplication then
 * corrects the exponent, and normalises subnormal numbers. */
static inline float half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    const float scaled = float_from_bits(rest << 13) * 0x1p112f;
    return float_from_bits(sign | (rest >= 0x7c00 ? 0x7f800000 | rest << 13 : float_bits(scaled)));
}

/* Every f16 is a multiple of 2^-24, with 11 bits at its own exponent; adding and subtracting a number whose last place
 * is that one rounds. */
static inline uint16_t half_from_float(float value)
{
    const uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) /* a NaN: the upper part is kept and made quiet */
        return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x1ff));
    if (size >= 0x477ff000) /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x38800000) /* subnormal: below 2^-14 */
        return (uint16_t)(sign | (float_bits(float_from_bits(size) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13);
}

/* bfloat16: the upper half of an f32. */
static inline float bfloat16_to_float(uint16_t upper)
{
    return float_from_bits((uint32_t)upper << 16);
}

static inline uint16_t bfloat16_from_float(float value)
{
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A number of the type, rounded only once: on the way through f32 an odd last bit represents all bits cut off. */
static inline float float_to_odd(double value)
{
    const float near = (float)value;
    if (isnan(value) || isinf(near) || (double)near == value || (float_bits(near) & 1))
        return near;
    const bool is_above = fabs((double)near) > fabs(value);
    return float_from_bits(float_bits(near) + (is_above ? (uint32_t)-1 : 1));
}

static inline double element_at(const void *array, enum dtype dtype, int64_t index)
{
    switch (dtype) {
    case DTYPE_F64:
        return ((const double *)array)[index];
    case DTYPE_F16:
        return (double)half_to_float(((const uint16_t *)array)[index]);
    case DTYPE_BF16:
        return (double)bfloat16_to_float(((const uint16_t *)array)[index]);
    case DTYPE_I8:
        return ((const int8_t *)array)[index];
    case DTYPE_I32:
        return ((const int32_t *)array)[index];
    default:
        return (double)((const float *)array)[index];
    }
}

/* Rounds to the stored type; for tf32 that is f32. The integers get whole numbers of their range. */
static inline void element_put(void *array, enum dtype dtype, int64_t index, double value)
{
    switch (dtype) {
    case DTYPE_F64:
        ((double *)array)[index] = value;
        break;
    case DTYPE_F16:
        ((uint16_t *)array)[index] = half_from_float(float_to_odd(value));
        break;
    case DTYPE_BF16:
        ((uint16_t *)array)[index] = bfloat16_from_float(float_to_odd(value));
        break;
    case DTYPE_I8:
        ((int8_t *)array)[index] = (int8_t)value;
        break;
    case DTYPE_I32:
        ((int32_t *)array)[index] = (int32_t)value;
        break;
    default:
        ((float *)array)[index] = (float)value;
    }
}

#endif
