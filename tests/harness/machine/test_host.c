#include "harness/machine/host.h"
#include "harness/machine/topology.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(host, .fini = recorded_remove);

static struct host read_tree(void)
{
    struct host host;
    struct error err = { 0 };
    cr_assert(host_read(&host, recorded.root, 0, &err), "%s", err.message);
    return host;
}

static void check_text(const char *got, const char *want)
{
    cr_expect(strcmp(got, want) == 0, "\"%s\", should be \"%s\"", got, want);
}

static void expect_caches(const struct host *host, const struct cache want[3], double of_core, double last)
{
    cr_assert_eq(host->caches, 3);
    for (unsigned i = 0; i < 3; i++)
        cr_expect(host->cache[i].level == want[i].level && host->cache[i].bytes == want[i].bytes &&
                      host->cache[i].instances == want[i].instances,
                  "level %u: %u of %g bytes", host->cache[i].level, host->cache[i].instances, host->cache[i].bytes);
    cr_expect(host_core_cache(host) == of_core && host_last_cache(host) == last);
}

/* i5-8250U: four cores, of which processor n and n + 4 are the threads. */
static const char quad[] =
    "pack:1 [numa] l3:1(size=6291456) l2:4(size=262144) l1:1(size=32768) core:1 pu:2(indexes=0,4,1,5,2,6,3,7)";

static void laptop(void)
{
    static const struct record_file records[] = {
        { "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\nmodel name\t: "
                           "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz\nstepping\t: 10\nflags\t\t: fpu sse avx2\n" },
        { "/proc/meminfo", "MemTotal:        8038780 kB\nMemFree:  100000 kB\nMemAvailable:    5120000 kB\n" },
        { "/proc/self/status", "Name:\tbench\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n"
                               "voluntary_ctxt_switches:\t99\nnonvoluntary_ctxt_switches:\t17\n" },
        { "/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n" },
        { "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n" },
        { "/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n" },
        { "/sys/fs/cgroup/user.slice/memory.max", "max\n" },
        { "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
        { "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n" },
        { NULL, NULL },
    };
    setenv("HWLOC_SYNTHETIC", quad, 1);
    recorded_make(records);
}

Test(host, what_a_laptop_says_of_itself_is_read)
{
    static const struct cache want[] = { { 1, 32768, 4 }, { 2, 262144, 4 }, { 3, 6291456, 1 } };
    laptop();
    struct host host = read_tree();
    check_text(host.name, "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz");
    check_text(host.vendor, "GenuineIntel");
    check_text(host.kernel, "6.1.0-18-amd64");
    check_text(host.os, "Debian GNU/Linux 12 (bookworm)");
    check_text(host.hypervisor, "");
    check_text(host.huge_pages, "madvise");
    check_text(host.governor, "powersave");
    check_text(host.signature, "6-142-10 avx2 4c 8g");
    cr_expect(host.memory == 8038780 * 1024.0 && host_memory_available(recorded.root) == 5120000 * 1024.0);
    cr_expect(isinf(host.quota) && isinf(host.memory_limit) && isnan(host.clock));
    expect_caches(&host, want, 262144, 6291456);
    json_t *json = host_to_json(&host);
    cr_expect(json_integer_value(json_object_get(json, "cores")) == 4);
    cr_expect(json_number_value(json_object_get(json, "memory")) == host.memory);
    cr_expect(json_is_null(json_object_get(json, "quota")) && json_is_null(json_object_get(json, "clock")));
    const json_t *cache = json_array_get(json_object_get(json, "cache"), 2);
    cr_expect(json_integer_value(json_object_get(cache, "level")) == 3);
    cr_expect(json_real_value(json_object_get(cache, "bytes")) == 6291456);
    json_decref(json);
}

/* A chosen number of threads fills the cores before their siblings. On the server of two sockets with eight cores each
 * processors n and n + 16 are threads of one core. */
Test(host, threads_go_to_the_cores_of_the_topology)
{
    static const char server[] =
        "pack:2 [numa] l3:1(size=33554432) core:8 "
        "pu:2(indexes=0,16,1,17,2,18,3,19,4,20,5,21,6,22,7,23,8,24,9,25,10,26,11,27,12,28,13,29,14,30,15,31)";
    static const struct {
        const char *topology;
        unsigned asked, packages, cores, threads, nodes, caches, works;
        const char *reason, *places;
    } rows[] = {
        { quad, 0, 1, 4, 8, 1, 3, 4, "all", "{0}:4:1" },
        { quad, 2, 1, 4, 8, 1, 3, 2, "--threads", "{0},{1}" },
        { quad, 6, 1, 4, 8, 1, 3, 6, "--threads", "{0}:6:1" },
        { quad, 8, 1, 4, 8, 1, 3, 8, "--threads", "{0}:8:1" },
        { server, 0, 2, 16, 32, 2, 1, 16, "all", "{0}:16:1" },
        { server, 17, 2, 16, 32, 2, 1, 17, "--threads", "{0}:17:1" },
        { "pu:3", 0, 1, 3, 3, 1, 0, 3, "all", "{0}:3:1" },
    };
    struct host host;
    struct error err = { 0 };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("HWLOC_SYNTHETIC", rows[i].topology, 1);
        recorded_make(NULL);
        cr_assert(host_read(&host, recorded.root, rows[i].asked, &err), "%s", err.message);
        cr_expect(host.packages == rows[i].packages && host.cores == rows[i].cores && host.threads == rows[i].threads &&
                      host.nodes == rows[i].nodes && host.caches == rows[i].caches && host.hybrid_kinds == 1,
                  "row %u: %u, %u, %u, %u", i, host.packages, host.cores, host.threads, host.nodes);
        cr_expect(host.allowed_cores == host.cores && host.allowed_threads == host.threads, "row %u", i);
        cr_expect_eq(host.worker_threads, rows[i].works, "row %u: %u", i, host.worker_threads);
        check_text(host.threads_reason, rows[i].reason);
        check_text(host.places, rows[i].places);
        cr_expect(host.caches != 1 || (host.cache[0].bytes == 0x1p25 && host.cache[0].instances == 2), "row %u", i);
    }
    cr_expect(host.memory == 0 && !*host.name && !*host.governor && isnan(host_memory_available(recorded.root)));
    laptop();
    cr_expect(!host_read(&host, recorded.root, 9, &err) && err.status == STATUS_USAGE);
    check_text(err.message, "--threads: 9 requested, hardware threads allowed here: 8");
}

