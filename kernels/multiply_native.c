#include "kernels/native_element.h"

/* Streaming stores leave the old contents of c where they are: an ordinary store first reads the line that it is about
 * to replace, a third more traffic. Software prefetching, 512 bytes to 64 KiB ahead, was tried and changed nothing. */
#if defined __x86_64__
#include <immintrin.h>
#define STREAM_END() _mm_sfence() /* such stores are weakly ordered; whoever waits for this thread must see them */
#else
#define STREAM_END() ((void)0)
#endif

/* Elements of a vector fill a register, narrow ones half of it. */
#if defined __AVX512F__ && !NATIVE_IS_NARROW
#define STREAM(to, value) _mm512_stream_si512((__m512i *)(void *)(to), (__m512i)(value))
#elif defined __AVX512F__ || defined __AVX2__ && !NATIVE_IS_NARROW
#define STREAM(to, value) _mm256_stream_si256((__m256i *)(void *)(to), (__m256i)(value))
#elif defined __AVX2__ || defined __x86_64__ && !NATIVE_IS_NARROW
#define STREAM(to, value) _mm_stream_si128((__m128i *)(void *)(to), (__m128i)(value))
#elif defined __x86_64__
#define STREAM(to, value) _mm_stream_si64((long long *)(void *)(to), (long long)(value))
#else
#define STREAM(to, value) (*(elements_anywhere *)(to) = (value))
#endif

static inline ELEMENT product(ELEMENT a, ELEMENT b)
{
    return element_of(real_of(a) * real_of(b));
}

static inline elements products(const ELEMENT *a, const ELEMENT *b)
{
    return narrow(vector_read(a) * vector_read(b));
}

NATIVE_SLICE(NATIVE_TYPED(multiply))
{
    const ELEMENT *restrict a = operand[0], *restrict b = operand[1];
    ELEMENT *restrict c = operand[2];
    int64_t i = begin;
    (void)dim;

    for (; i + LANES <= end; i += LANES)
        *(elements_anywhere *)(c + i) = products(a + i, b + i);
    for (; i < end; i++)
        c[i] = product(a[i], b[i]);
}

/* Single elements up to the first whole line of c, whole lines, and what is left. */
NATIVE_SLICE(NATIVE_TYPED(multiply_streaming))
{
    enum { LINE = NATIVE_LINE / sizeof(ELEMENT) };
    const ELEMENT *restrict a = operand[0], *restrict b = operand[1];
    ELEMENT *restrict c = operand[2];
    int64_t i = begin;
    (void)dim;

    for (; i < end && (uintptr_t)(c + i) % NATIVE_LINE != 0; i++)
        c[i] = product(a[i], b[i]);
    for (; i + LINE <= end; i += LINE)
        for (int k = 0; k < LINE; k += LANES)
            STREAM(c + i + k, products(a + i + k, b + i + k));
    STREAM_END();
    for (; i < end; i++)
        c[i] = product(a[i], b[i]);
}
