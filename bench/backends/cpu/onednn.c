#include "bench/backends/cpu/onednn_api.h"
#include "harness/base/library.h"

#include <stdio.h>

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
#define MAJOR         TEXT(DNNL_VERSION_MAJOR)
#define MINOR         TEXT(DNNL_VERSION_MINOR)

/* Some distributions count minor versions in the name as well. */
const char *const onednn_sonames[] = { "libdnnl.so." MAJOR "." MINOR, "libdnnl.so." MAJOR, NULL };

#define SYMBOL(name) "dnnl_" #name,
static const char *const symbols[] = { ONEDNN_COMMON(SYMBOL) ONEDNN_OF_VERSION(SYMBOL) ONEDNN_PRECISION(SYMBOL) };

static const struct {
    dnnl_status_t status;
    enum status meaning;
    const char *sentence;
} answers[] = {
    { dnnl_out_of_memory, STATUS_NO_MEMORY, "found no memory" },
    { dnnl_invalid_arguments, STATUS_FAILED, "rejects the arguments as invalid" },
    { dnnl_unimplemented, STATUS_UNSUPPORTED, "has no implementation for this" },
    { dnnl_runtime_error, STATUS_FAILED, "failed while it ran" },
    { dnnl_not_required, STATUS_FAILED, "was asked for something that the primitive does not have" },
};

bool onednn_check(const struct onednn *library, dnnl_status_t status, const char *call, struct error *err)
{
    if (status == dnnl_success)
        return true;
    for (unsigned i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].status == status)
            return fail_in(err, call, answers[i].meaning, "%s %s", library->name, answers[i].sentence);
    return fail_in(err, call, STATUS_FAILED, "%s answered with status %d", library->name, (int)status);
}

static bool precision_set(const struct onednn *library, struct error *err)
{
#if DNNL_VERSION_MAJOR > 2 || DNNL_VERSION_MINOR >= 6
    return onednn_call(library, err, primitive_attr_set_fpmath_mode, library->attributes, dnnl_fpmath_mode_strict);
#else
    return true;
#endif
}

bool onednn_attributes_make(struct onednn *library, struct error *err)
{
    const struct onednn_calls *call = &library->call;
    if (library->attributes)
        call->primitive_attr_destroy(library->attributes);
    library->attributes = NULL;
    return onednn_call(library, err, primitive_attr_create, &library->attributes) && precision_set(library, err) &&
           onednn_call(library, err, primitive_attr_set_scratchpad_mode, library->attributes,
                       dnnl_scratchpad_mode_user);
}

bool onednn_open(struct onednn *out, const char *const sonames[], struct error *err)
{
    *out = (struct onednn){ .name = "oneDNN" };
    void *handle = library_load(sonames, "libdnnl" MAJOR " (or libdnnl-dev)", err);
    if (!handle || !library_bind(handle, out->name, LIBRARY_NAMES(symbols), &out->call, err))
        return false;
    const dnnl_version_t *version = out->call.version();
    snprintf(out->name, sizeof out->name, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
    if (version->major != DNNL_VERSION_MAJOR)
        return fail(err, STATUS_UNSUPPORTED, "%s is not the version " MAJOR " that this program was built for",
                    out->name);
    /* Of the OpenMP that the library itself was linked with, which need not be there, nor be ours. */
    static const char *const symbol[] = { "omp_get_max_threads" };
    int (*threads)(void);
    out->threads = library_bind(handle, "OpenMP", LIBRARY_NAMES(symbol), &threads, NULL) ? (unsigned)threads() : 0;
    return onednn_call(out, err, engine_create, &out->engine, dnnl_cpu, 0) &&
           onednn_call(out, err, stream_create, &out->stream, out->engine, dnnl_stream_default_flags) &&
           onednn_attributes_make(out, err);
}

void onednn_close(struct onednn *library)
{
    if (library->attributes)
        library->call.primitive_attr_destroy(library->attributes);
    if (library->stream)
        library->call.stream_destroy(library->stream);
    if (library->engine)
        library->call.engine_destroy(library->engine);
    *library = (struct onednn){ .name = "" };
}
