/* The warnings of a brief report: notes that take something from the figures, the worst first. */

#include "harness/report/content/brief.h"

#include "harness/base/text.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/notes.h"

#include <string.h>

static void add(struct notes *to, enum severity severity, const char *text)
{
    notes_add(to, &(struct note){ .text = text, .severity = severity });
}

/* Returns whether one of them says that a figure is less certain than asked for. */
static bool add_notes(struct notes *to, struct notes *notes)
{
    bool is_vague = false;
    for (unsigned i = 0; i < notes->count; i++) {
        const struct note *one = &notes->note[i];
        is_vague |= one->severity == SEVERITY_VAGUE;
        add(to, one->severity == SEVERITY_VAGUE ? SEVERITY_NONE : one->severity, one->text);
    }
    notes_release(notes);
    return is_vague;
}

unsigned brief_cell_notes(struct notes *to, const struct answer_set *set)
{
    unsigned vague = 0, measured = 0;
    const bool has_limit = json_is_number(json_object_get(json_object_get(set->record->head, "options"), "time"));
    struct notes notes;
    for (unsigned i = 0; i < set->record->blocks; i++)
        for (unsigned k = 0; set->metrics[i] && k < set->record->block[i].cells; k++) {
            const struct cell_metrics *metrics = &set->metrics[i][k];
            notes_read(&notes, metrics);
            const bool is_vague = add_notes(to, &notes), is_row = !metrics->cell->is_ceiling;
            vague += is_vague && is_row;
            measured += metrics->measured && is_row;
        }
    if (vague > 0)
        add(to, SEVERITY_VAGUE,
            pool_print(&to->pool, "%u of %u intervals %s wider than asked for: a larger --budget%s narrows them", vague,
                       measured, vague == 1 ? "is" : "are", has_limit ? ", with a larger --time," : ""));
    notes_sort(to);
    return measured;
}

/* What the user interrupted did not go wrong. */
static bool went_wrong(const struct record *record, const struct cell_record *cell)
{
    const bool was_interrupted = strcmp(record->end, "interrupted") == 0 && cell->outcome.status == STATUS_ABANDONED;
    return status_is_bad(cell->outcome.status) && !was_interrupted;
}

/* "2 cells failed, the first: opencl:0 clblast, matmul m = 64: CL_OUT_OF_RESOURCES" */
static void add_failures(struct notes *to, const struct record *record)
{
    unsigned bad = 0;
    const struct cell_record *first = NULL;
    char shape[128];
    for (unsigned i = 0; i < record->cells; i++)
        if (went_wrong(record, record->cell[i])) {
            first = first ? first : record->cell[i];
            bad++;
        }
    if (!first)
        return;
    const struct error *outcome = &first->outcome;
    add(to, SEVERITY_WRONG,
        pool_print(&to->pool, "%u cell%s went wrong%s%s %s, %s %s: %s%s%s", bad, bad == 1 ? "" : "s",
                   bad == 1 ? ": " : ", the first: ", first->device_id, first->method, first->workload,
                   text_shape(shape, sizeof shape, first->shape), status_name(outcome->status),
                   *outcome->message ? ", " : "", outcome->message));
}

static void add_missing(struct notes *to, const struct result *run)
{
    struct lines missing = { .lines = 0 };
    missing_read(&to->pool, &missing, run);
    for (unsigned i = 0; i < missing.lines; i++)
        add(to, SEVERITY_WRONG, missing.line[i].text);
}

void brief_fill_warnings(struct brief *brief, const struct answer_set *set, const struct result *run)
{
    const struct record *record = set->record;
    struct notes list = { .count = 0 }, notes;
    add_missing(&list, run);
    add_failures(&list, record);
    notes_read_run(&notes, record);
    add_notes(&list, &notes);
    brief_cell_notes(&list, set);
    unsigned warnings = 0;
    bool is_disturbed = false;
    for (unsigned i = 0; i < list.count; i++) {
        const struct note *one = &list.note[i];
        if (one->severity == SEVERITY_DISTURBED && !is_disturbed) {
            is_disturbed = true;
            brief->alarm =
                pool_print(&brief->pool, "%s%sDisturbed: %s.", brief->alarm, *brief->alarm ? " " : "", one->text);
        } else if (one->severity > SEVERITY_NONE && warnings++ < BRIEF_WARNINGS)
            lines_add(&brief->pool, &brief->warnings, "!", one->text);
    }
    brief->pool.is_short |= list.pool.is_short;
    notes_release(&list);
}
