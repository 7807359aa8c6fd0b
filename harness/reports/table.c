/* The report for people: a block of rows per problem, the answer in words below it. */

#include "harness/report.h"
#include "harness/reports/ceilings.h"
#include "harness/reports/facts.h"
#include "harness/reports/footnotes.h"
#include "harness/reports/grid.h"
#include "harness/reports/heading.h"
#include "harness/reports/notes.h"
#include "harness/reports/payoff.h"
#include "harness/reports/prose.h"
#include "harness/reports/speedup.h"
#include "harness/reports/sweep.h"
#include "harness/reports/trials.h"
#include "harness/reports/verdict.h"
#include "harness/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The answer first, then how good it is and why, then what it was worked out from. */
enum column {
    COLUMN_DEVICE,
    COLUMN_VARIANT,
    COLUMN_MEMORY,
    COLUMN_RESIDENT,
    COLUMN_OFFLOAD,
    COLUMN_SHARE,
    COLUMN_BOUND,
    COLUMN_BANDWIDTH,
    COLUMN_RATE,
    COLUMN_PRECISION,
    COLUMN_HOST,
    COLUMN_ENERGY,
    COLUMN_EFFICIENCY,
    COLUMN_UPLOAD,
    COLUMN_REPACK,
    COLUMN_COMPUTE,
    COLUMN_ENQUEUE,
    COLUMN_EVENT,
    COLUMN_DOWNLOAD,
    COLUMN_WHOLE,
    COLUMN_FIRST,
    COLUMN_NOTE,
    COLUMNS
};

/* Two lines of title; times have their unit in the second, the same for a whole block. */
static const struct {
    const char *title, *below;
    enum align align;
} columns[COLUMNS] = {
    [COLUMN_DEVICE] = { "device", "", ALIGN_LEFT },
    [COLUMN_VARIANT] = { "method", "", ALIGN_LEFT },
    [COLUMN_MEMORY] = { "memory", "", ALIGN_LEFT },
    [COLUMN_RESIDENT] = { "resident", "speed-up", ALIGN_RATIO },
    [COLUMN_OFFLOAD] = { "offload", "speed-up", ALIGN_RATIO },
    [COLUMN_SHARE] = { "of ceiling", "%", ALIGN_NUMBER },
    [COLUMN_BOUND] = { "bound by", "", ALIGN_LEFT },
    [COLUMN_BANDWIDTH] = { "GB/s", "", ALIGN_NUMBER },
    [COLUMN_RATE] = { "GFLOP/s", "", ALIGN_NUMBER },
    [COLUMN_PRECISION] = { "+-", "%", ALIGN_NUMBER },
    [COLUMN_HOST] = { "host", "CPU", ALIGN_NUMBER },
    [COLUMN_ENERGY] = { "package", "J", ALIGN_NUMBER },
    [COLUMN_EFFICIENCY] = { "GFLOP/s", "per W", ALIGN_NUMBER },
    [COLUMN_UPLOAD] = { "upload", "", ALIGN_NUMBER },
    [COLUMN_REPACK] = { "repack", "", ALIGN_NUMBER },
    [COLUMN_COMPUTE] = { "compute", "", ALIGN_NUMBER },
    [COLUMN_ENQUEUE] = { "no wait", "", ALIGN_NUMBER },
    [COLUMN_EVENT] = { "event", "", ALIGN_NUMBER },
    [COLUMN_DOWNLOAD] = { "download", "", ALIGN_NUMBER },
    [COLUMN_WHOLE] = { "whole", "", ALIGN_NUMBER },
    [COLUMN_FIRST] = { "first", "", ALIGN_RATIO },
    [COLUMN_NOTE] = { "note", "", ALIGN_LEFT },
};

/* One problem, ready to be printed once the widths of all are known. */
struct section {
    struct grid_row title[2], *row;
    unsigned rows;
    char *above, *answer, *notes; /* what is printed before the rows, and after them */
};

