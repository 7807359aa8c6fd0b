#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/cuda/ptx.h"

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
    return nvrtc_compile(&nvrtc, source, options, NVRTC_MACHINE_CODE, session->target.architecture, &bytes, err);
}

/* One message with both reasons: why NVRTC is not used, and why the PTX in this program is not. Where they do not fit,
 * the first is cut at its colon. */
static bool fail_with_both(struct error *err, const struct error *compiler, const struct error *ptx)
{
    const size_t whole = strlen(compiler->message), other = strlen(ptx->message);
    const size_t used = whole + other + 3 > sizeof err->message ? strcspn(compiler->message, ":") : whole;
    if (ptx_built.count == 0)
        return fail_in(err, compiler->where, compiler->status, "%s", compiler->message);
    return fail_in(err, compiler->where, ptx->status, "%.*s; %s", (int)used, compiler->message, ptx->message);
}

/* The driver compiles the PTX. Its log goes into the message. */
static bool open_ptx(const struct session *session, const char *text, struct cuda_module **out, char how[COMPILER_TEXT],
                     struct error *err)
{
    char log[256] = "";
    int option[] = { CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES };
    void *value[] = { log, (void *)(uintptr_t)sizeof log }; /* a number in place of a pointer */
    const int code = CUDA(&session->driver, module_compile, out, text, 2, option, value);
    snprintf(how, COMPILER_TEXT, "this program's PTX, by NVRTC %d.%d", ptx_built.toolkit / 1000,
             ptx_built.toolkit % 1000 / 10);
    if (code != CUDA_OK)
        *out = NULL;
    if (code == CUDA_OK || !*log)
        return cuda_check_answer(&session->driver, code, cuda_names.module_compile, err);
    return fail_in(err, cuda_names.module_compile, STATUS_UNSUPPORTED, "the driver does not compile %s (%d): %.*s", how,
                   code, (int)strcspn(log, "\n"), log);
}

bool cuda_module_open(const struct session *session, const char *source, const char *options, struct cuda_module **out,
                      char how[COMPILER_TEXT], struct error *err)
{
    struct error compiler = { .status = STATUS_OK }, missing = { .status = STATUS_OK };
    void *image = compile(session, source, options, how, &compiler);
    if (image) {
        const bool is_open = cuda_make(&session->driver, err, module_open, out, image);
        free(image);
        return is_open;
    }
    if (compiler.status != STATUS_UNSUPPORTED)
        return fail_in(err, compiler.where, compiler.status, "%s", compiler.message);
    const char *text =
        ptx_find(&ptx_built, source, options, session->target.architecture, session->target.driver, &missing);
    return text ? open_ptx(session, text, out, how, err) : fail_with_both(err, &compiler, &missing);
}
