#include "bench/schedule/calibrate.h"

#include "bench/schedule/driver_log.h"
#include "harness/analysis/plausible.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds of one try beside filling the operands once: for the progress line. */
static const double typical_try = 0.8;

/* A method is not tried if it is predicted to take this long, and this many times as long as the fastest. */
static const double long_try = 5, long_ratio = 4;

/* Seconds of runs in a try. */
static const double trial_slice = 0.1;

/* A method that is not ready after this many seconds is passed over, in the two suites that must be quick. Some
 * libraries compile for minutes. */
static const double quick_timeout = 2, page_timeout = 10;

/* A driver may compile at the first run. If that took less than this, the next may be much shorter. */
static const double late_compile = 10;

/* The parts of the first run that count as getting ready. */
static const char *const ready_parts[] = { "open_ns", "alloc_ns", "compile_ns" };

/* Filling the operands once is less than half of opening a cell. */
static double try_seconds(const struct cell *cell)
{
    return typical_try + 0.4 * cell_opening_seconds(cell);
}

static bool is_alternative(struct context *context, const struct cell *cell, const struct cell *against)
{
    bool ranked_together = cell->row == against->row || cell->device == context->baseline;
    return cell->device == against->device && cell->method != against->method && ranked_together;
}

/* Whether the candidate has an alternative that can be measured. */
static bool has_alternative(struct context *context, const struct candidate candidate[], unsigned count,
                            const struct candidate *one)
{
    for (unsigned i = 0; i < count; i++)
        if (candidate[i].outcome.status == STATUS_OK && is_alternative(context, one->cell, candidate[i].cell))
            return true;
    return false;
}

/* What methods are ranked by: a run, with repacking from the layout that the workload states and back. Transfers are
 * the same for all methods. */
static double time_of(const struct candidate *candidate)
{
    return candidate->run + candidate->repack;
}

/* Seconds of the fastest alternative tried before it; INFINITY if there is none. */
static double fastest_alternative(struct context *context, const struct candidate candidate[],
                                  const struct candidate *one)
{
    double fastest = INFINITY;
    for (const struct candidate *other = candidate; other < one; other++)
        if (is_alternative(context, one->cell, other->cell))
            fastest = fmin(fastest, time_of(other)); /* fmin(x, NAN) is x */
    return fastest;
}

/* The same method on the same device in another kind of memory: resident runs are the same, so it is not tried again.
 */
static const struct candidate *tried_before(const struct candidate candidate[], const struct candidate *one)
{
    for (const struct candidate *other = candidate; other < one; other++)
        if (other->cell->device == one->cell->device && other->cell->method == one->cell->method &&
            (other->was_passed_over || !isnan(other->run)))
            return other;
    return NULL;
}

/* The journal's line of a try, still without figures. */
static json_t *line_new(const struct cell *cell)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "line", "trial", "block", cell->block, "device",
                     cell->device->id, "method", cell->method->name, "memory", memory_name(cell->memory), "dtype",
                     dtype_name(cell->problem.dtype));
}

static void line_write(struct context *context, json_t *line, const struct error *outcome)
{
    json_object_del(line, "ok");
    json_object_set_new(line, "status", json_string(status_name(outcome->status)));
    json_object_set_new(line, "where", json_string(outcome->where));
    json_object_set_new(line, "reason", json_string(outcome->message));
    run_log_write(&context->run_log, line);
}

/* Seconds until a method must be ready; INFINITY: no limit. */
static double timeout_of(struct context *context)
{
    enum suite suite = context->options->suite;
    return suite == SUITE_QUICK ? quick_timeout : suite == SUITE_UHD620 ? page_timeout : INFINITY;
}

/* Seconds without an answer after which its worker is ended. The host may first have to fill large operands. */
static double answer_timeout(struct context *context, const struct cell *cell)
{
    double filling = context->options->suite == SUITE_QUICK ? 0 : cell_host_seconds(cell);
    return fmin(context->setup.timeout, timeout_of(context) + filling);
}

/* Does the first run; its parts go to the line. */
static bool first_run(struct context *context, const struct cell *cell, struct client *client, json_t *line,
                      struct error *err)
{
    json_t *request = cell_to_request(cell, context->options, context->setup.host->worker_threads);
    json_t *reply = isinf(timeout_of(context)) ? client_open(client, request, cell_host_seconds(cell), err)
                                               : client_ask(client, request, 0, err);
    if (!reply)
        return false;
    json_object_update(line, reply);
    json_decref(reply);
    return true;
}

/* Whether the method took longer to get ready than it may. */
static bool was_too_late(struct context *context, const json_t *line, const struct error *outcome)
{
    double ready = 0, timeout = timeout_of(context);
    for (unsigned i = 0; i < sizeof ready_parts / sizeof *ready_parts; i++)
        ready += client_seconds(line, ready_parts[i]);
    return ready > timeout || (outcome->status == STATUS_TIMEOUT && timeout < context->setup.timeout);
}

