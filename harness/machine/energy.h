#ifndef HARNESS_MACHINE_ENERGY_H
#define HARNESS_MACHINE_ENERGY_H

/* Energy by the CPU's own counters, which Linux shows below /sys/class/powercap (running average power limit;
 * Documentation/power/powercap/powercap.rst), for Intel, and since 5.11 for AMD. A counter is for a whole package: its
 * cores, an integrated GPU, idle power, and other programs. It is updated about once a millisecond. */

#include "harness/base/text.h"

#include <stdbool.h>

/* Packages, the memory counted separately, and the whole laptop as its vendor wired it (psys), which includes the
 * packages and is never added to them. A GPU board's own counter is not among the counters here, but beside them in
 * journals (struct monitor). */
enum energy_domain { ENERGY_PACKAGE, ENERGY_DRAM, ENERGY_PSYS, ENERGY_GPU, ENERGY_DOMAINS };

extern const char *const energy_domain_names[ENERGY_DOMAINS]; /* "package", "dram", "psys", "gpu": in the journal */

enum { ENERGY_COUNTERS_MAX = 128, ENERGY_PATH = 128 };

struct energy_counter {
    enum energy_domain domain;
    double range;           /* joules at which it wraps to 0; INFINITY: never */
    char path[ENERGY_PATH]; /* below root */
};

/* The counters of a machine. A plain value. */
struct energy {
    struct energy_counter counter[ENERGY_COUNTERS_MAX];
    unsigned counters;
    bool is_partial[ENERGY_DOMAINS]; /* a counter of it cannot be read, so the sum is incomplete */
    const char *denied;              /* existing files that this user may not read; NULL: none */
};

/* Joules by counter, in their order; NAN: not readable. */
struct energy_reading {
    double at; /* seconds of clock_wall */
    double joules[ENERGY_COUNTERS_MAX];
};

/* Finds the readable counters below `root`, which is "" except in tests. */
void energy_open(struct energy *out, const char *root);

/* "package, dram", or "unavailable", with the reason if the user can change it. */
struct text energy_describe(const struct energy *energy);

/* Takes some microseconds per counter. */
void energy_read(const struct energy *energy, const char *root, struct energy_reading *out);

/* Joules of each domain between two readings, all its counters together. NAN for a GPU's, for a domain without a
 * complete set of readable counters, and if a counter moved faster than any CPU can: one that ran backwards looks like
 * a wrap, except for the power that this would need. */
void energy_between(const struct energy *energy, const struct energy_reading *from, const struct energy_reading *to,
                    double out[ENERGY_DOMAINS]);

#endif
