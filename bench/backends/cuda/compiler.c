#include "bench/backends/cuda/cubins.h"
#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiles by NVRTC, whose version goes to `how`. NULL with err: STATUS_UNSUPPORTED where there is none for this driver
 * and device. */
static void *compile(const struct session *session, const char *source, const char *options, char how[COMPILER_TEXT],
                     struct error *err)
{
    struct cuda_found found;
    struct nvrtc nvrtc;
    size_t bytes;
    if (!cuda_library_load(CUDA_NVRTC, &session->target, &found, err) || !nvrtc_bind(&nvrtc, found.handle, err))
        return NULL;
    nvrtc_version(&nvrtc, how);
    return nvrtc_compile(&nvrtc, source, options, session->target.architecture, &bytes, err);
}

static bool fail_as(struct error *err, const struct error *why)
{
    return fail_in(err, why->where, why->status, "%s", why->message);
}

/* One message with both reasons: why NVRTC is not used, and why the machine code of the build is not. Where they do not
 * fit, the first is cut at its colon. */
static bool fail_with_both(struct error *err, const struct error *compiler, const struct error *cubin)
{
    const size_t whole = strlen(compiler->message), other = strlen(cubin->message);
    const size_t used = whole + other + 3 > sizeof err->message ? strcspn(compiler->message, ":") : whole;
    if (cubins_built.count == 0)
        return fail_as(err, compiler);
    return fail_in(err, compiler->where, cubin->status, "%.*s; %s", (int)used, compiler->message, cubin->message);
}

static bool open_cubin(const struct session *session, const struct cubin *cubin, struct cuda_module **out,
                       char how[COMPILER_TEXT], struct error *err)
{
    const int architecture = cubin->architecture, major = cubin->toolkit / 1000, minor = cubin->toolkit % 1000 / 10;
    const int code = session->driver.module_open(out, cubins_built.data + cubin->start);
    snprintf(how, COMPILER_TEXT, "this build's machine code for sm_%d, by NVRTC %d.%d", architecture, major, minor);
    if (code != CUDA_OK)
        *out = NULL;
    if (code != CUDA_INVALID_IMAGE && code != CUDA_NO_BINARY_FOR_GPU)
        return cuda_check(&session->driver, code, "cuModuleLoadData", err);
    return fail_in(err, "cuModuleLoadData", STATUS_UNSUPPORTED,
                   "the driver refuses this build's machine code for sm_%d, by NVRTC %d.%d (%d)", architecture, major,
                   minor, code);
}

bool cuda_module_open(const struct session *session, const char *source, const char *options, struct cuda_module **out,
                      char how[COMPILER_TEXT], struct error *err)
{
    struct error compiler = { .status = STATUS_OK }, missing = { .status = STATUS_OK };
    void *image = compile(session, source, options, how, &compiler);
    if (image) {
        const int code = session->driver.module_open(out, image);
        free(image);
        if (code != CUDA_OK)
            *out = NULL;
        return cuda_check(&session->driver, code, "cuModuleLoadData", err);
    }
    if (compiler.status != STATUS_UNSUPPORTED)
        return fail_as(err, &compiler);
    const struct cubin *cubin =
        cubins_find(&cubins_built, source, options, session->target.architecture, session->target.driver, &missing);
    return cubin ? open_cubin(session, cubin, out, how, err) : fail_with_both(err, &compiler, &missing);
}
