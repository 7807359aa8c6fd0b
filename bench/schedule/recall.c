#include "bench/schedule/recall.h"

#include "bench/backends/registry.h"
#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* Those within this share of the winner are left to later runs. */
static const double remembered_margin = 0.95;

/* Seconds of a first run that is no burden to a run of the quick suite. */
static const double soon = 2;

bool recall_has(const struct contest *contest, const char *method, const char *kernel_shape, bool is_bad,
                const char **found)
{
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        for (unsigned i = 0; i < contest->tuned[kind].count; i++) {
            const struct tuned_contender *tuned = &contest->tuned[kind].contender[i];
            if (tuned->is_bad != is_bad || strcmp(tuned->method, method) != 0 ||
                (kernel_shape && strcmp(tuned->kernel_shape, kernel_shape) != 0))
                continue;
            if (found)
                *found = tuned->kernel_shape;
            return true;
        }
    return false;
}

bool recall_is_possible(const struct contest *contest)
{
    const struct options *options = contest->context->options;
    const struct cell *cell = contest->runner[0].candidate->cell;
    const struct backend *backend = backend_find(cell->device->backend);
    bool has_all = !options->method[0] && options->suite != SUITE_FULL && cell->method->launch_mode == LAUNCH_USUAL;
    return contest->context->tuning_cache.entries && has_all && backend && !backend->now;
}

static struct tuning_key key_of(const struct contest *contest, enum race_kind kind)
{
    const struct cell *cell = contest->runner[0].candidate->cell;
    return (struct tuning_key){ &cell->problem, cell->device, cell->memory, kind == RACE_TRANSFERS };
}

void recall_read(struct contest *contest)
{
    const struct options *options = contest->context->options;
    for (enum race_kind kind = 0; kind < RACE_KINDS && recall_is_possible(contest) && !options->retune; kind++) {
        const struct tuning_key key = key_of(contest, kind);
        tuning_cache_find(&contest->context->tuning_cache, &key, &contest->tuned[kind]);
    }
    bool is_enough = !contest->tuned[RACE_COMPUTE].is_partial || options->suite == SUITE_QUICK;
    for (unsigned i = 0; i < contest->runners && is_enough; i++)
        contest->is_remembered |=
            contest->runner[i].candidate->outcome.status == STATUS_OK &&
            recall_has(contest, contest->runner[i].candidate->cell->method->name, NULL, false, NULL);
}

bool recall_leaves_out(const struct contest *contest, struct contender *contender)
{
    const char *method = contender->runner->candidate->cell->method->name;
    if (!contest->is_remembered || contender->outcome.status != STATUS_OK ||
        recall_has(contest, method, NULL, false, NULL))
        return false;
    bool was_bad = recall_has(contest, method, NULL, true, NULL);
    contender_pass_over(contender, was_bad ? "failed in an earlier race" : "slower in an earlier race");
    return true;
}

void recall_write(const struct contest *contest, enum race_kind kind)
{
    const struct tuning_key key = key_of(contest, kind);
    struct tuned tuned = { .starts_soon = true };
    for (unsigned i = 0; i < contest->contenders && tuned.count < TUNED_MAX; i++) {
        const struct contender *contender = &contest->contender[i];
        const struct standing *standing = &contender->standing[kind];
        bool is_bad = contender->runner && standing->end == RACE_FAILED;
        bool was_untried = contender->runner && standing->end == RACE_PASSED_OVER;
        tuned.is_partial |= was_untried && contender->outcome.status != STATUS_UNSUPPORTED;
        if (!is_bad && !(contender->runner && contender_is_ready(contender) && standing->ratio >= remembered_margin))
            continue;
        struct tuned_contender *to = &tuned.contender[tuned.count++];
        text_copy(to->method, sizeof to->method, contender->runner->candidate->cell->method->name);
        text_copy(to->kernel_shape, sizeof to->kernel_shape, contender->kernel_shape);
        to->is_bad = is_bad;
        tuned.starts_soon &= is_bad || contender->first <= soon;
    }
    tuning_cache_remember(&contest->context->tuning_cache, &key, &tuned);
}

bool recall_survivor(struct contest *contest, unsigned *only)
{
    const char *method = NULL, *shape = NULL;
    bool is_hurried = contest->context->options->suite == SUITE_QUICK;
    if (!contest->is_remembered || (is_hurried && !contest->tuned[RACE_COMPUTE].starts_soon))
        return false;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        for (unsigned i = 0; i < contest->tuned[kind].count; i++) {
            const struct tuned_contender *tuned = &contest->tuned[kind].contender[i];
            bool is_other = method && (strcmp(tuned->method, method) != 0 || strcmp(tuned->kernel_shape, shape) != 0);
            if (!tuned->is_bad && is_other)
                return false;
            method = tuned->is_bad ? method : tuned->method;
            shape = tuned->is_bad ? shape : tuned->kernel_shape;
        }
    for (unsigned i = 0; i < contest->runners; i++) {
        struct contender *contender = &contest->contender[i * KERNEL_SHAPES_MAX];
        if (!recall_leaves_out(contest, contender) && contender->outcome.status == STATUS_OK)
            *only = i;
    }
    return true;
}
