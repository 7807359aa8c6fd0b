#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/nvrtc.h"

static bool nvrtc_load(struct nvrtc *out, const struct session *session, char version[COMPILER_TEXT], struct error *err)
{
    struct cuda_found found;
    if (!cuda_library_load(CUDA_NVRTC, &session->target, &found, err) || !nvrtc_bind(out, found.handle, err))
        return false;
    nvrtc_version(out, version);
    return true;
}

void *cuda_compile(const struct session *session, const char *source, const char *defines, char version[COMPILER_TEXT],
                   struct error *err)
{
    struct nvrtc nvrtc;
    size_t bytes;
    if (!nvrtc_load(&nvrtc, session, version, err))
        return NULL;
    return nvrtc_compile(&nvrtc, source, defines, session->target.architecture, &bytes, err);
}
