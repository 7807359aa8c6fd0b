#include "harness/machine/gpu_state.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const reason_names[REASON_COUNT] = {
    [REASON_POWER_CAP] = "software power cap",
    [REASON_HEAT] = "software thermal slowdown",
    [REASON_HARDWARE_HEAT] = "hardware thermal slowdown",
    [REASON_POWER_BRAKE] = "hardware power brake",
    [REASON_HARDWARE] = "hardware slowdown",
    [REASON_SYNC_BOOST] = "sync boost",
    [REASON_SETTING] = "a clock that was set",
    [REASON_DISPLAY] = "display clock setting",
    [REASON_OTHER] = "a reason without a name",
};

const char *gpu_reason_name(enum gpu_reason reason)
{
    return (unsigned)reason < REASON_COUNT ? reason_names[reason] : reason_names[REASON_OTHER];
}

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    { "sm_clock", offsetof(struct gpu_state, sm_clock) },
    { "memory_clock", offsetof(struct gpu_state, memory_clock) },
    { "requested_clock", offsetof(struct gpu_state, requested_clock) },
    { "highest_clock", offsetof(struct gpu_state, highest_clock) },
    { "busy", offsetof(struct gpu_state, busy) },
    { "temperature", offsetof(struct gpu_state, temperature) },
    { "power", offsetof(struct gpu_state, power) },
    { "power_limit", offsetof(struct gpu_state, power_limit) },
    { "memory_used", offsetof(struct gpu_state, memory_used) },
    { "memory", offsetof(struct gpu_state, memory) },
    { "own_memory", offsetof(struct gpu_state, own_memory) },
    { "others", offsetof(struct gpu_state, others) },
    { "others_memory", offsetof(struct gpu_state, others_memory) },
    { "ecc_errors", offsetof(struct gpu_state, ecc_errors) },
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

struct gpu_state gpu_state_unknown(void)
{
    struct gpu_state state = { .knows_reasons = false };
    for (unsigned i = 0; i < NUMBERS; i++)
        *(double *)(void *)((char *)&state + numbers[i].offset) = NAN;
    return state;
}

static json_t *reasons_to_json(unsigned reasons)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (reasons & 1u << i)
            json_array_append_new(names, json_string(reason_names[i]));
    return names;
}

json_t *gpu_state_to_json(const struct gpu_state *state)
{
    json_t *json = json_object();
    for (unsigned i = 0; i < NUMBERS; i++) {
        double value = *(const double *)(const void *)((const char *)state + numbers[i].offset);
        if (isfinite(value))
            json_object_set_new(json, numbers[i].name, json_real(value));
    }
    if (state->knows_reasons)
        json_object_set_new(json, "reasons", reasons_to_json(state->reasons));
    if (json_object_size(json) > 0)
        return json;
    json_decref(json);
    return NULL;
}

/* An unknown word is a reason, too: REASON_OTHER. */
static unsigned reason_of(const char *name)
{
    unsigned i = 0;
    while (i < REASON_OTHER && strcmp(name, reason_names[i]) != 0)
        i++;
    return 1u << i;
}

void gpu_state_from_json(struct gpu_state *out, const json_t *json)
{
    const json_t *reasons = json_object_get(json, "reasons"), *name;
    size_t at;
    *out = gpu_state_unknown();
    for (unsigned i = 0; i < NUMBERS; i++) {
        double value = json_number_value(json_object_get(json, numbers[i].name));
        if (json_is_number(json_object_get(json, numbers[i].name)) && value >= 0 && isfinite(value))
            *(double *)(void *)((char *)out + numbers[i].offset) = value;
    }
    out->knows_reasons = json_is_array(reasons);
    json_array_foreach (reasons, at, name)
        if (json_is_string(name))
            out->reasons |= reason_of(json_string_value(name));
}
