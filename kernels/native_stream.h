#ifndef KERNELS_NATIVE_STREAM_H
#define KERNELS_NATIVE_STREAM_H

/* Streaming stores, past the caches: an ordinary store first reads the line that it is about to replace. For arrays
 * that do not stay in a cache from one run to the next anyhow. */

#include "kernels/native_element.h"

/* STREAM_END() after the last one: such stores are weakly ordered, and the thread that waits must see them. */
#if defined __x86_64__
#include <immintrin.h>
#define STREAM_END() _mm_sfence()
#else
#define STREAM_END() ((void)0)
#endif

/* STREAM(to, value) stores a vector of ELEMENTs: a register of them, half of one where they are narrow. */
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

#endif
