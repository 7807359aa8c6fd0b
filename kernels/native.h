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

#if defined __x86_64__
#define NATIVE_DECLARE(stem)                                                                                           \
    NATIVE_SLICE(stem##_baseline);                                                                                     \
    NATIVE_SLICE(stem##_avx2);                                                                                         \
    NATIVE_SLICE(stem##_avx512)
#define NATIVE_AVX2(stem)   stem##_avx2
#define NATIVE_AVX512(stem) stem##_avx512
#define NATIVE_STORES       "streaming stores from 1 MiB a thread"
#else
#define NATIVE_DECLARE(stem) NATIVE_SLICE(stem##_baseline)
#define NATIVE_AVX2(stem)    NULL /* no such version on this processor */
#define NATIVE_AVX512(stem)  NULL
#define NATIVE_STORES        "ordinary stores"
#endif

/* Bytes that slices meet at multiples of: a cache line, which streaming stores write as a whole. */
enum { NATIVE_LINE = 64 };

/* Bytes of a slice, inputs and outputs together, below which it stays in a core's own caches from one run to the next:
 * there ordinary stores are faster, and waking a second thread for the work costs more than it brings. */
enum { NATIVE_CACHED = 1 << 20 };

/* c = a * b, element by element; operands a, b, c. */
NATIVE_DECLARE(multiply_f32);
NATIVE_DECLARE(multiply_f64);

#endif
