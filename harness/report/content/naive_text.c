#include "harness/report/content/naive_text.h"

#include "harness/analysis/naive.h"
#include "harness/analysis/speedup.h"
#include "harness/base/text.h"
#include "harness/report/content/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fewer pages than this take no noticeable part of some milliseconds. */
static const double many_pages = 1000;
/* A call that returns within this share of the time until the result is read has not waited for the work. */
static const double at_once = 0.1;

/* The claim about the problem; NULL if there is none. */
static const struct claim *find_claim(const struct claim *claims, const struct cell_record *cell)
{
    for (; claims && claims->workload; claims++)
        if (strcmp(cell->workload, claims->workload) == 0 && strcmp(cell->dtype, claims->dtype) == 0 &&
            strcmp(cell->shape, claims->shape) == 0)
            return claims;
    return NULL;
}

/* "opencl:0", or "opencl:0 portable mapped" if the device has several rows. */
enum { ROW_ROOM = 160 };
static const char *row_of(char to[ROW_ROOM], const struct cell_metrics metrics[], unsigned count, unsigned at)
{
    unsigned rows = 0;
    const struct cell_record *cell = metrics[at].cell;
    for (unsigned i = 0; i < count; i++)
        rows += strcmp(metrics[i].cell->device_id, cell->device_id) == 0;
    if (rows > 1)
        snprintf(to, ROW_ROOM, "%.40s %.60s %.40s", cell->device_id, cell->method, cell->memory);
    else
        snprintf(to, ROW_ROOM, "%.40s", cell->device_id);
    return to;
}

/* "cpu native 437 ms (268 ms to 458 ms in 3 processes)" */
static void append_naive(struct string_builder *to, const struct cell_metrics *metrics, const struct record *record)
{
    struct naive naive;
    char wall[TEXT_NUMBER], least[TEXT_NUMBER], most[TEXT_NUMBER];
    naive_read(&naive, metrics->cell);
    string_append(to, "%s %s", metrics->cell->device_id, metrics->cell->method);
    if (isnan(naive.wall)) {
        string_append(to, " %s", naive.processes > 0 ? status_name(naive.outcome.status) : "not timed");
        return;
    }
    string_append(to, " %s (%s to %s in %u processes)", text_seconds(wall, naive.wall),
                  text_seconds(least, naive.least), text_seconds(most, naive.most), naive.processes - naive.failed);
    const struct naive_ratio ratio = naive_speedup(record, metrics->cell);
    if (!isnan(ratio.value))
        string_append(to, ", %sx [%s, %s]", text_figure(wall, ratio.value, NAN), text_figure(least, ratio.least, NAN),
                      text_figure(most, ratio.most, NAN));
}

static void append_measured(struct string_builder *to, const struct cell_metrics *metrics)
{
    char time[TEXT_NUMBER];
    struct speedup_text resident, offload;
    string_append(to, "%s %s ", metrics->cell->device_id, metrics->cell->method);
    if (!metrics->measured) {
        string_append(to, "%s", status_name(metrics->cell->outcome.status));
        return;
    }
    string_append(to, "%s", text_seconds(time, metrics->time.value));
    if (speedup_side(&metrics->resident) == SIDE_MISSING)
        return;
    speedup_write(&resident, &metrics->resident);
    string_append(to, ", %sx %s", resident.value, *resident.interval ? resident.interval : "[?]");
    if (metrics->is_offload_disturbed)
        string_append(to, ", with every transfer too disturbed to judge");
    if (metrics->is_offload_disturbed || speedup_side(&metrics->offload) == SIDE_MISSING)
        return;
    speedup_write(&offload, &metrics->offload);
    string_append(to, ", with every transfer %sx %s", offload.value, *offload.interval ? offload.interval : "[?]");
}

/* The bound, if it is the same for all cells. */
static void explain_bound(struct string_builder *to, const struct cell_metrics metrics[], unsigned count)
{
    const char *bound = NULL;
    const struct cell_record *cell = metrics[0].cell;
    for (unsigned i = 0; i < count; i++) {
        if (!metrics[i].measured)
            continue;
        if (!metrics[i].bound || (bound && strcmp(bound, metrics[i].bound) != 0))
            return;
        bound = metrics[i].bound;
    }
    if (!bound || !(cell->flops > 0) || !(cell->bytes > 0))
        return;
    if (cell->flops < cell->bytes)
        string_append(to, "A run does 1 FLOP for %.3g bytes, and ", cell->bytes / cell->flops);
    else
        string_append(to, "A run does %.3g FLOP for each byte, and ", cell->flops / cell->bytes);
    if (strcmp(bound, "memory") == 0)
        string_append(to, "memory binds each device: bandwidth decides, not FLOP/s. ");
    else
        string_append(to, "%s binds each device. ", bound);
}

/* What the additional time of the first run was spent on. */
static void explain_excess(struct string_builder *to, const struct cell_metrics *metrics, const struct naive *naive)
{
    char alloc[TEXT_NUMBER], run[TEXT_NUMBER], fetch[TEXT_NUMBER];
    double excess = naive->wall - metrics->time.value;
    if (naive->alloc > excess / 2)
        string_append(to, ", %s of it for the memory of the result", text_seconds(alloc, naive->alloc));
    if (naive->faults >= many_pages)
        string_append(to, "; under its clock the system handed out %.0f fresh pages", naive->faults);
    if (naive->run < at_once * (naive->run + naive->fetch))
        string_append(to, "; the call to run had returned after %s, and the print took %s",
                      text_seconds(run, naive->run), text_seconds(fetch, naive->fetch));
}

