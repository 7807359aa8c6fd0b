#ifndef KERNELS_NATIVE_H
#define KERNELS_NATIVE_H

/* Slices of computations in plain C for the CPU: elements [begin, end) of dense arrays that come in the order of the
 * workload's operands, dimensions in its order. Every file is compiled once per instruction set, each time into an
 * object of its own with -DNATIVE_ISA=baseline, avx2 or avx512, and the program chooses when it runs. Such an object
 * shares no function with any other, so that none made for a newer processor is entered by accident. */

#include <stddef.h>
#include <stdint.h>

#define NATIVE_PASTE_(stem, isa) stem##_##isa
#define NATIVE_PASTE(stem, isa)  NATIVE_PASTE_(stem, isa)
/* multiply_f32_avx2 in the object compiled for AVX2. */
#define NATIVE(stem) NATIVE_PASTE(stem, NATIVE_ISA)

#define NATIVE_SLICE(name) void name(void *const operand[], const int64_t dim[], int64_t begin, int64_t end)

/* Types that a slice is compiled for, for a macro EACH that gets the stem of its name, the type as the name has it, and
 * the program's word for it. Numbers of tf32 are f32 to a processor. */
#define NATIVE_REALS(EACH, stem)    EACH(stem, f32, F32) EACH(stem, f64, F64)
#define NATIVE_FACTORS(EACH, stem)  NATIVE_REALS(EACH, stem) EACH(stem, f16, F16)
#define NATIVE_PRODUCTS(EACH, stem) NATIVE_FACTORS(EACH, stem) EACH(stem, bf16, BF16) EACH(stem, f32, TF32)

/* One version for both. */
#define NATIVE_BYTES(EACH, stem) EACH(stem, bytes, F32) EACH(stem, bytes, F64)

#define NATIVE_IN_BASELINE(stem, type, dtype) [DTYPE_##dtype] = stem##_##type##_baseline,
#if defined __x86_64__
#define NATIVE_DECLARE_EACH(stem, type, dtype)                                                                         \
    NATIVE_SLICE(stem##_##type##_baseline);                                                                            \
    NATIVE_SLICE(stem##_##type##_avx2);                                                                                \
    NATIVE_SLICE(stem##_##type##_avx512);
#define NATIVE_IN_AVX2(stem, type, dtype)   [DTYPE_##dtype] = stem##_##type##_avx2,
#define NATIVE_IN_AVX512(stem, type, dtype) [DTYPE_##dtype] = stem##_##type##_avx512,
#define NATIVE_STREAMING                    "streaming stores"
#else
#define NATIVE_DECLARE_EACH(stem, type, dtype) NATIVE_SLICE(stem##_##type##_baseline);
#define NATIVE_IN_AVX2(stem, type, dtype)      [DTYPE_##dtype] = NULL, /* no such version on this processor */
#define NATIVE_IN_AVX512(stem, type, dtype)    [DTYPE_##dtype] = NULL,
#define NATIVE_STREAMING                       "ordinary stores" /* there are no others */
#endif

/* All versions of a slice: declared, and for a struct that keeps them by instruction set and type. */
#define NATIVE_DECLARE(TYPES, stem) TYPES(NATIVE_DECLARE_EACH, stem)
#define NATIVE_VERSIONS(TYPES, stem)                                                                                   \
    .baseline = { TYPES(NATIVE_IN_BASELINE, stem) }, .avx2 = { TYPES(NATIVE_IN_AVX2, stem) },                          \
    .avx512 = { TYPES(NATIVE_IN_AVX512, stem) }

/* Bytes that slices meet at multiples of: a cache line, which streaming stores write as a whole. */
enum { NATIVE_LINE = 64 };

/* c = a * b, element by element; operands a, b, c. Each with ordinary stores, and with streaming ones, which leave c
 * outside the caches: for arrays that do not stay there from one run to the next anyhow. */
NATIVE_DECLARE(NATIVE_FACTORS, multiply)
NATIVE_DECLARE(NATIVE_FACTORS, multiply_streaming)

/* Bytes as they are, whatever they stand for; operands from, to, and the extent is bytes. Both ways to store. */
NATIVE_DECLARE(NATIVE_BYTES, copy)
NATIVE_DECLARE(NATIVE_BYTES, copy_streaming)

/* Arithmetic and memory at their limits; native_peak.h tells operands and extent of each kind. Both ways to store. */
NATIVE_DECLARE(NATIVE_REALS, peak)
NATIVE_DECLARE(NATIVE_REALS, peak_streaming)

/* Panels, whose width is a matter of the instruction set, come in blocks that every width divides. Packed arrays have
 * room for whole blocks. */
enum { NATIVE_ROWS = 8, NATIVE_COLUMNS = 48 };

/* What one step of the tile pass computes of C: whole panels, enough of them to use each several times. */
enum { MATMUL_HEIGHT = 128, MATMUL_WIDTH = 4 * NATIVE_COLUMNS };

/* C = A B; operands A, B, C, then A packed in panels of rows and B in panels of columns. The extents: blocks of
 * NATIVE_ROWS rows, of NATIVE_COLUMNS columns, and of MATMUL_HEIGHT x MATMUL_WIDTH elements of C. */
NATIVE_DECLARE(NATIVE_PRODUCTS, matmul_pack_a)
NATIVE_DECLARE(NATIVE_PRODUCTS, matmul_pack_b)
NATIVE_DECLARE(NATIVE_PRODUCTS, matmul_tiles)

/* What one step of the tile pass computes of a convolution: these filters at these places. */
enum { CONV_FILTERS = 64, CONV_PLACES = 8 * NATIVE_COLUMNS };

/* The convolution of NCHW images; operands in, filters, out, then the arrays that conv_native.c describes. The extents:
 * channels of all images, elements of a filter, and blocks of CONV_FILTERS filters x CONV_PLACES places. */
NATIVE_DECLARE(NATIVE_PRODUCTS, conv_pad)
NATIVE_DECLARE(NATIVE_PRODUCTS, conv_pack)
NATIVE_DECLARE(NATIVE_PRODUCTS, conv_tiles)

#endif
