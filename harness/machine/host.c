#include "harness/machine/host.h"

#include "harness/base/fields.h"
#include "harness/base/process.h"
#include "harness/base/processors.h"
#include "harness/base/text.h"
#include "harness/machine/energy.h"
#include "harness/machine/files.h"
#include "harness/machine/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>

/* Checks for what our kernels of each level use; the compiler's check includes that the system saves the registers. Not
 * every compiler's check knows conversions of f16. */
const char *host_isa(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __get_cpuid(1, &a, &b, &c, &d) &&
                (c & bit_F16C);
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return avx2 && avx512 ? "avx512" : avx2 ? "avx2" : "baseline";
}

bool host_has_vnni(void)
{
    return strcmp(host_isa(), "avx512") == 0 && __builtin_cpu_supports("avx512vnni");
}

/* Bit 31 of leaf 1 indicates a hypervisor, leaf 0x40000000 has its signature. */
static const char *hypervisor_name(void)
{
    static const char *const known[][2] = { { "KVMKVMKVM", "KVM" },           { "Microsoft Hv", "Hyper-V" },
                                            { "VMwareVMware", "VMware" },     { "XenVMMXenVMM", "Xen" },
                                            { "VBoxVBoxVBox", "VirtualBox" }, { "TCGTCGTCGTCG", "QEMU" },
                                            { "bhyve bhyve ", "bhyve" },      { "ACRNACRNACRN", "ACRN" },
                                            { " lrpepyh  vr", "Parallels" },  { "prl hyperv  ", "Parallels" } };
    unsigned a, b, c, d;
    char signature[13] = "";
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
        return "";
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature, &b, 4);
    memcpy(signature + 4, &c, 4);
    memcpy(signature + 8, &d, 4);
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(signature, known[i][0]) == 0)
            return known[i][1];
    return "unnamed";
}
#else
const char *host_isa(void)
{
    return "baseline";
}

bool host_has_vnni(void)
{
    return false;
}

static const char *hypervisor_name(void)
{
    return "";
}
#endif

/* A recorded tree has no signature. */
static void hypervisor_read(struct host *out, const char *root)
{
    const struct text type = host_line(root, "/sys/hypervisor/type");
    const bool is_shown = *root && strstr(host_member(root, "/proc/cpuinfo", "flags").text, " hypervisor");
    text_copy(out->hypervisor, sizeof out->hypervisor,
              *type.text ? type.text
              : !*root   ? hypervisor_name()
              : is_shown ? "unnamed"
                         : "");
}

/* Texts by key in a file; the first that exists counts. "model name" is for x86, the others for Arm, POWER and so
 * on. */
static void names_read(struct host *out, const char *root)
{
    const struct {
        char *to;
        size_t room;
        const char *path, *key; /* NULL: the file's first line */
    } names[] = {
        { out->name, sizeof out->name, "/proc/cpuinfo", "model name" },
        { out->name, sizeof out->name, "/proc/cpuinfo", "Model" },
        { out->name, sizeof out->name, "/proc/cpuinfo", "Hardware" },
        { out->name, sizeof out->name, "/proc/cpuinfo", "cpu model" },
        { out->name, sizeof out->name, "/sys/firmware/devicetree/base/model", NULL },
        { out->vendor, sizeof out->vendor, "/proc/cpuinfo", "vendor_id" },
        { out->vendor, sizeof out->vendor, "/proc/cpuinfo", "CPU implementer" },
        { out->kernel, sizeof out->kernel, "/proc/sys/kernel/osrelease", NULL },
        { out->os, sizeof out->os, "/etc/os-release", "PRETTY_NAME" },
        { out->os, sizeof out->os, "/usr/lib/os-release", "PRETTY_NAME" },
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = names[i].path, *key = names[i].key;
        if (!*names[i].to)
            text_copy(names[i].to, names[i].room, (key ? host_member(root, path, key) : host_line(root, path)).text);
    }
    size_t length = strlen(out->os);
    if (length >= 2 && *out->os == '"') {
        out->os[length - 1] = '\0';
        memmove(out->os, out->os + 1, length - 1);
    }
}

