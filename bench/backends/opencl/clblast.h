#ifndef BENCH_BACKENDS_OPENCL_CLBLAST_H
#define BENCH_BACKENDS_OPENCL_CLBLAST_H

/* CLBlast, loaded when a method needs it and never before. clblast.c calls it; this is what it is called through. */

#include "bench/backends/opencl/opencl.h"

#include <clblast_c.h>

/* The shared library, open until the process ends, and what is called in it. */
struct library {
    __typeof__(&CLBlastSgemm) sgemm;
    __typeof__(&CLBlastDgemm) dgemm;
    __typeof__(&CLBlastHgemm) hgemm;
    __typeof__(&CLBlastSconvgemm) sconvgemm;
    __typeof__(&CLBlastDconvgemm) dconvgemm;
    __typeof__(&CLBlastHconvgemm) hconvgemm;
};

/* STATUS_UNSUPPORTED with the package's name where it cannot be loaded. `name` gets its name and version. */
bool clblast_load(struct library *out, char *name, size_t room, struct error *err);

/* Makes the library give back what it keeps of contexts; nothing where it was never loaded. */
void clblast_forget(void);

/* fail() with the routine and its answer in words, OpenCL's codes and the library's own. Always false. */
bool clblast_fail(struct error *err, const char *routine, CLBlastStatusCode code);

#endif
