#ifndef HARNESS_MACHINE_ENERGY_H
#define HARNESS_MACHINE_ENERGY_H

/* Energy by the processor's own counters, which Linux shows below /sys/class/powercap (running average power limit;
 * Documentation/power/powercap/powercap.rst), for Intel and AMD alike, or by the older amd_energy driver below
 * /sys/class/hwmon. A counter is of a whole package: its cores, a graphics unit in it, and what it takes when idle;
 * other programs included. It moves about once a millisecond. */

#include <stdbool.h>
#include <stddef.h>

/* The packages of the machine, the memory that they count apart, and all of a laptop as its maker wired it (psys),
 * which holds the packages and is never added to them. A GPU's board counts for itself: that is not among the counters
 * here, but beside them in journals (struct monitor). */
enum energy_domain { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_PSYS, ENERGY_GPU, ENERGY_DOMAINS };

extern const char *const energy_domain_names[ENERGY_DOMAINS]; /* "package", "dram", "psys", "gpu": in the journal */

enum { ENERGY_COUNTERS_MAX = 128, ENERGY_PATH = 128 };

struct energy_counter {
    enum energy_domain domain;
    double range;           /* joules at which it begins again from 0; INFINITY: never */
    char path[ENERGY_PATH]; /* below root */
};

/* The counters of a machine. A value: copy it freely. */
struct energy {
    struct energy_counter counter[ENERGY_COUNTERS_MAX];
    unsigned counters;
    bool is_partial[ENERGY_DOMAINS]; /* a counter of it cannot be read: the others are not all of it */
    const char *denied;              /* files that there are, and that this user may not read; NULL: none */
};

/* Joules that the counters showed, in their order; NAN where one could not be read. */
struct energy_reading {
    double at; /* seconds of clock_wall */
    double joules[ENERGY_COUNTERS_MAX];
};

/* Looks for counters that can be read now, below `root`, which is "" but in tests. */
void energy_open(struct energy *out, const char *root);

/* "package, dram", or "unavailable", with the reason where there is one that the user can do something about. */
void energy_describe(const struct energy *energy, char *to, size_t room);

/* A few microseconds for each counter. */
void energy_read(const struct energy *energy, const char *root, struct energy_reading *out);

/* Joules of each domain between two readings, all its counters together. NAN of a GPU's, where the machine has no such
 * counter, where one of them could or can not be read, and where one moved in a way that no processor can: a counter
 * that ran backwards looks like one that began again, but for the power that this would take. */
void energy_between(const struct energy *energy, const struct energy_reading *from, const struct energy_reading *to,
                    double out[ENERGY_DOMAINS]);

#endif
