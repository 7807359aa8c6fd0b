#ifndef HARNESS_BASE_DTYPE_H
#define HARNESS_BASE_DTYPE_H

/* Element types: names, sizes and precision. The names ("f32") are part of the journal.
 *   f32, f64   IEEE 754 binary32 and binary64; sums are kept in the type itself
 *   f16, bf16  IEEE 754 binary16, and the upper half of a binary32; products are summed in f32 unless a method says
 *              otherwise
 *   tf32       stored as f32. Inputs have no more significant bits than NVIDIA's TensorFloat-32, so a method may
 *              multiply in TF32 without loss; sums and results are f32. A device that computes in f32 has tf32, too.
 *   i8         signed bytes, whose products are summed in 32-bit integers; those are the result, too. All of it is
 *              exact: operands are from -64 to 63, since processors without VNNI add up pairs of products in 16 bits.
 *   i32        only of results: no problem has operands of it */

#include <stdbool.h>
#include <stddef.h>

enum dtype {
    DTYPE_F32,
    DTYPE_F64,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_TF32,
    DTYPE_I8,
    DTYPE_COUNT, /* of those that a problem may have */
    DTYPE_I32 = DTYPE_COUNT,
    DTYPE_ALL
};

const char *dtype_name(enum dtype dtype);

/* The reverse; DTYPE_COUNT for a name that no problem has. */
enum dtype dtype_parse(const char *word);

size_t dtype_bytes(enum dtype dtype);

/* Bits of the significand, including the implicit first one: 24, 53, 11, 8, 11. Of the integers, those that operands
 * and results use: 7, with the sign, and 31, without it. */
unsigned dtype_bits(enum dtype dtype);

/* Unit roundoff: half the distance from 1 to the next larger number, 2^-bits. */
double dtype_roundoff(enum dtype dtype);

/* The absolute error allowed for results below the normal range. A device may flush subnormal results to zero, so this
 * is the smallest normal number, except in f16: no device flushes those, and they are rounded to multiples of 2^-24. */
double dtype_tiny(enum dtype dtype);

/* The type that sums of products are kept in by default: f32 for the small types, i32 for i8, otherwise the type
 * itself.
 */
enum dtype dtype_sums(enum dtype dtype);

/* The type of the result of a product: i32 for i8, otherwise the type itself. */
enum dtype dtype_result(enum dtype dtype);

/* Whether results are exact, and rates are of operations that are not in floating point. */
bool dtype_is_whole(enum dtype dtype);

/* What a rate in the type of that name counts: "FLOP", or "OP" where the type is of whole numbers. */
const char *dtype_operation(const char *name);

#endif
