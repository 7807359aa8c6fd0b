#include "harness/publish/index.h"

#include "harness/analysis/answer.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/publish/publication.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/content/heading.h"
#include "harness/report/formats/formats.h"

#include <stdlib.h>
#include <string.h>

struct index_run {
    const char *machine, *name; /* as in links */
    const char *processor, *host;
};

/* A processor of a machine. */
struct index_row {
    const char *device; /* as people know it */
    bool is_gpu;
    const struct index_run *run; /* the latest */
    json_t *figure;              /* texts, by the name of the problem */
};

/* Names must not contain Markdown or HTML, mention a person or become a link. */
static const char *escaped(struct pool *pool, const char *text)
{
    struct string_builder markdown = { .pool = pool };
    markdown_text(&markdown, text, false);
    return string_text(&markdown);
}

/* The fastest sound cell of a CPU on resident data. */
static const struct figures *best_of(const struct figures figures[], unsigned count)
{
    const struct figures *best = NULL;
    for (unsigned i = 0; i < count; i++)
        if (figures[i].device && figures[i].device->class == CLASS_CPU && figures_are_sound(&figures[i]) &&
            figures[i].headline == USE_RESIDENT && !(best && best->time.value <= figures[i].time.value))
            best = &figures[i];
    return best;
}

/* Peaks, launches and copies are no problems. */
static bool is_problem(const struct cell_record *cell)
{
    return cell->flops > 0 && cell->bytes > 0 && !cell->is_peak && cell->roof == ROOF_NONE && cell->launches <= 1;
}

/* NULL when memory is short. */
static struct index_row *row_of(struct index *index, const struct index_run *run, const char *device, bool is_gpu)
{
    unsigned at = 0;
    device = escaped(&index->pool, device);
    while (at < index->rows && (index->row[at].is_gpu != is_gpu || strcmp(index->row[at].device, device) != 0 ||
                                strcmp(index->row[at].run->machine, run->machine) != 0))
        at++;
    if (at == index->rows) {
        const struct index_row added = { device, is_gpu, run, json_object() };
        return pool_add(&index->pool, &index->row, &index->rows, &added, sizeof added);
    }
    index->row[at].run = run;
    return &index->row[at];
}

/* A later run takes the place of an earlier one. */
static void add_figure(struct index *index, struct index_row *row, const struct cell_record *cell, const char *text)
{
    const char *problem = escaped(&index->pool, cell_words(&index->pool, cell));
    json_int_t rows = json_integer_value(json_object_get(index->problem, problem));
    bool is_new = row && !json_object_get(row->figure, problem);
    index->problem = index->problem ? index->problem : json_object();
    index->pool.is_short |= !row || json_object_set_new(row->figure, problem, json_string(text)) != 0 ||
                            json_object_set_new(index->problem, problem, json_integer(rows + is_new)) != 0;
}

static void add_run(struct index *index, const struct index_run *run, const struct record *record,
                    const struct answer_set *set)
{
    struct pool *pool = &index->pool;
    for (unsigned i = 0; i < record->blocks && !pool->is_short; i++) {
        const struct block_record *block = &record->block[i];
        const struct figures *cpu = set->figures[i] ? best_of(set->figures[i], block->cells) : NULL;
        if (cpu && is_problem(cpu->cell))
            add_figure(index, row_of(index, run, run->processor, false), cpu->cell,
                       pool_print(pool, "%s%s", rate_words(pool, cpu), cpu->cell->is_fast ? " \\*" : ""));
    }
    for (unsigned i = 0; i < set->answers && !pool->is_short; i++) {
        const struct answer *answer = &set->answer[i];
        const struct figures *row = answer->row[USE_RESIDENT] ? answer->row[USE_RESIDENT] : answer->row[USE_COPIED];
        if (!answer->part->is_gpu || !row || !is_problem(answer->problem))
            continue;
        const char *stays = speedup_value(pool, &answer->use[USE_RESIDENT].speedup),
                   *moves = speedup_value(pool, &answer->use[USE_COPIED].speedup);
        /* "402 GFLOP/s 0.83x, 0.81x": the rate, and the speed-ups without and with transfers. */
        add_figure(index, row_of(index, run, device_words(pool, answer->part->device->name), true), answer->problem,
                   pool_print(pool, "%s<br>%s%s, %s%s", rate_words(pool, row), stays, *stays == '-' ? "" : "x", moves,
                              *moves == '-' ? "" : "x"));
    }
}

