#include "harness/report/content/notes_machine.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* Two short measurements of the clock of a busy machine can differ by this much, because of turbo steps. */
static const double clock_bins = 0.05;
static const double steal_worth_a_note = 0.05;  /* of the processor time that was requested */
static const double pressure_worth_a_note = 25; /* percent of the time in which some task waited for a processor */
static const double others_worth_a_note = 0.2;  /* of the physical cores: a load of a quarter is reported */
static const double swapped_worth_a_note = 1e6; /* bytes */
static const double burnt_worth_a_note = 0.5;   /* processors, while a device computes */
static const double nearly_all = 0.9;           /* of the memory on one node */

/* Stolen time as a share of the requested time. */
static void note_hypervisor(struct notes *notes, const struct host_state *before, const struct host_state *after)
{
    double stolen = after->steal - before->steal, wanted = stolen + after->busy - before->busy;
    if (wanted > 0 && stolen > steal_worth_a_note * wanted)
        note_warning(notes, SEVERITY_STATE,
                     "the hypervisor kept back over %.0f %% of the processor time wanted: try when its host is idle",
                     100 * steal_worth_a_note);
}

/* Other programs by the time they used; if that is unknown, by the time tasks had to wait. */
static void note_others(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    if (metrics->others > others_worth_a_note)
        note_warning(
            notes, SEVERITY_STATE,
            "other programs kept over %.0f %% of the cores busy meanwhile, so times are longer and vary: close them "
            "(top shows which)",
            100 * others_worth_a_note);
    else if (fmax(cell->before.pressure, cell->after.pressure) > pressure_worth_a_note)
        note_warning(notes, SEVERITY_STATE, "something else wanted the processors too: close other programs");
}

/* As a share of the time in which the cell was measured. */
static void note_throttling(struct notes *notes, const struct cell_record *cell)
{
    double waited = cell->after.throttled - cell->before.throttled, elapsed = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        elapsed += cell->track[series].elapsed;
    double step = elapsed > 0 ? step_below(waited / elapsed) : 0;
    if (waited > 0 && step > 0)
        note_warning(
            notes, SEVERITY_STATE,
            "the cgroup's quota kept threads waiting for over %.0f %% of the time, so these are times of the quota: "
            "raise it (cpu.max), or use fewer --threads",
            100 * step);
}

static void note_power(struct notes *notes, const struct host_state *before, const struct host_state *after)
{
    const char *governor = *after->governor ? after->governor : before->governor;
    if (before->on_battery == 1 || after->on_battery == 1)
        note_warning(notes, SEVERITY_STATE, "ran on battery, which may hold the clock down: plug in");
    if (*governor && strcmp(governor, "performance") != 0)
        note_warning(
            notes, SEVERITY_STATE,
            "the governor is %s, so the clock follows the load: sudo cpupower frequency-set -g performance makes it "
            "steadier",
            governor);
    if (after->overheated > before->overheated)
        note_warning(notes, SEVERITY_STATE,
                     "a processor was slowed down for heat meanwhile, so times grow with the length of a run: let it "
                     "cool, free its vents");
}

static void note_swapping(struct notes *notes, const struct host_state *before, const struct host_state *after)
{
    if (after->swapped - before->swapped > swapped_worth_a_note)
        note_warning(
            notes, SEVERITY_STATE,
            "memory went to the disk and back meanwhile, and times hold some of that: close other programs, or "
            "use a smaller size");
}

/* Only for computing: to move data the host may have to copy it. */
static void note_wait(struct notes *notes, const struct cell_metrics *metrics)
{
    bool is_gpu = metrics->device && class_is_gpu(metrics->device->class) && !metrics->only_moves;
    if (is_gpu && strcmp(metrics->wait, "spins") == 0)
        note(notes, "waiting for it spins: that burns a core of the host as long as it computes");
    else if (is_gpu && metrics->host_cpu > burnt_worth_a_note)
        note(notes, "its driver burns more than half a core of the host as long as it computes: other work there slows "
                    "both down");
}

static void note_memory(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct memory_cost *cost = &metrics->cell->memory_cost;
    char more[TEXT_NUMBER];
    if (cost->held_twice > 0 && metrics->device && metrics->device->shares_host_memory)
        note(notes, "operands are held twice in what host and device share, %s more; mapped memory holds them once",
             text_bytes(more, cost->held_twice));
}

