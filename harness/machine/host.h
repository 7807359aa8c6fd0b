#ifndef HARNESS_MACHINE_HOST_H
#define HARNESS_MACHINE_HOST_H

/* The machine underneath: what it is (once a run), and in which state it is (around every cell). Read from hwloc, /proc
 * and /sys below `root`, which is "" but in tests, where it names a recorded tree. What cannot be read is NAN, 0 or "",
 * and printed as "unavailable"; nothing is guessed. */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct cache {
    unsigned level;
    double bytes; /* of one instance */
    unsigned instances;
};
enum { CACHES_MAX = 8 };

struct host {
    char name[128]; /* the processor's model name */
    char vendor[64], kernel[128], os[128], hypervisor[32];
    unsigned family, model; /* of the processor, as CPUID has them; 0 where it tells none */
    char features[128];     /* those of its flags that tell one model from another (theory_features) */
    double max_clock;       /* Hz: the highest of cpufreq's cpuinfo_max_freq; NAN where there is none */
    char clock_driver[32];  /* cpufreq's driver: "intel_pstate", "acpi-cpufreq" */
    char isa[32];           /* widest of "baseline", "avx2", "avx512" that both CPU and OS support */
    unsigned packages, cores, threads,
        nodes;             /* of the whole machine: sockets, physical cores, hardware threads, NUMA nodes */
    unsigned hybrid_kinds; /* kinds of core; 1 where all are alike */
    struct cache cache[CACHES_MAX];
    unsigned caches;
    double memory;            /* bytes, MemTotal */
    unsigned allowed_threads; /* hardware threads that the affinity mask leaves us */
    unsigned allowed_cores;   /* physical cores among them */
    double quota;             /* CPUs that the cgroup allows, INFINITY where it sets none */
    double memory_limit;      /* bytes, the cgroup's; INFINITY where it sets none */
    unsigned worker_threads;  /* what our own loops use: one per allowed core, no more than the quota */
    char threads_reason[96];  /* "2 physical cores", "quota of 1.5 CPUs", "--threads" */
    char places[512];         /* OMP_PLACES: one hardware thread of each core used, "{0},{2}" or "{0}:16:2"; "" when it
                               * cannot be said in this room */
    char huge_pages[32];      /* "always", "madvise", "never" */
    char governor[32];
    unsigned worker_nodes; /* NUMA nodes that those threads are spread over; 0 unknown */
    char energy[192];      /* the energy counters there are (energy.h), or "unavailable" and why */
    double clock;          /* Hz, measured by a chain of dependent additions; NAN until host_measure_clock */
    double page_bytes;
};

/* False only when not even the number of processors can be told. threads 0: our own choice; otherwise that many,
 * refused as STATUS_USAGE when the affinity mask leaves fewer. */
bool host_read(struct host *out, const char *root, unsigned threads, struct error *err);

/* Parts of host_read: family, model, features, and cpufreq's clock; the governor of the first processor; and on how
 * many NUMA nodes the processors with these numbers are, 0 unknown. */
void host_model_read(struct host *out, const char *root);
void host_governor(const char *root, char *to, size_t room);
unsigned host_nodes_of(const char *root, const unsigned id[], unsigned count);

/* What theory.c knows the processor by: "intel 6-142"; a hybrid one's cores do not do the same, "intel 6-154 hybrid".
 * "" where family or model are not known. */
void host_architecture(const struct host *host, char *to, size_t room);

/* Whether the clock cannot be higher than max_clock. Of cpufreq's drivers only Intel's own counts the turbo in; what
 * acpi-cpufreq names may leave it out, and AMD's processors boost beyond what amd-pstate makes of their firmware. */
bool host_clock_is_limit(const struct host *host);

/* Bytes of the last-level cache, all of its parts together; 0 unknown. */
double host_last_cache(const struct host *host);

/* Bytes to read through to empty this machine's caches: twice the last level, between 256 MiB and 1 GiB. 256 MiB in a
 * guest, which may see the caches of the whole host, or none. */
size_t host_flush_bytes(const struct host *host);

