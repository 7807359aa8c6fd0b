#include "bench/schedule/race.h"

#include "bench/schedule/contest.h"
#include "bench/schedule/driver_log.h"
#include "bench/schedule/recall.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum measures race_measures(enum race_kind kind)
{
    return kind == RACE_TRANSFERS ? MEASURES_TRANSFERS : MEASURES_COMPUTE;
}

static double seconds_of(const struct cell *cell)
{
    unsigned kernel_shapes = method_kernel_shapes(cell->method, &cell->problem, cell->device);
    return contest_try_seconds(cell, true) + (kernel_shapes - 1) * contest_try_seconds(cell, false);
}

/* Ends that are no matter of rounds: what failed, and what was too slow for any. */
static void settle(const struct contest *contest, struct contender *contender, enum race_kind kind)
{
    struct standing *standing = &contender->standing[kind];
    bool has_no_round = standing->rounds == 0 && isnan(standing->ratio);
    enum status status = contender->outcome.status;
    if (status != STATUS_OK) {
        standing->end = status_is_bad(status) && status != STATUS_ABANDONED ? RACE_FAILED : RACE_PASSED_OVER;
        standing->ratio = standing->run = NAN;
    } else if (contender_is_ready(contender) && has_no_round) {
        double ratio = contest_fastest(contest)->run / contender->run;
        *standing = (struct standing){ .end = RACE_SLOWER, .ratio = ratio, .run = contender->run };
    } else if (isnan(standing->run) && contender_is_ready(contender)) {
        standing->run = contender->run; /* it raced alone */
    }
}

/* The best ratio of those that tie: 1, unless the leader failed after it had led a heat. */
static double best_ratio(const struct contest *contest, enum race_kind kind)
{
    double best = 0;
    for (unsigned i = 0; i < contest->contenders; i++) {
        const struct standing *standing = &contest->contender[i].standing[kind];
        if (contest->contender[i].runner && standing->end == RACE_TIED)
            best = fmax(best, standing->ratio);
    }
    return best;
}

/* As race_choice decides, for a race of several heats. */
static bool is_eligible(const struct standing *standing, double best)
{
    return standing->end == RACE_TIED && standing->ratio >= race_close * best;
}

/* The contender to measure: of those that tie with the leader the first of the table, in both races the same if there
 * is one. A method has one cell, so that it has one kernel shape in both. */
static void choose(const struct contest *contest)
{
    struct contender *choice[RACE_KINDS] = { NULL, NULL }, *both = NULL;
    const double best[RACE_KINDS] = { best_ratio(contest, RACE_COMPUTE), best_ratio(contest, RACE_TRANSFERS) };
    for (unsigned i = 0; i < contest->contenders; i++) {
        struct contender *contender = &contest->contender[i];
        bool is_both = contender->runner;
        for (enum race_kind kind = 0; kind < RACE_KINDS && contender->runner; kind++) {
            bool fits = is_eligible(&contender->standing[kind], best[kind]);
            choice[kind] = choice[kind] || !fits ? choice[kind] : contender;
            is_both = is_both && fits;
        }
        both = both || !is_both ? both : contender;
    }
    if (!both && choice[RACE_COMPUTE] && choice[RACE_TRANSFERS] &&
        choice[RACE_COMPUTE]->runner == choice[RACE_TRANSFERS]->runner)
        both = choice[RACE_COMPUTE];
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++)
        if (both || choice[kind])
            (both ? both : choice[kind])->standing[kind].end = RACE_MEASURED;
}

static double rank_of(const struct standing *standing)
{
    return standing->end == RACE_MEASURED ? 0 : standing->end == RACE_TIED ? 1 : 1 + 1 / standing->ratio;
}

/* Takes over what the race found of a method: the best of its kernel shapes, or why none can be measured. */
static void take_over(const struct contest *contest, unsigned number)
{
    struct candidate *candidate = contest->runner[number].candidate;
    const struct contender *first = &contest->contender[number * KERNEL_SHAPES_MAX];
    bool has_any = false;
    double run = INFINITY;
    if (candidate->outcome.status != STATUS_OK)
        return;
    for (const struct contender *one = first; one < first + KERNEL_SHAPES_MAX; one++)
        for (enum race_kind kind = 0; kind < RACE_KINDS && one->runner && contender_is_ready(one); kind++) {
            double rank = rank_of(&one->standing[kind]);
            has_any = true;
            run = fmin(run, one->run);
            if (!isnan(candidate->rank[kind]) && candidate->rank[kind] <= rank)
                continue;
            candidate->rank[kind] = rank;
            text_copy(candidate->kernel_shape[kind], sizeof candidate->kernel_shape[kind], one->kernel_shape);
        }
    candidate->was_passed_over = !has_any && first->outcome.status == STATUS_TOO_SLOW;
    if (!has_any && !candidate->was_passed_over && first->outcome.status != STATUS_ABANDONED)
        candidate->outcome = first->outcome;
    if (status_is_death(candidate->outcome.status))
        admission_record_death(&contest->context->terms->admission, candidate->cell);
    if (has_any)
        admission_record_run(&contest->context->terms->admission, candidate->cell, run);
}

