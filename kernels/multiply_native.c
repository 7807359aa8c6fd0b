#include "kernels/native.h"

/* Streaming stores leave the old contents of c where they are: an ordinary store first reads the line that it is about
 * to replace, a third more traffic. Software prefetching, 512 bytes to 64 KiB ahead, was tried and changed nothing. */
#if defined __x86_64__
#include <immintrin.h>
#define STREAM_END() _mm_sfence() /* such stores are weakly ordered; whoever waits for this thread must see them */
#else
#define STREAM_END() ((void)0)
#endif

#if defined __AVX512F__
#define F32_EACH          16 /* elements of a vector */
#define F64_EACH          8
#define F32_STEP(c, a, b) _mm512_stream_ps(c, _mm512_mul_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b)))
#define F64_STEP(c, a, b) _mm512_stream_pd(c, _mm512_mul_pd(_mm512_loadu_pd(a), _mm512_loadu_pd(b)))
#elif defined __AVX__
#define F32_EACH          8
#define F64_EACH          4
#define F32_STEP(c, a, b) _mm256_stream_ps(c, _mm256_mul_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b)))
#define F64_STEP(c, a, b) _mm256_stream_pd(c, _mm256_mul_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(b)))
#elif defined __x86_64__
#define F32_EACH          4
#define F64_EACH          2
#define F32_STEP(c, a, b) _mm_stream_ps(c, _mm_mul_ps(_mm_loadu_ps(a), _mm_loadu_ps(b)))
#define F64_STEP(c, a, b) _mm_stream_pd(c, _mm_mul_pd(_mm_loadu_pd(a), _mm_loadu_pd(b)))
#else
#define F32_EACH          1
#define F64_EACH          1
#define F32_STEP(c, a, b) (*(c) = *(a) * *(b))
#define F64_STEP(c, a, b) (*(c) = *(a) * *(b))
#endif

NATIVE_SLICE(NATIVE(multiply_f32))
{
    const float *restrict a = operand[0], *restrict b = operand[1];
    float *restrict c = operand[2];
    (void)dim;
    for (int64_t i = begin; i < end; i++)
        c[i] = a[i] * b[i];
}

NATIVE_SLICE(NATIVE(multiply_f64))
{
    const double *restrict a = operand[0], *restrict b = operand[1];
    double *restrict c = operand[2];
    (void)dim;
    for (int64_t i = begin; i < end; i++)
        c[i] = a[i] * b[i];
}

/* In both: single elements up to the first whole line of c, whole lines, and what is left. */

NATIVE_SLICE(NATIVE(multiply_streaming_f32))
{
    enum { LINE = NATIVE_LINE / sizeof(float) };
    const float *restrict a = operand[0], *restrict b = operand[1];
    float *restrict c = operand[2];
    int64_t i = begin;
    (void)dim;

    for (; i < end && (uintptr_t)(c + i) % NATIVE_LINE != 0; i++)
        c[i] = a[i] * b[i];
    for (; i + LINE <= end; i += LINE)
        for (int k = 0; k < LINE; k += F32_EACH)
            F32_STEP(c + i + k, a + i + k, b + i + k);
    STREAM_END();
    for (; i < end; i++)
        c[i] = a[i] * b[i];
}

NATIVE_SLICE(NATIVE(multiply_streaming_f64))
{
    enum { LINE = NATIVE_LINE / sizeof(double) };
    const double *restrict a = operand[0], *restrict b = operand[1];
    double *restrict c = operand[2];
    int64_t i = begin;
    (void)dim;

    for (; i < end && (uintptr_t)(c + i) % NATIVE_LINE != 0; i++)
        c[i] = a[i] * b[i];
    for (; i + LINE <= end; i += LINE)
        for (int k = 0; k < LINE; k += F64_EACH)
            F64_STEP(c + i + k, a + i + k, b + i + k);
    STREAM_END();
    for (; i < end; i++)
        c[i] = a[i] * b[i];
}
