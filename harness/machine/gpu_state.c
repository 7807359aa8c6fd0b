#include "harness/machine/gpu_state.h"

#include "harness/base/fields.h"

#include <math.h>

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
    FIELD(struct gpu_state, sm_clock),
    FIELD(struct gpu_state, memory_clock),
    FIELD(struct gpu_state, highest_clock),
    FIELD(struct gpu_state, busy),
    FIELD(struct gpu_state, temperature),
    FIELD(struct gpu_state, power),
    FIELD(struct gpu_state, power_limit),
    FIELD(struct gpu_state, memory_used),
    FIELD(struct gpu_state, memory),
    FIELD(struct gpu_state, own_memory),
    FIELD(struct gpu_state, others),
    FIELD(struct gpu_state, others_memory),
    FIELD(struct gpu_state, ecc_errors),
    WORDS(struct gpu_state, reasons, gpu_reason_names, REASON_COUNT, knows_reasons),
};
const struct fields gpu_state_fields = FIELDS(struct gpu_state, fields, 0);

struct gpu_state gpu_state_unknown(void)
{
    struct gpu_state state;
    fields_forget(&state, &gpu_state_fields);
    return state;
}

void gpu_state_raise(struct gpu_state *state, const struct gpu_state *other)
{
    for (unsigned i = 0; i < gpu_state_fields.count; i++) {
        double *number = (double *)(void *)((char *)state + fields[i].offset);
        if (fields[i].kind == FIELD_NUMBER)
            *number = fmax(*number, *(const double *)(const void *)((const char *)other + fields[i].offset));
    }
}