enum { REASON_ROOM = 96 }; /* of an outcome on its row; GRID_SPAN has more, for the numbers of its notes */

static const double host_worth_a_figure = 0.05; /* processors */

/* Text that may be too long for its field, then with its end left out. */
static void put_text(char *to, size_t room, const char *text)
{
    static const char dots[] = "...";
    text_copy(to, room, text);
    if (strlen(text) < room)
        return;
    text_copy(to, room - strlen(dots), text);
    strcat(to, dots);
}

static void put_word(struct grid_row *row, enum column column, const char *text)
{
    enum { WORD_ROOM = 32 };
    put_text(row->field[column], WORD_ROOM, *text ? text : "-");
}

static void put_figure(struct grid_row *row, enum column column, double value, double uncertainty)
{
    char figure[TEXT_NUMBER];
    text_copy(row->field[column], GRID_FIELD, text_figure(figure, value, uncertainty));
}

/* Three digits: how surely a part of a ceiling is known is that of the ceiling too. */
static void put_share(struct grid_row *row, const struct facts *facts)
{
    put_figure(row, COLUMN_SHARE, 100 * facts->share, NAN);
    put_word(row, COLUMN_BOUND, facts->bound ? facts->bound : "");
}

/* The largest unit in which the longest of some times still has a digit before the point, but milliseconds up to ten
 * seconds. */
struct unit {
    const char *name;
    double seconds, below; /* its length, and the longest time it is used for */
};

static const struct unit *unit_for(double longest)
{
    static const struct unit units[] = {
        { "ns", 1e-9, 1e-6 },
        { "us", 1e-6, 1e-3 },
        { "ms", 1e-3, 10 },
        { "s", 1, INFINITY },
    };
    const struct unit *unit = units;
    while (!(longest < unit->below) && unit->below < INFINITY)
        unit++;
    return unit;
}

static double time_in(const struct facts *facts, enum column column)
{
    if (!facts->measured)
        return NAN;
    switch (column) {
    case COLUMN_FIRST:
        return facts->first;
    case COLUMN_UPLOAD:
        return facts->upload;
    case COLUMN_REPACK:
        return facts->repack;
    case COLUMN_COMPUTE:
        return facts->compute;
    case COLUMN_ENQUEUE: /* only where it is the question */
        return facts->launches.is_launch ? facts->launches.enqueue : NAN;
    case COLUMN_EVENT:
        return facts->event;
    case COLUMN_DOWNLOAD:
        return facts->download;
    default: /* launches on data that stays are whole by themselves */
        return facts->launches.is_launch ? NAN : facts->whole.value;
    }
}

/* How surely a time is known; three digits where nothing tells. */
static double uncertainty_of(const struct facts *facts, enum column column)
{
    if (column == COLUMN_WHOLE)
        return estimate_half_width(&facts->whole);
    return column == COLUMN_COMPUTE || column == COLUMN_ENQUEUE || column == COLUMN_EVENT ? facts->half_width : NAN;
}

/* Times from column `from` to column `to`, all in one unit, so that they can be compared at a glance. */
static void put_times(struct section *section, const struct facts facts[], enum column from, enum column to)
{
    double longest = -INFINITY;
    for (unsigned i = 0; i < section->rows; i++)
        for (enum column column = from; column <= to; column++)
            longest = fmax(longest, time_in(&facts[i], column)); /* ignores NAN */
    const struct unit *unit = unit_for(longest);
    for (enum column column = from; column <= to; column++) {
        text_copy(section->title[1].field[column], GRID_FIELD, longest > -INFINITY ? unit->name : "");
        for (unsigned i = 0; i < section->rows; i++)
            put_figure(&section->row[i], column, time_in(&facts[i], column) / unit->seconds,
                       uncertainty_of(&facts[i], column));
    }
}