/* The choice in brackets: "always [madvise] never". */
struct text host_huge_pages(const char *root)
{
    const struct text line = host_line(root, "/sys/kernel/mm/transparent_hugepage/enabled");
    const char *choice = strchr(line.text, '[');
    return text_print("%.*s", choice ? (int)strcspn(choice + 1, "]") : 0, choice ? choice + 1 : "");
}

/* OMP_PLACES, with rows of at least three as {first}:count:stride (OpenMP 4.0, section 4.5). Empty if it does not fit.
 */
static void places_write(struct host *out, const unsigned id[], unsigned count)
{
    bool fits = true;
    for (unsigned i = 0, row; i < count; i += row) {
        int stride = i + 1 < count ? (int)id[i + 1] - (int)id[i] : 0;
        for (row = 1; i + row < count && (int)id[i + row] - (int)id[i + row - 1] == stride; row++)
            ;
        row = row < 3 ? 1 : row;
        fits &= text_append(out->places, sizeof out->places, "%s{%u}", i > 0 ? "," : "", id[i]);
        if (row > 1)
            fits &= text_append(out->places, sizeof out->places, ":%u:%d", row, stride);
    }
    if (!fits)
        *out->places = '\0';
}

static bool threads_choose(struct host *out, hwloc_topology_t topology, hwloc_const_bitmap_t allowed, unsigned asked,
                           struct error *err)
{
    if (asked > out->allowed_threads)
        return fail(err, STATUS_USAGE, "--threads: %u requested, hardware threads allowed here: %u", asked,
                    out->allowed_threads);
    double by_quota = fmax(floor(out->quota), 1);
    out->worker_threads = by_quota < out->allowed_cores ? (unsigned)by_quota : out->allowed_cores;
    if (asked)
        out->worker_threads = asked;
    text_copy(out->threads_reason, sizeof out->threads_reason,
              asked                             ? "--threads"
              : out->quota < out->allowed_cores ? "quota"
              : out->allowed_cores < out->cores ? "affinity"
                                                : "all");
    unsigned *id = calloc(out->worker_threads, sizeof *id);
    if (!id)
        return fail(err, STATUS_NO_MEMORY, "no memory to list the processors");
    unsigned picked = topology_pick(topology, allowed, out->worker_threads, id);
    places_write(out, id, picked);
    if (!processors_may_bind())
        *out->places = '\0'; /* a container may forbid it */
    out->worker_nodes = topology_nodes_of(topology, id, picked);
    free(id);
    return true;
}

static bool topology_read(struct host *out, const char *root, unsigned asked, struct error *err)
{
    hwloc_topology_t topology = topology_open();
    const char *variable = topology_variable(getenv);
    const struct text limit = host_address_limit();
    if (!topology && variable)
        return fail(err, STATUS_USAGE, "hwloc reads no topology with %s=%.60s: unset it", variable, getenv(variable));
    if (!topology)
        return fail(err, STATUS_FAILED, "hwloc cannot read this machine's topology: %s",
                    *limit.text ? limit.text : "'lstopo' may show why");
    if (!*root && variable && !hwloc_topology_is_thissystem(topology)) {
        topology_close(topology);
        return fail(err, STATUS_USAGE, "%s describes another machine than this one: unset it", variable);
    }
    hwloc_bitmap_t allowed = topology_allowed(topology, root);
    bool is_chosen = false;
    if (allowed) {
        topology_describe(out, topology, allowed);
        is_chosen = threads_choose(out, topology, allowed, asked, err);
    } else {
        fail(err, STATUS_NO_MEMORY, "no memory to list the processors");
    }
    hwloc_bitmap_free(allowed);
    topology_close(topology);
    return is_chosen;
}