/* Threads run on several nodes, but all operands are on one: other threads touched them first. */
static void note_nodes(struct notes *notes, const struct cell_metrics *metrics)
{
    bool is_host = metrics->device && metrics->device->works_in_host_memory;
    if (is_host && metrics->nodes > 1 && metrics->cell->memory_cost.largest_node > nearly_all)
        note(notes,
             "memory lies on one NUMA node, threads on %u, so most of it is far from them: free memory on the others, "
             "or keep to one node (numactl --cpunodebind=0 --membind=0)",
             metrics->nodes);
}

void note_machine(struct notes *notes, const struct cell_metrics *metrics)
{
    const struct host_state *before = &metrics->cell->before, *after = &metrics->cell->after;
    double clock = after->clock / before->clock - 1;
    if (step_below(clock) > clock_bins)
        note(notes, "the processor's clock %s by over %.0f %% meanwhile", clock < 0 ? "fell" : "rose",
             100 * step_below(clock));
    note_hypervisor(notes, before, after);
    note_others(notes, metrics);
    note_throttling(notes, metrics->cell);
    note_power(notes, before, after);
    note_swapping(notes, before, after);
    note_nodes(notes, metrics);
    note_wait(notes, metrics);
    note_memory(notes, metrics);
}

/* Each reason for a reduced clock. A clock below its maximum without a reason was not limited, only not needed. */
static void note_clock_limits(struct notes *notes, const struct gpu_metrics *gpu)
{
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (gpu->held_by[i] > 0)
            note_warning(notes, SEVERITY_STATE, "%u of %u slices ran while the clock was held down: %s",
                         gpu->held_by[i], gpu->reported, gpu_reason_name((enum gpu_reason)i));
}

static void note_other_processes(struct notes *notes, const struct gpu_metrics *gpu)
{
    char bytes[TEXT_NUMBER];
    if (gpu->others > 0)
        note_warning(
            notes, SEVERITY_STATE,
            "others had this GPU open meanwhile, %.0f process%s with %s of its memory: what they computed is in the "
            "times",
            gpu->others, gpu->others > 1 ? "es" : "",
            gpu->others_memory > 0 ? text_bytes(bytes, gpu->others_memory) : "some");
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

static void note_board_energy(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->energy_of == ENERGY_GPU && !isnan(metrics->energy))
        note(notes, "energy is that of the whole board by its own counter, within %.0f %% by that counter's steps",
             100 * within(metrics->energy_error));
}

/* The two counters are in different places and neither covers the whole machine. */
static void note_energy_ratio(struct notes *notes, const struct cell_metrics *metrics)
{
    char ratio[TEXT_NUMBER];
    if (!isnan(metrics->energy_ratio))
        note(notes,
             "a run takes %sx the energy of the baseline's: of this board, and there of the processor's package; what "
             "the rest of the machine took is in neither",
             text_figure(ratio, metrics->energy_ratio, fmax(0.05, metrics->energy_error)));
}

void note_gpu(struct notes *notes, const struct cell_metrics *metrics)
{
    note_clock_limits(notes, &metrics->gpu);
    note_other_processes(notes, &metrics->gpu);
    if (metrics->gpu.ecc_errors > 0)
        note_warning(notes, SEVERITY_WRONG, "memory errors that ECC could not correct came meanwhile: %.0f",
                     metrics->gpu.ecc_errors);
    note_board_energy(notes, metrics);
    note_energy_ratio(notes, metrics);
}

static double number(const json_t *host, const char *name)
{
    const json_t *member = json_object_get(host, name);
    return json_is_number(member) ? json_number_value(member) : NAN;
}

/* A text of the machine's head; NULL if the journal has none. */
static const char *member_text(const json_t *host, const char *name, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(host, name));
    if (!text)
        return NULL;
    text_clean(to, room, text);
    return to;
}

