#ifndef HARNESS_MACHINE_GPU_STATE_H
#define HARNESS_MACHINE_GPU_STATE_H

/* The state of a GPU around a measurement, by its vendor's management library or the kernel's files, like host_state
 * for the CPU. Unknown values are NAN; nothing is guessed. */

#include <stdbool.h>

/* Why a GPU runs below its possible clock (throttle reasons). Being idle is not one. */
enum gpu_reason {
    REASON_POWER_CAP,     /* its power limit */
    REASON_HEAT,          /* it, or its memory, is above the driver's temperature limit */
    REASON_HARDWARE_HEAT, /* so hot that the hardware itself slows it down */
    REASON_POWER_BRAKE,   /* the power supply or the server requests less power */
    REASON_HARDWARE,      /* a hardware slowdown for a reason the driver does not name */
    REASON_SYNC_BOOST,    /* it follows the slowest GPU of a group */
    REASON_SETTING,       /* a lower clock was set */
    REASON_DISPLAY,       /* a display needs another clock */
    REASON_OTHER,         /* a reason unknown to this version */
    REASON_COUNT
};

extern const char *const gpu_reason_names[]; /* "software power cap": part of the journal */

/* Seconds between two steps of a board's energy counter, at most. They move every 20 to 100 ms, by published
 * measurements; their documentation does not say. */
static const double longest_energy_step = 0.1;

struct gpu_state {
    double sm_clock, memory_clock; /* Hz, at that moment */
    double highest_clock;          /* Hz, what the driver may ask for: lower than the chip's where it was set */
    double busy;                   /* share of the time in which it worked */
    bool knows_reasons;
    unsigned reasons;           /* throttle reasons, as bits 1 << reason; 0: none */
    double temperature;         /* degrees Celsius, of the chip */
    double power, power_limit;  /* watts of the whole board; usually the mean of the last second */
    double memory_used, memory; /* bytes in use by all processes, and bytes in total */
    double own_memory;          /* bytes that the calling process holds, with its context */
    double others;              /* compute processes that do not belong to this run */
    double others_memory;       /* bytes that they hold */
    double ecc_errors;          /* uncorrectable memory errors since the driver was loaded */
};

/* A state with all unknown. */
struct gpu_state gpu_state_unknown(void);

/* Seconds in which the clock was held down, by reason; NAN unknown. */
struct held {
    double of[REASON_COUNT];
};

/* Raises each number to that of another state, where that is higher or alone known. */
void gpu_state_raise(struct gpu_state *state, const struct gpu_state *other);

struct fields;

/* The table of its members; in JSON, `reasons` are words, and an unknown one is REASON_OTHER. */
extern const struct fields gpu_state_fields;

#endif