static void put_speedup(struct grid_row *row, enum column column, const struct facts *facts,
                        const struct estimate *speedup)
{
    struct speedup_text text;
    char *field = row->field[column];
    bool is_baseline = facts->baseline == facts->cell;
    speedup_write(&text, speedup);
    switch (speedup_side(speedup)) {
    case SIDE_MISSING:
        text_copy(field, GRID_FIELD, is_baseline ? "baseline" : "-");
        break;
    case SIDE_UNCERTAIN:
        snprintf(field, GRID_FIELD, "%.20sx [?]", text.value);
        break;
    default:
        snprintf(field, GRID_FIELD, "%.20sx %.48s", text.value, text.interval);
    }
}

static void put_notes(struct grid_row *row, const struct facts *facts, struct footnotes *footnotes)
{
    struct notes notes;
    notes_read(&notes, facts);
    for (unsigned i = 0; i < notes.count; i++)
        footnotes_refer(footnotes, row->field[COLUMN_NOTE], notes.text[i]);
    notes_release(&notes);
}

/* " (first: 12.4 s, mostly run)": of what is too slow to be measured that is all there is. */
static void append_first(char *to, size_t room, const struct facts *facts)
{
    char time[TEXT_NUMBER];
    size_t used = strlen(to);
    if (facts->cell->outcome.status == STATUS_TOO_SLOW && !isnan(facts->first))
        snprintf(to + used, room - used, " (first: %s%s%s)", text_seconds(time, facts->first),
                 facts->first_mostly ? ", mostly " : "", facts->first_mostly ? facts->first_mostly : "");
}

/* "failed: clBuildProgram: ..." across the figures that are not there; all of it below when it is long. */
static void put_outcome(struct grid_row *row, const struct facts *facts, struct footnotes *footnotes)
{
    const struct cell_record *cell = facts->cell;
    const struct error *outcome = &cell->outcome;
    bool names_place = outcome->status == STATUS_FAILED && *outcome->where;
    char text[sizeof outcome->message + sizeof outcome->where + 96], reason[REASON_ROOM];
    if (outcome->status == STATUS_OK)
        snprintf(text, sizeof text, "%s", cell->ended ? "ok, but without a single time" : "not finished");
    else
        snprintf(text, sizeof text, "%s%s%s%s%s", status_name(outcome->status), names_place ? ": " : "",
                 names_place ? outcome->where : "", *outcome->message ? ": " : "", outcome->message);
    append_first(text, sizeof text, facts);
    put_text(reason, sizeof reason, text);
    if (strlen(text) >= sizeof reason)
        footnotes_refer(footnotes, row->field[COLUMN_NOTE], text);
    put_notes(row, facts, footnotes);
    const char *notes = row->field[COLUMN_NOTE];
    snprintf(row->span, sizeof row->span, "%s%s%s%s", reason, *notes ? " [" : "", notes, *notes ? "]" : "");
    row->span_at = COLUMN_MEMORY + 1;
}

static void put_method(struct grid_row *row, const struct cell_record *cell)
{
    char method[64];
    snprintf(method, sizeof method, "%.50s%s", *cell->variant ? cell->variant : "-", cell->is_cold ? ", cold" : "");
    put_word(row, COLUMN_VARIANT, method);
}

/* A driver that computes on the host's processors burns them as the work itself, which is no cost beside it. Nor is
 * next to nothing one. */
static void put_costs(struct grid_row *row, const struct facts *facts)
{
    bool is_away = facts->device && facts->device->class != CLASS_CPU;
    put_figure(row, COLUMN_HOST, is_away && facts->host_cpu >= host_worth_a_figure ? facts->host_cpu : NAN, 0.3);
    put_figure(row, COLUMN_ENERGY, facts->energy, NAN);
    put_figure(row, COLUMN_EFFICIENCY, facts->flops_per_joule / 1e9, NAN);
}

