#include "bench/schedule/recall.h"

#include "bench/backends/registry.h"
#include "harness/base/text.h"

#include <string.h>

/* Those within this share of the winner are left to later races. */
static const double remembered_margin = 0.95;

/* Whether it is a contender of the method that may race. */
static bool may_race(const struct contest *contest, const struct tuned_contender *tuned, const char *method)
{
    return strcmp(tuned->method, method) == 0 &&
           (tuned->end == TUNED_FAST || (tuned->end == TUNED_LEFT && contest->is_continued));
}

const struct tuned_contender *recall_first(const struct contest *contest, const char *method)
{
    const struct tuned_contender *first = NULL;
    for (unsigned i = 0; i < contest->tuned.count && contest->is_remembered; i++) {
        const struct tuned_contender *tuned = &contest->tuned.contender[i];
        bool is_before = !first || (tuned->end == TUNED_FAST && first->end == TUNED_LEFT);
        if (is_before && may_race(contest, tuned, method))
            first = tuned;
    }
    return first;
}

bool recall_admits(const struct contest *contest, const char *method, const char *kernel_shape)
{
    bool admits = !contest->is_remembered;
    for (unsigned i = 0; i < contest->tuned.count && !admits; i++) {
        const struct tuned_contender *tuned = &contest->tuned.contender[i];
        bool is_all = tuned->end == TUNED_LEFT && !*tuned->kernel_shape;
        admits = may_race(contest, tuned, method) && (is_all || strcmp(tuned->kernel_shape, kernel_shape) == 0);
    }
    return admits;
}

unsigned recall_choices(const struct contest *contest, const struct cell *cell)
{
    unsigned count = 0;
    if (!contest->is_remembered)
        return method_kernel_shapes(cell->method, &cell->problem, cell->device);
    for (unsigned i = 0; i < contest->tuned.count; i++)
        count += may_race(contest, &contest->tuned.contender[i], cell->method->name);
    return count;
}

bool recall_has(const struct contest *contest, const char *method, enum tuned_end end)
{
    for (unsigned i = 0; i < contest->tuned.count; i++)
        if (contest->tuned.contender[i].end == end && strcmp(contest->tuned.contender[i].method, method) == 0)
            return true;
    return false;
}

/* Whether the cache is used at all: not for scripted devices, which may be others in the next run, and only for a race
 * of all methods with warm caches, as another may be the fastest with cold ones. */
static bool is_possible(const struct contest *contest)
{
    const struct options *options = contest->context->options;
    const struct cell *cell = contest->runner[0].candidate->cell;
    const struct backend *backend = backend_find(cell->device->backend);
    bool has_all = !options->method[0] && options->suite != SUITE_FULL && cell->method->launch_mode == LAUNCH_USUAL &&
                   cell->flush == 0;
    return contest->context->tuning_cache.entries && has_all && backend && !backend->now;
}

static struct tuning_key key_of(const struct contest *contest)
{
    const struct cell *cell = contest->runner[0].candidate->cell;
    return (struct tuning_key){ &cell->problem, cell->device, cell->memory,
                                contest->context->setup.host->worker_threads };
}

static bool has_any(const struct contest *contest, enum tuned_end end)
{
    for (unsigned i = 0; i < contest->runners; i++) {
        const struct candidate *candidate = contest->runner[i].candidate;
        if (candidate->outcome.status == STATUS_OK && recall_has(contest, candidate->cell->method->name, end))
            return true;
    }
    return false;
}

void recall_read(struct contest *contest)
{
    const struct tuning_key key = key_of(contest);
    bool is_found = is_possible(contest) && tuning_cache_find(&contest->context->tuning_cache, &key, &contest->tuned);
    contest->is_remembered = is_found && has_any(contest, TUNED_FAST);
    contest->is_continued =
        contest->is_remembered && contest->context->options->suite != SUITE_QUICK && has_any(contest, TUNED_LEFT);
}

/* Nothing is sure before RACE_FIRST_LOOK; without any round there was one contender, which has no rival. */
static bool has_enough_rounds(const struct contest *contest)
{
    unsigned most = 0;
    for (unsigned i = 0; i < contest->contenders; i++)
        most = contest->contender[i].standing[RACE_COMPUTE].rounds > most
                   ? contest->contender[i].standing[RACE_COMPUTE].rounds
                   : most;
    return most == 0 || most >= RACE_FIRST_LOOK;
}

static bool is_fast(const struct contender *contender)
{
    bool is_fast = false;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        const struct standing *standing = &contender->standing[kind];
        bool is_unsure = standing->rounds >= RACE_FIRST_LOOK && !standing->is_out;
        is_fast |= standing->ratio >= remembered_margin || is_unsure;
    }
    return is_fast && contender_is_ready(contender);
}

static void add(struct tuned *tuned, const char *method, const char *kernel_shape, enum tuned_end end)
{
    if (tuned->count == TUNED_MAX)
        return;
    struct tuned_contender *to = &tuned->contender[tuned->count++];
    text_copy(to->method, sizeof to->method, method);
    text_copy(to->kernel_shape, sizeof to->kernel_shape, kernel_shape);
    to->end = end;
}

/* Whether the race had this contender, with whatever end. */
static bool has_entered(const struct contest *contest, const struct tuned_contender *tuned)
{
    for (unsigned i = 0; i < contest->contenders; i++) {
        const struct contender *contender = &contest->contender[i];
        if (contender->runner && strcmp(contender->runner->candidate->cell->method->name, tuned->method) == 0 &&
            strcmp(contender->kernel_shape, tuned->kernel_shape) == 0)
            return true;
    }
    return false;
}

/* What an earlier race left, and this one did not come to. A bad contender does not race again. */
static void carry_over(const struct contest *contest, struct tuned *to)
{
    for (unsigned i = 0; i < contest->tuned.count; i++) {
        const struct tuned_contender *tuned = &contest->tuned.contender[i];
        bool is_untried = tuned->end == TUNED_LEFT && *tuned->kernel_shape && !has_entered(contest, tuned);
        if (tuned->end == TUNED_BAD || is_untried)
            add(to, tuned->method, tuned->kernel_shape, tuned->end);
    }
}

void recall_write(const struct contest *contest)
{
    const struct tuning_key key = key_of(contest);
    struct tuned tuned = { .count = 0 };
    bool has_fast = false;
    for (unsigned i = 0; i < contest->contenders; i++) {
        const struct contender *contender = &contest->contender[i];
        bool fast = is_fast(contender), is_bad = contender->standing[RACE_COMPUTE].end == RACE_FAILED;
        has_fast |= fast;
        if (contender->runner && (fast || is_bad || contender->was_left))
            add(&tuned, contender->runner->candidate->cell->method->name, contender->kernel_shape,
                fast     ? TUNED_FAST
                : is_bad ? TUNED_BAD
                         : TUNED_LEFT);
    }
    if (contest->is_continued)
        carry_over(contest, &tuned);
    if (has_fast && has_enough_rounds(contest) && is_possible(contest))
        tuning_cache_remember(&contest->context->tuning_cache, &key, &tuned);
}