/* Whether to run again: the first run may have compiled, and a long one is repeated only if it can still win.
 * `fastest`: seconds of the fastest so far. */
static bool is_worth_repeating(struct context *context, const struct device *device, double first, double fastest)
{
    double budget = context->rule.budget;
    if (first <= 0)
        return false;
    bool may_compile = !device->works_in_host_memory && first <= late_compile;
    return may_compile || first <= budget || first <= FIRST_OVER_STEADY * fmin(budget, fastest);
}

/* One slice; `expected`: seconds of one run. */
static json_t *slice(struct client *client, enum series series, double expected, struct error *err)
{
    json_t *request =
        json_pack("{s:s, s:s, s:o}", "do", "slice", "series", series_name(series), "ns", journal_ns(trial_slice));
    return client_ask(client, request, trial_slice + 4 * expected, err);
}

/* FLOP that a run really computes; 0 if a fast algorithm does fewer than are counted. */
static double counted_flops(const struct cell *cell)
{
    return cell->method && cell->method->is_fast ? 0 : cell->problem.workload->flops(&cell->problem);
}

/* The fastest plausible run: the least disturbed. One implausible run in a hundred is taken for an error of the clock;
 * more make the method fail. */
static bool fastest_believed(const struct cell *cell, const json_t *wall, double *fastest, struct error *err)
{
    double flops = counted_flops(cell), odd = INFINITY;
    size_t i, stumbles = 0, runs = json_array_size(wall);
    json_t *ns;
    *fastest = INFINITY;
    json_array_foreach (wall, i, ns) {
        struct error ignored = { .status = STATUS_OK };
        double seconds = journal_seconds(ns);
        bool is_believed = plausible_time(cell->device, cell->problem.dtype, flops, seconds, &ignored);
        stumbles += !is_believed;
        if (is_believed)
            *fastest = fmin(*fastest, seconds);
        else
            odd = seconds;
    }
    return (stumbles < runs && stumbles <= 1 + runs / RUNS_FOR_ONE_FALSE) ||
           plausible_time(cell->device, cell->problem.dtype, flops, odd, err);
}

/* Measures warm runs, unless the first run shows that they cannot win. A first run of no time shows nothing. */
static bool steady_runs(struct context *context, struct client *client, json_t *line, double fastest,
                        struct candidate *candidate)
{
    double first = client_seconds(line, "run_ns"), best;
    json_t *wall = json_pack("[o]", journal_ns(first));
    if (first <= 0 || is_worth_repeating(context, candidate->cell->device, first, fastest)) {
        json_t *reply = slice(client, SERIES_RESIDENT, first, &candidate->outcome);
        json_decref(wall);
        if (!reply)
            return false;
        wall = json_incref(json_object_get(reply, "wall_ns"));
        json_decref(reply);
    }
    bool is_believed = fastest_believed(candidate->cell, wall, &best, &candidate->outcome);
    if (is_believed) {
        candidate->run = best;
        json_object_set_new(line, "wall_ns", journal_ns(best));
        json_object_set_new(line, "runs", json_integer((json_int_t)json_array_size(wall)));
    }
    json_decref(wall);
    return is_believed;
}

/* Seconds of the fastest repacking that took any time; INFINITY if there was none. */
static double fastest_repacking(const json_t *reply)
{
    double fastest = INFINITY;
    size_t i;
    json_t *ns;
    json_array_foreach (json_object_get(json_object_get(reply, "phases"), "repack_ns"), i, ns)
        if (journal_seconds(ns) > 0)
            fastest = fmin(fastest, journal_seconds(ns));
    return fastest;
}

/* Measures repacking by its own phase: the difference of runs with and without it would be lost in noise. 0 if the
 * method takes operands as they are. */
static bool steady_repacking(struct context *context, struct client *client, json_t *line, double fastest,
                             struct candidate *candidate)
{
    static const char *const parts[] = { "upload_ns", "repack_ns", "run_ns", "download_ns" };
    double whole = 0;
    json_object_set_new(line, "repacking_ns", json_null());
    if (!json_is_integer(json_object_get(line, "repack_ns")))
        return true;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        whole += client_seconds(line, parts[i]);
    double repack = client_seconds(line, "repack_ns");
    if (is_worth_repeating(context, candidate->cell->device, whole, fastest)) {
        json_t *reply = slice(client, SERIES_OFFLOAD, whole, &candidate->outcome);
        if (!reply)
            return false;
        repack = fmin(repack, fastest_repacking(reply));
        json_decref(reply);
    }
    candidate->repack = repack;
    json_object_set_new(line, "repacking_ns", journal_ns(repack));
    return true;
}