Test(host, cores_of_the_affinity_mask_are_used)
{
    laptop();
    recorded_write("/proc/self/status", "Cpus_allowed_list:\t1,5,7\n");
    struct host host = read_tree();
    cr_expect(host.cores == 4 && host.threads == 8);
    cr_expect(host.allowed_threads == 3 && host.allowed_cores == 2 && host.worker_threads == 2);
    check_text(host.threads_reason, "affinity");
    check_text(host.places, "{1},{7}");
    recorded_write("/sys/fs/cgroup/cpu.max", "300000 100000\n"); /* more than they are */
    recorded_write("/etc/os-release", "PRETTY_NAME=Plain Linux\n");
    host = read_tree();
    check_text(host.threads_reason, "affinity");
    check_text(host.os, "Plain Linux");
}

static void cgroups(const char *files)
{
    recorded_add("/sys/fs/cgroup", files);
}

Test(host, a_container_with_a_quota_of_one_and_a_half_cpus_works_with_one_thread)
{
    laptop();
    recorded_write("/proc/self/cgroup", "0::/\n");
    cgroups("cpu.max=150000 100000|memory.max=2147483648|memory.current=1073741824|"
            "memory.stat=anon 1\nfile 268435456\ninactive_file 268435456|pids.max=20000|pids.current=3");
    struct host host = read_tree();
    cr_expect(host.quota == 1.5 && host.memory_limit == 0x1p31);
    cr_expect(host.allowed_cores == 4 && host.worker_threads == 1);
    check_text(host.threads_reason, "quota");
    check_text(host.places, "{0}");
    cr_expect(host_memory_available(recorded.root) == 0x1p31 - 0x1p30 + 0x1p28);
    cgroups("memory.current=4294967296");
    cr_expect(host_memory_available(recorded.root) == 0, "never less than nothing");
    check_text(host_limits(recorded.root).text, "");
    cgroups("pids.max=4");
    check_text(host_limits(recorded.root).text, "the cgroup allows 1 more threads (pids.max)");
    cpu_set_t own;
    cr_assert(sched_getaffinity(0, sizeof own, &own) == 0);
    for (int more = -1; more <= 0; more++) { /* some for us, and four for each processor */
        const int left = 16 + 4 * CPU_COUNT(&own) + more;
        cgroups(text_print("pids.max=%d", 3 + left).text);
        check_text(host_limits(recorded.root).text,
                   more < 0 ? text_print("the cgroup allows %d more threads (pids.max)", left).text : "");
    }
    cgroups("pids.max=4");
    cr_assert(setrlimit(RLIMIT_CPU, &(struct rlimit){ 1000, RLIM_INFINITY }) == 0);
    cr_assert(setrlimit(RLIMIT_DATA, &(struct rlimit){ (rlim_t)1 << 46, RLIM_INFINITY }) == 0);
    check_text(
        host_limits(recorded.root).text,
        "ulimit -d allows 70.4 TB of address space; ulimit -t allows 1000 s of CPU time; the cgroup allows 1 more "
        "threads (pids.max)");
}

