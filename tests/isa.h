#ifndef TESTS_ISA_H
#define TESTS_ISA_H

/* The versions of a native slice by the name of their instruction set, "baseline", "avx2" or "avx512", whichever of
 * them the CPU backend would choose. */

#include "bench/workload.h"
#include "kernels/native.h"

#include <string.h>

#if defined __x86_64__
static inline bool isa_runs(const char *isa)
{
    if (strcmp(isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return strcmp(isa, "avx2") != 0 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}
#else
static inline bool isa_runs(const char *isa)
{
    return strcmp(isa, "baseline") == 0;
}
#endif

/* NULL where the program was built without it. */
static inline native_slice *isa_slice(const struct native_pass *pass, const char *isa, enum dtype dtype)
{
    return strcmp(isa, "avx512") == 0 ? pass->avx512[dtype]
           : strcmp(isa, "avx2") == 0 ? pass->avx2[dtype]
                                      : pass->baseline[dtype];
}

#endif