/* Bytes of the largest cache of which each core has one to itself; 0 unknown. The third level is never one of them: a
 * virtual machine may show one to each core, which the cores of the real one share. */
double host_core_cache(const struct host *host);

/* Clock of the core we run on, Hz, over `seconds` of a chain of dependent additions (one addition a cycle), in short
 * stretches. The first is the best of them: what the processor can do, for the description of a machine. The second is
 * their median: what a thread gets here and now, throttled clocks and stolen time included. */
double host_measure_clock(double seconds);
double host_sample_clock(double seconds);

/* Keeps the core busy until its clock rises no more, at most about so many seconds: what comes after a pause would
 * otherwise be measured on a processor that is still waking. */
void host_wake_clock(double limit);

/* Bytes that can be taken now without swapping: MemAvailable, or what the cgroup leaves, whichever is less. */
double host_memory_available(const char *root);

/* A new object with every field by name; null for a number that is unknown, and for a limit that is not set. */
json_t *host_to_json(const struct host *host);

/* The widest of "baseline", "avx2" and "avx512" that this processor and its system run: a version of our kernels is
 * compiled for each. */
const char *host_isa(void);

/* Amounts "since boot" mean something only as the difference of two of them. NAN unknown. */
struct host_state {
    double clock;       /* Hz, as host_sample_clock has it, of the core that the caller runs on */
    double steal;       /* seconds stolen by the hypervisor since boot, all processors */
    double busy, idle;  /* processor seconds spent by anybody, and by nobody, since boot */
    double own;         /* processor seconds spent by all processes of this run so far; for the caller to fill in */
    double pressure;    /* percent of the last 10 s in which some task waited for a CPU */
    double temperature; /* degrees Celsius, the processor's hottest sensor; of all, where none says that it is its */
    double overheated;  /* how often a processor was slowed down for heat since boot, over all of them */
    double load;        /* one-minute load average */
    double throttled;   /* seconds that a cgroup's quota kept tasks of ours and of its others waiting, so far */
    double swap_used;   /* bytes */
    double swapped;     /* bytes moved to and from the disk for want of memory since boot */
    long involuntary;   /* context switches forced on all threads of the calling process so far; -1 unknown */
    char governor[32];
    int on_battery; /* 1, 0, or -1 unknown */
};

/* To be called in the process whose work is measured: clock and context switches are the caller's own, all else is the
 * machine's. Takes about `clock_seconds` (0: leaves the clock out). */
void host_state_read(struct host_state *out, const char *root, double clock_seconds);
json_t *host_state_to_json(const struct host_state *state);

/* What is absent, of a wrong type or cannot be true is unknown; all of it where `json` is NULL. Texts are clean. */
void host_state_from_json(struct host_state *out, const json_t *json);

/* NUMA node of the PCI device at an address such as "0000:03:00.0"; -1 where nothing tells, or there is only one. */
int host_node_of_pci(const char *root, const char *address);
/* The same of a device's silicon, "pci 0000:03:00.0". */
int host_node_of_silicon(const char *root, const char *silicon);

/* Lets this process's memory, a driver's included, lie on that node as long as there is any: what a device reads and
 * writes. False where the system refuses. */
bool host_prefer_node(int node);

/* A stay of the calling thread on a node's processors. */
struct host_visit {
    bool is_away;
    unsigned long home[128]; /* the processors that it was allowed before, a bit for each */
};

/* Lets the calling thread run on that node's processors only, of those that it may use, until host_return: a driver's
 * part in the kernel may take memory where the thread runs, whatever the process prefers. False, and all is as it was,
 * where there is no such node or nothing of it may be used. */
bool host_visit_node(struct host_visit *out, const char *root, int node);
void host_return(const struct host_visit *visit);

/* Bytes of this process now, and the most there ever were; NAN where not told. */
double host_process_bytes(const char *root);
double host_process_peak(const char *root);

/* Whether a process has the same parent as this one: the workers of one run are siblings. */
bool host_process_is_sibling(const char *root, unsigned process);

/* Share of this process's memory that lies on the NUMA node which has most of it; NAN where there is only one node. */
double host_largest_node(const char *root);

#endif