/* The tightest limit on the way up. Only a path component of two dots leads out of a group. */
Test(host, limits_are_those_of_the_group_and_of_the_groups_above_it)
{
    static const struct {
        const char *group;
        double quota, memory;
        unsigned threads;
    } rows[] = { { "0::/a/b/c\n", 0.5, 1000000, 1 },   { "0::/a..b\n", 1.5, INFINITY, 1 },
                 { "0::/..a\n", 3, INFINITY, 3 },      { "0::/...\n", 2.5, INFINITY, 2 },
                 { "0::/../a..b\n", 8, INFINITY, 4 },  { "0::/a..b/..\n", 8, INFINITY, 4 },
                 { "0::/a..b/../x\n", 8, INFINITY, 4 } };
    laptop();
    cgroups("cpu.max=800000 100000|a/b/c/cpu.max=max 100000|a/b/cpu.max=300000 100000|a/cpu.max=25000 50000|"
            "a/b/memory.max=1000000|a/memory.max=9000000|other/memory.max=5|a..b/cpu.max=150000 100000|"
            "..a/cpu.max=300000 100000|.../cpu.max=250000 100000");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        recorded_write("/proc/self/cgroup", rows[i].group);
        const struct host host = read_tree();
        cr_expect(host.quota == rows[i].quota, "%s: %g CPUs", rows[i].group, host.quota);
        cr_expect(host.memory_limit == rows[i].memory, "%s: %g bytes", rows[i].group, host.memory_limit);
        cr_expect_eq(host.worker_threads, rows[i].threads, "%s: %u threads", rows[i].group, host.worker_threads);
    }
}

/* A quota of half a CPU is the reason even on one core; one that takes nothing away is none. */
Test(host, a_quota_is_the_reason_where_it_takes_something_away)
{
    setenv("HWLOC_SYNTHETIC", "core:1 pu:1", 1);
    recorded_make((const struct record_file[]){ { "/proc/self/cgroup", "0::/\n" }, { .path = NULL } });
    cgroups("cpu.max=50000 100000");
    struct host host = read_tree();
    cr_expect(host.worker_threads == 1);
    check_text(host.threads_reason, "quota");
    cgroups("cpu.max=100000 100000");
    host = read_tree();
    check_text(host.threads_reason, "all");
}

Test(host, version_1_is_read_where_its_controllers_are_mounted)
{
    laptop();
    recorded_write("/proc/self/cgroup", "9:name=systemd:/x\n5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n");
    cgroups("cpu,cpuacct/cpu.cfs_quota_us=-1|cpu,cpuacct/cpu.cfs_period_us=100000|"
            "memory/memory.limit_in_bytes=9223372036854771712");
    struct host host = read_tree();
    cr_expect(isinf(host.quota) && isinf(host.memory_limit));
    /* The path is the host's, the mount shows the container's own directory. */
    cgroups("cpu,cpuacct/cpu.cfs_quota_us=250000|memory/memory.limit_in_bytes=1000000|"
            "memory/memory.usage_in_bytes=600000|memory/memory.stat=inactive_file 7\ntotal_inactive_file 100000");
    host = read_tree();
    cr_expect(host.quota == 2.5 && host.memory_limit == 1000000 && host.worker_threads == 2);
    cr_expect(host_memory_available(recorded.root) == 500000);
    /* The path is shown as it is. */
    cgroups("cpu,cpuacct/docker/abc/cpu.cfs_quota_us=120000|cpu,cpuacct/docker/abc/cpu.cfs_period_us=100000");
    host = read_tree();
    cr_expect(host.quota == 1.2, "%g CPUs", host.quota);
}

Test(host, garbage_limits_are_ignored)
{
    static const char *const rubbish[] = {
        "", "\n", "max\n", "0 0\n", "-5 100\n", "nan nan\n", "100000\n", "\xff\xff"
    };
    laptop();
    recorded_write("/proc/self/cgroup", "junk\n\n:\n::\n7:cpu\n0::/../../etc\n");
    for (unsigned i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        recorded_write("/sys/fs/cgroup/cpu.max", rubbish[i]);
        cr_expect(isinf(read_tree().quota), "\"%s\" was taken for a quota", rubbish[i]);
    }
}

