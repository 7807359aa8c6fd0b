#ifndef BENCH_BACKENDS_CUDA_LIBRARY_H
#define BENCH_BACKENDS_CUDA_LIBRARY_H

/* NVIDIA's libraries beside the driver. There may be several versions of one, in several places, or none. The newest
 * major version that the driver and the GPU support is used. */

#include "harness/base/error.h"
#include "harness/machine/device.h"

#include <limits.h>
#include <stdbool.h>

enum cuda_library { CUDA_NVRTC, CUDA_CUBLAS, CUDA_CUDNN, CUDA_NVML, CUDA_LIBRARIES };

/* It decides which versions can be used. */
struct cuda_target {
    int driver;       /* the newest CUDA that it supports, as cuDriverGetVersion returns it: 12040 is 12.4 */
    int architecture; /* of the GPU: 90 is sm_90 */
};

struct cuda_found {
    void *handle;          /* loaded until the process ends; NULL where it was only searched for */
    unsigned cuda;         /* major version of the CUDA that it is built for; 0: any */
    char version[40];      /* "13.1.0"; of a library that is not loaded the version in its file's name, at least "13" */
    char path[PATH_MAX];   /* the file, as it was found */
    char passed_over[200]; /* why not a newer one that is installed, in a sentence; "": there is none */
};

const char *cuda_library_name(enum cuda_library which); /* "cuBLAS" */

/* Loads one. False with STATUS_UNSUPPORTED and a message: what was searched for, which other versions were found and
 * why they cannot be used, and what to do. */
bool cuda_library_load(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err);

/* The same for a list of devices: what cuda_library_load would most likely answer. A library is loaded only where
 * nothing but the loader finds it, and of cuDNN it is not yet known which CUDA it is built for. */
bool cuda_library_find(enum cuda_library which, const struct cuda_target *target, struct cuda_found *out,
                       struct error *err);

/* Whether a library that is built for that CUDA supports this driver and GPU; 0: any. False with the reason in err,
 * which calls it `file`. */
bool cuda_library_suits(const char *file, unsigned cuda, const struct cuda_target *target, struct error *err);

#endif
