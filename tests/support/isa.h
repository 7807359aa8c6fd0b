#ifndef TESTS_SUPPORT_ISA_H
#define TESTS_SUPPORT_ISA_H

/* The versions of a native slice by the name of their instruction set, "baseline", "avx2", "avx512" or "vnni",
 * whichever of them the CPU backend would choose. */

#include "bench/workloads/workload.h"
#include "harness/machine/host.h"
#include "kernels/native.h"

#include <string.h>

static inline bool isa_runs(const char *isa)
{
    return strcmp(isa, "baseline") == 0 || strcmp(isa, host_isa()) == 0 ||
           (strcmp(isa, "avx2") == 0 && strcmp(host_isa(), "avx512") == 0) ||
           (strcmp(isa, "vnni") == 0 && host_has_vnni());
}

/* NULL where the program was built without it. */
static inline native_slice *isa_slice(const struct native_pass *pass, const char *isa, enum dtype dtype)
{
    return strcmp(isa, "vnni") == 0     ? pass->vnni[dtype]
           : strcmp(isa, "avx512") == 0 ? pass->avx512[dtype]
           : strcmp(isa, "avx2") == 0   ? pass->avx2[dtype]
                                        : pass->baseline[dtype];
}

#endif