/* hwloc ignores a description that it cannot read and reads this machine: only memory can fail it. */
Test(host, a_topology_that_cannot_be_read_is_this_machines)
{
    struct host host, here;
    cr_assert(host_read(&here, "", 0, NULL));
    setenv("HWLOC_SYNTHETIC", "rubbish", 1);
    cr_assert(host_read(&host, "", 0, NULL));
    cr_expect(host.threads == here.threads);
}

/* Outside tests, which have a root, hwloc says whether it describes this machine. */
Test(host, the_topology_of_another_machine_is_refused_by_name)
{
    static const char *const variables[] = { "HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT" };
    recorded_make((const struct record_file[]){ { "/sys/devices/system/cpu/online", "0-191\n" }, { 0 } });
    char path[256];
    hwloc_topology_t topology;
    snprintf(path, sizeof path, "%s/topology.xml", recorded.root);
    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, "core:192 pu:1");
    cr_assert(hwloc_topology_load(topology) == 0 && hwloc_topology_export_xml(topology, path, 0) == 0);
    hwloc_topology_destroy(topology);
    const char *const values[] = { path, "core:192 pu:1", recorded.root };
    for (unsigned i = 0; i < 3; i++) {
        struct host host;
        struct error err = { 0 };
        setenv(variables[i], values[i], 1);
        cr_expect(!host_read(&host, "", 0, &err) && err.status == STATUS_USAGE, "%s", variables[i]);
        cr_expect(strncmp(err.message, variables[i], strlen(variables[i])) == 0, "%s", err.message);
        unsetenv(variables[i]);
    }
}

/* Three cores, of which the last has another second level: hwloc's text of three equal ones with one size changed. */
Test(host, caches_of_different_sizes_are_counted_by_kind)
{
    static const struct cache want[] = { { 2, 1310720, 2 }, { 2, 2097152, 1 }, { 3, 9999999, 1 } };
    recorded_make(NULL);
    char *text, path[256], *last = NULL, *at;
    int length;
    hwloc_topology_t topology;
    snprintf(path, sizeof path, "%s/topology.xml", recorded.root);
    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, "l3:1(size=9999999) l2:3(size=1310720) core:1 pu:1");
    cr_assert(hwloc_topology_load(topology) == 0 && hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) == 0);
    for (at = text; (at = strstr(at, "\"1310720\"")); at++)
        last = at;
    cr_assert(last);
    memcpy(last, "\"2097152\"", strlen("\"2097152\""));
    recorded_write("/topology.xml", text);
    hwloc_free_xmlbuffer(topology, text);
    hwloc_topology_destroy(topology);
    setenv("HWLOC_XMLFILE", path, 1);
    const struct host host = read_tree();
    expect_caches(&host, want, 1310720, 9999999);
}

/* Performance cores with two threads each and efficient ones, all clocks alike; a favoured core is of the same kind. */
static void hybrid(const char *path, const char *efficient)
{
    static const struct {
        const char *processors, *clock;
        bool is_efficient;
    } kinds[] = { { "0-1", "5200", false }, { "2-3", "4600", false }, { "4-5", "3900", true } };
    hwloc_topology_t topology;
    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, "core:3 pu:2");
    cr_assert(hwloc_topology_load(topology) == 0);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char type[] = "CoreType", clock[] = "FrequencyMaxMHz";
        struct hwloc_info_s infos[] = {
            { type, (char *)(uintptr_t)(kinds[i].is_efficient ? efficient : "IntelCore") },
            { clock, (char *)(uintptr_t)kinds[i].clock },
        };
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        hwloc_bitmap_list_sscanf(set, kinds[i].processors);
        cr_assert(hwloc_cpukinds_register(topology, set, -1, 2, infos, 0) == 0);
        hwloc_bitmap_free(set);
    }
    cr_assert(hwloc_topology_export_xml(topology, path, 0) == 0);
    hwloc_topology_destroy(topology);
    setenv("HWLOC_XMLFILE", path, 1);
}

Test(host, a_hybrid_processor_uses_all_its_cores_and_says_so)
{
    recorded_make(NULL);
    char path[256];
    snprintf(path, sizeof path, "%s/topology.xml", recorded.root);
    hybrid(path, "IntelAtom");
    struct host host = read_tree();
    cr_expect(host.hybrid_kinds == 2 && host.cores == 3 && host.threads == 6 && host.worker_threads == 3);
    check_text(host.threads_reason, "all");
    check_text(host.places, "{0}:3:2");
    hybrid(path, "IntelCore");
    cr_expect(read_tree().hybrid_kinds == 1, "cores that differ by clock alone are of one kind");
}

