#include "harness/report/content/trials.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_first_of_device(const struct block_record *block, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strcmp(block->trial[i].device_id, block->trial[at].device_id) == 0)
            return false;
    return true;
}

/* A method that is faster by this share is worth a sentence. */
static const double noteworthy = 0.05;

/* Seconds including repacking, by which methods are ranked; INFINITY unknown. */
static double time_of(const struct trial_record *trial)
{
    return isnan(trial->run) ? INFINITY : trial->run + fmax(0, trial->repack); /* fmax(0, NAN) is 0 */
}

/* By time, unknown ones last; otherwise in the order of the trials. */
static int by_time(const void *a, const void *b)
{
    const struct trial_record *const *one = a, *const *other = b;
    double x = time_of(*one), y = time_of(*other);
    return x != y ? (x > y) - (x < y) : (*one > *other) - (*one < *other);
}

/* "openblas 12.1 ms", "onednn 8.1 ms + 1.2 ms repacking", or why there is no time. */
static void describe(const struct trial_record *trial, struct string_builder *to)
{
    char time[TEXT_NUMBER];
    const struct error *outcome = &trial->outcome;
    if (!isnan(trial->repack))
        string_append(to, "%s %s + ", trial->method, text_seconds(time, trial->run));
    if (!isnan(trial->repack))
        string_append(to, "%s repacking", text_seconds(time, trial->repack));
    else if (!isnan(trial->run))
        string_append(to, "%s %s", trial->method, text_seconds(time, trial->run));
    else if (outcome->status == STATUS_OK)
        string_append(to, "%s without a time", trial->method);
    else
        string_append(to, "%s %s%s%s", trial->method, status_name(outcome->status), *outcome->message ? ": " : "",
                      outcome->message);
}

/* Whether the same method failed for the same reason in another kind of memory. */
static bool is_repeated(const struct trial_record *const sorted[], unsigned at)
{
    const struct trial_record *trial = sorted[at];
    for (unsigned i = 0; i < at && isnan(trial->run); i++)
        if (isnan(sorted[i]->run) && strcmp(sorted[i]->method, trial->method) == 0 &&
            sorted[i]->outcome.status == trial->outcome.status &&
            strcmp(sorted[i]->outcome.message, trial->outcome.message) == 0)
            return true;
    return false;
}

/* The trials of one device, sorted. They are not verified: only measured cells are. */
static void describe_all(const struct trial_record *sorted[], unsigned count, struct string_builder *to)
{
    for (unsigned i = 0; i < count; i++) {
        if (is_repeated(sorted, i))
            continue;
        bool is_timed = !isnan(sorted[i]->run), is_last = i + 1 == count || isnan(sorted[i + 1]->run);
        string_append(to, "%s", i == 0 ? "" : is_timed ? ", " : "; ");
        describe(sorted[i], to);
        string_append(to, "%s", is_timed && is_last ? " (a few runs each, unverified)" : "");
    }
}

static void append_device(struct pool *pool, struct lines *out, const struct block_record *block, const char *device_id)
{
    const struct trial_record **sorted = calloc(block->trials, sizeof *sorted);
    struct string_builder line = { .pool = pool };
    unsigned count = 0;
    pool->is_short |= !sorted;
    if (sorted) {
        for (unsigned i = 0; i < block->trials; i++)
            if (strcmp(block->trial[i].device_id, device_id) == 0)
                sorted[count++] = &block->trial[i];
        qsort(sorted, count, sizeof *sorted, by_time);
        describe_all(sorted, count, &line);
        lines_add(pool, out, pool_print(pool, "tried on %s", device_id), string_text(&line));
    }
    free(sorted);
}

/* The trial of the baseline; NULL if there is none. */
static const struct trial_record *trial_of_baseline(const struct block_record *block)
{
    for (unsigned i = 0; i < block->cells; i++) {
        const struct cell_record *cell = block->cell[i];
        for (unsigned k = 0; k < block->trials && strcmp(cell->key, cell->baseline) == 0; k++)
            if (strcmp(block->trial[k].device_id, cell->device_id) == 0 &&
                strcmp(block->trial[k].method, cell->method) == 0)
                return &block->trial[k];
    }
    return NULL;
}

/* A method that repacks may lose because of the repacking; then the resident speed-ups are not relative to the fastest
 * method. */
static void append_faster_resident(struct pool *pool, struct lines *out, const struct block_record *block)
{
    const struct trial_record *baseline = trial_of_baseline(block), *fastest = baseline;
    char time[TEXT_NUMBER], against[TEXT_NUMBER];
    for (unsigned i = 0; baseline && i < block->trials; i++) {
        const struct trial_record *trial = &block->trial[i];
        if (strcmp(trial->device_id, baseline->device_id) == 0 && !isnan(trial->repack) && trial->run < fastest->run)
            fastest = trial;
    }
    if (!baseline || !(fastest->run * (1 + noteworthy) < baseline->run))
        return;
    lines_add(
        pool, out, "",
        pool_print(pool,
                   "%s %s computes faster than the baseline on operands in its own layout (%s when tried, %s %s): "
                   "against it the resident speed-ups would be smaller.",
                   fastest->device_id, fastest->method, text_seconds(time, fastest->run), baseline->method,
                   text_seconds(against, baseline->run)));
}

void trials_append(struct pool *pool, struct lines *out, const struct block_record *block)
{
    for (unsigned i = 0; i < block->trials; i++)
        if (is_first_of_device(block, i))
            append_device(pool, out, block, block->trial[i].device_id);
    append_faster_resident(pool, out, block);
}
