#ifndef BENCH_BACKENDS_CUDA_NVRTC_H
#define BENCH_BACKENDS_CUDA_NVRTC_H

/* The part of NVIDIA's runtime compiler that is called, after its reference manual. It needs neither a driver nor a
 * GPU. */

#include "bench/workloads/workload.h"
#include "harness/base/library.h"

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_program;

/* Calls return 0 for success. */
#define NVRTC_CALLS(CALL)                                                                                              \
    CALL(count, "nvrtcGetNumSupportedArchs", int *count)                                                               \
    CALL(architectures, "nvrtcGetSupportedArchs", int *out)                                                            \
    CALL(create, "nvrtcCreateProgram", struct nvrtc_program **program, const char *source, const char *name,           \
         int headers, const char *const *texts, const char *const *names)                                              \
    CALL(compile, "nvrtcCompileProgram", struct nvrtc_program *program, int count, const char *const *options)         \
    CALL(log_bytes, "nvrtcGetProgramLogSize", struct nvrtc_program *program, size_t *bytes)                            \
    CALL(log, "nvrtcGetProgramLog", struct nvrtc_program *program, char *log)                                          \
    CALL(code_bytes, "nvrtcGetCUBINSize", struct nvrtc_program *program, size_t *bytes)                                \
    CALL(code, "nvrtcGetCUBIN", struct nvrtc_program *program, char *code)                                             \
    CALL(ptx_bytes, "nvrtcGetPTXSize", struct nvrtc_program *program, size_t *bytes)                                   \
    CALL(ptx, "nvrtcGetPTX", struct nvrtc_program *program, char *text)                                                \
    CALL(destroy, "nvrtcDestroyProgram", struct nvrtc_program **program)

struct nvrtc {
    NVRTC_CALLS(LIBRARY_MEMBER)
    const char *(*error_text)(int code);
};

/* Binds the functions of a loaded library. */
bool nvrtc_bind(struct nvrtc *out, void *library, struct error *err);

/* The newest architecture that it knows and that is not newer than a GPU's: 90 for sm_90. 0: none. */
int nvrtc_newest(const struct nvrtc *nvrtc, int architecture);

enum { NVRTC_OPTIONS = 320 };

/* Compiles a kernel text to machine code of one architecture, or to PTX, a text that drivers compile for it and newer
 * ones. Returns the code, to be freed. Options are separated by blanks, NVRTC_OPTIONS bytes at most; `architecture` is
 * one that this NVRTC knows, 90 for sm_90. NULL with err. */
enum nvrtc_target { NVRTC_MACHINE_CODE, NVRTC_PTX };
void *nvrtc_compile(const struct nvrtc *nvrtc, const char *source, const char *options, enum nvrtc_target target,
                    int architecture, size_t *bytes, struct error *err);

#endif
