/* Stands before every kernel text. One text is compiled by OpenCL C 1.2 and, through the second half, as CUDA C by
 * NVRTC. Self-contained: no include. A kernel is written with
 *
 *   REAL              the element type; double with -DREAL_IS_DOUBLE=1
 *   WIDTH             elements of one VECTOR; 1 unless defined, as in CUDA, whose vectors have no arithmetic
 *   VECTOR            WIDTH elements side by side
 *   LOAD(p)           the VECTOR at p, which is aligned to the whole VECTOR (PoCL 3.1 makes 16 loads of one vload16)
 *   STREAM(v, p)      stores a VECTOR at p, aligned alike, past the caches where that can be had
 *   KERNEL(x)         begins a kernel run in groups of x work-items along dimension 0
 *   GLOBAL            address space of pointers into device memory
 *   GROUP, ITEM       place of the group, and of the work-item in it, along dimension 0, as 64-bit integers
 *   INT64             a 64-bit integer, the type of every dimension argument
 */
#ifndef WIDTH
#define WIDTH 1
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#ifdef REAL_IS_DOUBLE
#define REAL double
#else
#define REAL float
#endif

#ifdef __CUDACC__

#define INT64 long long
#define GLOBAL
#define KERNEL(x)        extern "C" __global__ void __launch_bounds__(x)
#define RESTRICT         __restrict__
#define GROUP            ((INT64)blockIdx.x)
#define ITEM             ((INT64)threadIdx.x)
#define VECTOR           REAL
#define LOAD(p)          (*(p))
#define STREAM(value, p) __stcs((p), (value))

#else

#ifdef REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define INT64     long
#define GLOBAL    __global
#define KERNEL(x) __kernel __attribute__((reqd_work_group_size(x, 1, 1))) void
#define RESTRICT  restrict
#define GROUP     ((INT64)get_group_id(0))
#define ITEM      ((INT64)get_local_id(0))

#if WIDTH == 1
#define VECTOR REAL
#else
#define VECTOR JOIN(REAL, WIDTH)
#endif
#define LOAD(p) (*(const GLOBAL VECTOR *)(p))

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(value, p) __builtin_nontemporal_store(value, (GLOBAL VECTOR *)(p))
#endif
#endif
#ifndef STREAM
#define STREAM(value, p) (*(GLOBAL VECTOR *)(p) = (value))
#endif

#endif