static void note_processors(struct notes *notes, const json_t *host)
{
    char text[96];
    double threads = number(host, "threads"), allowed = number(host, "allowed_threads");
    double quota = number(host, "quota"), cores = number(host, "allowed_cores");
    const char *places = member_text(host, "places", text, sizeof text);
    if (allowed < threads)
        note(
            notes,
            "only %.0f of %.0f hardware threads may be used here, so figures are of that part of the machine: taskset, "
            "a batch system or a container sets the mask",
            allowed, threads);
    if (quota < cores)
        note(notes,
             "a cgroup allows %g CPUs of %.0f cores, so figures are of that part of the machine: raise cpu.max (docker "
             "run --cpus)",
             quota, cores);
    if (places && !*places)
        note(notes, "threads are not pinned, as their places are too many to name, so they may move from core to core: "
                    "use fewer --threads, or a mask of neighbours (taskset)");
}

/* What holds the processor itself back, which is mostly the baseline. */
static void note_baseline(struct notes *notes, const struct device *device)
{
    const char *core = device->blas_core, *better = device->blas_better;
    if (!device->works_in_host_memory)
        return;
    if (*device->note)
        note(notes, "the CPU could be faster: %s", device->note);
    if (*better && strcmp(device->blas_bound, "OPENBLAS_CORETYPE") == 0)
        note(notes,
             "OPENBLAS_CORETYPE=%s makes OpenBLAS use lesser instruction sets than this machine has: %s uses them",
             core, better);
    else if (*better && *device->blas_bound)
        note(notes, "OpenBLAS is a build for the core %s alone, with lesser instruction sets than this machine has",
             core);
    else if (*better)
        note(notes,
             "OpenBLAS would use kernels of the core %s, with lesser instruction sets than this machine has: it "
             "was made to use those of %s",
             core, better);
}

static void note_pages(struct notes *notes, const json_t *host)
{
    char text[32];
    const char *huge = member_text(host, "huge_pages", text, sizeof text);
    if (huge && strcmp(huge, "never") == 0)
        note(notes, "large pages are off, which costs whatever is bound by memory: echo madvise | sudo tee "
                    "/sys/kernel/mm/transparent_hugepage/enabled");
}

static void note_numa(struct notes *notes, const json_t *host)
{
    double nodes = number(host, "nodes");
    if (nodes > 1)
        note(notes,
             "memory is spread over %.0f NUMA nodes: operands of the CPU are near the threads that use them, those of "
             "a device near the device if its node is known",
             nodes);
}

/* Only for a counter that exists, but that only root may read. */
static void note_energy(struct notes *notes, const json_t *host)
{
    static const char denied[] = "unavailable: only root may read ";
    char text[192];
    const char *energy = member_text(host, "energy", text, sizeof text);
    if (energy && strncmp(energy, denied, strlen(denied)) == 0)
        note(notes, "energy %s: run as root, or until the next start sudo chmod a+r %s", energy,
             energy + strlen(denied));
}

static void note_resumed(struct notes *notes, const struct record *record)
{
    size_t i;
    const json_t *resumed;
    json_array_foreach (record->resumed, i, resumed) {
        char date[32];
        const char *when = member_text(resumed, "started", date, sizeof date);
        note(notes, "resumed%s%s: what was not done by then was measured anew", when ? " on " : "", when ? when : "");
    }
}

/* A note on the run, as no problem mentions a missing GPU. */
static void note_no_gpu(struct notes *notes, const struct record *record)
{
    bool computes = false, has_other = false;
    for (unsigned i = 0; i < record->cells && !record->sweep; i++)
        computes |= record->cell[i]->flops > 0 && !record->cell[i]->is_ceiling && record->cell[i]->ended;
    for (unsigned i = 0; i < record->devices; i++)
        has_other |= record->device[i].class != CLASS_CPU;
    if (computes && !has_other)
        note(notes, "no GPU was measured");
}

void notes_read_run(struct notes *out, const struct record *record)
{
    const json_t *host = json_object_get(record->head, "host");
    *out = (struct notes){ .count = 0 };
    note_resumed(out, record);
    note_no_gpu(out, record);
    for (unsigned i = 0; i < record->notes; i++)
        note_text(out, record->note[i]);
    note_processors(out, host);
    for (unsigned i = 0; i < record->devices; i++)
        note_baseline(out, &record->device[i]);
    note_pages(out, host);
    note_numa(out, host);
    note_energy(out, host);
}
