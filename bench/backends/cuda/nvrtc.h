#ifndef BENCH_BACKENDS_CUDA_NVRTC_H
#define BENCH_BACKENDS_CUDA_NVRTC_H

/* NVIDIA's compiler of kernel texts, as much of it as is called, after its reference manual. It wants neither a driver
 * nor a GPU: the program loads it for the device that it measures, and the build for those that it has never seen. */

#include "bench/workloads/workload.h"

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_program;

/* 0 stands for success. */
struct nvrtc {
    int (*version)(int *major, int *minor);
    int (*architecture_count)(int *count);
    int (*architectures)(int *out);
    int (*create)(struct nvrtc_program **program, const char *source, const char *name, int headers,
                  const char *const *texts, const char *const *names);
    int (*compile)(struct nvrtc_program *program, int count, const char *const *options);
    int (*log_bytes)(struct nvrtc_program *program, size_t *bytes);
    int (*log)(struct nvrtc_program *program, char *log);
    int (*code_bytes)(struct nvrtc_program *program, size_t *bytes);
    int (*code)(struct nvrtc_program *program, char *code);
    int (*destroy)(struct nvrtc_program **program);
    const char *(*error_text)(int code);
};

/* Takes the functions of a library that is loaded. */
bool nvrtc_bind(struct nvrtc *out, void *library, struct error *err);

/* "NVRTC 12.4" */
enum { NVRTC_TEXT = 32 };
void nvrtc_version(const struct nvrtc *nvrtc, char to[NVRTC_TEXT]);

/* What a kernel text is compiled with, beside the architecture. False with err where kernels lack the type. */
enum { NVRTC_OPTIONS = 320 };
bool nvrtc_options(const struct problem *problem, const struct portable *portable, const struct launch *launch,
                   char to[NVRTC_OPTIONS], struct error *err);

/* Those that it makes machine code for, 90 for sm_90; at most `room`. Returns how many. */
unsigned nvrtc_architectures(const struct nvrtc *nvrtc, int out[], unsigned room);

/* Machine code, to be freed, from a kernel text with the compiler's options, which blanks separate; `architecture` is
 * 90 for sm_90. NULL with err: STATUS_UNSUPPORTED where this NVRTC makes none for the architecture. */
void *nvrtc_compile(const struct nvrtc *nvrtc, const char *source, const char *options, int architecture, size_t *bytes,
                    struct error *err);

#endif
