#ifndef HARNESS_MACHINE_HOST_H
#define HARNESS_MACHINE_HOST_H

/* The host: its description (once per run), and its state (around each cell). Read from /proc and /sys below
 * `root`, which is "" except in tests, where it names a recorded tree. What cannot be read is NAN, 0 or "", and printed
 * as "unavailable"; nothing is guessed. */

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct fields;

struct cache {
    unsigned level;
    double bytes; /* of one instance */
    unsigned instances;
}; /* an entry for each size of a level, by level */
enum { CACHES_MAX = 8 };

struct host {
    char name[128]; /* the processor's model name */
    char vendor[64], kernel[128], os[128], hypervisor[32];
    unsigned family, model; /* of the processor, by CPUID; 0 unknown */
    double stepping;        /* NAN unknown */
    char features[128];     /* flags that distinguish models (theory_features) */
    double max_clock;       /* Hz: the highest of cpufreq's cpuinfo_max_freq; NAN unknown */
    char clock_driver[32];  /* cpufreq's driver: "intel_pstate", "acpi-cpufreq" */
    char isa[32];           /* widest of "baseline", "avx2", "avx512" that both CPU and OS support */
    /* Of the whole machine: sockets, physical cores, hardware threads, NUMA nodes. */
    unsigned packages, cores, threads, nodes;
    unsigned hybrid_kinds; /* kinds of core; 1 where all are alike */
    struct cache cache[CACHES_MAX];
    unsigned caches;
    double memory;            /* bytes, MemTotal */
    unsigned allowed_threads; /* hardware threads allowed by the affinity mask */
    unsigned allowed_cores;   /* physical cores among them */
    double quota;             /* CPUs allowed by the cgroup; INFINITY: no limit */
    double memory_limit;      /* bytes, the cgroup's limit; INFINITY: none */
    unsigned worker_threads;  /* threads of our own loops: one per allowed core, at most the quota */
    char threads_reason[16];  /* why so many: "--threads", "quota", "affinity", or "all" cores */
    char places[512];    /* OMP_PLACES: one hardware thread of each core used, "{0},{2}" or "{0}:16:2"; "": too long, or
                            not allowed */
    char huge_pages[32]; /* "always", "madvise", "never" */
    char governor[32];
    char clock_limit[96];  /* "max_perf_pct is 25 instead of 100" (host_clock_limit); "": none is known */
    unsigned worker_nodes; /* NUMA nodes of these threads; 0 unknown */
    char energy[192];      /* the energy counters (energy.h), or "unavailable" and why */
    double clock;          /* Hz, measured by a chain of dependent additions; NAN until host_measure_clock */
    /* What distinguishes machines whose processors have the same name: "6-142-10 avx2 4c 8g" is family, model and
     * stepping, the instruction sets that others do not imply, physical cores, and installed memory in GiB. What is
     * unknown is left out. */
    char signature[96];
};

/* False only if hwloc cannot read the topology, or `threads` is refused. threads 0: our own choice; otherwise that
 * many, STATUS_USAGE if the affinity mask allows fewer. */
bool host_read(struct host *out, const char *root, unsigned threads, struct error *err);

/* Parts of host_read: family, model, stepping, features and cpufreq's clock; the signature of a host that is otherwise
 * complete; the governor of the first processor, and the kernel's choice of huge pages. */
void host_model_read(struct host *out, const char *root);
void host_signature_write(struct host *host);
struct text host_governor(const char *root);
struct text host_huge_pages(const char *root);

/* The first setting that keeps the processors below their own clock, and what it is without a limit. False: none is
 * known. */
struct clock_limit {
    const char *file; /* as a shell's pattern */
    double value, whole;
};
bool host_clock_limit(struct clock_limit *out, const char *root);

/* The processor's key in theory_units.txt: "intel 6-142"; "intel 6-154 hybrid" if its cores differ. "" if family or
 * model are unknown. */
struct text host_architecture(const struct host *host);

/* Whether max_clock is a limit. Only Intel's own cpufreq drivers include the turbo; acpi-cpufreq may leave it out, and
 * AMD's processors boost beyond what amd-pstate reads from firmware. */
bool host_clock_is_limit(const struct host *host);

/* Bytes of the last-level cache, all instances; 0 unknown. */
double host_last_cache(const struct host *host);

