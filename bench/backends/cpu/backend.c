#include "bench/backends/cpu/cpu.h"

#include "config.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/cpu_limit.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __clang__
static const char compiler[] = __VERSION__;
#else
static const char compiler[] = "GCC " __VERSION__;
#endif

/* Bytes of cache that a core has to itself at least, also if the system does not report it: processors with smaller
 * private caches have a shared one close behind, of which this is about a core's share. */
static const double smallest_cache = 1 << 20;

/* The widest instruction set that this processor runs, and that the device's description allows: a test may narrow it.
 */
static enum isa isa_choose(const char *wanted)
{
    const char *widest = host_isa();
    enum isa isa = ISA_BASELINE;
    while (strcmp(cpu_isa_name[isa], wanted) != 0 && strcmp(cpu_isa_name[isa], widest) != 0)
        isa++;
    return isa;
}

/* What makes it slower than it could be. */
static void note_limits(struct device *device)
{
    struct cpu_limit limit[CPU_LIMITS_MAX];
    const unsigned limits = cpu_limits(limit, getenv, device->threads);
    for (unsigned i = 0; i < limits; i++)
        text_join(device->note, sizeof device->note, "; ", limit[i].effect);
}

static bool cpu_list(const char *source, struct device out[], unsigned room, unsigned *count, struct error *err)
{
    struct host host;
    *count = 0;
    if (room == 0)
        return true;
    if (!host_read(&host, "", 0, err))
        return false;

    double clock = host_measure_clock(0.02);
    bool has_limit = host.memory_limit < host.memory;
    struct device *device = &out[0];
    *device = (struct device){
        .backend = "cpu",
        .class = CLASS_CPU,
        .platform = "native",
        .silicon = "cpu",
        .units = host.allowed_cores,
        .clock = isfinite(clock) ? clock : 0,
        .max_clock = isfinite(host.max_clock) ? host.max_clock : 0,
        .max_clock_is_limit = host_clock_is_limit(&host),
        .cache = host_last_cache(&host),
        .core_cache = host_core_cache(&host),
        .memory = has_limit ? host.memory_limit : host.memory,
        .largest_buffer = has_limit ? host.memory_limit : host.memory,
        .shares_host_memory = true,
        .works_in_host_memory = true,
        .computes = { [DTYPE_F32] = true, [DTYPE_F64] = true },
        .threads = host.worker_threads,
    };
    device_computes_small(device);
    text_copy(device->clock_origin, sizeof device->clock_origin, device->clock > 0 ? "measured" : "");
    text_copy(device->max_clock_origin, sizeof device->max_clock_origin, host.clock_driver);
    text_copy(device->features, sizeof device->features, host.features);
    text_copy(device->hypervisor, sizeof device->hypervisor, host.hypervisor);
    text_copy(device->architecture, sizeof device->architecture, host_architecture(&host).text);
    text_copy(device->name, sizeof device->name, host.name[0] ? host.name : "unnamed processor");
    text_copy(device->vendor, sizeof device->vendor, host.vendor);
    text_copy(device->api_version, sizeof device->api_version, parallel_runtime());
    text_copy(device->driver_version, sizeof device->driver_version, compiler);
    text_copy(device->isa, sizeof device->isa, cpu_isa_name[isa_choose(host.isa)]);
    note_limits(device);
    if (HAVE_OPENBLAS)
        cpu_openblas_probe(device, NULL);
    char key[sizeof device->name + sizeof host.signature + 8];
    snprintf(key, sizeof key, "cpu/%s/%s", device->name, host.signature);
    device_key_write(device, key);
    *count = 1;
    return true;
}

static struct session *cpu_open(const struct device *device, unsigned threads, struct error *err)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return fail_null(err, STATUS_NO_MEMORY, "no memory for a session");
    session->isa = isa_choose(device->isa);
    session->threads = threads ? threads : device->threads ? device->threads : parallel_threads();
    session->own_cache = fmax(device->core_cache, smallest_cache);
    if (!*device->blas_bound)
        text_copy(session->blas_core, sizeof session->blas_core, device->blas_better);
    return session;
}

static void cpu_close(struct session *session)
{
    free(session);
}

static void *cpu_map(struct session *session, struct buffer *buffer, enum map_mode mode, struct error *err)
{
    return buffer->memory;
}

/* Those of the libraries whose headers were there when the program was built. */
static const struct routine *const others[] = {
#if HAVE_ONEDNN
    &cpu_onednn_train, &cpu_onednn,
#endif
#if HAVE_OPENBLAS
    &cpu_openblas,
#endif
    NULL
};
static const struct build_library libraries[] = {
    { "oneDNN", HAVE_ONEDNN ? NULL : "libdnnl-dev" },
    { "OpenBLAS", HAVE_OPENBLAS ? NULL : "libopenblas-openmp-dev" },
    { 0 },
};

static struct task *cpu_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX],
                                struct error *err)
{
    static const struct routines routines = { "the CPU", &cpu_native, others, libraries };
    return task_prepare(&routines, session, job, detail, err);
}

/* Done on return: the caller is one of the threads that compute. The host has no device clock. */
static bool cpu_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    if (span)
        *span = (struct span){ NAN, NAN };
    return task_submit(task, queue, part, NULL, err);
}

static bool cpu_finish(struct session *session, unsigned queue, struct error *err)
{
    return true;
}

const struct backend backend_cpu = {
    .name = "cpu",
    .summary = "native C on the processor's own cores",
    .one_device = true,
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .alloc_plain = cpu_alloc_plain,
    .release = cpu_release,
    .map = cpu_map,
    .prepare = cpu_prepare,
    .submit = cpu_submit,
    .discard = task_discard,
    .repacks = task_repacks,
    .repack = task_repack,
    .finish = cpu_finish,
    .wait = "none",
};