Test(host, garbage_in_the_affinity_mask_is_harmless)
{
    static const char *const rubbish[] = { "x", "-", "0-", "3-1", "0,,1", "99999999", "0-3,junk", "" };
    laptop();
    for (unsigned i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        char line[64];
        snprintf(line, sizeof line, "Cpus_allowed_list:\t%s\n", rubbish[i]);
        recorded_write("/proc/self/status", line);
        struct host host = read_tree();
        cr_expect(host.worker_threads >= 1 && host.worker_threads <= 4, "\"%s\"", rubbish[i]);
    }
}

/* A plug-in of hwloc would do so, and its library is gone again when the topology is closed. */
Test(host, the_topology_of_this_machine_loads_no_driver_of_a_gpu)
{
    char line[512];
    hwloc_topology_t topology = topology_open();
    cr_assert(topology);
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        cr_skip_test("/proc/self/maps cannot be read");
    while (fgets(line, sizeof line, maps))
        cr_expect(!strstr(line, "libOpenCL") && !strstr(line, "libcuda") && !strstr(line, "libnvidia"), "%s", line);
    fclose(maps);
    topology_close(topology);
}

Test(host, this_machine_is_read)
{
    struct host host;
    struct error err = { 0 };
    cr_assert(host_read(&host, "", 0, &err), "%s", err.message);
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cr_expect(host.allowed_threads == (unsigned)CPU_COUNT(&mask), "%u", host.allowed_threads);
    cr_expect(host.threads >= host.cores && host.cores >= host.packages && host.packages >= 1);
    cr_expect(host.worker_threads >= 1 && host.worker_threads <= host.allowed_cores);
    cr_expect(host.memory > 0 && *host.kernel && *host.places == '{');
    cr_expect(host_memory_available("") > 0 && host_memory_available("") <= host.memory);
    cr_expect(host.quota > 0 && host.memory_limit > 0);
}

Test(host, the_clock_is_one_that_a_processor_can_have)
{
    double clock = host_measure_clock(0.01);
    if (isnan(clock))
        cr_skip_test("no chain of additions is written for this kind of processor");
    cr_expect(clock > 1e8 && clock < 1e10, "%g Hz", clock);
    cr_expect(host_sample_clock(0.005) > 0 && host_sample_clock(0) > 0);
}

Test(host, machines_whose_processors_have_one_name_have_signatures)
{
    static const struct {
        const char *signature;
        struct host host;
    } cases[] = {
        { "6-142-10 avx2 4c 8g", .host = { .family = 6,
                                           .model = 142,
                                           .stepping = 10,
                                           .features = "avx2",
                                           .cores = 4,
                                           .memory = 8231710720.0 } },
        { "6-167-0 avx_vnni avx512_fp16 amx_tile 2c 32g",
          .host = { .family = 6,
                    .model = 167,
                    .cores = 2,
                    .memory = 31.2 * 0x1p30,
                    .features = "avx2 avx512f avx512_bf16 avx_vnni avx512_fp16 amx_tile" } },
        { "25-17 avx512_bf16 24g", .host = { .family = 25,
                                             .model = 17,
                                             .stepping = NAN,
                                             .memory = 23.6 * 0x1p30,
                                             .features = "avx2 avx512f avx512_bf16" } },
        { "8c 1024g", .host = { .stepping = 1, .cores = 8, .memory = 0x1p40 } },
        { "", .host = { .stepping = NAN } },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host host = cases[i].host;
        host_signature_write(&host);
        check_text(host.signature, cases[i].signature);
    }
}

/* Two caches of the last level, or one, of so many MiB. */
Test(host, flush_is_twice_the_last_level_within_limits)
{
    static const struct {
        unsigned caches;
        double last;
        bool is_guest;
        size_t flush;
    } rows[] = { { 0, 0, false, 256 },
                 { 1, 16, false, 256 },
                 { 2, 192, false, 768 },
                 { 2, 1152, false, 1024 },
                 { 2, 1152, true, 256 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host host = {
            .cache = { { 1, 48 << 10, 8 }, { 2, 2 << 20, 8 }, { 3, rows[i].last * 0x1p20, rows[i].caches } },
            .caches = rows[i].caches ? 3 : 0
        };
        strcpy(host.hypervisor, rows[i].is_guest ? "kvm" : "");
        cr_expect_eq(host_flush_bytes(&host), rows[i].flush << 20, "row %u: %zu", i, host_flush_bytes(&host));
    }
}
