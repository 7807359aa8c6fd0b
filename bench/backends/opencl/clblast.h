#ifndef BENCH_BACKENDS_OPENCL_CLBLAST_H
#define BENCH_BACKENDS_OPENCL_CLBLAST_H

/* CLBlast as the program uses it, through pointers: the library is loaded when a method needs it. */

#include "bench/backends/common/gemm.h"
#include "bench/backends/opencl/opencl.h"

#include <clblast_c.h>

/* The functions of the shared library, which stays loaded until the process ends. */
struct clblast {
    __typeof__(&CLBlastSgemm) sgemm;
    __typeof__(&CLBlastDgemm) dgemm;
    __typeof__(&CLBlastHgemm) hgemm;
    __typeof__(&CLBlastSgemv) sgemv;
    __typeof__(&CLBlastDgemv) dgemv;
    __typeof__(&CLBlastHgemv) hgemv;
    __typeof__(&CLBlastSconvgemm) convgemm[3]; /* by element type: f32, f64, f16 */
};

/* Loads it for a session. `detail` gets its name and version. False with STATUS_UNSUPPORTED where there is none. */
bool clblast_open(struct clblast *out, struct session *session, char detail[DETAIL_MAX], struct error *err);

/* CLBlast's kernels index with `int`, and the library does not check the sizes. False with STATUS_UNSUPPORTED for more
 * elements; `what` is what the sentence calls them. */
bool clblast_counts(const char *what, double elements, struct error *err);

/* Puts C = A B of f32 or f64 on the queue. */
bool clblast_gemm(const struct clblast *library, struct session *session, unsigned queue, enum dtype dtype,
                  const struct gemm *gemm, const cl_mem operand[3], struct error *err);

#endif
