#include "harness/journal/record_parts.h"

#include <stddef.h>

bool record_add_state(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record;
    (void)err;
    bool is_before = strcmp(word_member(line, "when"), "before") == 0;
    host_state_from_json(is_before ? &cell->before : &cell->after, line);
    gpu_state_from_json(is_before ? &cell->gpu_before : &cell->gpu_after, json_object_get(line, "gpu"));
    return true;
}

void record_meter(struct meter *out, const json_t *line)
{
    *out = (struct meter){
        .runs = number_member(line, "runs"),
        .seconds = time_member(line, "elapsed_ns"),
        .joules = number_member(json_object_get(line, "energy_j"), energy_domain_names[ENERGY_GPU]),
        .error = number_member(line, "error"),
    };
    gpu_state_from_json(&out->gpu, json_object_get(line, "gpu"));
    if (!(out->runs >= 1 && out->seconds > 0 && out->joules > 0 && out->error >= 0))
        out->runs = out->seconds = out->joules = out->error = NAN;
}

bool record_add_meter(struct record *record, struct cell_record *cell, const json_t *line, struct error *err)
{
    (void)record, (void)err;
    record_meter(&cell->meter, line);
    return true;
}

void record_memory_cost(struct memory_cost *out, const json_t *json)
{
    *out = (struct memory_cost){
        .device_operands = number_member(json, "device_operands"),
        .host_operands = number_member(json, "host_operands"),
        .context_host = number_member(json, "context_host"),
        .held_twice = number_member(json, "held_twice"),
        .repacked = number_member(json, "repacked"),
        .peak_host = number_member(json, "peak_host"),
        .largest_node = number_member(json, "largest_node"),
        .context_device = number_member(json, "context_device"),
        .held_device = number_member(json, "held_device"),
    };
}

/* A slice whose energy is not known counts for nothing: power is that of the others. */
void record_energy(struct track *track, const json_t *line)
{
    const json_t *energy = json_object_get(line, "energy_j");
    double elapsed = time_member(line, "elapsed_ns");
    for (unsigned i = 0; i < ENERGY_DOMAINS; i++) {
        double joules = number_member(energy, energy_domain_names[i]);
        if (isnan(joules) || !(elapsed > 0))
            continue;
        track->energy[i] += joules;
        track->metered[i] += elapsed;
    }
}

/* In physical cores: of a core's two threads a busy one takes most. */
double record_others(const struct record *record, const struct cell_record *cell)
{
    static const double long_enough = 0.2; /* seconds: /proc/stat counts in hundredths of them */
    const struct host_state *from = &cell->before, *to = &cell->after;
    const json_t *host = json_object_get(record->head, "host");
    double cores = json_number_value(json_object_get(host, "cores"));
    double threads = json_number_value(json_object_get(host, "threads"));
    double busy = to->busy - from->busy, all = busy + to->idle - from->idle + fmax(0, to->steal - from->steal);
    double seconds = all / threads, others = busy - (to->own - from->own);
    return cores > 0 && seconds > long_enough ? fmax(0, others) / seconds / cores : NAN;
}
