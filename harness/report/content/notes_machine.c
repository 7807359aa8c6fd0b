#include "harness/report/content/notes.h"

#include "harness/analysis/figures.h"
#include "harness/analysis/neighbours.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <string.h>

/* Two short measurements of the clock of a busy machine can differ by this much, because of turbo steps. */
static const double clock_bins = 0.05;
static const double steal_worth_a_note = 0.05;  /* of the processor time that was requested */
static const double pressure_worth_a_note = 25; /* percent of the time in which some task waited for a processor */
static const double others_worth_a_note = 0.2;  /* of the physical cores: a load of a quarter is reported */
static const double swapped_worth_a_note = 1e6; /* bytes */
static const double burnt_worth_a_note = 0.5;   /* processors, while a device computes */
static const double looks_worth_a_note = 0.1;   /* of the looks at the cores */
static const double nearly_all = 0.9;           /* of the memory on one node */

/* Stolen time as a share of the requested time; other programs by the time they used, or, if that is unknown, by the
 * time tasks had to wait; a quota's waits as a share of the time in which the cell was measured. */
static void note_processor_time(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct host_state *before = &metrics->cell->before, *after = &metrics->cell->after;
    double stolen = after->steal - before->steal, wanted = stolen + after->busy - before->busy, elapsed = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        elapsed += metrics->cell->track[series].elapsed;
    double kept = elapsed > 0 ? step_below(fmax(0, after->throttled - before->throttled) / elapsed) : 0;
    if (wanted > 0 && stolen > steal_worth_a_note * wanted)
        note(notes, "stolen time", 1, (struct with){ .number = { steal_worth_a_note } });
    if (metrics->others > others_worth_a_note)
        note(notes, "other programs", 1, (struct with){ .number = { others_worth_a_note } });
    else if (fmax(before->pressure, after->pressure) > pressure_worth_a_note)
        note(notes, "other programs", 2, (struct with){ 0 });
    if (kept > 0)
        note(notes, "quota", 1, (struct with){ .number = { kept } });
}

static void note_state(struct notes *notes, const struct host_state *before, const struct host_state *after)
{
    const char *governor = *after->governor ? after->governor : before->governor;
    if (before->on_battery == 1 || after->on_battery == 1)
        note(notes, "ran on battery", 1, (struct with){ 0 });
    if (*governor && strcmp(governor, "performance") != 0)
        note(notes, "governor", 1, (struct with){ .text = { governor } });
    if (after->overheated > before->overheated)
        note(notes, "slowed down for heat", 1, (struct with){ 0 });
    if (after->swapped - before->swapped > swapped_worth_a_note)
        note(notes, "memory went to the disk", 1, (struct with){ 0 });
}

/* The wait is noted only for computing: to move data the host may have to copy it. */
static void note_host(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct device *device = metrics->device;
    const struct memory_cost *cost = &metrics->cell->memory_cost;
    if (!device)
        return;
    bool is_gpu = class_is_gpu(device->class) && !metrics->only_moves;
    if (device->works_in_host_memory && metrics->nodes > 1 && cost->largest_node > nearly_all)
        note(notes, "memory on one NUMA node", 1, (struct with){ .number = { metrics->nodes } });
    if (is_gpu && strcmp(metrics->wait, "spins") == 0)
        note(notes, "waiting spins", 1, (struct with){ 0 });
    else if (is_gpu && metrics->host_cpu > burnt_worth_a_note)
        note(notes, "driver burns the host", 1, (struct with){ 0 });
    if (cost->held_twice > 0 && device->shares_host_memory)
        note(notes, "held twice", 1, (struct with){ .number = { cost->held_twice } });
}

void note_machine(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct host_state *before = &metrics->cell->before, *after = &metrics->cell->after;
    double clock = after->clock / before->clock - 1;
    if (step_below(clock) > clock_bins)
        note(notes, "clock changed", clock < 0 ? 1 : 2, (struct with){ .number = { step_below(clock) } });
    note_processor_time(notes, metrics);
    note_state(notes, before, after);
    note_host(notes, metrics);
}

