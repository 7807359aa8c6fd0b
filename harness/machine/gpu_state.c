#include "harness/machine/gpu_state.h"

#include "harness/base/text.h"
#include "harness/machine/fields.h"

#include <math.h>
#include <string.h>

const char *const gpu_reason_names[REASON_COUNT] = {
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

static const struct field fields[] = {
    FIELD(struct gpu_state, sm_clock),    FIELD(struct gpu_state, memory_clock), FIELD(struct gpu_state, highest_clock),
    FIELD(struct gpu_state, busy),        FIELD(struct gpu_state, temperature),  FIELD(struct gpu_state, power),
    FIELD(struct gpu_state, power_limit), FIELD(struct gpu_state, memory_used),  FIELD(struct gpu_state, memory),
    FIELD(struct gpu_state, own_memory),  FIELD(struct gpu_state, others),       FIELD(struct gpu_state, others_memory),
    FIELD(struct gpu_state, ecc_errors),
};
enum { FIELDS = sizeof fields / sizeof *fields };

struct gpu_state gpu_state_unknown(void)
{
    struct gpu_state state = { .knows_reasons = false };
    fields_forget(&state, fields, FIELDS);
    return state;
}

void gpu_state_raise(struct gpu_state *state, const struct gpu_state *other)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        double *number = (double *)(void *)((char *)state + fields[i].offset);
        *number = fmax(*number, *(const double *)(const void *)((const char *)other + fields[i].offset));
    }
}

static json_t *reasons_to_json(unsigned reasons)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (reasons & 1u << i)
            json_array_append_new(names, json_string(gpu_reason_names[i]));
    return names;
}

json_t *gpu_state_to_json(const struct gpu_state *state)
{
    json_t *json = json_object();
    fields_to_json(json, fields, FIELDS, state, true);
    if (state->knows_reasons)
        json_object_set_new(json, "reasons", reasons_to_json(state->reasons));
    if (json_object_size(json) > 0)
        return json;
    json_decref(json);
    return NULL;
}

void gpu_state_from_json(struct gpu_state *out, const json_t *json)
{
    const json_t *reasons = json_object_get(json, "reasons"), *name;
    size_t at;
    *out = gpu_state_unknown();
    fields_from_json(out, fields, FIELDS, json);
    out->knows_reasons = json_is_array(reasons);
    json_array_foreach (reasons, at, name) /* an unknown word is a reason, too: REASON_OTHER */
        if (json_is_string(name))
            out->reasons |= 1u << name_find(json_string_value(name), gpu_reason_names, REASON_OTHER);
}
