/* The build puts this before every kernel text. One text is compiled by OpenCL C 1.2 and, through the second half, as
 * CUDA C by NVRTC. Self-contained: no include. A kernel is written with
 *
 *   KERNEL(x)           begins a kernel run in groups of x work-items, all along dimension 0; with -DSIMD=n in
 *                       sub-groups of n, where a driver lets a kernel say so
 *   FUNCTION            begins a function that kernels call
 *   GLOBAL              address space of pointers into device memory
 *   SHARED              before an array in a kernel: memory that a group shares, aligned to 16 bytes
 *   OF_GROUP            address space of pointers into SHARED memory
 *   RESTRICT            of a pointer: nothing else reaches what it reaches
 *   BARRIER             every work-item of the group waits here for the others; what they wrote to SHARED is seen
 *   GROUP, ITEM         place of the group, and of the work-item in it, along dimension 0, as 64-bit integers
 *   INT64               a 64-bit integer, the type of every dimension argument
 *   UNROLL              before a loop of constant length: no loop is left of it
 *   UNROLL_BY(n)        before any loop: n turns at a time; 1 leaves it as it is
 *
 *   REAL                the type of arithmetic; double with -DREAL_IS_DOUBLE=1, int with -DREAL_IS_INT=1
 *   WIDTH               REALs of one VECTOR; 1 unless defined, as in CUDA, whose vectors have no arithmetic; defined as
 *                       0: what a register of the processor holds, as far as the compiler tells (PoCL's does)
 *   VECTOR              WIDTH REALs side by side
 *   SPLAT(x)            the VECTOR of nothing but x
 *   LANE(v, i)          REAL number i of a VECTOR variable, to read or to write
 *   FMA(a, b, c)        a * b + c, of VECTORs or of REALs, by one instruction where there is one
 *   LOAD(p)             the VECTOR at p, which is aligned to the whole VECTOR (PoCL 3.1 makes 16 loads of one vload16);
 *                       with WIDTH 1 p may point into any memory, else into device memory, here and in the next four
 *   LOAD_LOOSE(p)       the VECTOR at p, which is aligned to a REAL
 *   STORE(v, p)         stores a VECTOR at p, aligned to the whole VECTOR
 *   STORE_LOOSE(v, p)   stores a VECTOR at p, aligned to a REAL
 *   STREAM(v, p)        stores a VECTOR at p, aligned to the whole VECTOR, past the caches where that can be had
 *   PREFETCH(p)         asks for what lies at p in device memory, to be read soon; nothing where that cannot be said
 *   QUAD, LOAD_QUAD(p)  four REALs x, y, z, w to be moved, in CUDA as well; those at p, aligned to 16 bytes
 *   STORE_QUAD(..., p)  stores four REALs side by side at p, aligned to 16 bytes
 */
#ifndef WIDTH
#define WIDTH 1
#elif WIDTH == 0
#undef WIDTH
#if defined __AVX512F__ && defined REAL_IS_DOUBLE
#define WIDTH 8
#elif defined __AVX512F__
#define WIDTH 16
#elif defined REAL_IS_DOUBLE
#define WIDTH 4
#else
#define WIDTH 8
#endif
#endif

#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define PRAGMA(x)    _Pragma(#x)
#define UNROLL       _Pragma("unroll")
#define UNROLL_BY(n) PRAGMA(unroll n)
#define LANE(v, i)   (((REAL *)&(v))[i])

#ifdef REAL_IS_DOUBLE
#define REAL double
#elif defined REAL_IS_INT
#define REAL int
#else
#define REAL float
#endif

#ifdef __CUDACC__

/* KERNEL: as many groups on a multiprocessor as let a work-item have so many registers, and no more. */
#ifndef REGISTERS
#define REGISTERS 128
#endif
#define INT64 long long
#define GLOBAL
#define SHARED __shared__ __align__(16)
#define OF_GROUP
#define KERNEL(x)                 extern "C" __global__ void __launch_bounds__(x, 65536 / REGISTERS / (x))
#define FUNCTION                  static __device__ __forceinline__
#define RESTRICT                  __restrict__
#define BARRIER                   __syncthreads()
#define GROUP                     ((INT64)blockIdx.x)
#define ITEM                      ((INT64)threadIdx.x)
#define SPLAT(x)                  (x)
#define STREAM(value, p)          __stcs((p), (value))
#define LOAD_QUAD(p)              (*(const QUAD *)(p))
#define FMA(a, b, c)              fma(a, b, c)
#define STORE_QUAD(x, y, z, w, p) (*(QUAD *)(p) = QUAD{ (x), (y), (z), (w) })
struct __align__(16) QUAD
{
    REAL x, y, z, w;
};

#else

#ifdef REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if defined SIMD && defined cl_intel_required_subgroup_size
#define LANES_TOGETHER __attribute__((intel_reqd_sub_group_size(SIMD)))
#else
#define LANES_TOGETHER
#endif
#define INT64                     long
#define GLOBAL                    __global
#define SHARED                    __local __attribute__((aligned(16)))
#define OF_GROUP                  __local
#define KERNEL(x)                 __kernel LANES_TOGETHER __attribute__((reqd_work_group_size(x, 1, 1))) void
#define FUNCTION                  static inline
#define RESTRICT                  restrict
#define BARRIER                   barrier(CLK_LOCAL_MEM_FENCE)
#define GROUP                     ((INT64)get_group_id(0))
#define ITEM                      ((INT64)get_local_id(0))
#define SPLAT(x)                  ((VECTOR)(x))
#define QUAD                      JOIN(REAL, 4)
#define LOAD_QUAD(p)              vload4(0, p)
#define STORE_QUAD(x, y, z, w, p) vstore4((QUAD)((x), (y), (z), (w)), 0, p)

/* PoCL's mad() is two instructions where it has one for fma(); rusticl's fma() is a long function where it has none. */
#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined FP_FAST_FMAF
#define FMA(a, b, c) fma(a, b, c)
#else
#define FMA(a, b, c) mad(a, b, c)
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM_AS(type, value, p) __builtin_nontemporal_store(value, (GLOBAL type *)(p))
#endif
#endif
#ifndef STREAM_AS
#define STREAM_AS(type, value, p) (*(GLOBAL type *)(p) = (value))
#endif
#define STREAM(value, p) STREAM_AS(VECTOR, value, p)

#if defined __has_builtin && !defined __SPIR__ /* which has no word for it */
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(p) __builtin_prefetch((const GLOBAL void *)(p))
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(p) ((void)0)
#endif

#endif

#if WIDTH == 1 || defined __CUDACC__
#define VECTOR                REAL
#define LOAD(p)               (*(p))
#define LOAD_LOOSE(p)         (*(p))
#define STORE(value, p)       (*(p) = (value))
#define STORE_LOOSE(value, p) (*(p) = (value))
#else
#define VECTOR                JOIN(REAL, WIDTH)
typedef VECTOR loose_vector __attribute__((aligned(sizeof(REAL))));
#define LOAD(p)               (*(const GLOBAL VECTOR *)(p))
#define LOAD_LOOSE(p)         (*(const GLOBAL loose_vector *)(p))
#define STORE(value, p)       (*(GLOBAL VECTOR *)(p) = (value))
#define STORE_LOOSE(value, p) (*(GLOBAL loose_vector *)(p) = (value))
#endif

/* The lanes of a sum added up. */
FUNCTION REAL lanes_sum(VECTOR sum)
{
    REAL total = 0;
    for (int l = 0; l < WIDTH; l++)
        total += LANE(sum, l);
    return total;
}