static struct client *start(struct context *context, const struct worker_setup *setup, const struct cell *cell,
                            struct error *err)
{
    char label[CELL_TEXT], doing[CELL_TEXT];
    snprintf(doing, sizeof doing, "%s  trying %s", cell->device->id, cell->method->name);
    progress_announce(&context->progress, cell_label(cell, label), doing);
    int log = driver_log_open(context->run_log.path, cell->device->id);
    struct client *client = client_start(setup, cell->device->works_in_host_memory, log, err);
    if (log >= 0)
        close(log);
    return client;
}

/* Runs the candidate in a worker of its own. */
static void run_in_worker(struct context *context, struct candidate *candidate, json_t *line, double fastest)
{
    const struct cell *cell = candidate->cell;
    struct error *outcome = &candidate->outcome;
    struct worker_setup setup = context->setup;
    setup.timeout = answer_timeout(context, cell);
    struct client *client = start(context, &setup, cell, outcome);
    bool has_run = client && first_run(context, cell, client, line, outcome);
    candidate->was_passed_over = was_too_late(context, line, outcome);
    if (has_run && !candidate->was_passed_over)
        has_run = steady_runs(context, client, line, fastest, candidate) &&
                  steady_repacking(context, client, line, fastest, candidate);
    if (!has_run)
        candidate->run = NAN;
    candidate->lacks_device = outcome->status == STATUS_FAILED && client_lacks_device(client);
    client_end(client);
}

/* The line, with what the driver printed last if the try failed. */
static json_t *line_with_log(struct context *context, json_t *line, const struct candidate *candidate)
{
    const char *id = candidate->cell->device->id;
    char words[DRIVER_LOG_TAIL] = "";
    if (status_is_bad(candidate->outcome.status))
        driver_log_tail(words, sizeof words, context->run_log.path, id, candidate->driver_log);
    if (words[0])
        json_object_set_new(line, "log", json_string(words));
    return line;
}

/* Tries a candidate. If it was passed over or interrupted, it may still be measured. */
static void run_trial(struct context *context, struct candidate *candidate, double fastest)
{
    struct error *outcome = &candidate->outcome;
    json_t *line = line_new(candidate->cell);
    candidate->driver_log = driver_log_length(context->run_log.path, candidate->cell->device->id);
    run_in_worker(context, candidate, line, fastest);
    if (candidate->was_passed_over) {
        *outcome = (struct error){ .status = STATUS_OK };
        fail_in(outcome, "calibration", STATUS_TOO_SLOW, "passed over: not ready within %.0f s", timeout_of(context));
    }
    line_write(context, line_with_log(context, line, candidate), outcome);
    context->progress.done += try_seconds(candidate->cell);
    if (outcome->status == STATUS_ABANDONED)
        context->interrupted = true;
    if (outcome->status == STATUS_ABANDONED || candidate->was_passed_over)
        *outcome = (struct error){ .status = STATUS_OK };
    if (status_is_death(outcome->status))
        admission_record_death(&context->admission, candidate->cell);
    admission_record_run(&context->admission, candidate->cell, candidate->run);
}

/* Order of candidates: with a time, without one, passed over, failed, unavailable. */
static unsigned class_of(const struct candidate *candidate)
{
    if (candidate->outcome.status != STATUS_OK)
        return status_is_bad(candidate->outcome.status) ? 3 : 4;
    return candidate->was_passed_over ? 2 : isnan(candidate->run) ? 1 : 0;
}

/* For qsort. The plan's order breaks ties. */
static int compare(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    unsigned class = class_of(one), against = class_of(other);
    if (class != against)
        return class < against ? -1 : 1;
    if (class == 0 && time_of(one) != time_of(other))
        return time_of(one) < time_of(other) ? -1 : 1;
    return one->cell < other->cell ? -1 : 1;
}

unsigned calibrate_row_end(const struct candidate candidate[], unsigned count, unsigned first)
{
    unsigned end = first + 1;
    while (end < count && candidate[end].cell->row == candidate[first].cell->row)
        end++;
    return end;
}

/* The index after the candidates that are ordered together: a row, or neighbouring rows of one candidate on the
 * baseline's device. */
static unsigned ranked_end(const struct device *baseline, const struct candidate candidate[], unsigned count,
                           unsigned first)
{
    unsigned end = calibrate_row_end(candidate, count, first);
    if (end > first + 1 || candidate[first].cell->device != baseline)
        return end;
    while (end < count && candidate[end].cell->device == baseline &&
           calibrate_row_end(candidate, count, end) == end + 1)
        end++;
    return end;
}