/* Rounded up to a few steps, so that rows share a footnote. */
static double within(double share)
{
    static const double steps[] = { 0.02, 0.05, 0.1, 0.2 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (share <= steps[i])
            return steps[i];
    return 0.3;
}

/* A clock below its maximum without a reason was not limited, only not needed. The two counters of energy are in
 * different places and neither covers the whole machine. */
void note_gpu(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct gpu_metrics *gpu = &metrics->gpu;
    char ratio[TEXT_NUMBER];
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (gpu->held_by[i] > 0)
            note(notes, "clock held down", 1,
                 (struct with){ .number = { gpu->held_by[i], gpu->reported },
                                .text = { gpu_reason_name((enum gpu_reason)i) } });
    if (gpu->others > 0)
        note(notes, "others on this GPU", gpu->others_memory > 0 ? 1 : 2,
             (struct with){ .number = { gpu->others, gpu->others_memory } });
    if (gpu->ecc_errors > 0)
        note(notes, "memory errors", 1, (struct with){ .number = { gpu->ecc_errors } });
    if (metrics->energy_of == ENERGY_GPU && !isnan(metrics->energy))
        note(notes, "energy of the board", 1, (struct with){ .number = { within(metrics->energy_error) } });
    text_figure(ratio, metrics->energy_ratio);
    if (!isnan(metrics->energy_ratio))
        note(notes, "energy ratio", 1, (struct with){ .text = { ratio } });
}

/* What the machine does to all figures. */
static void note_setup(struct notes *notes, const json_t *host)
{
    static const char denied[] = "unavailable: only root may read ";
    double nodes = number_member(host, "nodes");
    const char *energy = text_member(&notes->pool, host, "energy", 192);
    if (strcmp(journal_text(host, "huge_pages"), "never") == 0)
        note(notes, "large pages are off", 1, (struct with){ 0 });
    if (nodes > 1)
        note(notes, "spread over NUMA nodes", 1, (struct with){ .number = { nodes } });
    /* Only for a counter that exists, but that only root may read. */
    if (strncmp(energy, denied, strlen(denied)) == 0)
        note(notes, "energy unavailable", 1, (struct with){ .text = { energy, energy + strlen(denied) } });
}

static void note_processors(struct notes *notes, const json_t *host)
{
    double threads = number_member(host, "threads"), allowed = number_member(host, "allowed_threads");
    double quota = number_member(host, "quota"), cores = number_member(host, "allowed_cores");
    const char *places = json_string_value(json_object_get(host, "places"));
    if (allowed < threads)
        note(notes, "part of the machine", 1, (struct with){ .number = { allowed, threads } });
    if (quota < cores)
        note(notes, "part of the machine", 2, (struct with){ .number = { quota, cores } });
    if (places && !*places)
        note(notes, "threads not pinned", 1, (struct with){ 0 });
}

/* What holds the processor itself back, which is mostly the baseline. */
static void note_baseline(struct notes *notes, const struct device *device)
{
    const char *core = device->blas_core, *better = device->blas_better;
    if (!device->works_in_host_memory)
        return;
    if (*device->note)
        note(notes, "the CPU is held back", 1, (struct with){ .text = { device->note } });
    if (*better && strcmp(device->blas_bound, "OPENBLAS_CORETYPE") == 0)
        note(notes, "lesser kernels of OpenBLAS", 1, (struct with){ .text = { core, better } });
    else if (*better && *device->blas_bound)
        note(notes, "lesser kernels of OpenBLAS", 2, (struct with){ .text = { core } });
    else if (*better)
        note(notes, "OpenBLAS was given another core", 1, (struct with){ .text = { core, better } });
}

/* The absence of a GPU too, as no problem mentions it. */
static void note_run(struct notes *notes, const struct record *record)
{
    size_t i;
    const json_t *resumed;
    bool computes = false, has_other = false;
    json_array_foreach (record->resumed, i, resumed) {
        const char *when = text_member(&notes->pool, resumed, "started", 32);
        note(notes, "resumed", *when ? 1 : 2, (struct with){ .text = { when } });
    }
    for (unsigned k = 0; k < record->cells && !record->sweep; k++)
        computes |= record->cell[k]->flops > 0 && !record->cell[k]->is_ceiling && record->cell[k]->ended;
    for (unsigned k = 0; k < record->devices; k++)
        has_other |= record->device[k].class != CLASS_CPU;
    if (computes && !has_other)
        note(notes, "no GPU was measured", 1, (struct with){ 0 });
}

/* Who computed on the same cores. Programs of this machine show in its load, too; nothing else does in a virtual one.
 */
static void note_neighbours(struct notes *notes, const struct record *record)
{
    const json_t *host = json_object_get(record->head, "host");
    const double share = neighbours_share(record);
    bool is_own = !json_is_string(json_object_get(host, "hypervisor"));
    for (unsigned i = 0; i < record->cells; i++)
        is_own |= record_others(record, record->cell[i]) > others_worth_a_note;
    if (share > looks_worth_a_note)
        note(notes, "neighbours", is_own ? 2 : 1, (struct with){ .number = { share } });
}

/* Rows for which there was no time: who reads the report has to know that. */
static bool is_left_out(const char *text)
{
    static const char lead[] = "left out, as --time";
    return strncmp(text, lead, strlen(lead)) == 0;
}

void notes_read_run(struct notes *out, const struct record *record)
{
    const json_t *host = json_object_get(record->head, "host");
    *out = (struct notes){ .count = 0 };
    note_run(out, record);
    note_neighbours(out, record);
    for (unsigned i = 0; i < record->notes; i++)
        notes_add(out, &(struct note){ .text = record->note[i],
                                       .severity = is_left_out(record->note[i]) ? SEVERITY_STATE : SEVERITY_NONE });
    note_processors(out, host);
    for (unsigned i = 0; i < record->devices; i++)
        note_baseline(out, &record->device[i]);
    note_setup(out, host);
}
