#include "harness/publish/index.h"

#include "harness/analysis/answer.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/content/heading.h"
#include "harness/report/formats/markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct index_run {
    const char *machine, *name; /* as in links */
    const char *processor, *host, *gpus;
};

/* A processor of a machine. */
struct index_row {
    const char *device; /* as people know it */
    bool is_gpu;
    const struct index_run *run; /* the latest */
};

struct index_problem {
    const char *name;
    unsigned figures; /* rows that have it */
};

struct index_figure {
    unsigned row, problem;
    const char *text;
};

enum { FIGURE_ROOM = 96, COLUMNS_MAX = 8 };

/* Names must not contain Markdown or HTML, mention a person or become a link. */
static const char *escaped(struct pool *pool, const char *text)
{
    char *markdown = NULL;
    size_t size;
    FILE *out = open_memstream(&markdown, &size);
    if (out)
        markdown_text(out, text);
    pool->is_short |= !out || fclose(out) != 0;
    const char *copy = pool->is_short ? "" : pool_print(pool, "%s", markdown);
    free(markdown);
    return copy;
}

/* "Intel Core i5-8250U": the CPU under its own name, without marks of trade. */
static const char *processor_of(struct pool *pool, const struct record *record)
{
    struct device cpu = { .id = "unknown processor" };
    text_copy(cpu.name, sizeof cpu.name, journal_text(json_object_get(record->head, "host"), "name"));
    return escaped(pool, device_words(pool, &cpu));
}

/* GPUs with their drivers, each once although several APIs may list it. */
static const char *gpus_of(struct pool *pool, const struct record *record)
{
    const char *text = "";
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        bool is_known = !class_is_gpu(device->class);
        for (unsigned other = 0; other < i; other++)
            is_known |= device_same_silicon(&record->device[other], device);
        if (!is_known)
            text = pool_print(pool, "%s%s%s%s%s", text, *text ? "; " : "", escaped(pool, device->name),
                              *device->driver_version ? ", driver " : "", escaped(pool, device->driver_version));
    }
    return *text ? text : "none";
}

/* Below one FLOP a byte the memory limits every machine, and the figure is its bandwidth. */
static const char *rate_of(char to[FIGURE_ROOM], const struct cell_metrics *metrics)
{
    char number[TEXT_NUMBER];
    const struct cell_record *cell = metrics->cell;
    if (cell->flops >= cell->bytes && metrics->rate > 0)
        return strcpy(to, text_flops(number, metrics->rate, dtype_operation(cell->dtype)));
    snprintf(to, FIGURE_ROOM, "%s/s", text_bytes(number, metrics->bandwidth));
    return to;
}

/* The fastest sound cell of a CPU. */
static const struct cell_metrics *best_of(const struct cell_metrics metrics[], unsigned count)
{
    const struct cell_metrics *best = NULL;
    for (unsigned i = 0; i < count; i++)
        if (metrics[i].device && metrics[i].device->class == CLASS_CPU && answer_is_sound(&metrics[i]) &&
            !(best && best->time.value <= metrics[i].time.value))
            best = &metrics[i];
    return best;
}

/* Ceilings, launches and copies are no problems. */
static bool is_problem(const struct cell_record *cell)
{
    return cell->flops > 0 && cell->bytes > 0 && !cell->is_ceiling && cell->roof == ROOF_NONE && cell->launches <= 1;
}

static unsigned row_of(struct index *index, const struct index_run *run, const char *device, bool is_gpu)
{
    unsigned at = 0;
    device = escaped(&index->pool, device);
    while (at < index->rows && (index->row[at].is_gpu != is_gpu || strcmp(index->row[at].device, device) != 0 ||
                                strcmp(index->row[at].run->machine, run->machine) != 0))
        at++;
    index->row = pool_grow(&index->pool, index->row, index->rows, &index->row_room, sizeof *index->row);
    if (index->pool.is_short)
        return 0;
    index->rows += at == index->rows;
    index->row[at] = (struct index_row){ device, is_gpu, run };
    return at;
}

