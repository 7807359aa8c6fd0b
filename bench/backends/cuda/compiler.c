#include "bench/backends/cuda/cuda.h"
#include "bench/backends/cuda/library.h"
#include "bench/backends/cuda/nvrtc.h"

/* "sm_90" is 90. */
static int architecture_of(const struct session *session)
{
    return 10 * cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MAJOR) +
           cuda_attribute(&session->driver, session->ordinal, CUDA_CAPABILITY_MINOR);
}

/* Machine code of a newer toolkit is refused by an older driver, and CUDA 13 makes none for devices before 7.5 (its
 * release notes). */
static bool majors_for(const struct session *session, unsigned majors[3], struct error *err)
{
    const int oldest_of_13 = 75;
    int version = 0;
    unsigned count = 0;
    session->driver.version(&version);
    if (version < 12000)
        return fail(err, STATUS_UNSUPPORTED,
                    "the NVIDIA driver is of CUDA %d.%d, and takes no machine code of CUDA 12 and later: a newer "
                    "driver is needed",
                    version / 1000, version % 1000 / 10);
    if (version >= 13000 && architecture_of(session) >= oldest_of_13)
        majors[count++] = 13;
    majors[count++] = 12;
    majors[count] = 0;
    return true;
}

static bool nvrtc_load(struct nvrtc *out, const struct session *session, char version[COMPILER_TEXT], struct error *err)
{
    unsigned majors[3], major;
    if (!majors_for(session, majors, err))
        return false;
    void *library = cuda_library_load("nvrtc", majors, &major, err);
    if (!library || !nvrtc_bind(out, library, err))
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
    return nvrtc_compile(&nvrtc, source, defines, architecture_of(session), &bytes, err);
}
