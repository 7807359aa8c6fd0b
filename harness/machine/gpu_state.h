#ifndef HARNESS_MACHINE_GPU_STATE_H
#define HARNESS_MACHINE_GPU_STATE_H

/* The state of a GPU around what it computes, as its maker's management library tells it: what host_state is for the
 * processor. What is not told is NAN, or not known; nothing is guessed. */

#include <jansson.h>
#include <stdbool.h>

/* Why a GPU runs below the clock that it could have. That it is idle is no reason: then nothing holds it down. */
enum gpu_reason {
    REASON_POWER_CAP,     /* it would take more than its power limit */
    REASON_HEAT,          /* it, or its memory, is hotter than its driver lets it be */
    REASON_HARDWARE_HEAT, /* so hot that the hardware itself steps in */
    REASON_POWER_BRAKE,   /* the power supply, or the server, asks for less */
    REASON_HARDWARE,      /* the hardware steps in, and the driver does not say why */
    REASON_SYNC_BOOST,    /* it keeps to the clock of the slowest GPU of a group */
    REASON_SETTING,       /* somebody has set a lower clock */
    REASON_DISPLAY,       /* a display wants another clock */
    REASON_OTHER,         /* one that this version has no name for */
    REASON_COUNT
};

const char *gpu_reason_name(enum gpu_reason reason); /* "software power cap": part of the journal */

struct gpu_state {
    double sm_clock, memory_clock; /* Hz, at that moment */
    bool knows_reasons;
    unsigned reasons;           /* why that clock was held down, as bits 1 << reason; 0: nothing held it */
    double temperature;         /* degrees Celsius, of the chip */
    double power, power_limit;  /* watts of the whole board; on most the mean of the last second */
    double memory_used, memory; /* bytes in use, by anybody, and bytes that there are */
    double own_memory;          /* bytes that the asking process holds, its context included */
    double others;              /* processes that can compute on it and do not belong to this run */
    double others_memory;       /* bytes that they hold */
    double ecc_errors;          /* that its memory could not correct, since the driver was loaded */
};

/* All of it unknown. */
struct gpu_state gpu_state_unknown(void);

/* A new object of what is known, by the names of the members; NULL where nothing is, or when memory is short. */
json_t *gpu_state_to_json(const struct gpu_state *state);

/* What is absent, of a wrong type or cannot be true is unknown; all of it where `json` is NULL. */
void gpu_state_from_json(struct gpu_state *out, const json_t *json);

#endif
