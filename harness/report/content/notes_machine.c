/* What the machine did to a cell, and does to a run. */

#include "harness/report/content/notes.h"

#include "harness/analysis/neighbours.h"
#include "harness/base/text.h"
#include "harness/journal/record_members.h"

#include <string.h>

static const double steal_worth_a_note = 0.05;  /* of the processor time that was requested */
static const double others_worth_a_note = 0.2;  /* of the physical cores: a load of a quarter is reported */
static const double quota_worth_a_note = 0.05;  /* of the time in which the cell was measured */
static const double swapped_worth_a_note = 1e6; /* bytes */
static const double looks_worth_a_note = 0.1;   /* of the looks at the cores */
static const double nearly_all = 0.9;           /* of the memory on one node */

/* Who else wanted the processors: the host of a virtual machine, by the share of the time wanted; programs, by the time
 * they used; a quota, by its waits. */
static void note_processor_time(struct notes *notes, const struct figures *figures)
{
    const struct host_state *before = &figures->cell->before, *after = &figures->cell->after;
    double stolen = after->steal - before->steal, wanted = stolen + after->busy - before->busy, elapsed = 0;
    for (enum series series = 0; series < SERIES_COUNT; series++)
        elapsed += figures->cell->track[series].elapsed;
    if (wanted > 0 && stolen > steal_worth_a_note * wanted)
        note(notes, SEVERITY_DISTURBED,
             "the hypervisor withheld over %.0f %% of the requested CPU time: measure again when its host is idle",
             100 * steal_worth_a_note);
    if (figures->costs.others > others_worth_a_note)
        note(notes, SEVERITY_DISTURBED,
             "other programs kept over %.0f %% of the cores busy meanwhile, so times are longer and vary: close them "
             "(top shows which)",
             100 * others_worth_a_note);
    if (after->throttled - before->throttled > quota_worth_a_note * elapsed)
        note(notes, SEVERITY_DISTURBED,
             "the cgroup's quota kept threads waiting for over %.0f %% of the time, so these are times of the quota: "
             "raise it",
             100 * quota_worth_a_note);
}

static void note_state(struct notes *notes, const struct host_state *before, const struct host_state *after)
{
    const char *governor = *after->governor ? after->governor : before->governor;
    if (before->on_battery == 1 || after->on_battery == 1)
        note(notes, SEVERITY_WARNING, "ran on battery, which may hold the clock down: plug in");
    if (*governor && strcmp(governor, "performance") != 0)
        note(notes, SEVERITY_WARNING,
             "the governor is %s, so the clock follows the load: sudo cpupower frequency-set -g performance makes it "
             "steadier",
             governor);
    if (after->overheated > before->overheated)
        note(notes, SEVERITY_WARNING,
             "a processor was slowed down for heat meanwhile, so times grow with the length of a run: improve its "
             "cooling");
    if (after->swapped - before->swapped > swapped_worth_a_note)
        note(notes, SEVERITY_WARNING,
             "memory was swapped to disk meanwhile, and times include some of that: close other programs, or use a "
             "smaller size");
}

/* A clock below its maximum without a reason was not limited, only not needed. */
static void note_gpu(struct notes *notes, const struct gpu_metrics *gpu)
{
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (gpu->held_by[i] > 0)
            note(notes, SEVERITY_WARNING, "%u of %u slices ran while the clock was held down: %s", gpu->held_by[i],
                 gpu->reported, gpu_reason_names[i]);
        else if (gpu_is_held(gpu, i))
            note(notes, SEVERITY_WARNING, "in %.0f %% of its runs without pauses the clock was held down: %s",
                 fmin(100, 100 * gpu->share[i]), gpu_reason_names[i]);
    if (gpu->most.others > 0)
        note(notes, SEVERITY_DISTURBED,
             "other processes used this GPU, %.0f process%s with %s of its memory: nvidia-smi lists them",
             gpu->most.others, gpu->most.others == 1 ? "" : "es",
             gpu->most.others_memory > 0 ? text_bytes(gpu->most.others_memory).text : "some");
    if (gpu->ecc_errors > 0)
        note(notes, SEVERITY_WRONG, "memory errors that ECC could not correct: %.0f: reset or replace the card",
             gpu->ecc_errors);
}

void note_machine(struct notes *notes, const struct figures *figures)
{
    note_processor_time(notes, figures);
    note_state(notes, &figures->cell->before, &figures->cell->after);
    if (figures->device && figures->device->works_in_host_memory && figures->costs.nodes > 1 &&
        figures->cell->first.memory_cost.largest_node > nearly_all)
        note(notes, SEVERITY_NONE,
             "memory is on one NUMA node, threads are on %.0f, so most accesses are remote: free memory on the others, "
             "or keep to one node (numactl --cpunodebind=0 --membind=0)",
             figures->costs.nodes);
    note_gpu(notes, &figures->power.gpu);
}

