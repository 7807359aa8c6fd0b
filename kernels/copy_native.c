#include "kernels/native.h"

#include <string.h>

/* Streaming stores leave the old contents of the copy where they are: an ordinary store first reads the line that it is
 * about to replace, half as much traffic again. */
#if defined __x86_64__
#include <immintrin.h>
#define STREAM_END() _mm_sfence() /* such stores are weakly ordered; whoever waits for this thread must see them */
#else
#define STREAM_END() ((void)0)
#endif

#if defined __AVX512F__
#define EACH           64 /* bytes of a vector */
#define STEP(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512(from))
#elif defined __AVX__
#define EACH           32
#define STEP(to, from) _mm256_stream_si256((void *)(to), _mm256_loadu_si256((const void *)(from)))
#elif defined __x86_64__
#define EACH           16
#define STEP(to, from) _mm_stream_si128((void *)(to), _mm_loadu_si128((const void *)(from)))
#else
#define EACH           NATIVE_LINE
#define STEP(to, from) memcpy(to, from, EACH)
#endif

NATIVE_SLICE(NATIVE(copy_bytes))
{
    const char *from = operand[0];
    char *to = operand[1];
    (void)dim;
    memcpy(to + begin, from + begin, (size_t)(end - begin));
}

/* Bytes up to the first whole line of the copy, whole lines, and what is left. */
NATIVE_SLICE(NATIVE(copy_streaming_bytes))
{
    const char *from = operand[0];
    char *to = operand[1];
    int64_t i = begin + (int64_t)(-(uintptr_t)(to + begin) % NATIVE_LINE);
    (void)dim;

    if (i > end)
        i = end;
    memcpy(to + begin, from + begin, (size_t)(i - begin));
    for (; i + NATIVE_LINE <= end; i += NATIVE_LINE)
        for (int k = 0; k < NATIVE_LINE; k += EACH)
            STEP(to + i + k, from + i + k);
    STREAM_END();
    memcpy(to + i, from + i, (size_t)(end - i));
}
