#ifndef KERNELS_NATIVE_H
#define KERNELS_NATIVE_H

/* Slices: parts of a computation in plain C for the CPU. A slice computes elements [begin, end) of an extent that the
 * workload defines, on arrays in the order of its operands and with dimensions in its order.
 *
 * Each file NAME_native.c is compiled once per instruction set (-DNATIVE_ISA=baseline, avx2, avx512 or vnni) and
 * element type (-DNATIVE_DTYPE=f32 ...), and the program chooses at run time. All functions that are not slices are
 * static, so that code for a newer processor is never called by accident. */

#include <stddef.h>
#include <stdint.h>

/* The dims of matmul, in order: C = A B, where A has m rows of k elements, and B has k rows of n. And those of conv:
 * bench/workloads/conv.c says what each is. */
enum { MATMUL_M, MATMUL_N, MATMUL_K };
enum conv_dim { CONV_N, CONV_C, CONV_H, CONV_W, CONV_K, CONV_R, CONV_S, CONV_STRIDE, CONV_PAD };

#define NATIVE_PASTE_(stem, suffix) stem##_##suffix
#define NATIVE_PASTE(stem, suffix)  NATIVE_PASTE_(stem, suffix)

#define NATIVE_FUNCTION(name) void name(void *const operand[], const int64_t dim[], int64_t begin, int64_t end)

/* Begins the definition of a slice: multiply_f32_avx2 in the object that is compiled for f32 and AVX2. */
#define NATIVE_NAME(stem) NATIVE_PASTE(NATIVE_PASTE(stem, NATIVE_DTYPE), NATIVE_ISA)
#define NATIVE_SLICE(stem)                                                                                             \
    NATIVE_FUNCTION(NATIVE_NAME(stem));                                                                                \
    NATIVE_FUNCTION(NATIVE_NAME(stem))

/* The element types of a slice. EACH gets the stem of its name, the type in its name, and the type of the program. They
 * must be those of `native` in the table of bench/workloads/meson.build. The processor computes tf32 as f32. */
#define NATIVE_REALS(EACH, stem)    EACH(stem, f32, F32) EACH(stem, f64, F64)
#define NATIVE_FACTORS(EACH, stem)  NATIVE_REALS(EACH, stem) EACH(stem, f16, F16)
#define NATIVE_FLOATS(EACH, stem)   NATIVE_FACTORS(EACH, stem) EACH(stem, bf16, BF16) EACH(stem, f32, TF32)
#define NATIVE_PRODUCTS(EACH, stem) NATIVE_FLOATS(EACH, stem) EACH(stem, i8, I8)
#define NATIVE_BYTES(EACH, stem)    EACH(stem, bytes, F32) EACH(stem, bytes, F64) /* one version for both */

#define NATIVE_IN_BASELINE(stem, type, dtype) [DTYPE_##dtype] = stem##_##type##_baseline,
#if defined __x86_64__
#define NATIVE_DECLARE_EACH(stem, type, dtype)                                                                         \
    NATIVE_FUNCTION(stem##_##type##_baseline);                                                                         \
    NATIVE_FUNCTION(stem##_##type##_avx2);                                                                             \
    NATIVE_FUNCTION(stem##_##type##_avx512);
#define NATIVE_DECLARE_VNNI(stem)           NATIVE_FUNCTION(stem##_i8_vnni);
#define NATIVE_IN_VNNI(stem)                [DTYPE_I8] = stem##_i8_vnni
#define NATIVE_IN_AVX2(stem, type, dtype)   [DTYPE_##dtype] = stem##_##type##_avx2,
#define NATIVE_IN_AVX512(stem, type, dtype) [DTYPE_##dtype] = stem##_##type##_avx512,
#define NATIVE_STREAMING                    "streaming stores"
#else
#define NATIVE_DECLARE_EACH(stem, type, dtype) NATIVE_FUNCTION(stem##_##type##_baseline);
#define NATIVE_DECLARE_VNNI(stem)
#define NATIVE_IN_VNNI(stem)                [DTYPE_I8] = NULL
#define NATIVE_IN_AVX2(stem, type, dtype)   [DTYPE_##dtype] = NULL, /* no such version on this processor */
#define NATIVE_IN_AVX512(stem, type, dtype) [DTYPE_##dtype] = NULL,
#define NATIVE_STREAMING                    "ordinary stores" /* the only ones */
#endif

/* For the workload: declares all versions of a slice, and lists them for struct native_pass. */
#define NATIVE_DECLARE(TYPES, stem) TYPES(NATIVE_DECLARE_EACH, stem)
#define NATIVE_VERSIONS(TYPES, stem)                                                                                   \
    .baseline = { TYPES(NATIVE_IN_BASELINE, stem) }, .avx2 = { TYPES(NATIVE_IN_AVX2, stem) },                          \
    .avx512 = { TYPES(NATIVE_IN_AVX512, stem) }

/* The same for products, of which i8 has a version more, with AVX-512's instructions for them (VNNI). */
#define NATIVE_DECLARE_PRODUCT(stem)  NATIVE_DECLARE(NATIVE_PRODUCTS, stem) NATIVE_DECLARE_VNNI(stem)
#define NATIVE_PRODUCT_VERSIONS(stem) NATIVE_VERSIONS(NATIVE_PRODUCTS, stem), .vnni = { NATIVE_IN_VNNI(stem) }

/* Elements of i8 that are summed up at once: the bytes of a word. */
enum { NATIVE_DOT = 4 };

/* Bytes of a cache line. Slices meet at multiples of it, because streaming stores write whole lines. */
enum { NATIVE_LINE = 64 };

/* The width of a panel depends on the instruction set. Panels come in blocks that every width divides, and packed
 * arrays have room for whole blocks. */
enum { NATIVE_ROWS = 8, NATIVE_COLUMNS = 48 };

/* The block of C that one step of matmul's tile pass computes: enough whole panels to use each several times. */
enum { MATMUL_HEIGHT = 128, MATMUL_WIDTH = 4 * NATIVE_COLUMNS };

/* Of train: rows whose losses are summed up first; columns of the hidden layer that are summed up together; outputs at
 * most; and the factor of the gradient in an update, a power of 2, from 2^-20 on: kernel texts get its 20 digits. */
enum { TRAIN_ROWS = 16, TRAIN_COLUMNS = 16, TRAIN_OUT_MOST = 32 };
#define TRAIN_STEP 0x1p-10

/* Columns or rows of C at most, where a product is computed as matrix times vectors. */
enum { GEMV_MOST = 15 };

#endif