/* What the machine does to all figures. */
static void note_setup(struct notes *notes, const json_t *host)
{
    static const char denied[] = "unavailable: only root may read ";
    const char *energy = text_member(notes->pool, host, "energy");
    const char *reason = text_member(notes->pool, host, "threads_reason");
    const double used = fmin(number_member(host, "worker_threads"), number_member(host, "quota")), /* no NAN */
        cores = number_member(host, "cores");
    if (used < cores)
        note(notes, strcmp(reason, "--threads") == 0 ? SEVERITY_WARNING : SEVERITY_NONE,
             "only %g of %.0f cores are used (%s), so figures are of that part of the machine", used, cores, reason);
    if (*journal_text(host, "clock_limit"))
        note(notes, SEVERITY_WARNING, "the clock is limited: %s: bench doctor has the command",
             text_member(notes->pool, host, "clock_limit"));
    if (strcmp(journal_text(host, "huge_pages"), "never") == 0)
        note(notes, SEVERITY_NONE,
             "large pages are off, which slows down memory-bound work: echo madvise | sudo tee "
             "/sys/kernel/mm/transparent_hugepage/enabled");
    if (strncmp(energy, denied, strlen(denied)) == 0)
        note(notes, SEVERITY_NONE, "energy %s: run as root, or allow it until the next start: sudo chmod a+r %s",
             energy, energy + strlen(denied));
}

/* What holds the processor itself back, which is mostly the baseline. */
static void note_baseline(struct notes *notes, const struct device *device)
{
    if (!device->works_in_host_memory)
        return;
    if (*device->note)
        note(notes, SEVERITY_HELD, "the CPU could be faster: %s: unset %s", device->note,
             strstr(device->note, "; ") ? "them" : "it");
    if (*device->blas_better && *device->blas_bound)
        note(notes, SEVERITY_HELD,
             "the CPU could be faster: OpenBLAS uses fewer instruction sets than this machine has, those of the core "
             "%s: unset OPENBLAS_CORETYPE, or install a build with all cores",
             device->blas_core);
}

/* Methods of the processor that failed, or did not answer: "openblas wrong, onednn timeout". */
static void note_lost_methods(struct notes *notes, const struct record *record)
{
    char lost[300] = "";
    for (unsigned i = 0; i < record->blocks; i++)
        for (unsigned k = 0; k < record->block[i].races; k++) {
            const struct race_record *race = &record->block[i].race[k];
            const struct device *device = record_device(record, race->device_id);
            for (unsigned m = 0; device && device->works_in_host_memory && m < race->contenders; m++) {
                const struct contender_record *one = &race->contender[m];
                const char *words = pool_print(notes->pool, "%s %s", one->method, status_names[one->outcome.status]);
                const bool is_left_out = strcmp(one->outcome.where, "compile") == 0;
                if ((one->end == RACE_FAILED || is_left_out) && !strstr(lost, words))
                    text_join(lost, sizeof lost, ", ", words);
            }
        }
    if (*lost)
        note(notes, SEVERITY_HELD, "the CPU could be faster: %s: --full has the reasons", lost);
}

bool note_is_shared(const struct record *record)
{
    return neighbours_share(record) > looks_worth_a_note;
}

static void note_neighbours(struct notes *notes, const struct record *record)
{
    if (note_is_shared(record))
        note(notes, SEVERITY_NONE,
             "other load on the same cores in %.0f %% of the load checks: close other programs, or repeat later",
             100 * neighbours_share(record));
}

/* A reader has to know for which rows there was no time, what was named but has no row, that --wait-quiet waited in
 * vain, and that a row is of two workers. */
void note_recorded(struct notes *notes, const char *text)
{
    static const struct {
        const char *words;
        enum severity severity;
    } known[] = { { "left out, as --time", SEVERITY_WRONG },
                  { "the run ended early: ", SEVERITY_WRONG },
                  { "not measured: ", SEVERITY_WARNING },
                  { "other programs still used ", SEVERITY_WARNING },
                  { "its worker died once", SEVERITY_WARNING } };
    struct note added = { .text = text };
    for (unsigned i = 0; i < sizeof known / sizeof *known && added.severity == SEVERITY_NONE; i++)
        added.severity = strstr(text, known[i].words) ? known[i].severity : SEVERITY_NONE;
    notes_add(notes, &added, NULL);
}

struct notes notes_read_run(struct pool *pool, const struct record *record)
{
    struct notes notes = { .pool = pool };
    for (unsigned k = 0; k < record->resumes; k++)
        note(&notes, SEVERITY_NONE,
             "resumed on %s: problems that were not done then were continued: compare rows within one problem",
             record->resumed[k]);
    note_neighbours(&notes, record);
    for (unsigned k = 0; k < record->notes; k++)
        note_recorded(&notes, record->note[k]);
    for (unsigned k = 0; k < record->devices; k++)
        note_baseline(&notes, &record->device[k]);
    note_lost_methods(&notes, record);
    if (record->cores_changed)
        note(&notes, SEVERITY_HELD,
             "not judged: CPU held back: the allowed cores or the quota changed meanwhile: measure again");
    note_setup(&notes, json_object_get(record->head, "host"));
    return notes;
}