static unsigned problem_of(struct index *index, const struct cell_record *cell)
{
    char size[ANSWER_SIZE];
    unsigned at = 0;
    bool is_usual = strcmp(cell->dtype, "f32") == 0;
    const char *name = pool_print(&index->pool, "%s %s%s%s", cell->workload, is_usual ? "" : cell->dtype,
                                  is_usual ? "" : " ", answer_size(size, cell));
    name = escaped(&index->pool, name);
    while (at < index->problems && strcmp(index->problem[at].name, name) != 0)
        at++;
    index->problem =
        pool_grow(&index->pool, index->problem, index->problems, &index->problem_room, sizeof *index->problem);
    if (index->pool.is_short)
        return 0;
    if (at == index->problems)
        index->problem[index->problems++] = (struct index_problem){ .name = name };
    return at;
}

static struct index_figure *figure_at(const struct index *index, unsigned row, unsigned problem)
{
    for (unsigned i = 0; i < index->figures; i++)
        if (index->figure[i].row == row && index->figure[i].problem == problem)
            return &index->figure[i];
    return NULL;
}

/* A later run takes the place of an earlier one. */
static void add_figure(struct index *index, unsigned row, const struct cell_record *cell, const char *text)
{
    unsigned problem = problem_of(index, cell);
    struct index_figure *known = figure_at(index, row, problem);
    index->figure = pool_grow(&index->pool, index->figure, index->figures, &index->figure_room, sizeof *index->figure);
    if (index->pool.is_short)
        return;
    if (known) {
        known->text = text;
        return;
    }
    index->problem[problem].figures++;
    index->figure[index->figures++] = (struct index_figure){ row, problem, text };
}

/* "402 GFLOP/s 0.83x, 0.81x": the rate, and the speed-ups without and with transfers. */
static const char *gpu_text(struct pool *pool, const struct answer *answer)
{
    char rate[FIGURE_ROOM];
    struct speedup_text compute, transfers;
    const struct answer_use *use = answer->use;
    const struct cell_metrics *cell = use[USE_COMPUTE].cell ? use[USE_COMPUTE].cell : use[USE_TRANSFERS].cell;
    speedup_write(&compute, &use[USE_COMPUTE].speedup);
    speedup_write(&transfers, &use[USE_TRANSFERS].speedup);
    return pool_print(pool, "%s<br>%s%s, %s%s", rate_of(rate, cell), compute.value, *compute.value == '-' ? "" : "x",
                      transfers.value, *transfers.value == '-' ? "" : "x");
}

static void add_run(struct index *index, const struct index_run *run, const struct record *record,
                    const struct answer_set *set)
{
    struct pool *pool = &index->pool;
    char rate[FIGURE_ROOM];
    for (unsigned i = 0; i < record->blocks && !pool->is_short; i++) {
        const struct block_record *block = &record->block[i];
        const struct cell_metrics *cpu = set->metrics[i] ? best_of(set->metrics[i], block->cells) : NULL;
        if (cpu && is_problem(cpu->cell))
            add_figure(index, row_of(index, run, run->processor, false), cpu->cell,
                       pool_print(pool, "%s%s", rate_of(rate, cpu), cpu->cell->is_fast ? " \\*" : ""));
    }
    for (unsigned i = 0; i < set->answers && !pool->is_short; i++) {
        const struct answer *answer = &set->answer[i];
        bool has_time = answer->use[USE_COMPUTE].cell || answer->use[USE_TRANSFERS].cell;
        if (answer->part->is_gpu && has_time && is_problem(answer->problem))
            add_figure(index, row_of(index, run, device_words(pool, answer->part->device), true), answer->problem,
                       gpu_text(pool, answer));
    }
}

bool index_add(struct index *index, const char *machine, const char *name, const struct record *record)
{
    struct pool *pool = &index->pool;
    struct index_run *run = pool_take(pool, sizeof *run);
    struct answer_set set = { .answers = 0 };
    index->run = pool_grow(pool, index->run, index->runs, &index->run_room, sizeof *index->run);
    if (pool->is_short)
        return false;
    machine = escaped(pool, machine);
    name = escaped(pool, name);
    *run = (struct index_run){ .machine = machine,
                               .name = name,
                               .processor = processor_of(pool, record),
                               .host = escaped(pool, heading_machine(pool, json_object_get(record->head, "host"))),
                               .gpus = gpus_of(pool, record) };
    index->run[index->runs++] = run;
    pool->is_short |= !answer_set_read(&set, record);
    if (!record->sweep && !pool->is_short)
        add_run(index, run, record, &set);
    answer_set_release(&set);
    return !pool->is_short;
}

