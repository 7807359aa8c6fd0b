/* The build puts this between portable.h and every kernel text, for operands that may be narrower than the arithmetic
 * on them. In addition to the words of portable.h, texts have
 *
 *   ELEMENT             the type of operands in memory: a REAL, or something narrower. With -DREAL_IS_INT=1 it is a
 *                       signed byte, and only TERM_OF reads it. With -DELEMENT_IS_HALF=1 it is the 16 bits of IEEE
 *                       754's half, with -DELEMENT_IS_BFLOAT16=1 the upper half of a float, and ELEMENT_IS_NARROW is
 *                       defined: both are in an unsigned integer, and no device needs an extension for them
 *   REAL_OF(e)          the value of an ELEMENT
 *   ELEMENT_OF(x)       the ELEMENT nearest to a REAL; of two that are equally near, the even one
 *   LOAD_ELEMENTS(p)    the VECTOR that WIDTH ELEMENTs at p stand for, aligned to all of them
 *   LOAD_LOOSE_ELEMENTS(p), STORE_LOOSE_ELEMENTS(v, p), STREAM_ELEMENTS(v, p)
 *                       what portable.h has of these names, on WIDTH ELEMENTs. All four are for device memory
 *   ELEMENT_QUAD, LOAD_ELEMENT_QUAD(p)
 *                       four ELEMENTs x, y, z, w to be moved as they are; those at p, aligned to all of them
 *
 *   TERM                what a loop over products reads: an ELEMENT, or a REAL made of PER bytes
 *   RESULT              the type of results in memory: an ELEMENT, or of bytes a REAL
 *   RESULT_OF(x), REAL_OF_RESULT(r), LOAD_LOOSE_RESULTS(p), STORE_LOOSE_RESULTS(v, p), STREAM_RESULTS(v, p)
 *                       as those of ELEMENTs
 *   PER                 ELEMENTs of a term: 1, or for bytes as many as -DPER says, 2 or 4
 *   TERMS(count)        how many terms `count` ELEMENTs make
 *   TERM_OF(p, apart, left)
 *                       the term, a REAL, of the ELEMENTs at p, p + apart, ..., of the `left` ELEMENTs that there are
 *                       from p on; apart 1: side by side
 *   MULTIPLY_ADD(a, b, c)
 *                       a * b + c, of REALs or VECTORs of terms; the products of bytes in a term are added up
 *
 * Sums and scratch are REALs. In CUDA a WIDTH of 8 is known for narrow ELEMENTs, since they should move by 16 bytes as
 * well: such VECTORs can be loaded, multiplied and streamed. */
#ifndef PER
#define PER 1
#endif
#define TERMS(count) (((count) + PER - 1) / PER)

#ifdef REAL_IS_INT

#define ELEMENT                       signed char
#define TERM                          REAL
#define REAL_OF(term)                 (term)
#define ELEMENT_QUAD                  QUAD
#define LOAD_ELEMENT_QUAD(p)          LOAD_QUAD(p)
#define RESULT                        REAL
#define RESULT_OF(real)               (real)
#define REAL_OF_RESULT(result)        (result)
#define LOAD_LOOSE_RESULTS(p)         LOAD_LOOSE(p)
#define STORE_LOOSE_RESULTS(value, p) STORE_LOOSE(value, p)
#define STREAM_RESULTS(value, p)      STREAM(value, p)

/* A pair is two numbers of 16 bits, a four is four bytes. */
FUNCTION REAL TERM_OF(const GLOBAL ELEMENT *p, const INT64 apart, const INT64 left)
{
    unsigned term = 0;
    UNROLL for (int i = 0; i < PER; i++)
    {
        if (i * apart < left)
            term |= (unsigned)(p[i * apart] & (PER == 2 ? 0xffff : 0xff)) << (32 / PER * i);
    }
    return (REAL)term;
}

#elif defined ELEMENT_IS_HALF || defined ELEMENT_IS_BFLOAT16

#define ELEMENT_IS_NARROW
#define ELEMENT unsigned short

/* The bits of one float or of many, rounded to their upper half. Rounding up would make an infinity of some NaNs. */
#define UPPER_HALF(bits)                                                                                               \
    (((bits)&0x7fffffffu) > 0x7f800000u ? (bits) >> 16 | 0x40u : ((bits) + 0x7fffu + ((bits) >> 16 & 1u)) >> 16)