/* A dead worker, or a device that does not open, counts against the device only if no method of the row worked. */
static void count_losses(struct context *context, const struct candidate row[], unsigned count)
{
    bool died = false;
    for (unsigned i = 0; i < count; i++)
        died = died || status_is_death(row[i].outcome.status) || row[i].lacks_device;
    if (died && row[0].outcome.status != STATUS_OK)
        admission_record_loss(&context->admission, row[0].cell->device);
}

/* The fastest tried of the candidate's row if its runs are too long to measure others; otherwise NULL. */
static const struct candidate *slow_alternative(struct context *context, const struct candidate candidate[],
                                                const struct candidate *one)
{
    const struct candidate *fastest = NULL;
    for (const struct candidate *other = candidate; other < one; other++)
        if (other->cell->row == one->cell->row && !isnan(other->run) && (!fastest || other->run < fastest->run))
            fastest = other;
    return fastest && fastest->run > RUN_BUDGETS_MAX * context->rule.budget ? fastest : NULL;
}

static void pass_over(struct context *context, struct candidate *candidate, const struct error *why)
{
    line_write(context, line_new(candidate->cell), why);
    candidate->was_passed_over = true;
    context->progress.done += try_seconds(candidate->cell);
}

/* Whether trying it would waste time, by its alternatives or by its own runs at smaller sizes. */
static bool is_wasted(struct context *context, const struct candidate candidate[], const struct candidate *one,
                      struct error *why)
{
    char takes[TEXT_NUMBER], has[TEXT_NUMBER];
    const struct candidate *slow = slow_alternative(context, candidate, one);
    double predicted = admission_predict(&context->admission, one->cell),
           best = fastest_alternative(context, candidate, one);
    if (slow)
        fail_in(why, "calibration", STATUS_TOO_SLOW, "passed over: %s takes %s, more than %d times the budget",
                slow->cell->method->name, text_seconds(takes, slow->run), RUN_BUDGETS_MAX);
    else if (predicted > long_try && predicted > long_ratio * best)
        fail_in(why, "calibration", STATUS_TOO_SLOW, "passed over: predicted %s, the fastest takes %s",
                text_seconds(takes, predicted), text_seconds(has, best));
    return why->status != STATUS_OK;
}

/* Finds a candidate's time: already known, not needed, or tried now. */
static void find_time(struct context *context, struct candidate candidate[], unsigned count, unsigned place)
{
    struct candidate *one = &candidate[place];
    const struct candidate *before = tried_before(candidate, one);
    struct error waste = { .status = STATUS_OK };
    if (!one->cell->method || context->interrupted || !has_alternative(context, candidate, count, one))
        return;
    if (one->outcome.status != STATUS_OK)
        line_write(context, line_new(one->cell), &one->outcome);
    else if (!before && is_wasted(context, candidate, one, &waste))
        pass_over(context, one, &waste);
    else if (!before)
        run_trial(context, one, fastest_alternative(context, candidate, one));
    else
        one->run = before->run, one->repack = before->repack, one->was_passed_over = before->was_passed_over;
}

void calibrate_rank(const struct device *baseline, struct candidate candidate[], unsigned count)
{
    for (unsigned first = 0, end; first < count; first = end) {
        end = ranked_end(baseline, candidate, count, first);
        qsort(&candidate[first], end - first, sizeof *candidate, compare);
    }
}

void calibrate(struct context *context, struct candidate candidate[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        candidate[i].run = NAN;
        candidate[i].repack = 0;
        candidate[i].driver_log = driver_log_length(context->run_log.path, candidate[i].cell->device->id);
        context_admits(context, candidate[i].cell, &candidate[i].outcome);
    }
    for (unsigned i = 0; i < count; i++)
        find_time(context, candidate, count, i);
    calibrate_rank(context->baseline, candidate, count);
    for (unsigned first = 0, end; first < count; first = end) {
        end = calibrate_row_end(candidate, count, first);
        count_losses(context, &candidate[first], end - first);
    }
}

/* Whether calibration may try the cell: it has an alternative, and its method was not tried in another kind of memory.
 */
static bool may_be_tried(struct context *context, const struct cell cell[], unsigned cells, const struct cell *one)
{
    bool has_any = false;
    for (const struct cell *other = cell; other < cell + cells; other++) {
        if (other->refused.status != STATUS_OK)
            continue;
        if (other < one && other->device == one->device && other->method == one->method)
            return false;
        has_any = has_any || is_alternative(context, one, other);
    }
    return has_any && one->method && one->refused.status == STATUS_OK;
}

double calibrate_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    double seconds = 0;
    for (unsigned i = 0; i < cells; i++)
        if (may_be_tried(context, cell, cells, &cell[i]))
            seconds += try_seconds(&cell[i]);
    return seconds;
}