/* Bytes to read in order to empty the caches: twice the last level, between 256 MiB and 1 GiB. 256 MiB in a guest,
 * which may see the caches of the whole host, or none. */
size_t host_flush_bytes(const struct host *host);

/* Bytes of the largest cache private to each core, by the kind of core that has least; 0 unknown. Never the third
 * level: a virtual machine may show one per core where the real cores share it. */
double host_core_cache(const struct host *host);

/* Seconds of one cycle, over about so many dependent additions; NAN where no time passed. */
double host_cycle(long cycles);

/* Clock of the current core, Hz, over `seconds` of dependent additions (one per cycle), in short stretches. The first
 * gives the best stretch: what the processor can do. The second gives the median: what a thread gets now, including
 * throttling and stolen time. */
double host_measure_clock(double seconds);
double host_sample_clock(double seconds);

/* Keeps the core busy until its clock stops rising, for at most about `limit` seconds, so that a measurement after a
 * pause does not run on a processor that is still waking. */
void host_wake_clock(double limit);

/* Limits that the control groups of this process set, those of parent groups included: CPUs, bytes, and bytes still
 * free. INFINITY where there is no limit. */
double host_cgroup_cpus(const char *root);
double host_cgroup_memory(const char *root);
double host_cgroup_memory_left(const char *root);
const char *host_memory_limiter(double bytes); /* " (the limit of the cgroup)" where this is that limit here, else "" */
double host_cgroup_tasks_left(const char *root); /* processes and threads */
/* Seconds that CPU quotas have made tasks of these groups wait so far; NAN unknown. */
double host_cgroup_throttled(const char *root);

/* The shell's limit of the bytes that a process may map, in words for a message: "ulimit -v allows 307 MB of address
 * space"; "": none. */
struct text host_address_limit(void);

/* The limits that a worker may die of, in words for a message; "": none. */
struct text host_limits(const char *root);

/* Bytes available without swapping: MemAvailable, or what the cgroup leaves if less. */
double host_memory_available(const char *root);

/* A new object with every field by name; null: unknown, or no limit. */
json_t *host_to_json(const struct host *host);

/* The widest of "baseline", "avx2" and "avx512" that processor and system support: our kernels are compiled for
 * each. */
const char *host_isa(void);

/* Whether it is "avx512", with instructions for dot products of bytes. */
bool host_has_vnni(void);

/* Only differences of amounts "since boot" are meaningful. NAN unknown. */
struct host_state {
    double clock;       /* Hz, by host_sample_clock, of the caller's core */
    double steal;       /* seconds stolen by the hypervisor since boot, all processors */
    double busy, idle;  /* processor seconds busy and idle since boot */
    double own;         /* processor seconds of this run's processes so far; set by the caller */
    double pressure;    /* percent of the last 10 s in which some task waited for a CPU */
    double temperature; /* degrees Celsius, the CPU's hottest sensor; of all sensors if none is known to be the CPU's */
    double overheated;  /* thermal throttling events since boot, all processors */
    double load;        /* one-minute load average */
    double throttled;   /* seconds that a cgroup quota made tasks wait, so far */
    double swap_used;   /* bytes */
    double swapped;     /* bytes swapped in and out since boot */
    char governor[32];
    int on_battery; /* 1, 0, or -1 unknown */
};

/* Call it in the process that is measured: the clock is the caller's, all else the machine's. Takes about
 * `clock_seconds` (0: no clock). */
void host_state_read(struct host_state *out, const char *root, double clock_seconds);
extern const struct fields host_state_fields; /* the table of its members */

/* Seconds since the machine's start in which the processors that this thread may use computed for any process, or were
 * withheld; NAN unknown. */
double host_busy(const char *root);

/* NUMA node of a device's `silicon`, "pci 0000:03:00.0"; -1: unknown, or there is only one. */
int host_node_of_silicon(const char *root, const char *silicon);

/* Lanes of the PCI Express link of such a device, as it is now; 0 unknown. */
unsigned host_link_lanes(const char *root, const char *silicon);

/* Resident bytes of this process, now and at its peak; NAN unknown. */
double host_process_bytes(const char *root);
double host_process_peak(const char *root);

/* Whether a process has the same parent as this one: the workers of one run are siblings. */
bool host_process_is_sibling(const char *root, unsigned process);

/* Share of this process's memory on the NUMA node that has most of it, `held` bytes; NAN if there is only one node. */
double host_largest_node(const char *root, int *node, double *held);

#endif
