#ifndef HARNESS_BASE_DTYPE_H
#define HARNESS_BASE_DTYPE_H

/* Element types: names, sizes and precision. The names ("f32") are part of the journal.
 *   f32, f64   IEEE 754 binary32 and binary64; sums are kept in the type itself
 *   f16, bf16  IEEE 754 binary16, and the upper half of a binary32; products are summed in f32 unless a method says
 *              otherwise
 *   tf32       stored as f32. Inputs have no more significant bits than NVIDIA's TensorFloat-32, so a method may
 * multiply in TF32 without loss; sums and results are f32. A device that computes in f32 supports tf32 too. */

#include <stdbool.h>
#include <stddef.h>

enum dtype { DTYPE_F32, DTYPE_F64, DTYPE_F16, DTYPE_BF16, DTYPE_TF32, DTYPE_COUNT };

const char *dtype_name(enum dtype dtype);

/* The reverse. False, with *out untouched, for an unknown name. */
bool dtype_parse(const char *word, enum dtype *out);

size_t dtype_bytes(enum dtype dtype);

/* Bits of the significand, including the implicit first one: 24, 53, 11, 8, 11. */
unsigned dtype_bits(enum dtype dtype);

/* Unit roundoff: half the distance from 1 to the next larger number, 2^-bits. */
double dtype_roundoff(enum dtype dtype);

/* The absolute error allowed for results below the normal range. A device may flush subnormal results to zero, so this
 * is the smallest normal number, except in f16: no device flushes those, and they are rounded to multiples of 2^-24. */
double dtype_tiny(enum dtype dtype);

/* The type that sums of products are kept in by default: f32 for the small types, otherwise the type itself. */
enum dtype dtype_sums(enum dtype dtype);

#endif
