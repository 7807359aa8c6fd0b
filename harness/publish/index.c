#include "harness/publish/index.h"

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/decision_rules.h"
#include "harness/base/text.h"
#include "harness/report/content/heading.h"
#include "harness/report/content/sweep_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct index_run {
    const char *machine, *name, *host, *gpus;
    const char *machine_link, *report_link;
};

/* Columns of a problem's table. A column in which no machine has a value is left out. */
enum field { FIELD_CPU, FIELD_GPU, FIELD_RESIDENT, FIELD_OFFLOAD, FIELDS };
static const char *const titles[FIELDS] = { "best on the CPU", "best on a GPU", "speed-up, data stay there",
                                            "speed-up, data are moved" };
static const char nothing[] = "-";

/* A problem on a machine. */
struct index_row {
    const char *problem;
    const struct index_run *run;
    const char *field[FIELDS];
    double seconds; /* of the fastest: rows are sorted by it */
    unsigned place; /* in the order of adding */
};

/* The result of a sweep for one device. */
struct index_curve {
    const char *problem, *device, *pays;
    const struct index_run *run;
};

enum { FIGURE_ROOM = 96, CELL_ROOM = 256 };

/* Names must not contain Markdown or HTML. Round brackets are harmless without square ones before them. */
static const char *escaped(struct pool *pool, const char *text)
{
    struct string_builder to = { .pool = pool };
    for (; *text; text++)
        string_append(&to, "%s%c", strchr("\\`*_{}[]<>#|~&!", *text) ? "\\" : "", *text);
    return string_text(&to);
}

static const char *member_of(struct pool *pool, const json_t *object, const char *name)
{
    char text[CELL_ROOM];
    const char *member = json_string_value(json_object_get(object, name));
    text_clean(text, sizeof text, member ? member : "");
    return escaped(pool, text);
}

/* "Intel Xeon, 2 cores, KVM, 25.3 GB". */
static const char *host_of(struct pool *pool, const struct record *record)
{
    char memory[TEXT_NUMBER];
    const json_t *host = json_object_get(record->head, "host");
    const char *name = member_of(pool, host, "name"), *hypervisor = member_of(pool, host, "hypervisor");
    json_int_t cores = json_integer_value(json_object_get(host, "cores"));
    double bytes = json_number_value(json_object_get(host, "memory"));
    const char *text = *name ? name : "unknown processor";
    if (cores > 0 && cores <= INT32_MAX)
        text = pool_print(pool, "%s, %d core%s", text, (int)cores, cores == 1 ? "" : "s");
    if (*hypervisor)
        text = pool_print(pool, "%s of a %s guest", text, hypervisor);
    return bytes > 0 ? pool_print(pool, "%s, %s", text, text_bytes(memory, bytes)) : text;
}

/* GPUs with their drivers, each once although several APIs may list it. */
static const char *gpus_of(struct pool *pool, const struct record *record)
{
    const char *text = "";
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        bool is_known = !class_is_gpu(device->class);
        for (unsigned other = 0; other < i; other++)
            is_known |= *device->silicon && strcmp(record->device[other].silicon, device->silicon) == 0;
        if (!is_known)
            text = pool_print(pool, "%s%s%s%s%s", text, *text ? "; " : "", escaped(pool, device->name),
                              *device->driver_version ? ", driver " : "", escaped(pool, device->driver_version));
    }
    return *text ? text : "none";
}

/* The figure of a launch is its time. Below one FLOP a byte the memory limits every machine, and the figure is its
 * bandwidth. */
static const char *figure_of(char to[FIGURE_ROOM], const struct cell_metrics *metrics)
{
    char number[TEXT_NUMBER];
    const struct cell_record *cell = metrics->cell;
    bool is_launch = cell->roof == ROOF_LATENCY || cell->launches > 1;
    if (!is_launch && cell->flops >= cell->bytes && metrics->rate > 0)
        return strcpy(to, text_flops(number, metrics->rate));
    if (!is_launch && metrics->bandwidth > 0) {
        snprintf(to, FIGURE_ROOM, "%s/s", text_bytes(number, metrics->bandwidth));
        return to;
    }
    return strcpy(to, text_seconds(number, metrics->time.value));
}