static void put_row(struct grid_row *row, const struct facts *facts, struct footnotes *footnotes)
{
    put_word(row, COLUMN_DEVICE, facts->cell->device_id);
    put_method(row, facts->cell);
    put_word(row, COLUMN_MEMORY, facts->cell->memory);
    if (!facts->measured) {
        put_outcome(row, facts, footnotes);
        return;
    }
    put_speedup(row, COLUMN_RESIDENT, facts, &facts->resident);
    put_speedup(row, COLUMN_OFFLOAD, facts, &facts->offload);
    put_share(row, facts);
    if (facts->no_copy && facts->only_moves)
        put_word(row, COLUMN_BANDWIDTH, "no copy");
    else
        put_figure(row, COLUMN_BANDWIDTH, facts->bandwidth / 1e9, facts->half_width);
    put_figure(row, COLUMN_RATE, facts->rate / 1e9, facts->half_width);
    put_figure(row, COLUMN_PRECISION, 100 * facts->half_width, 0.3); /* two digits of an uncertainty are plenty */
    put_costs(row, facts);
    put_notes(row, facts, footnotes);
}

static void put_titles(struct section *section)
{
    section->title[0].is_title = section->title[1].is_title = true;
    for (unsigned i = 0; i < COLUMNS; i++) {
        text_copy(section->title[0].field[i], GRID_FIELD, columns[i].title);
        text_copy(section->title[1].field[i], GRID_FIELD, columns[i].below);
    }
}

static bool put_verdict(const struct facts facts[], unsigned count, FILE *out)
{
    char sentence[VERDICTS_MAX][VERDICT_ROOM];
    unsigned sentences = verdict_write(facts, count, sentence);
    fputc('\n', out);
    for (unsigned i = 0; i < sentences; i++)
        prose_print("", sentence[i], out);
    return payoff_print(facts, count, out);
}

/* The texts of a section while they are written. */
struct streams {
    FILE *above, *answer, *notes;
    size_t size; /* of the one that was last flushed: nobody needs it */
};

static bool fill(struct section *section, const struct facts facts[], const struct streams *to, json_t *numbers,
                 json_t *common)
{
    struct footnotes footnotes = { .number = numbers, .common = common, .out = to->notes, .complete = true };
    heading_problem(facts, section->rows, to->above);
    put_titles(section);
    for (unsigned i = 0; i < section->rows; i++)
        put_row(&section->row[i], &facts[i], &footnotes);
    put_times(section, facts, COLUMN_UPLOAD, COLUMN_WHOLE);
    put_times(section, facts, COLUMN_FIRST, COLUMN_FIRST);
    for (unsigned i = 0; i < section->rows; i++)
        if (!isnan(time_in(&facts[i], COLUMN_FIRST)) && facts[i].first_mostly)
            grid_append(section->row[i].field[COLUMN_FIRST], facts[i].first_mostly);
    return put_verdict(facts, section->rows, to->answer) && footnotes.complete;
}

static bool streams_open(struct streams *streams, struct section *section)
{
    streams->above = open_memstream(&section->above, &streams->size);
    streams->answer = open_memstream(&section->answer, &streams->size);
    streams->notes = open_memstream(&section->notes, &streams->size);
    return streams->above && streams->answer && streams->notes;
}

static bool streams_close(const struct streams *streams)
{
    FILE *const all[] = { streams->above, streams->answer, streams->notes };
    bool complete = true;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        complete &= all[i] && fclose(all[i]) == 0;
    return complete;
}

static bool section_make(struct section *section, const struct record *record, const struct block_record *block,
                         json_t *common)
{
    if (block->cells == 0 || ceilings_hold(block))
        return true; /* cut off while its methods were tried, or shown above all */
    struct facts *facts = facts_of_block(record, block);
    struct streams to;
    json_t *numbers = json_object();
    section->row = calloc(block->cells, sizeof *section->row);
    section->rows = block->cells;
    bool complete = streams_open(&to, section) && facts && numbers && section->row;
    if (complete)
        complete = fill(section, facts, &to, numbers, common) && trials_print(block, to.above);
    complete &= streams_close(&to);
    json_decref(numbers);
    free(facts);
    return complete;
}

