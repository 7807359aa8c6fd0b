#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/nvrtc.h"
#include "bench/backends/cuda/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiles by NVRTC, whose version goes to `how`. One that is older than the GPU makes PTX, which the driver compiles.
 * NULL with err: STATUS_UNSUPPORTED where there is none for this driver and device. */
static void *compile(const struct session *session, const char *source, const char *options, char how[COMPILER_TEXT],
                     struct error *err)
{
    struct cuda_found found;
    struct nvrtc nvrtc;
    size_t bytes;
    if (!cuda_library_load(CUDA_NVRTC, &session->target, &found, err) || !nvrtc_bind(&nvrtc, found.handle, err))
        return NULL;
    nvrtc_version(&nvrtc, how);
    const int architecture = session->target.architecture;
    void *code = nvrtc_compile(&nvrtc, source, options, NVRTC_MACHINE_CODE, architecture, &bytes, err);
    const int newest = !code && err->status == STATUS_UNSUPPORTED ? nvrtc_newest(&nvrtc, architecture) : 0;
    if (newest == 0 || newest == architecture)
        return code;
    *err = (struct error){ .status = STATUS_OK };
    snprintf(how + strlen(how), COMPILER_TEXT - strlen(how), ", PTX for sm_%d", newest);
    return nvrtc_compile(&nvrtc, source, options, NVRTC_PTX, newest, &bytes, err);
}

/* PTX that the driver refuses has its compiler's log in err. */
static bool module_open(const struct cuda_driver *driver, const void *image, struct cuda_module **out,
                        struct error *err)
{
    char log[512] = "";
    const int option[] = { CUDA_JIT_LOG, CUDA_JIT_LOG_BYTES };
    void *const value[] = { log, (void *)(uintptr_t)(sizeof log - 1) };
    struct error own = { .status = STATUS_OK };
    if (cuda_make(driver, &own, module_open, out, image, 2, option, value))
        return true;
    return fail_in(err, own.where, own.status, "%.*s%s%s", *log ? 110 : (int)sizeof own.message, own.message,
                   *log ? "; log of the driver's compiler: " : "", log);
}

bool cuda_module_open(const struct session *session, const char *source, const char *options, struct cuda_module **out,
                      char how[COMPILER_TEXT], struct error *err)
{
    const struct cuda_target *target = &session->target;
    struct error compiler = { .status = STATUS_OK }, missing = { .status = STATUS_OK };
    void *image = compile(session, source, options, how, &compiler);
    const char *text = NULL;
    if (!image && compiler.status == STATUS_UNSUPPORTED)
        text = ptx_find(&ptx_built, source, options, target->architecture, target->driver, &missing);
    if (!image && !text)
        return fail_in(err, compiler.where, compiler.status, "%s%s%s", compiler.message,
                       ptx_built.count > 0 ? "; " : "", ptx_built.count > 0 ? missing.message : "");
    if (text) /* the driver compiles it */
        snprintf(how, COMPILER_TEXT, "this program's PTX, by NVRTC %d.%d", ptx_built.toolkit / 1000,
                 ptx_built.toolkit % 1000 / 10);
    const bool is_open = module_open(&session->driver, image ? image : text, out, err);
    free(image);
    return is_open;
}