/* "45.5 GB/s (cpu native)". A rate counts the operations of the definition; a fast algorithm needs fewer. */
static const char *best_text(struct pool *pool, const struct cell_metrics *metrics)
{
    char figure[FIGURE_ROOM];
    if (!metrics)
        return nothing;
    const char *method = metrics->cell->method, *memory = metrics->cell->memory;
    bool has_method = *method && strcmp(method, "-") != 0;
    return pool_print(pool, "%s (%s %s%s)", figure_of(figure, metrics), escaped(pool, metrics->device->id),
                      escaped(pool, has_method ? method : memory), metrics->cell->is_fast ? ", fast algorithm" : "");
}

/* A speed-up over a CPU; over another baseline it would answer another question. */
static const char *speedup_of(struct pool *pool, const struct record *record, const struct cell_metrics *metrics,
                              bool offload)
{
    struct speedup_text text;
    const struct cell_record *baseline = metrics ? metrics->baseline : NULL;
    const struct device *device = baseline ? record_device(record, baseline->device_id) : NULL;
    if (!device || device->class != CLASS_CPU)
        return nothing;
    if (offload && metrics->is_offload_disturbed)
        return "too disturbed to judge";
    speedup_write(&text, offload ? &metrics->offload : &metrics->resident);
    if (strcmp(text.value, "-") == 0)
        return nothing;
    return pool_print(pool, "%sx %s", text.value, *text.interval ? text.interval : "\\[?\\]");
}

/* The fastest sound cell of a CPU or of a GPU, with its transfers. */
static const struct cell_metrics *best_of(const struct cell_metrics metrics[], unsigned count, bool is_gpu)
{
    const struct cell_metrics *best = NULL;
    double least = INFINITY;
    for (unsigned i = 0; i < count; i++) {
        const struct cell_metrics *cell = &metrics[i];
        if (!cell->device || class_is_gpu(cell->device->class) != is_gpu || !decision_is_sound(cell))
            continue;
        double seconds = cell->whole.value > 0 ? cell->whole.value : cell->time.value;
        if (seconds < least) {
            best = cell;
            least = seconds;
        }
    }
    return best;
}

/* Ceilings are no problems of their own, nor are copies within the memory of a CPU. */
static bool is_asked_for(const struct cell_metrics metrics[], unsigned count, const struct cell_metrics *gpu)
{
    bool computes = false;
    for (unsigned i = 0; i < count; i++)
        computes |= metrics[i].cell->flops > 0 && !metrics[i].cell->is_ceiling;
    return computes || (gpu && !gpu->cell->is_ceiling);
}

static void add_row(struct index *index, const struct index_run *run, const struct record *record,
                    const struct block_record *block, const struct cell_metrics metrics[])
{
    struct pool *pool = &index->pool;
    const struct cell_metrics *cpu = best_of(metrics, block->cells, false), *gpu = best_of(metrics, block->cells, true);
    if ((!cpu && !gpu) || !is_asked_for(metrics, block->cells, gpu))
        return;
    index->row = pool_grow(pool, index->row, index->rows, &index->row_room, sizeof *index->row);
    if (pool->is_short)
        return;
    index->row[index->rows] = (struct index_row){
        .problem = escaped(pool, heading_problem(pool, block)),
        .run = run,
        .field = { best_text(pool, cpu), best_text(pool, gpu), speedup_of(pool, record, gpu, false),
                   speedup_of(pool, record, gpu, true) },
        .seconds = fmin(cpu ? cpu->time.value : INFINITY, gpu ? gpu->time.value : INFINITY),
        .place = index->rows,
    };
    index->rows++;
}

