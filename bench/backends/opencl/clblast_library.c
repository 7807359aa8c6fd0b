#include "bench/backends/opencl/clblast.h"
#include "harness/base/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char soname[] = "libclblast.so.1";

static const struct library_symbol symbols[] = {
    { "CLBlastSgemm", offsetof(struct library, sgemm) },
    { "CLBlastDgemm", offsetof(struct library, dgemm) },
    { "CLBlastHgemm", offsetof(struct library, hgemm) },
    { "CLBlastSconvgemm", offsetof(struct library, sconvgemm) },
    { "CLBlastDconvgemm", offsetof(struct library, dconvgemm) },
    { "CLBlastHconvgemm", offsetof(struct library, hconvgemm) },
    { 0 },
};

/* The library does not tell its version. The name of the file behind the links does, "libclblast.so.1.5.3", wherever
 * there are such links; otherwise it is what the headers said, which need not be this library's. */
static void library_name(void *handle, char *to, size_t room)
{
    struct link_map *map = NULL;
    char real[PATH_MAX];
    const char *file = NULL, *version = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, real))
        file = strrchr(real, '/');
    if (file)
        version = strstr(file, ".so.");
    if (version && strchr(version + strlen(".so."), '.'))
        snprintf(to, room, "CLBlast %s", version + strlen(".so."));
    else
        snprintf(to, room, "CLBlast (headers %d.%d.%d)", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR,
                 CLBLAST_VERSION_PATCH);
}

bool clblast_load(struct library *out, char *name, size_t room, struct error *err)
{
    static const char *const sonames[] = { soname, NULL };
    void *handle = library_load(sonames, "libclblast1", err);
    if (!handle || !library_bind(handle, soname, symbols, out, err))
        return false;
    library_name(handle, name, room);
    return true;
}

void clblast_forget(void)
{
    void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!handle)
        return;
    __typeof__(&CLBlastClearCache) clear_cache;
    void *address = dlsym(handle, "CLBlastClearCache");
    memcpy(&clear_cache, &address, sizeof address);
    if (clear_cache)
        clear_cache();
    dlclose(handle); /* the reference that was just taken */
}

/* The codes of the library's own (clblast_c.h), and those that it gives a meaning of its own to. */
static const struct {
    CLBlastStatusCode code;
    enum status status;
    const char *meaning;
} meanings[] = {
    { CLBlastOpenCLBuildProgramFailure, STATUS_FAILED, "the driver does not compile its kernels" },
    { CLBlastInvalidLocalNumDimensions, STATUS_UNSUPPORTED, "its groups have more dimensions than the device takes" },
    { CLBlastInvalidLocalThreadsTotal, STATUS_UNSUPPORTED, "its groups are larger than the device takes" },
    { CLBlastInvalidLocalThreadsDim, STATUS_UNSUPPORTED, "its groups are longer than the device takes" },
    { CLBlastNotImplemented, STATUS_UNSUPPORTED, "not implemented" },
    { CLBlastInvalidMatrixA, STATUS_FAILED, "the first matrix is no buffer" },
    { CLBlastInvalidMatrixB, STATUS_FAILED, "the second matrix is no buffer" },
    { CLBlastInvalidMatrixC, STATUS_FAILED, "the result is no buffer" },
    { CLBlastInvalidDimension, STATUS_FAILED, "a dimension is 0" },
    { CLBlastInvalidLeadDimA, STATUS_FAILED, "the rows of the first matrix are too short" },
    { CLBlastInvalidLeadDimB, STATUS_FAILED, "the rows of the second matrix are too short" },
    { CLBlastInvalidLeadDimC, STATUS_FAILED, "the rows of the result are too short" },
    { CLBlastInsufficientMemoryA, STATUS_FAILED, "the buffer of the first matrix is too small" },
    { CLBlastInsufficientMemoryB, STATUS_FAILED, "the buffer of the second matrix is too small" },
    { CLBlastInsufficientMemoryC, STATUS_FAILED, "the buffer of the result is too small" },
    { CLBlastInsufficientMemoryTemp, STATUS_NO_MEMORY, "its temporary buffer is too small" },
    { CLBlastInvalidBatchCount, STATUS_FAILED, "no images" },
    { CLBlastInvalidLocalMemUsage, STATUS_UNSUPPORTED, "it needs more local memory than the device has" },
    { CLBlastNoHalfPrecision, STATUS_UNSUPPORTED, "the device has no half precision" },
    { CLBlastNoDoublePrecision, STATUS_UNSUPPORTED, "the device has no double precision" },
    { CLBlastDatabaseError, STATUS_UNSUPPORTED, "it has no parameters for the device" },
    { CLBlastUnknownError, STATUS_FAILED, "an error that it does not name" },
    { CLBlastUnexpectedError, STATUS_FAILED, "an exception that it did not expect" },
};

bool clblast_fail(struct error *err, const char *routine, CLBlastStatusCode code)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code)
            return fail_in(err, routine, meanings[i].status, "%s answered %d: %s", routine, (int)code,
                           meanings[i].meaning);
    }
    return opencl_check((cl_int)code, routine, err);
}