void index_add(struct index *index, const char *machine, const char *name, const struct record *record)
{
    struct pool *pool = &index->pool;
    struct index_run *run = pool_take(pool, sizeof *run);
    struct answer_set set = { .answers = 0 };
    if (!run || !pool_add(pool, &index->run, &index->runs, &run, sizeof run))
        return;
    const char *cpu = journal_text(json_object_get(record->head, "host"), "name");
    machine = escaped(pool, machine);
    name = escaped(pool, name);
    *run = (struct index_run){ .machine = machine,
                               .name = name,
                               .processor = escaped(pool, *cpu ? device_words(pool, cpu) : "unknown processor"),
                               .host = escaped(pool, heading_machine(pool, json_object_get(record->head, "host"))) };
    pool->is_short |= !answer_set_read(&set, record);
    if (!record->sweep && !pool->is_short)
        add_run(index, run, record, &set);
    answer_set_release(&set);
}

void index_release(struct index *index)
{
    for (unsigned i = 0; i < index->rows; i++)
        json_decref(index->row[i].figure);
    json_decref(index->problem);
    pool_release(&index->pool);
    *index = (struct index){ .runs = 0 };
}

/* Whether at least half of the rows have this problem. */
static bool is_column(const struct index *index, const json_t *rows)
{
    return 2 * json_integer_value(rows) >= index->rows;
}

/* GPUs first. */
static void write_matrix(const struct index *index, FILE *out)
{
    const char *name;
    json_t *rows;
    unsigned columns = 0;
    fputs("| device | beside | latest run |", out);
    json_object_foreach (index->problem, name, rows)
        if (is_column(index, rows))
            columns += fprintf(out, " %s |", name) > 0;
    fputs("\n|---|---|---|", out);
    for (unsigned i = 0; i < columns; i++)
        fputs("---|", out);
    fputs("\n", out);
    for (unsigned i = 0; i < 2 * index->rows; i++) {
        const struct index_row *row = &index->row[i % index->rows];
        if (row->is_gpu != (i < index->rows))
            continue;
        fprintf(out, "| [%s](%s/) | %s | [%.10s](%s/%s.md) |", row->device, row->run->machine,
                row->is_gpu ? row->run->processor : "CPU", row->run->name, row->run->machine, row->run->name);
        json_object_foreach (index->problem, name, rows)
            if (is_column(index, rows))
                fprintf(out, " %s |", journal_text(row->figure, name));
        fputs("\n", out);
    }
    fputs(
        "\nFigures are rates of the fastest method, f32 unless a type is named; \\* by an algorithm that needs fewer\n"
        "operations than are counted. Below them, for a GPU: how many times as fast as the CPU of the machine, for\n"
        "data that stay on the GPU and for data that are copied at every use. Problems that fewer than half of the\n"
        "rows have are only in the reports.\n",
        out);
}

void index_write(const struct index *index, FILE *out)
{
    fputs("# Published results\n\nYour device is not here? `scripts/bench run`, then `scripts/bench publish last --to "
          "results`, and send the new\n"
          "folder as a pull request. Names of people, hosts and folders are left out of it.\n\n",
          out);
    if (index->rows > 0)
        write_matrix(index, out);
    fputs("\n## Machines\n\n", out);
    /* In the order of adding, with their runs, the latest first. */
    for (unsigned first = 0, end; first < index->runs; first = end) {
        const char *machine = index->run[first]->machine;
        for (end = first; end < index->runs && strcmp(index->run[end]->machine, machine) == 0;)
            end++;
        fprintf(out, "- [%s](%s/): %s\n", machine, machine, index->run[end - 1]->host);
        for (unsigned i = end; i > first; i--) {
            const char *name = index->run[i - 1]->name;
            fprintf(out, "  - [%s](%s/%s.md), [journal](%s/%s.jsonl)\n", name, machine, name, machine, name);
        }
    }
}