/* From which sizes on the device is faster: the lines of a sweep's text up to its model. */
static const char *pays_of(struct pool *pool, const struct curves *curves, const struct curve *curve)
{
    struct lines lines = { 0 };
    const char *text = "";
    sweep_text_append(pool, &lines, curves, curve);
    for (unsigned i = 1; i < lines.lines && lines.line[i].is_below; i++)
        text = pool_print(pool, "%s%s%s", text, *text ? "<br>" : "", escaped(pool, lines.line[i].text));
    return text;
}

static void add_curves(struct index *index, const struct index_run *run, const struct record *record)
{
    struct curves curves;
    struct pool *pool = &index->pool;
    pool->is_short |= !curves_read(&curves, record);
    for (unsigned i = 0; i < curves.curves && curves.baseline && !pool->is_short; i++) {
        const struct curve *curve = &curves.curve[i];
        char from[TEXT_NUMBER], to[TEXT_NUMBER];
        index->curve = pool_grow(pool, index->curve, index->curves, &index->curve_room, sizeof *index->curve);
        if (pool->is_short)
            break;
        sweep_size(from, sizeof from, curves.from);
        sweep_size(to, sizeof to, curves.to);
        index->curve[index->curves++] = (struct index_curve){
            .problem = escaped(pool, pool_print(pool, "%s %s, %s from %s to %s", curves.workload, curves.dtype,
                                                curves.unit, from, to)),
            .device = escaped(pool, pool_print(pool, "%s (%s, %s) over %s", curve->device->id,
                                               class_is_gpu(curve->device->class) ? curve->device->name : "a CPU",
                                               curve->memory, curves.baseline->id)),
            .pays = pays_of(pool, &curves, curve),
            .run = run,
        };
    }
    curves_free(&curves);
}

bool index_add(struct index *index, const char *machine, const char *name, const struct record *record)
{
    struct pool *pool = &index->pool;
    struct index_run *run = pool_take(pool, sizeof *run);
    index->run = pool_grow(pool, index->run, index->runs, &index->run_room, sizeof *index->run);
    if (pool->is_short)
        return false;
    machine = escaped(pool, machine);
    name = escaped(pool, name);
    *run = (struct index_run){
        .machine = machine,
        .name = name,
        .host = host_of(pool, record),
        .gpus = gpus_of(pool, record),
        .machine_link = pool_print(pool, "[%s](%s/)", machine, machine),
        .report_link = pool_print(pool, "[%s](%s/%s.txt)", name, machine, name),
    };
    index->run[index->runs++] = run;
    if (record->sweep)
        add_curves(index, run, record);
    for (unsigned i = 0; i < record->blocks && !pool->is_short && !record->sweep; i++) {
        const struct block_record *block = &record->block[i];
        struct cell_metrics *metrics = block->cells > 0 ? cell_metrics_of_block(record, block) : NULL;
        if (metrics)
            add_row(index, run, record, block, metrics);
        pool->is_short |= block->cells > 0 && !metrics;
        free(metrics);
    }
    return !pool->is_short;
}

void index_release(struct index *index)
{
    pool_release(&index->pool);
    *index = (struct index){ .runs = 0 };
}

/* A later run of the same machine has the same problem. */
static bool is_outdated(const struct index *index, const struct index_row *row)
{
    for (unsigned i = row->place + 1; i < index->rows; i++)
        if (strcmp(index->row[i].problem, row->problem) == 0 &&
            strcmp(index->row[i].run->machine, row->run->machine) == 0)
            return true;
    return false;
}

static int compare_rows(const void *a, const void *b)
{
    const struct index_row *const *one = a, *const *other = b;
    if ((*one)->seconds != (*other)->seconds)
        return (*one)->seconds < (*other)->seconds ? -1 : 1;
    return (*one)->place < (*other)->place ? -1 : 1;
}

