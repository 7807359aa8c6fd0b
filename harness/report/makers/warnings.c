/* The warnings of the screen: notes that take something from the figures, the worst first. */

#include "harness/report/makers/makers.h"

#include "harness/analysis/times.h"
#include "harness/report/content/heading.h"

#include <string.h>

/* `rows`: 1 if they are on a row that was measured. */
static void add_notes(struct notes *to, struct notes notes, const char *place, unsigned rows)
{
    for (unsigned i = 0; i < notes.count; i++) {
        struct note one = notes.note[i];
        one.rows = rows;
        notes_add(to, &one, place);
    }
}

unsigned cell_notes(struct notes *to, const struct answer_set *set)
{
    unsigned measured = 0;
    for (unsigned i = 0; i < set->record->blocks; i++) {
        const struct block_record *block = &set->record->block[i];
        const char *place = "peaks";
        if (block->cells > 0 && !heading_is_peaks(block)) /* "matmul 1024" */
            place = cell_words(to->pool, block->cell[0]);
        for (unsigned k = 0; set->figures[i] && k < block->cells; k++) {
            const struct figures *figures = &set->figures[i][k];
            const bool is_row = figures->measured && !figures->cell->is_peak;
            add_notes(to, notes_read(to->pool, figures), place, is_row);
            measured += is_row;
        }
    }
    notes_sort(to);
    return measured;
}

struct notes common_notes(struct pool *pool, const struct answer_set *set)
{
    struct notes notes = { .pool = pool };
    const unsigned measured = cell_notes(&notes, set), all = notes.count;
    notes.count = 0;
    for (unsigned i = 0; i < all; i++)
        if (notes.note[i].rows > 0 && notes.note[i].rows >= measured && notes.note[i].places > 1)
            notes.note[notes.count++] = notes.note[i];
    return notes;
}

/* "2 cells failed, the first: opencl:0 clblast, matmul m = 64: CL_OUT_OF_RESOURCES" */
static void add_failures(struct notes *to, const struct record *record)
{
    unsigned bad = 0;
    const struct cell_record *first = NULL;
    const bool was_interrupted = strcmp(record->end, "interrupted") == 0; /* by the user, which is no failure */
    for (unsigned i = 0; i < record->cells; i++) {
        const enum status status = record->cell[i]->outcome.status;
        if (!status_is_bad(status) || (was_interrupted && status == STATUS_ABANDONED))
            continue;
        first = first ? first : record->cell[i];
        bad++;
    }
    if (!first)
        return;
    const struct error *outcome = &first->outcome;
    note(to, SEVERITY_WRONG, "%u cell%s went wrong%s%s %s, %s %s: %s%s%s", bad, bad == 1 ? "" : "s",
         bad == 1 ? ": " : ", the first: ", first->device_id, first->method, first->workload,
         text_shape(first->shape).text, status_names[outcome->status], *outcome->message ? ", " : "", outcome->message);
}

/* "no-memory: the operands take 43.2 GB", where nothing went wrong. */
static void add_refusal(struct notes *to, const struct cell_record *cell, const char *problem)
{
    const struct error *outcome = &cell->outcome;
    if (outcome->status == STATUS_OK || status_is_bad(outcome->status) || !*outcome->message)
        return;
    notes_add(to, &(struct note){ .text = outcome_words(to->pool, cell), .severity = SEVERITY_WARNING },
              pool_print(to->pool, "%s on %s", problem, cell->device_id));
}

/* Why a problem has an outcome instead of figures; of a run that measured nothing, why each cell has. */
static void add_refusals(struct notes *to, const struct answer_set *set, bool is_measured)
{
    const struct record *record = set->record;
    for (unsigned i = 0; i < record->cells && !is_measured && set->answers == 0; i++)
        add_refusal(to, record->cell[i], cell_words(to->pool, record->cell[i]));
    for (const struct answer *answer = set->answer; answer < set->answer + set->answers; answer++)
        if (answer->unsound)
            add_refusal(to, answer->unsound->cell, problem_words(to->pool, set, answer));
}

const char *disturbed_places(struct pool *pool, const struct answer_set *set)
{
    struct note one = { .text = "" };
    struct notes list = { .pool = pool };
    for (const struct answer *answer = set->answer; answer < set->answer + set->answers; answer++)
        for (enum use use = 0; use < USES && part_is_shown(set, answer->part); use++) {
            const struct figure *half = &answer->use[use];
            if (half->verdict == VERDICT_NONE || half->disturbance == DISTURBANCE_NONE)
                continue;
            notes_add(&list, &one, problem_words(pool, set, answer));
            break;
        }
    return list.count > 0 ? notes_places(pool, &list.note[0]) : "";
}

void screen_add_warnings(struct screen *screen)
{
    const struct record *record = screen->set->record;
    struct notes list = { .pool = &screen->document->pool };
    const unsigned measured = cell_notes(&list, screen->set);
    missing_read(&list, screen->run);
    add_failures(&list, record);
    add_refusals(&list, screen->set, measured > 0);
    add_notes(&list, notes_read_run(list.pool, record), NULL, 0);
    const double spread = record_spread(record), worth_a_note = 0.02;
    if (note_is_shared(record) && spread > worth_a_note && !*disturbed_places(list.pool, screen->set)) /* no alarm */
        note(&list, SEVERITY_WARNING,
             "CPU times varied by %.0f %% (other load on these cores); no answer depends on it", 100 * spread);
    notes_sort(&list);
    for (unsigned i = 0, warnings = 0; i < list.count && warnings < WARNINGS; i++) {
        const struct note *one = &list.note[i];
        const bool is_everywhere = one->places == 0 || (one->rows > 0 && one->rows >= measured);
        if (one->severity < SEVERITY_WARNING)
            continue;
        const char *places = one->places > 1 && is_everywhere && one->severity > SEVERITY_WARNING ? "every row"
                             : is_everywhere                                                      ? ""
                             : one->places <= NOTE_PLACES || one->rows == 0
                                 ? notes_places(list.pool, one)
                                 : pool_print(list.pool, "on %u of %u rows", one->rows, measured);
        document_line(screen->document, ABOUT_WARNING, "!", "%s%s%s", places, *places ? ": " : "", one->text);
        warnings++;
    }
}