static void section_print(const struct section *section, const struct grid *grid, FILE *out)
{
    bool used[GRID_COLUMNS] = { false };
    if (section->rows == 0)
        return;
    for (unsigned i = 0; i < section->rows; i++)
        grid_mark(grid, &section->row[i], used);
    fprintf(out, "\n%s\n", section->above);
    for (unsigned i = 0; i < 2; i++)
        grid_print(grid, &section->title[i], used, out);
    for (unsigned i = 0; i < section->rows; i++)
        grid_print(grid, &section->row[i], used, out);
    fputs(section->answer, out);
    fputs(section->notes, out);
}

static void section_free(struct section *section)
{
    free(section->row);
    free(section->above);
    free(section->answer);
    free(section->notes);
}

enum { COMMON_ROOM = 1200 }; /* of a note on all rows; texts of a record are shorter */

/* What is said of all rows, and of the run. */
static void print_end(const struct record *record, json_t *common, FILE *out)
{
    struct notes notes;
    const char *text;
    char said[COMMON_ROOM];
    json_t *rows;
    notes_read_run(&notes, record);
    if (notes.count + json_object_size(common) > 0)
        fputc('\n', out);
    json_object_foreach (common, text, rows) {
        snprintf(said, sizeof said, "every row: %s", text);
        prose_print("note: ", said, out);
    }
    for (unsigned i = 0; i < notes.count; i++)
        prose_print("note: ", notes.text[i], out);
    notes_release(&notes);
    if (strcmp(record->end, "complete") != 0)
        fprintf(out, "\nThe %s was %s: what it had measured until then is shown.\n", record->sweep ? "sweep" : "run",
                *record->end ? record->end : "broken off");
}

static bool print_all(const struct record *record, const struct section section[], json_t *common, FILE *out)
{
    struct grid grid = { .columns = COLUMNS };
    for (unsigned i = 0; i < COLUMNS; i++)
        grid.align[i] = columns[i].align;
    for (unsigned i = 0; i < record->blocks; i++) {
        grid_measure(&grid, &section[i].title[0]);
        grid_measure(&grid, &section[i].title[1]);
        for (unsigned k = 0; k < section[i].rows; k++)
            grid_measure(&grid, &section[i].row[k]);
    }
    heading_machine(record, out);
    bool complete = ceilings_print(record, out);
    for (unsigned i = 0; i < record->blocks; i++)
        section_print(&section[i], &grid, out);
    print_end(record, common, out);
    return complete;
}

/* A sweep has too many problems for a block each. */
static bool write_sweep(const struct record *record, FILE *out, struct error *err)
{
    heading_machine(record, out);
    if (!sweep_print(record, out))
        return fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", record->cells);
    print_end(record, NULL, out);
    return report_end(out, err);
}

static bool write_run(const struct record *record, FILE *out, struct error *err)
{
    if (record->sweep)
        return write_sweep(record, out, err);
    struct section *section = calloc(record->blocks + 1, sizeof *section);
    json_t *common = footnotes_common(record);
    bool complete = section != NULL && common != NULL;
    for (unsigned i = 0; complete && i < record->blocks; i++)
        complete = section_make(&section[i], record, &record->block[i], common);
    complete = complete && print_all(record, section, common, out);
    json_decref(common);
    for (unsigned i = 0; section && i < record->blocks; i++)
        section_free(&section[i]);
    free(section);
    if (!complete)
        return fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", record->cells);
    return report_end(out, err);
}

/* Several runs one below the other, each under its file's name. */
static bool table_write(const struct results *results, const struct layout *layout, FILE *out, struct error *err)
{
    (void)layout;
    bool complete = true;
    for (unsigned i = 0; complete && i < results->runs; i++) {
        if (results->runs > 1)
            fprintf(out, "%s%s\n\n", i > 0 ? "\n" : "", results->run[i].path);
        complete = write_run(results->run[i].record, out, err);
    }
    return complete;
}

const struct report report_table = {
    .name = "table",
    .extension = "txt",
    .summary = "a block of rows per problem, with the answer in words",
    .write = table_write,
};