static void write_row(const struct index_row *row, const bool shows[FIELDS], FILE *out)
{
    fprintf(out, "| %s | ", row->run->machine_link);
    for (enum field field = 0; field < FIELDS; field++)
        if (shows[field])
            fprintf(out, "%s | ", row->field[field]);
    fprintf(out, "%s |\n", row->run->report_link);
}

static void write_titles(const bool shows[FIELDS], FILE *out)
{
    fputs("| machine | ", out);
    for (enum field field = 0; field < FIELDS; field++)
        if (shows[field])
            fprintf(out, "%s | ", titles[field]);
    fputs("run |\n|---|", out);
    for (enum field field = 0; field < FIELDS; field++)
        fputs(shows[field] ? "---|" : "", out);
    fputs("---|\n", out);
}

/* The table of a problem; `first` is its first row. */
static void write_problem(const struct index *index, unsigned first, const struct index_row *sorted[], FILE *out)
{
    unsigned count = 0;
    bool shows[FIELDS] = { false };
    for (unsigned i = first; i < index->rows; i++)
        if (strcmp(index->row[i].problem, index->row[first].problem) == 0 && !is_outdated(index, &index->row[i]))
            sorted[count++] = &index->row[i];
    qsort(sorted, count, sizeof *sorted, compare_rows);
    fprintf(out, "\n### %s\n\n", index->row[first].problem);
    for (unsigned i = 0; i < count; i++)
        for (enum field field = 0; field < FIELDS; field++)
            shows[field] |= strcmp(sorted[i]->field[field], nothing) != 0;
    write_titles(shows, out);
    for (unsigned i = 0; i < count; i++)
        write_row(sorted[i], shows, out);
}

static bool is_first_of_problem(const struct index *index, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strcmp(index->row[i].problem, index->row[at].problem) == 0)
            return false;
    return true;
}

static void write_curves(const struct index *index, FILE *out)
{
    if (index->curves == 0)
        return;
    fputs("\n## Sweeps\n\nFor every sweep: from which size on a device is faster than the best CPU method.\n\n"
          "| machine | sweep | device | where it is faster | run |\n|---|---|---|---|---|\n",
          out);
    for (unsigned i = 0; i < index->curves; i++) {
        const struct index_curve *curve = &index->curve[i];
        fprintf(out, "| %s | %s | %s | %s | %s |\n", curve->run->machine_link, curve->problem, curve->device,
                curve->pays, curve->run->report_link);
    }
}

/* One row for each machine: the hardware of its latest run, and all its runs. */
static void write_machines(const struct index *index, FILE *out)
{
    fputs("\n## Machines\n\n| machine | processor | GPUs | runs |\n|---|---|---|---|\n", out);
    for (unsigned first = 0, last; first < index->runs; first = last) {
        for (last = first; last < index->runs; last++)
            if (strcmp(index->run[last]->machine, index->run[first]->machine) != 0)
                break;
        const struct index_run *run = index->run[last - 1];
        fprintf(out, "| %s | %s | %s | ", run->machine_link, run->host, run->gpus);
        for (unsigned i = first; i < last; i++)
            fprintf(out, "%s%s ([journal](%s/%s.jsonl))", i > first ? ", " : "", index->run[i]->report_link,
                    run->machine, index->run[i]->name);
        fputs(" |\n", out);
    }
}

bool index_write(const struct index *index, FILE *out)
{
    const struct index_row **sorted = calloc(index->rows + 1, sizeof *sorted);
    if (!sorted)
        return false;
    fputs("## Problems\n\n", out);
    fputs(
        "Each machine has its latest run of the problem; the fastest machine is first. Speed-ups are those of the GPU\n"
        "over the best CPU method of the same run, with their 95 % intervals. A fast algorithm needs fewer operations\n"
        "than the definition, and its rate counts those of the definition.\n",
        out);
    for (unsigned i = 0; i < index->rows; i++)
        if (is_first_of_problem(index, i))
            write_problem(index, i, sorted, out);
    write_curves(index, out);
    write_machines(index, out);
    free(sorted);
    return true;
}
