#ifndef HARNESS_MACHINE_THEORY_H
#define HARNESS_MACHINE_THEORY_H

/* The theoretical peak of a device: its arithmetic units, their work per cycle (theory_units.c, by architecture), and a
 * named clock. Nothing is guessed: what neither a table nor the machine says is unknown. */

#include "harness/machine/device.h"

#include <stdbool.h>

struct theory {
    double flops;      /* FLOP/s, a multiply-add counted as two */
    char formula[160]; /* "24 EU x 16 FLOP x 1.10 GHz (maximum)" */
    char clock[24];    /* the clock's name: "measured", "maximum", "reported maximum" */
    bool is_confirmed; /* units and architecture are known for certain, and no other units compute */
    char why[160];     /* why it is unknown or unconfirmed */
};

/* The peak at a given clock, in Hz; the name is shown in brackets after it. False: unknown, with the reason in
 * out->why. */
bool theory_at(const struct device *device, enum dtype dtype, double clock, const char *clock_name, struct theory *out);

/* The same at the most relevant clock: on a CPU the measured one, on a GPU of NVIDIA the boost clock, elsewhere the
 * highest that the hardware allows, or what its driver reports. */
bool theory_peak(const struct device *device, enum dtype dtype, struct theory *out);

/* The limit that nothing can exceed: the confirmed peak at the highest clock. False if the peak is not confirmed or the
 * limit of the clock is unknown, with the reason in out->why. A measured or reported clock counts if it is higher than
 * the maximum. */
bool theory_limit(const struct device *device, enum dtype dtype, struct theory *out);

struct theory_memory {
    double bandwidth;  /* bytes per second */
    char formula[160]; /* "2 x 2.619 GHz x 5120 bit / 8" */
};

/* The bandwidth of memory by its clock and width, two bits per cycle on each line. False: unknown, as on most
 * machines. */
bool theory_bandwidth(const struct device *device, struct theory_memory *out);

#endif