#else

#define ELEMENT                        REAL
#define REAL_OF(element)               (element)
#define ELEMENT_OF(real)               (real)
#define LOAD_ELEMENTS(p)               LOAD(p)
#define LOAD_LOOSE_ELEMENTS(p)         LOAD_LOOSE(p)
#define STORE_LOOSE_ELEMENTS(value, p) STORE_LOOSE(value, p)
#define STREAM_ELEMENTS(value, p)      STREAM(value, p)
#define ELEMENT_QUAD                   QUAD
#define LOAD_ELEMENT_QUAD(p)           LOAD_QUAD(p)

#endif

#ifndef REAL_IS_INT
#define TERM                          ELEMENT
#define RESULT                        ELEMENT
#define RESULT_OF(real)               ELEMENT_OF(real)
#define REAL_OF_RESULT(result)        REAL_OF(result)
#define LOAD_LOOSE_RESULTS(p)         LOAD_LOOSE_ELEMENTS(p)
#define STORE_LOOSE_RESULTS(value, p) STORE_LOOSE_ELEMENTS(value, p)
#define STREAM_RESULTS(value, p)      STREAM_ELEMENTS(value, p)
#define TERM_OF(p, apart, left)       REAL_OF(*(p))
#define MULTIPLY_ADD(a, b, c)         FMA(a, b, c)
#elif PER == 4 && __CUDA_ARCH__ >= 610
#define MULTIPLY_ADD(a, b, c) __dp4a(a, b, c)
#elif PER == 4 && defined __opencl_c_integer_dot_product_input_4x8bit_packed
#define MULTIPLY_ADD(a, b, c) (dot_4x8packed_ss_int((unsigned)(a), (unsigned)(b)) + (c))
#elif PER == 4
/* Compilers know it for the instruction where there is one. */
FUNCTION REAL MULTIPLY_ADD(const REAL a, const REAL b, REAL sum)
{
    UNROLL for (int i = 0; i < 32; i += 8) sum += (signed char)(a >> i) * (signed char)(b >> i);
    return sum;
}
#elif WIDTH == 16 && defined __AVX512VNNI__
#define MULTIPLY_ADD(a, b, c) __builtin_ia32_vpdpwssd512(c, a, b)
#elif WIDTH == 16 && defined __AVX512BW__
typedef short pairs __attribute__((ext_vector_type(32)));
#define MULTIPLY_ADD(a, b, c)                                                                                          \
    (__builtin_astype(__builtin_ia32_pmaddwd512(__builtin_astype(a, pairs), __builtin_astype(b, pairs)), VECTOR) + (c))
#elif WIDTH == 8 && defined __AVX2__
typedef short pairs __attribute__((ext_vector_type(16)));
#define MULTIPLY_ADD(a, b, c)                                                                                          \
    (__builtin_astype(__builtin_ia32_pmaddwd256(__builtin_astype(a, pairs), __builtin_astype(b, pairs)), VECTOR) + (c))
#else
#define MULTIPLY_ADD(a, b, c) (((a) << 16 >> 16) * ((b) << 16 >> 16) + ((a) >> 16) * ((b) >> 16) + (c))
#endif

#ifdef ELEMENT_IS_BFLOAT16
#ifdef __CUDACC__
#define as_float(bits) __uint_as_float(bits)
#define as_uint(real)  __float_as_uint(real)
#endif
FUNCTION REAL REAL_OF(const ELEMENT element)
{
    return as_float((unsigned)element << 16);
}
FUNCTION ELEMENT ELEMENT_OF(const REAL real)
{
    const unsigned bits = as_uint(real);
    return (ELEMENT)UPPER_HALF(bits);
}
#endif

#if defined ELEMENT_IS_NARROW && defined __CUDACC__

#ifdef ELEMENT_IS_HALF
#ifndef CVT_F32_F16 /* PTX, since cuda_fp16.h may be missing; another compiler has definitions of its own */
#define CVT_F32_F16(to, from) asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from))
#define CVT_F16_F32(to, from) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to) : "f"(from))
#endif
FUNCTION REAL REAL_OF(const ELEMENT element)
{
    REAL real;
    CVT_F32_F16(real, element);
    return real;
}
FUNCTION ELEMENT ELEMENT_OF(const REAL real)
{
    ELEMENT element;
    CVT_F16_F32(element, real);
    return element;
}
#endif