static void explain_first(struct string_builder *to, const struct cell_metrics *metrics, const char *row)
{
    struct naive naive;
    naive_read(&naive, metrics->cell);
    double warm = isnan(metrics->time.high) ? metrics->time.value : metrics->time.high;
    if (!metrics->measured || isnan(naive.wall))
        return;
    if (naive.least > warm) {
        string_append(to, "The first run of %s took %.2g times as long as a warm one", row,
                      naive.wall / metrics->time.value);
        explain_excess(to, metrics, &naive);
        string_append(to, ". ");
    } else {
        string_append(to, "The first run of %s did not take measurably longer than a warm one. ", row);
    }
}

static enum side side_of(const struct naive_ratio *ratio)
{
    if (isnan(ratio->value))
        return SIDE_MISSING;
    return ratio->least > 1 ? SIDE_FASTER : ratio->most < 1 ? SIDE_SLOWER : SIDE_EVEN;
}

static const char *const sides[] = {
    [SIDE_UNCERTAIN] = "had too few rounds",
    [SIDE_SLOWER] = "is slower",
    [SIDE_EVEN] = "shows no difference",
    [SIDE_FASTER] = "is faster",
};

/* The winner by each way of timing. A CPU seen through an API is not a GPU, and another method of the CPU is not
 * another device. */
static void explain_winner(struct string_builder *to, const struct cell_metrics *metrics, const struct record *record,
                           const char *row)
{
    const struct naive_ratio ratio = naive_speedup(record, metrics->cell);
    enum side naive = side_of(&ratio), measured = speedup_side(&metrics->resident);
    bool is_cpu_through_api =
        metrics->device && metrics->device->class == CLASS_CPU && !metrics->device->works_in_host_memory;
    if (naive == SIDE_MISSING || measured == SIDE_MISSING || !metrics->measured)
        return;
    bool is_close = speedup_is_close(&metrics->resident);
    if (naive == measured && !is_close)
        string_append(to, "Both ways %s %s. ", row, sides[naive]);
    else
        string_append(to, "Timed naively %s %s; measured in rounds it %s. ", row, sides[naive],
                      is_close ? "is as fast, to within 2 %" : sides[measured]);
    if (is_cpu_through_api)
        string_append(to, "%s is the CPU through an API: this says nothing about a GPU. ", row);
}

/* The same cell at another size; NULL if there is none. */
static const struct cell_record *beside(const struct record *record, const struct cell_record *cell, const char *shape)
{
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *other = record->cell[i];
        if (strcmp(other->shape, shape) == 0 && strcmp(other->workload, cell->workload) == 0 &&
            strcmp(other->dtype, cell->dtype) == 0 && strcmp(other->device_id, cell->device_id) == 0 &&
            strcmp(other->method, cell->method) == 0 && strcmp(other->memory, cell->memory) == 0)
            return other;
    }
    return NULL;
}

/* Whether the naive speed-up falls with the size, as in the claim. */
static void explain_trend(struct string_builder *to, const struct cell_metrics *metrics, const struct record *record,
                          const struct claim *claim, const char *row)
{
    char shape[128];
    const struct cell_record *small = claim && claim->smaller ? beside(record, metrics->cell, claim->smaller) : NULL;
    const struct naive_ratio here = naive_speedup(record, metrics->cell);
    const struct naive_ratio there = small ? naive_speedup(record, small) : (struct naive_ratio){ NAN, NAN, NAN };
    if (isnan(here.value) || isnan(there.value))
        return;
    const char *trend = here.most < there.least   ? "it falls with size, as the page's did"
                        : here.least > there.most ? "it rises with size"
                                                  : "no change with size could be shown";
    string_append(to, "Timed naively %s has a ratio of %.2g at %s and of %.2g here: %s. ", row, there.value,
                  text_shape(shape, sizeof shape, claim->smaller), here.value, trend);
}

static void append_list(struct pool *pool, struct lines *out, const struct record *record,
                        const struct cell_metrics metrics[], unsigned count, bool is_naive)
{
    struct string_builder line = { .pool = pool };
    for (unsigned i = 0; i < count; i++) {
        string_append(&line, "%s", i > 0 ? "; " : "");
        if (is_naive)
            append_naive(&line, &metrics[i], record);
        else
            append_measured(&line, &metrics[i]);
    }
    lines_add(pool, out, is_naive ? "timed naively" : "measured in rounds", string_text(&line));
}

static void explain(struct pool *pool, struct lines *out, const struct record *record,
                    const struct cell_metrics metrics[], unsigned count, const struct claim *claim)
{
    struct string_builder line = { .pool = pool };
    char row[ROW_ROOM];
    explain_bound(&line, metrics, count);
    for (unsigned i = 0; i < count; i++)
        explain_first(&line, &metrics[i], row_of(row, metrics, count, i));
    for (unsigned i = 0; i < count; i++) {
        explain_winner(&line, &metrics[i], record, row_of(row, metrics, count, i));
        explain_trend(&line, &metrics[i], record, claim, row);
    }
    if (line.length > 1)
        lines_add(pool, out, "the difference", pool_print(pool, "%.*s", (int)line.length - 1, string_text(&line)));
}

void naive_text_append(struct pool *pool, struct lines *out, const struct record *record,
                       const struct cell_metrics metrics[], unsigned count, const struct claim *claims)
{
    const struct claim *claim = find_claim(claims, metrics[0].cell);
    bool is_timed = false;
    for (unsigned i = 0; i < count; i++)
        is_timed = is_timed || metrics[i].cell->naives > 0;
    if (!is_timed)
        return;
    append_list(pool, out, record, metrics, count, true);
    append_list(pool, out, record, metrics, count, false);
    if (claim)
        lines_add(pool, out, "published by others", claim->text);
    explain(pool, out, record, metrics, count, claim);
}