void index_release(struct index *index)
{
    pool_release(&index->pool);
    *index = (struct index){ .runs = 0 };
}

/* The problems that most rows have, in the order of adding. Returns how many. */
static unsigned choose_columns(const struct index *index, unsigned column[COLUMNS_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < index->problems; i++) {
        unsigned before = 0;
        for (unsigned k = 0; k < index->problems; k++) {
            unsigned own = index->problem[i].figures, other = index->problem[k].figures;
            before += other > own || (other == own && k < i);
        }
        if (before < COLUMNS_MAX)
            column[count++] = i;
    }
    return count;
}

static void write_row(const struct index *index, unsigned at, const unsigned column[], unsigned columns, FILE *out)
{
    const struct index_row *row = &index->row[at];
    fprintf(out, "| [%s](%s/) | %s | [%.10s](%s/%s.md) |", row->device, row->run->machine,
            row->is_gpu ? row->run->processor : "CPU", row->run->name, row->run->machine, row->run->name);
    for (unsigned i = 0; i < columns; i++) {
        const struct index_figure *figure = figure_at(index, at, column[i]);
        fprintf(out, " %s |", figure ? figure->text : "");
    }
    fputs("\n", out);
}

/* GPUs first. */
static void write_matrix(const struct index *index, FILE *out)
{
    unsigned column[COLUMNS_MAX], columns = choose_columns(index, column);
    fputs("| device | beside | latest run |", out);
    for (unsigned i = 0; i < columns; i++)
        fprintf(out, " %s |", index->problem[column[i]].name);
    fputs("\n|---|---|---|", out);
    for (unsigned i = 0; i < columns; i++)
        fputs("---|", out);
    fputs("\n", out);
    for (unsigned i = 0; i < 2 * index->rows; i++)
        if (index->row[i % index->rows].is_gpu == (i < index->rows))
            write_row(index, i % index->rows, column, columns, out);
    fputs(
        "\nFigures are rates of the fastest method, f32 unless a type is named; \\* by an algorithm that needs fewer\n"
        "operations than are counted. Below them, for a GPU: how many times as fast as the CPU beside it, with data "
        "that\n"
        "stay there, and with data that are moved every time.\n",
        out);
    if (index->problems > columns)
        fprintf(out, "%u more problems are in the reports.\n", index->problems - columns);
}

/* The latest run of each machine is its last. */
static bool is_latest(const struct index *index, unsigned run)
{
    return run + 1 == index->runs || strcmp(index->run[run]->machine, index->run[run + 1]->machine) != 0;
}

void index_write(const struct index *index, FILE *out)
{
    fputs("Your device is not here? `scripts/bench run`, then `scripts/bench publish last --to results`, and send the "
          "new\n"
          "folder as a pull request. Names of people, hosts and folders are left out of it.\n\n",
          out);
    if (index->rows > 0)
        write_matrix(index, out);
    fputs("\n## Machines\n\n", out);
    for (unsigned i = 0; i < index->runs; i++)
        if (is_latest(index, i))
            fprintf(out, "- [%s](%s/): %s; GPUs: %s\n", index->run[i]->machine, index->run[i]->machine,
                    index->run[i]->host, index->run[i]->gpus);
}

void index_write_machine(struct index *index, const char *machine, FILE *out)
{
    machine = escaped(&index->pool, machine);
    fprintf(out, "# %s\n\n", machine);
    bool has_host = false;
    for (unsigned i = index->runs; i-- > 0;) {
        const struct index_run *run = index->run[i];
        if (strcmp(run->machine, machine) != 0)
            continue;
        if (!has_host)
            fprintf(out, "%s; GPUs: %s\n\nRuns, the latest first:\n\n", run->host, run->gpus);
        fprintf(out, "- [%s](%s.md), as [text](%s.txt), its [journal](%s.jsonl)\n", run->name, run->name, run->name,
                run->name);
        has_host = true;
    }
    fputs("\n[All machines](../README.md)\n", out);
}