/* A contender in the line of a race. What the driver printed last explains a failure. */
static json_t *contender_to_json(const struct contest *contest, const struct contender *contender, enum race_kind kind)
{
    const struct candidate *candidate = contender->runner->candidate;
    const struct standing *standing = &contender->standing[kind];
    const struct error *outcome = &contender->outcome;
    char words[DRIVER_LOG_TAIL] = "";
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:i, s:o, s:s, s:o, s:o, s:s, s:s}", "method", candidate->cell->method->name, "kernel_shape",
        contender->kernel_shape, "status", status_name(outcome->status), "rounds", (int)standing->rounds, "ratio",
        journal_number(standing->ratio), "end", race_end_name(standing->end), "wall_ns", journal_ns(standing->run),
        "first_ns", journal_ns(contender->first), "where", outcome->where, "reason", outcome->message);
    if (status_is_bad(outcome->status))
        driver_log_tail(words, sizeof words, contest->context->run_log.path, candidate->cell->device->id,
                        candidate->driver_log);
    if (words[0])
        json_object_set_new(json, "log", json_string(words));
    return json;
}

static void write_race(const struct contest *contest, enum race_kind kind, bool has_choice)
{
    bool is_remembered = contest->is_remembered && !contest->is_continued;
    const char *origin = is_remembered ? "remembered" : has_choice ? "tuned" : "only";
    const struct cell *cell = contest->runner[0].candidate->cell;
    json_t *contenders = json_array();
    unsigned rounds = 0;
    for (unsigned i = 0; i < contest->contenders; i++) {
        const struct contender *contender = &contest->contender[i];
        if (!contender->runner)
            continue;
        rounds = contender->standing[kind].rounds > rounds ? contender->standing[kind].rounds : rounds;
        json_array_append_new(contenders, contender_to_json(contest, contender, kind));
    }
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:o}", "line", "race", "block", cell->block,
                             "device", cell->device->id, "memory", memory_name(cell->memory), "dtype",
                             dtype_name(cell->problem.dtype), "for", measures_name(race_measures(kind)), "rounds",
                             (int)rounds, "origin", origin, "contenders", contenders);
    if (is_remembered)
        json_object_set_new(line, "since", json_string(contest->tuned.since));
    run_log_write(&contest->context->run_log, line);
}

/* The contenders of the race. Returns how many it has to choose from; `alone` is the last of them. What an earlier race
 * did not leave is passed over. */
static unsigned enter(struct contest *contest, struct contender **alone)
{
    unsigned choices = 0;
    memset(contest->contender, 0, contest->contenders * sizeof *contest->contender);
    for (unsigned i = 0; i < contest->runners; i++) {
        const struct candidate *candidate = contest->runner[i].candidate;
        const char *method = candidate->cell->method->name;
        const struct tuned_contender *tuned = recall_first(contest, method);
        struct contender *contender = contest_add(contest, i, 0, tuned ? tuned->kernel_shape : "");
        contender->outcome = candidate->outcome;
        if (contest->is_remembered && !tuned && contender->outcome.status == STATUS_OK)
            contender_pass_over(contender, recall_has(contest, method, TUNED_BAD) ? "failed in an earlier race"
                                                                                  : "slower in an earlier race");
        if (contender->outcome.status != STATUS_OK)
            continue;
        choices += recall_choices(contest, candidate->cell);
        *alone = contender;
    }
    return choices;
}

/* A contender that is alone is measured without a race: it is not even opened for that. */
static void take_alone(struct contender *alone)
{
    struct candidate *candidate = alone->runner->candidate;
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        alone->standing[kind] = (struct standing){ .end = RACE_MEASURED, .ratio = NAN, .run = NAN };
        candidate->rank[kind] = 0;
        text_copy(candidate->kernel_shape[kind], sizeof candidate->kernel_shape[kind], alone->kernel_shape);
    }
}

