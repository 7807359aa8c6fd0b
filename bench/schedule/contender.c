#include "bench/schedule/contender.h"

#include "bench/backends/common/kernel.h"
#include "bench/schedule/driver_log.h"
#include "harness/analysis/plausible.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A method that is not ready after this many seconds is passed over, in the two suites that must be quick: some
 * libraries compile for minutes. Loading a library does not count. */
static const double quick_timeout = 2, page_timeout = 10, loading = 3;

/* Seconds of a slice in a race: short, so that a round is over before the machine changes. A run that is longer, up to
 * race_long_run, is taken twice, of which the first wakes caches and clocks and is discarded; a long run is taken once.
 */
static const double race_slice = 0.005, twice = 1.9;

/* Deaths after which a runner gets no further worker. */
enum { DEATHS_MAX = 3 };

/* The parts of the first run, and those of them that count as getting ready. */
static const char *const first_parts[] = { "open_ns",   "alloc_ns", "compile_ns", "upload_ns",
                                           "repack_ns", "run_ns",   "download_ns" };
static const char *const ready_parts[] = { "alloc_ns", "compile_ns" };

static double sum_of(const json_t *reply, const char *const parts[], unsigned count)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += client_seconds(reply, parts[i]);
    return sum;
}

bool contender_is_ready(const struct contender *contender)
{
    return contender->runner && contender->outcome.status == STATUS_OK && isfinite(contender->run);
}

double contender_expected(const struct contender *contender, enum race_kind kind)
{
    double repack = contender->runner->repacks ? contender->repack : 0;
    return kind == RACE_TRANSFERS ? contender->run + repack : contender->run;
}

void contender_pass_over(struct contender *contender, const char *reason)
{
    contender->outcome = (struct error){ .status = STATUS_OK };
    fail_in(&contender->outcome, "race", STATUS_TOO_SLOW, "%s", reason);
}

/* Seconds until a method must be ready once the device is open; INFINITY: no limit. */
static double timeout_of(const struct runner *runner)
{
    enum suite suite = runner->context->options->suite;
    if (runner->candidate->cell->method->loads_long)
        return INFINITY;
    return suite == SUITE_QUICK ? quick_timeout : suite == SUITE_UHD620 ? page_timeout : INFINITY;
}

/* The time for what compiles: a method that must be ready soon is not waited for longer. */
static void shorten_timeout(struct runner *runner, double filling)
{
    runner->setup.timeout = fmin(runner->context->setup.timeout, timeout_of(runner) + loading + filling);
}

/* Passes it over if it took longer to get ready than it may, whether it answered or not. After that there is no hurry.
 */
static void judge_readiness(struct contender *contender, const json_t *reply)
{
    struct runner *runner = contender->runner;
    double timeout = timeout_of(runner);
    bool is_silent =
        contender->outcome.status == STATUS_TIMEOUT && runner->setup.timeout < runner->context->setup.timeout;
    runner->setup.timeout = runner->context->setup.timeout;
    if (sum_of(reply, ready_parts, sizeof ready_parts / sizeof *ready_parts) <= timeout && !is_silent)
        return;
    char reason[64];
    if (is_silent)
        runner_close(runner);
    snprintf(reason, sizeof reason, "passed over: not ready within %.0f s", timeout);
    contender_pass_over(contender, reason);
    contender->was_left = true;
}

/* After a failure: the runner's next contender gets a new worker if this one is dead, or if its driver failed: an error
 * of a GPU stays with the process, and would be taken for one of the next contender. */
static bool lose(struct contender *contender)
{
    struct runner *runner = contender->runner;
    enum status status = contender->outcome.status;
    if (status == STATUS_ABANDONED)
        runner->context->interrupted = true;
    runner->candidate->lacks_device |= status == STATUS_FAILED && client_lacks_device(runner->client);
    runner->deaths += status_is_death(status);
    if (status_is_death(status) || status == STATUS_FAILED || status == STATUS_ABANDONED)
        runner_close(runner);
    return false;
}

static json_t *ask(struct contender *contender, json_t *request, double expected)
{
    json_t *reply = client_ask(contender->runner->client, request, expected, &contender->outcome);
    if (!reply)
        lose(contender);
    return reply;
}

