#ifndef HARNESS_MACHINE_THEORY_H
#define HARNESS_MACHINE_THEORY_H

/* What a device could do by its own facts: arithmetic units, what each of them does in a cycle (theory_units.c, by
 * architecture), and a clock that is named. Nothing is guessed: what a table or the machine does not tell is unknown.
 */

#include "harness/machine/device.h"

#include <stdbool.h>

struct theory {
    double flops;      /* FLOP/s, a multiply-add counted as two */
    char formula[160]; /* "24 EU x 16 FLOP x 1.10 GHz (maximum)" */
    char clock[24];    /* the clock's name: "measured", "maximum", "reported maximum" */
    bool is_confirmed; /* units and architecture are what the machine says they are, beyond reasonable doubt, and
                        * nothing beside these units computes */
    char why[160];     /* why it is unknown, or not confirmed */
};

/* Peak of `units` at a clock of one's own choice, in Hz; the name is what stands in brackets behind it. False: unknown,
 * with the reason in out->why. */
bool theory_at(const struct device *device, enum dtype dtype, double clock, const char *clock_name, struct theory *out);

/* The same at the clock that says most about this device: on a CPU the measured one, elsewhere the highest that the
 * hardware allows, or else what its driver reports. */
bool theory_peak(const struct device *device, enum dtype dtype, struct theory *out);

/* What nothing can exceed: the confirmed peak at the highest clock. False where the peak is not confirmed or no clock
 * is known to be the limit, with the reason in out->why. A clock that was measured or reported counts if it is higher
 * than the maximum. */
bool theory_limit(const struct device *device, enum dtype dtype, struct theory *out);

struct theory_memory {
    double bandwidth;  /* bytes in a second */
    char formula[160]; /* "2 x 2.619 GHz x 5120 bit / 8" */
};

/* What the memory beyond the last cache can move, from its own clock and width, two bits a cycle on each line. False:
 * unknown, which it is on most machines. */
bool theory_bandwidth(const struct device *device, struct theory_memory *out);

#endif