/* Races, judges, and leaves what it found to later races. If none works of those that an earlier race left, all race.
 */
static void decide(struct contest *contest)
{
    struct contender *alone;
    contest_run(contest);
    if (contest->is_remembered && !contest_fastest(contest) && !contest->context->interrupted) {
        contest->is_remembered = contest->is_continued = false;
        enter(contest, &alone);
        contest_run(contest);
    }
    for (unsigned i = 0; i < contest->contenders; i++)
        for (enum race_kind kind = 0; kind < RACE_KINDS && contest->contender[i].runner; kind++)
            settle(contest, &contest->contender[i], kind);
    choose(contest);
    if ((!contest->is_remembered || contest->is_continued) && !contest->context->interrupted)
        recall_write(contest);
    for (unsigned i = 0; i < contest->runners; i++)
        take_over(contest, i);
}

/* A race with one contender is none. It is written all the same, with the reasons why the others did not take part. */
static void run_contest(struct contest *contest)
{
    struct contender *alone = NULL;
    recall_read(contest);
    unsigned choices = enter(contest, &alone);
    if (choices == 0)
        return;
    if (choices == 1)
        take_alone(alone);
    else
        decide(contest);
    for (enum race_kind kind = 0; kind < (contest->repacks ? RACE_KINDS : RACE_TRANSFERS); kind++)
        write_race(contest, kind, choices > 1);
}

/* The index after the candidates that race together: a row, or neighbouring rows of one candidate on the baseline's
 * device. */
static unsigned group_end(const struct device *baseline, const struct candidate candidate[], unsigned count,
                          unsigned first)
{
    unsigned end = race_row_end(candidate, count, first);
    if (end > first + 1 || candidate[first].cell->device != baseline)
        return end;
    while (end < count && candidate[end].cell->device == baseline && race_row_end(candidate, count, end) == end + 1)
        end++;
    return end;
}

unsigned race_row_end(const struct candidate candidate[], unsigned count, unsigned first)
{
    unsigned end = first + 1;
    while (end < count && candidate[end].cell->row == candidate[first].cell->row)
        end++;
    return end;
}

/* The same method on the same device in another kind of memory, before it; NULL: there is none. */
static const struct candidate *raced_before(const struct candidate candidate[], const struct candidate *one)
{
    for (const struct candidate *other = candidate; other < one; other++)
        if (other->cell->device == one->cell->device && other->cell->method == one->cell->method)
            return other;
    return NULL;
}

/* Whether a race in another kind of memory has ranked a method of these. Runs are the same, so that there is no second
 * race. */
static bool are_ranked(const struct candidate candidate[], unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        const struct candidate *before = raced_before(candidate, &candidate[i]);
        if (before && before->outcome.status == STATUS_OK && !isnan(before->rank[RACE_COMPUTE]))
            return true;
    }
    return false;
}

/* The contest's share of what is left of the tuning budget: that of its estimated time in all that are left. Cells that
 * the plan refused have no part in either, as in race_seconds. */
static double take_share(struct context *context, const struct contest *contest)
{
    double seconds = 0;
    for (unsigned i = 0; i < contest->runners; i++) {
        const struct cell *cell = contest->runner[i].candidate->cell;
        seconds += cell->refused.status == STATUS_OK ? seconds_of(cell) : 0;
    }
    double share = context->tuning_left * seconds / fmax(seconds, context->tuning_planned);
    context->tuning_planned -= seconds;
    return share;
}

/* Whether there is anything to choose from. Refused candidates count: the race says why they did not take part. */
static bool is_contested(const struct contest *contest)
{
    const struct cell *only = contest->runners == 1 ? contest->runner[0].candidate->cell : NULL;
    return contest->runners > 1 || (only && method_kernel_shapes(only->method, &only->problem, only->device) > 1);
}

/* Races the candidates from `first` to `end`. Without memory for that none is preferred. */
static void race_group(struct context *context, struct candidate candidate[], unsigned first, unsigned end)
{
    unsigned count = end - first;
    struct contest contest = {
        .context = context,
        .runner = calloc(count, sizeof *contest.runner),
        .contender = calloc((size_t)count * KERNEL_SHAPES_MAX, sizeof *contest.contender),
    };
    bool has_memory = contest.runner && contest.contender, is_known = are_ranked(candidate, first, end);
    for (unsigned i = first; i < end && has_memory; i++)
        if (candidate[i].cell->method && !(is_known && raced_before(candidate, &candidate[i])))
            contest.runner[contest.runners++] = (struct runner){ .context = context, .candidate = &candidate[i] };
    contest.contenders = contest.runners * KERNEL_SHAPES_MAX;
    if (is_contested(&contest) && !context->interrupted) {
        contest.share = take_share(context, &contest);
        run_contest(&contest);
        context->tuning_left = fmax(0, context->tuning_left - contest.spent);
    }
    for (unsigned i = 0; i < contest.runners; i++)
        json_decref(contest.runner[i].kernel_shapes);
    free(contest.runner);
    free(contest.contender);
}