/* Opens the device where what comes next is in a hurry: a driver may take seconds for a context. */
static bool open_device(struct contender *contender, const json_t *request)
{
    json_t *start = json_copy((json_t *)request);
    json_object_set_new(start, "do", json_string("start"));
    json_t *reply = client_open(contender->runner->client, start, 0, &contender->outcome);
    json_decref(reply);
    return reply != NULL;
}

/* The first run. Also in a hurry the host's filling of large operands is allowed for. */
static json_t *first_run(struct contender *contender)
{
    struct runner *runner = contender->runner;
    struct context *context = runner->context;
    const struct cell *cell = runner->candidate->cell;
    bool is_hurried = isfinite(timeout_of(runner));
    double filling = context->options->suite == SUITE_QUICK ? 0 : cell_host_seconds(cell);
    json_t *request = cell_to_request(cell, context->options, context->setup.host->worker_threads);
    json_object_set_new(request, "kernel_shape", json_string(contender->kernel_shape));
    if (is_hurried && !open_device(contender, request)) {
        json_decref(request);
        return NULL;
    }
    shorten_timeout(runner, filling);
    json_t *reply = is_hurried ? client_ask(runner->client, request, 0, &contender->outcome)
                               : client_open(runner->client, request, cell_host_seconds(cell), &contender->outcome);
    judge_readiness(contender, reply);
    return reply;
}

/* What the first run tells of the contender. A first run of no time tells nothing of its speed. */
static void note_first_run(struct contender *contender, const json_t *reply)
{
    double run = client_seconds(reply, "run_ns");
    contender->first = sum_of(reply, first_parts, sizeof first_parts / sizeof *first_parts);
    contender->run = run > 0 ? run : INFINITY;
    contender->repack = client_seconds(reply, "repack_ns");
    const char *shape = json_string_value(json_object_get(reply, "kernel_shape"));
    if (shape)
        text_copy(contender->kernel_shape, sizeof contender->kernel_shape, shape);
}

/* The names of the kernel shapes, for a runner that could not say them. The first of them is the one that failed. */
static json_t *names_of_kernel_shapes(const struct runner *runner)
{
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    const struct cell *cell = runner->candidate->cell;
    unsigned count = kernel_shape_names(&cell->problem, cell->method, cell->device, name);
    json_t *names = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(names, json_string(name[i]));
    return names;
}

/* After a first run that failed, with whatever kernel shape: the next one gets a fresh worker. Not where no kernel
 * shape would do better. */
static bool lose_open(struct contender *contender)
{
    struct runner *runner = contender->runner;
    enum status status = contender->outcome.status;
    lose(contender);
    runner_close(runner);
    bool is_hopeless = runner->candidate->lacks_device || status == STATUS_TOO_SLOW || status == STATUS_ABANDONED ||
                       status == STATUS_NO_MEMORY;
    if (runner->kernel_shapes || is_hopeless)
        return false;
    runner->kernel_shapes = names_of_kernel_shapes(runner);
    const char *first = json_string_value(json_array_get(runner->kernel_shapes, 0));
    if (first && !*contender->kernel_shape)
        text_copy(contender->kernel_shape, sizeof contender->kernel_shape, first);
    return false;
}

bool contender_open(struct contender *contender)
{
    struct runner *runner = contender->runner;
    if (runner->deaths >= DEATHS_MAX)
        return fail(&contender->outcome, STATUS_ABANDONED, "%d workers of this method died in this race", DEATHS_MAX);
    runner->setup = runner->context->setup;
    runner->client = driver_log_client(runner->context->run_log.path, &runner->setup, runner->candidate->cell->device,
                                       &contender->outcome);
    json_t *reply = runner->client ? first_run(contender) : NULL;
    if (reply)
        note_first_run(contender, reply);
    if (reply && !runner->kernel_shapes)
        runner->kernel_shapes = json_incref(json_object_get(reply, "kernel_shapes"));
    runner->repacks |= json_is_integer(json_object_get(reply, "repack_ns"));
    runner->current = contender->kernel_shape;
    json_decref(reply);
    return contender->outcome.status == STATUS_OK || lose_open(contender);
}

