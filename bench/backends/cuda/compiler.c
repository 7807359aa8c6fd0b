#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/nvrtc.h"

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
    const int architecture = session->target.architecture;
    if (!cuda_library_load(CUDA_NVRTC, &session->target, &found, err) || !nvrtc_bind(&nvrtc, found.handle, err))
        return NULL;
    snprintf(how, COMPILER_TEXT, "NVRTC %s", found.version);
    const int newest = nvrtc_newest(&nvrtc, architecture);
    if (newest == 0)
        return fail_null(err, STATUS_UNSUPPORTED,
                         "%s cannot compile for this GPU (sm_%d): install another version of the CUDA Toolkit", how,
                         architecture);
    if (newest < architecture)
        snprintf(how + strlen(how), COMPILER_TEXT - strlen(how), ", PTX for sm_%d", newest);
    return nvrtc_compile(&nvrtc, source, options, newest < architecture ? NVRTC_PTX : NVRTC_MACHINE_CODE, newest,
                         &bytes, err);
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
    void *image = compile(session, source, options, how, err);
    const bool is_open = image && module_open(&session->driver, image, out, err);
    free(image);
    return is_open;
}
