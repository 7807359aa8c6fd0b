#ifndef BENCH_BACKENDS_CUDA_LIBRARY_H
#define BENCH_BACKENDS_CUDA_LIBRARY_H

/* NVIDIA's libraries beside the driver, of which several versions may be installed, in several places, or none. Of each
 * the newest major version is taken that the driver and the GPU support: this is where those rules are. */

#include "harness/base/error.h"
#include "harness/machine/device.h"

#include <limits.h>
#include <stdbool.h>

enum cuda_library { CUDA_NVRTC, CUDA_CUBLAS, CUDA_CUDNN, CUDA_NVML, CUDA_LIBRARIES };

/* What decides which version may be used. */
struct cuda_target {
    int driver;       /* the newest CUDA that it supports, as cuDriverGetVersion tells it: 12040 is 12.4 */
    int architecture; /* of the GPU: 90 is sm_90 */
};

struct cuda_found {
    void *handle;               /* loaded until the process ends; NULL where it was only searched for, in a folder */
    unsigned cuda;              /* major version of the CUDA that it is built for; 0: it does not matter */
    char version[40];           /* "13.1.0"; without loading what its file's name tells, "13" at least */
    char path[PATH_MAX];        /* of the file itself, as it was found */
    char ignored_variables[64]; /* variables of the environment that were kept from it, "" where none was set */
};

const char *cuda_library_name(enum cuda_library which); /* "cuBLAS" */

/* Loads one. What its user's environment tells it about precision is taken out of this process first: f32 means f32,
 * and tf32 TF32, whatever NVIDIA_TF32_OVERRIDE and CUBLAS_EMULATE_SINGLE_PRECISION are. False with STATUS_UNSUPPORTED,
 * and a sentence that names what was looked for, what else was found and why that does not do, and how to help. */
bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err);

/* The same without loading what takes long to load: what cuda_library_load would most likely say. */
bool cuda_library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err);

/* Whether the library of that major version, built for that CUDA, is for this driver and this GPU; `version` as it
 * numbers itself, 0 where that is not known. False with the reason in err. */
bool cuda_library_suits(enum cuda_library which, unsigned major, unsigned cuda, unsigned version,
                        const struct cuda_target *target, struct error *err);

#endif