bool contender_prepare(struct contender *contender)
{
    struct runner *runner = contender->runner;
    if (!runner->client)
        return contender_open(contender);
    if (strcmp(runner->current, contender->kernel_shape) == 0)
        return true;
    json_t *request = json_pack("{s:s, s:s}", "do", "kernel_shape", "name", contender->kernel_shape);
    shorten_timeout(runner, 0);
    json_t *reply = client_ask(runner->client, request, 0, &contender->outcome);
    judge_readiness(contender, reply);
    if (!reply)
        return lose(contender);
    if (isnan(contender->first))
        contender->first = client_seconds(reply, "compile_ns");
    runner->current = contender->kernel_shape;
    json_decref(reply);
    return contender->outcome.status == STATUS_OK;
}

bool contender_verify(struct contender *contender)
{
    const struct cell *cell = contender->runner->candidate->cell;
    double run = isfinite(contender->run) ? contender->run : 0;
    json_t *request = json_pack("{s:s, s:s}", "do", "verify", "pass", "before");
    json_t *reply = ask(contender, request, cell_check_seconds(cell, run));
    if (!reply)
        return false;
    double checked = client_seconds(reply, "run_ns");
    contender->run = checked > 0 ? fmin(contender->run, checked) : contender->run;
    json_decref(reply);
    return isfinite(contender->run) ||
           plausible_time(cell->device, cell->problem.dtype, 0, checked, &contender->outcome);
}

enum { TIMES_KEPT = 64 };

/* The first times of an array of a reply, in seconds. Returns how many. */
static unsigned read_times(const json_t *array, double to[TIMES_KEPT])
{
    size_t i;
    json_t *ns;
    json_array_foreach (array, i, ns) {
        if (i == TIMES_KEPT)
            return TIMES_KEPT;
        to[i] = journal_seconds(ns);
    }
    return (unsigned)json_array_size(array);
}

/* The median of the possible times; NAN without one. One impossible time in a hundred is taken for an error of the
 * clock; more make the contender fail. */
static bool median_believed(struct contender *contender, const json_t *wall, double *median)
{
    const struct cell *cell = contender->runner->candidate->cell;
    struct error *outcome = &contender->outcome, odd = { .status = STATUS_OK };
    double seconds[TIMES_KEPT];
    unsigned count = read_times(wall, seconds), kept = 0;
    /* A fast algorithm does fewer than are counted. */
    const double flops = cell->method->is_fast ? 0 : cell->problem.workload->flops(&cell->problem);
    for (unsigned i = 0; i < count; i++)
        if (plausible_time(cell->device, cell->problem.dtype, flops, seconds[i], &odd))
            seconds[kept++] = seconds[i];
    contender->runs += count;
    contender->stumbles += count - kept;
    *median = stats_median(seconds, kept);
    contender->run = fmin(contender->run, stats_quantile(seconds, kept, 0)); /* fmin(x, NAN) is x */
    return contender->stumbles <= 1 + contender->runs / RUNS_FOR_ONE_FALSE ||
           fail_in(outcome, odd.where, odd.status, "%s", odd.message);
}

/* Seconds of repacking: the median of its own phase, since the difference of runs with and without it would be lost in
 * noise. */
static double repacking_of(const json_t *reply)
{
    double seconds[TIMES_KEPT];
    return stats_median(seconds, read_times(json_object_get(json_object_get(reply, "phases"), "repack_ns"), seconds));
}

bool contender_slice(struct contender *contender, enum race_kind kind, double *seconds, double *spent)
{
    enum series series = kind == RACE_COMPUTE ? SERIES_RESIDENT : SERIES_OFFLOAD;
    double run = isfinite(contender->run) ? contender->run : 0;
    double length = fmax(race_slice, run < race_long_run ? twice * run : run);
    if (!contender_prepare(contender))
        return false;
    json_t *reply = ask(
        contender, json_pack("{s:s, s:s, s:o}", "do", "slice", "series", series_name(series), "ns", journal_ns(length)),
        length + 4 * (run + contender->first));
    if (!reply)
        return false;
    bool is_believed = true;
    *spent += fmax(0, journal_seconds(json_object_get(reply, "elapsed_ns")));
    if (kind == RACE_COMPUTE)
        is_believed = median_believed(contender, json_object_get(reply, "wall_ns"), seconds);
    else
        *seconds = repacking_of(reply);
    json_decref(reply);
    return is_believed || lose(contender);
}

void runner_close(struct runner *runner)
{
    client_end(runner->client, NULL);
    runner->client = NULL;
}