/* A dead worker, or a device that does not open, counts against the device only if no method of the row worked. */
static void count_losses(struct context *context, const struct candidate row[], unsigned count)
{
    bool died = false;
    for (unsigned i = 0; i < count; i++)
        died = died || client_counts_against_device(&row[i].outcome) || row[i].lacks_device;
    if (died && row[0].outcome.status != STATUS_OK)
        admission_record_loss(&context->terms->admission, row[0].cell->device);
}

void race_rows(struct context *context, struct candidate candidate[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        candidate[i].rank[RACE_COMPUTE] = candidate[i].rank[RACE_TRANSFERS] = NAN;
        candidate[i].driver_log = driver_log_written(context->run_log.path, candidate[i].cell->device->id);
        context_admits(context, candidate[i].cell, 0, &candidate[i].outcome);
    }
    for (unsigned first = 0, end; first < count; first = end) {
        end = group_end(context->terms->baseline, candidate, count, first);
        race_group(context, candidate, first, end);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct candidate *before = raced_before(candidate, &candidate[i]);
        bool has_own = !isnan(candidate[i].rank[RACE_COMPUTE]) || candidate[i].was_passed_over;
        if (!before || before->outcome.status != STATUS_OK || candidate[i].outcome.status != STATUS_OK || has_own)
            continue;
        memcpy(candidate[i].rank, before->rank, sizeof before->rank);
        memcpy(candidate[i].kernel_shape, before->kernel_shape, sizeof before->kernel_shape);
        candidate[i].was_passed_over = before->was_passed_over;
    }
    race_order(context->terms->baseline, candidate, count, RACE_COMPUTE);
    for (unsigned first = 0, end; first < count; first = end) {
        end = race_row_end(candidate, count, first);
        count_losses(context, &candidate[first], end - first);
    }
}

/* Order of candidates: ranked, not ranked, passed over, failed, unavailable. */
static unsigned class_of(const struct candidate *candidate, enum race_kind kind)
{
    if (candidate->outcome.status != STATUS_OK)
        return status_is_bad(candidate->outcome.status) ? 3 : 4;
    return candidate->was_passed_over ? 2 : isnan(candidate->rank[kind]) ? 1 : 0;
}

/* For qsort_r. The plan's order breaks ties. */
static int compare(const void *a, const void *b, void *context)
{
    const struct candidate *one = a, *other = b;
    const enum race_kind kind = *(const enum race_kind *)context;
    unsigned class = class_of(one, kind), against = class_of(other, kind);
    if (class != against)
        return class < against ? -1 : 1;
    if (class == 0 && one->rank[kind] != other->rank[kind])
        return one->rank[kind] < other->rank[kind] ? -1 : 1;
    return one->cell < other->cell ? -1 : 1;
}

void race_order(const struct device *baseline, struct candidate candidate[], unsigned count, enum race_kind kind)
{
    for (unsigned first = 0, end; first < count; first = end) {
        end = group_end(baseline, candidate, count, first);
        qsort_r(&candidate[first], end - first, sizeof *candidate, compare, &kind);
    }
}

/* Whether the cell may race: there is a choice, and its method does not race in another kind of memory. */
static bool may_race(struct context *context, const struct cell cell[], unsigned cells, const struct cell *one)
{
    bool has_choice = method_kernel_shapes(one->method, &one->problem, one->device) > 1;
    for (const struct cell *other = cell; other < cell + cells; other++) {
        if (other->refused.status != STATUS_OK)
            continue;
        if (other < one && other->device == one->device && other->method == one->method)
            return false;
        bool are_together = other->row == one->row || one->device == context->terms->baseline;
        has_choice |= are_together && other->device == one->device && other->method != one->method;
    }
    return has_choice && one->method && one->refused.status == STATUS_OK;
}

double race_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    double seconds = 0;
    for (unsigned i = 0; i < cells; i++)
        if (may_race(context, cell, cells, &cell[i]))
            seconds += seconds_of(&cell[i]);
    return seconds;
}
