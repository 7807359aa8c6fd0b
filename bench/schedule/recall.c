#include "bench/schedule/recall.h"

#include "bench/backends/registry.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* Those within this share of the winner are left to later races. */
static const double remembered_margin = 0.95;

const struct tuned_contender *recall_find(const struct contest *contest, const char *method, const char *kernel_shape,
                                          bool is_bad)
{
    for (unsigned i = 0; i < contest->tuned.count; i++) {
        const struct tuned_contender *tuned = &contest->tuned.contender[i];
        if (tuned->is_bad == is_bad && strcmp(tuned->method, method) == 0 &&
            (!kernel_shape || strcmp(tuned->kernel_shape, kernel_shape) == 0))
            return tuned;
    }
    return NULL;
}

unsigned recall_kernel_shapes(const struct contest *contest, const char *method)
{
    unsigned count = 0;
    for (unsigned i = 0; i < contest->tuned.count; i++)
        count += !contest->tuned.contender[i].is_bad && strcmp(contest->tuned.contender[i].method, method) == 0;
    return count;
}

/* Whether the cache is used at all: not for scripted devices, which may be others in the next run, and only for a race
 * of all methods. */
static bool is_possible(const struct contest *contest)
{
    const struct options *options = contest->context->options;
    const struct cell *cell = contest->runner[0].candidate->cell;
    const struct backend *backend = backend_find(cell->device->backend);
    bool has_all = !options->method[0] && options->suite != SUITE_FULL && cell->method->launch_mode == LAUNCH_USUAL;
    return contest->context->tuning_cache.entries && has_all && backend && !backend->now;
}

static struct tuning_key key_of(const struct contest *contest)
{
    const struct cell *cell = contest->runner[0].candidate->cell;
    return (struct tuning_key){ &cell->problem, cell->device, cell->memory };
}

void recall_read(struct contest *contest)
{
    const struct tuning_key key = key_of(contest);
    bool is_found = is_possible(contest) && tuning_cache_find(&contest->context->tuning_cache, &key, &contest->tuned);
    bool is_enough = !contest->tuned.is_partial || contest->context->options->suite == SUITE_QUICK;
    for (unsigned i = 0; i < contest->runners && is_found && is_enough; i++) {
        const struct candidate *candidate = contest->runner[i].candidate;
        contest->is_remembered |=
            candidate->outcome.status == STATUS_OK && recall_find(contest, candidate->cell->method->name, NULL, false);
    }
}

void recall_write(const struct contest *contest)
{
    const struct tuning_key key = key_of(contest);
    struct tuned tuned = { .count = 0 };
    bool has_any = false;
    for (unsigned i = 0; i < contest->contenders && tuned.count < TUNED_MAX; i++) {
        const struct contender *contender = &contest->contender[i];
        const struct standing *stay = &contender->standing[RACE_COMPUTE], *move = &contender->standing[RACE_TRANSFERS];
        bool is_bad = contender->runner && stay->end == RACE_FAILED;
        bool is_good = contender_is_ready(contender) && fmax(stay->ratio, move->ratio) >= remembered_margin;
        tuned.is_partial |=
            contender->runner && stay->end == RACE_PASSED_OVER && contender->outcome.status != STATUS_UNSUPPORTED;
        has_any |= is_good;
        if (!is_bad && !is_good)
            continue;
        struct tuned_contender *to = &tuned.contender[tuned.count++];
        text_copy(to->method, sizeof to->method, contender->runner->candidate->cell->method->name);
        text_copy(to->kernel_shape, sizeof to->kernel_shape, contender->kernel_shape);
        to->is_bad = is_bad;
    }
    if (has_any && is_possible(contest))
        tuning_cache_remember(&contest->context->tuning_cache, &key, &tuned);
}