struct __align__(8) ELEMENT_QUAD
{
    ELEMENT x, y, z, w;
};
#define LOAD_ELEMENT_QUAD(p) (*(const ELEMENT_QUAD *)(p))

#if WIDTH == 1
#define LOAD_LOOSE_ELEMENTS(p)         REAL_OF(*(p))
#define STORE_LOOSE_ELEMENTS(value, p) (*(p) = ELEMENT_OF(value))
#endif

#if WIDTH == 8

#undef VECTOR
struct VECTOR {
    REAL lane[8];
};
FUNCTION VECTOR operator*(const VECTOR &a, const VECTOR &b)
{
    VECTOR product;
    UNROLL for (int i = 0; i < 8; i++) product.lane[i] = a.lane[i] * b.lane[i];
    return product;
}
FUNCTION VECTOR reals_of(const uint4 &words)
{
    const unsigned word[4] = { words.x, words.y, words.z, words.w };
    VECTOR reals;
    UNROLL for (int i = 0; i < 8; i++) reals.lane[i] = REAL_OF((ELEMENT)(word[i / 2] >> i % 2 * 16));
    return reals;
}
FUNCTION unsigned word_of(const REAL *two)
{
    return ELEMENT_OF(two[0]) | (unsigned)ELEMENT_OF(two[1]) << 16;
}
FUNCTION uint4 words_of(const VECTOR &reals)
{
    const REAL *lane = reals.lane;
    return uint4{ word_of(lane), word_of(lane + 2), word_of(lane + 4), word_of(lane + 6) };
}
#define LOAD_ELEMENTS(p)          reals_of(*(const uint4 *)(p))
#define STREAM_ELEMENTS(value, p) __stcs((uint4 *)(p), words_of(value))

#endif
#endif

#if defined ELEMENT_IS_NARROW && !defined __CUDACC__

#if WIDTH == 1
#define ELEMENTS ELEMENT
#else
#define ELEMENTS JOIN(ushort, WIDTH)
#endif

#ifdef ELEMENT_IS_HALF

/* Core functions of OpenCL convert halves: they ask for pointers to them, which need no extension. */
FUNCTION REAL REAL_OF(const ELEMENT element)
{
    return vload_half(0, (const half *)&element);
}
FUNCTION ELEMENT ELEMENT_OF(const REAL real)
{
    ELEMENT element;
    vstore_half_rte(real, 0, (half *)&element);
    return element;
}
#if WIDTH > 1
FUNCTION VECTOR reals_of(const ELEMENTS elements)
{
    return JOIN(vload_half, WIDTH)(0, (const half *)&elements);
}
FUNCTION ELEMENTS elements_of(const VECTOR reals)
{
    ELEMENTS elements;
    JOIN(JOIN(vstore_half, WIDTH), _rte)(reals, 0, (half *)&elements);
    return elements;
}
#endif

#elif WIDTH > 1

FUNCTION VECTOR reals_of(const ELEMENTS elements)
{
    return JOIN(as_float, WIDTH)(JOIN(convert_uint, WIDTH)(elements) << 16);
}
FUNCTION ELEMENTS elements_of(const VECTOR reals)
{
    const JOIN(uint, WIDTH) bits = JOIN(as_uint, WIDTH)(reals);
    return JOIN(convert_ushort, WIDTH)(UPPER_HALF(bits));
}

#endif

#if WIDTH == 1
#define reals_of(element) REAL_OF(element)
#define elements_of(real) ELEMENT_OF(real)
#endif
typedef ELEMENTS loose_elements __attribute__((aligned(sizeof(ELEMENT))));
#define LOAD_ELEMENTS(p)               reals_of(*(const GLOBAL ELEMENTS *)(p))
#define LOAD_LOOSE_ELEMENTS(p)         reals_of(*(const GLOBAL loose_elements *)(p))
#define STORE_LOOSE_ELEMENTS(value, p) (*(GLOBAL loose_elements *)(p) = elements_of(value))
#define STREAM_ELEMENTS(value, p)      STREAM_AS(ELEMENTS, elements_of(value), p)
#define ELEMENT_QUAD                   ushort4
#define LOAD_ELEMENT_QUAD(p)           vload4(0, p)

#endif