bool host_read(struct host *out, const char *root, unsigned threads, struct error *err)
{
    *out = (struct host){ .clock = NAN, .stepping = NAN, .max_clock = NAN };
    struct energy energy;
    struct clock_limit limit;
    out->quota = host_cgroup_cpus(root);
    out->memory_limit = host_cgroup_memory(root);
    if (!topology_read(out, root, threads, err))
        return false;
    names_read(out, root);
    hypervisor_read(out, root);
    host_model_read(out, root);
    text_copy(out->huge_pages, sizeof out->huge_pages, host_huge_pages(root).text);
    text_copy(out->governor, sizeof out->governor, host_governor(root).text);
    if (host_clock_limit(&limit, root))
        snprintf(out->clock_limit, sizeof out->clock_limit, "%s is %.0f instead of %.0f", strrchr(limit.file, '/') + 1,
                 limit.value, limit.whole);
    text_copy(out->isa, sizeof out->isa, host_isa());
    double kibibytes = host_member_number(root, "/proc/meminfo", "MemTotal");
    out->memory = isnan(kibibytes) ? 0 : 1024 * kibibytes;
    energy_open(&energy, root);
    text_copy(out->energy, sizeof out->energy, energy_describe(&energy).text);
    host_signature_write(out);
    return true;
}

struct text host_address_limit(void)
{
    char option;
    const double least = process_address_limit(&option);
    return isfinite(least) ? text_print("ulimit -%c allows %s of address space", option, text_bytes(least).text)
                           : (struct text){ "" };
}

struct text host_limits(const char *root)
{
    struct text says = host_address_limit();
    struct processors processors;
    const double tasks = host_cgroup_tasks_left(root), most = process_task_limit(), few = 1024;
    const unsigned needed = 16 + (processors_read(&processors) ? 4 * processors_count(&processors) : 0);
    const double seconds = process_cpu_limit();
    if (isfinite(seconds))
        text_join(says.text, sizeof says.text, "; ", text_print("ulimit -t allows %.0f s of CPU time", seconds).text);
    if (most <= few)
        text_join(says.text, sizeof says.text, "; ",
                  text_print("ulimit -u allows %.0f processes and threads", most).text);
    if (tasks < needed)
        text_join(says.text, sizeof says.text, "; ",
                  text_print("the cgroup allows %.0f more threads (pids.max)", tasks).text);
    return says;
}

const char *host_memory_limiter(double bytes)
{
    return bytes == host_cgroup_memory("") ? " (the limit of the cgroup)" : "";
}

double host_memory_available(const char *root)
{
    double available = 1024 * host_member_number(root, "/proc/meminfo", "MemAvailable");
    double left = host_cgroup_memory_left(root);
    return isnan(available) && isinf(left) ? NAN : fmin(available, left);
}

static const struct field fields[] = {
    FIELD(struct host, name),
    FIELD(struct host, vendor),
    FIELD(struct host, kernel),
    FIELD(struct host, os),
    FIELD(struct host, hypervisor),
    FIELD(struct host, family),
    FIELD(struct host, model),
    FIELD(struct host, stepping),
    FIELD(struct host, features),
    FIELD(struct host, max_clock),
    FIELD(struct host, clock_driver),
    FIELD(struct host, isa),
    FIELD(struct host, packages),
    FIELD(struct host, cores),
    FIELD(struct host, threads),
    FIELD(struct host, nodes),
    FIELD(struct host, hybrid_kinds),
    FIELD(struct host, memory),
    FIELD(struct host, allowed_threads),
    FIELD(struct host, allowed_cores),
    FIELD(struct host, quota),
    FIELD(struct host, memory_limit),
    FIELD(struct host, worker_threads),
    FIELD(struct host, threads_reason),
    FIELD(struct host, places),
    FIELD(struct host, huge_pages),
    FIELD(struct host, governor),
    FIELD(struct host, clock_limit),
    FIELD(struct host, worker_nodes),
    FIELD(struct host, energy),
    FIELD(struct host, clock),
    FIELD(struct host, signature),
};
static const struct fields host_fields = FIELDS(struct host, fields, sizeof fields / sizeof *fields);

json_t *host_to_json(const struct host *host)
{
    json_t *json = fields_to_json(host, &host_fields), *caches = json_array();
    for (unsigned i = 0; i < host->caches; i++) {
        const struct cache *cache = &host->cache[i];
        json_array_append_new(caches, json_pack("{s:i, s:f, s:i}", "level", (int)cache->level, "bytes", cache->bytes,
                                                "instances", (int)cache->instances));
    }
    json_object_set_new(json, "cache", caches);
    return json;
}
