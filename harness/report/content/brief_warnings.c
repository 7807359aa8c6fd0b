/* The warnings of a brief report: notes that take something from the figures, the worst first. */

#include "harness/report/content/brief.h"

#include "harness/base/text.h"
#include "harness/report/content/notes.h"

#include <stdlib.h>
#include <string.h>

/* A note, and the number of cells that have it. */
struct warning {
    const char *text;
    enum severity severity;
    unsigned cells;
};

struct warning_list {
    struct pool *pool;
    struct warning *warning;
    unsigned count, room;
};

static void add(struct warning_list *to, enum severity severity, const char *text)
{
    for (unsigned i = 0; i < to->count; i++)
        if (strcmp(to->warning[i].text, text) == 0) {
            to->warning[i].cells++;
            return;
        }
    to->warning = pool_grow(to->pool, to->warning, to->count, &to->room, sizeof *to->warning);
    if (to->count < to->room)
        to->warning[to->count++] = (struct warning){ pool_copy(to->pool, text), severity, 1 };
}

/* Returns whether one of them says that a figure is less certain than asked for. */
static bool add_notes(struct warning_list *to, struct notes *notes)
{
    bool is_vague = false;
    for (unsigned i = 0; i < notes->count; i++) {
        is_vague |= notes->severity[i] == SEVERITY_VAGUE;
        add(to, notes->severity[i] == SEVERITY_VAGUE ? SEVERITY_NONE : notes->severity[i], notes->text[i]);
    }
    notes_release(notes);
    return is_vague;
}

/* The notes of all cells. Those that are less certain than asked for, which is seldom a few, share one warning. */
static void add_cells(struct warning_list *to, const struct answer_set *set)
{
    unsigned vague = 0, measured = 0;
    struct notes notes;
    for (unsigned i = 0; i < set->record->blocks; i++)
        for (unsigned k = 0; set->metrics[i] && k < set->record->block[i].cells; k++) {
            const struct cell_metrics *metrics = &set->metrics[i][k];
            notes_read(&notes, metrics);
            vague += add_notes(to, &notes);
            measured += metrics->measured;
        }
    if (vague > 0)
        add(to, SEVERITY_VAGUE,
            pool_print(to->pool, "%u of %u measurements are less certain than asked for: a larger --budget helps",
                       vague, measured));
}

/* "2 cells failed, the first: opencl:0 clblast, matmul m = 64: CL_OUT_OF_RESOURCES" */
static void add_failures(struct warning_list *to, const struct record *record)
{
    unsigned bad = 0;
    const struct cell_record *first = NULL;
    char shape[128];
    for (unsigned i = 0; i < record->cells; i++)
        if (status_is_bad(record->cell[i]->outcome.status)) {
            first = first ? first : record->cell[i];
            bad++;
        }
    if (!first)
        return;
    const struct error *outcome = &first->outcome;
    add(to, SEVERITY_WRONG,
        pool_print(to->pool, "%u cell%s went wrong%s%s %s, %s %s: %s%s%s", bad, bad == 1 ? "" : "s",
                   bad == 1 ? ": " : ", the first: ", first->device_id, first->method, first->workload,
                   text_shape(shape, sizeof shape, first->shape), status_name(outcome->status),
                   *outcome->message ? ", " : "", outcome->message));
}

static void add_missing(struct warning_list *to, const struct result *run)
{
    struct result result = *run;
    char fault[FAULTS_MAX][FAULT_ROOM];
    const struct record *record = run->record;
    result.faults.complete = true;
    for (unsigned i = 0, faults = result_faults(&result, fault); i < faults; i++)
        add(to, SEVERITY_WRONG, fault[i]);
    if (strcmp(record->end, "complete") != 0)
        add(to, SEVERITY_WRONG,
            pool_print(to->pool, "the run was %s: only what it had measured until then is shown",
                       *record->end ? record->end : "broken off"));
}

/* The worst first, then those of most cells, then in the order of the run. */
static int by_severity(const void *a, const void *b)
{
    const struct warning *one = a, *other = b;
    if (one->severity != other->severity)
        return one->severity > other->severity ? -1 : 1;
    if (one->cells != other->cells)
        return one->cells > other->cells ? -1 : 1;
    return strcmp(one->text, other->text);
}

void brief_fill_warnings(struct brief *brief, const struct answer_set *set, const struct result *run)
{
    const struct record *record = set->record;
    struct warning_list list = { .pool = &brief->pool };
    struct notes notes;
    add_missing(&list, run);
    add_failures(&list, record);
    notes_read_run(&notes, record);
    add_notes(&list, &notes);
    add_cells(&list, set);
    qsort(list.warning, list.count, sizeof *list.warning, by_severity);
    for (unsigned i = 0; i < list.count; i++) {
        const struct warning *warning = &list.warning[i];
        bool is_warning = warning->severity > SEVERITY_NONE;
        if (is_warning && i < BRIEF_WARNINGS)
            lines_add(&brief->pool, &brief->warnings, "!", warning->text);
        brief->more_warnings += is_warning && i >= BRIEF_WARNINGS;
        brief->notes += !is_warning;
    }
}
