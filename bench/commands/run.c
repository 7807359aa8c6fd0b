#include "bench/commands/commands.h"

#include "bench/commands/measured.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/selection.h"
#include "bench/schedule/block.h"
#include "bench/schedule/ceilings.h"
#include "bench/schedule/context.h"
#include "bench/schedule/finished.h"
#include "bench/schedule/forecast.h"
#include "bench/schedule/supplement.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run plans cells: one problem, device, method and kind of memory each. The cells of one problem are a block, which
 * is measured as a whole (block.h). Then the supplement (supplement.h) and the ceilings. */

/* The blocks of a plan in the order in which they are measured, by their first cells. */
struct blocks {
    unsigned *first, count;
    double seconds; /* that they are predicted to take */
};

/* The plan's order is that of reports. Where the time is limited, the first size of each workload comes first, then the
 * second sizes, and so on: in this order a problem is worth most. */
static bool blocks_order(struct blocks *out, struct context *context, const struct plan *plan, struct error *err)
{
    const bool by_worth = isfinite(context->options->time);
    *out = (struct blocks){ .first = calloc(plan->cells + 1, sizeof *out->first) };
    if (!out->first)
        return fail(err, STATUS_NO_MEMORY, "no memory for the order of %u cells", plan->cells);
    for (unsigned turn = 0, left = 1; left > 0; turn++) {
        const struct workload *latest = NULL;
        left = 0;
        for (unsigned first = 0, of_workload = 0, end; first < plan->cells; first = end) {
            const struct workload *workload = plan->cell[first].problem.workload;
            end = plan_block_end(plan, first);
            of_workload = workload == latest ? of_workload + 1 : 0;
            latest = workload;
            left += by_worth && of_workload > turn;
            if (by_worth && of_workload != turn)
                continue;
            out->first[out->count++] = first;
            out->seconds += forecast_block(context, &plan->cell[first], end - first);
        }
    }
    return true;
}

/* One note for the problems from `next` on that were not measured. It names as many as fit. */
static void note_left_out(struct context *context, const struct plan *plan, const struct blocks *blocks, unsigned next,
                          const char *why)
{
    char names[850] = "", more[32] = "", label[CELL_TEXT];
    unsigned unnamed = 0, named = 0;
    for (; next < blocks->count; next++) {
        const struct cell *cell = &plan->cell[blocks->first[next]];
        if (run_log_has(&context->run_log, cell->block))
            continue;
        size_t used = strlen(names);
        if (unnamed > 0 || !text_join(names, sizeof names, "; ", cell_label(cell, label))) {
            names[used] = '\0'; /* part of a name */
            unnamed++;
        }
        named++;
    }
    if (unnamed > 0)
        snprintf(more, sizeof more, "; and %u more", unnamed);
    if (named == 0)
        return;
    run_log_note(&context->run_log, "", "%s: %s%s", why, names, more);
    progress_note(&context->progress, "%s: %s%s", why, names, more);
}

/* Block by block, then the supplement and the ceilings. What is predicted not to fit into the time of the run is left
 * out. */
static bool measure_all(struct context *context, const struct plan *plan, const struct blocks *blocks,
                        struct supplement *supplement, struct ceilings *ceilings, struct error *err)
{
    unsigned left_out = 0;
    context->blocks = blocks->count;
    for (unsigned i = 0; i < blocks->count; i++) {
        struct cell *cell = &plan->cell[blocks->first[i]];
        const unsigned cells = plan_block_end(plan, blocks->first[i]) - blocks->first[i];
        if (context->interrupted) {
            note_left_out(context, plan, blocks, i, "not begun");
            return true;
        }
        if (!context_has_time(context, forecast_block(context, cell, cells))) {
            context->progress.planned -= forecast_block(context, cell, cells);
            left_out++;
            continue;
        }
        if (!block_measure(context, cell, cells, err))
            return false;
        if (context->interrupted)
            continue;
        finished_print(context, cell->block, i + 1, blocks->count);
        context->finished++;
    }
    if (left_out > 0)
        note_left_out(context, plan, blocks, 0, "left out, as --time would not allow for it");
    if (left_out == blocks->count) /* ceilings of nothing */
        return true;
    return supplement_measure(supplement, context, blocks->count, err) && ceilings_measure(ceilings, err);
}

static void note_resumed(struct context *context, const struct plan *plan)
{
    unsigned blocks = 0, done = 0;
    for (unsigned first = 0; first < plan->cells; first = plan_block_end(plan, first), blocks++)
        done += run_log_has(&context->run_log, plan->cell[first].block);
    progress_note(&context->progress, "resuming %s: %u of %u problem%s done, %u to go", context->run_log.path, done,
                  blocks, blocks == 1 ? " is" : "s are", blocks - done);
}

/* Workloads that were named but have no row, since no device has their element types. */
static void note_types(struct context *context)
{
    const struct options *options = context->options;
    char says[160];
    for (const struct workload *const *workload = workloads; *workload && options->workload[0]; workload++)
        if (selection_takes(options, *workload) && selection_lacks_types(options, *workload, says, sizeof says))
            run_log_note(&context->run_log, "", "not asked of any device: %s", says);
}

static void note_without_method(struct context *context, const struct plan *plan)
{
    char text[sizeof plan->first_without_method + 100], more[32] = "";
    if (plan->without_method == 0)
        return;
    if (plan->without_method > WITHOUT_METHOD_NAMED)
        snprintf(more, sizeof more, " and %u more", plan->without_method - WITHOUT_METHOD_NAMED);
    snprintf(text, sizeof text, "not asked of any device: %s %s%s",
             context->options->method[0] ? "no method that was asked for suits" : "no chosen device has a method for",
             plan->first_without_method, more);
    progress_note(&context->progress, "%s", text);
    run_log_note(&context->run_log, "", "%s", text);
}

/* What an option leaves out of the suite or of --workload. */
static void show_left_out(struct context *context)
{
    static const char *const option[NARROWINGS] = { "size", "dtype", "method" };
    char applies[SHAPE_MAX], skipped[SHAPE_MAX];
    for (enum narrowing narrowing = 0; narrowing < NARROWINGS; narrowing++)
        if (plan_leaves_out(context->options, narrowing, applies, skipped))
            progress_note(&context->progress, "--%s applies to %s; %s skipped", option[narrowing], applies, skipped);
}

static void note_other_api(struct context *context)
{
    static const char format[] =
        "the same GPU through another API is left out: %s (--device all,opencl or --suite full "
        "measures both)";
    if (!*context->left_out)
        return;
    progress_note(&context->progress, format, context->left_out);
    run_log_note(&context->run_log, "", format, context->left_out);
}

/* Whether --time allows at least one problem. */
static bool has_time_for_one(const struct context *context, const struct plan *plan, struct error *err)
{
    double least = INFINITY, needed;
    const struct cell *shortest = NULL;
    char label[CELL_TEXT];
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        const double seconds = forecast_block(context, &plan->cell[first], end - first);
        if (seconds < least) {
            least = seconds;
            shortest = &plan->cell[first];
        }
    }
    needed = clock_wall() - context->started + least;
    return !shortest || !(needed > context->options->time) ||
           fail(err, STATUS_USAGE,
                "nothing to measure: --time %s allows no problem; the shortest, %s, is predicted to take %s: give more",
                text_seconds(TEXT_HERE, context->options->time), cell_label(shortest, label),
                text_seconds(TEXT_HERE, needed));
}

/* Everything before the first measurement. Returns EXIT_OK, or with err filled the exit status. */
static int prepare(struct context *context, struct plan *plan, struct error *err)
{
    if (context->options->suite != SUITE_FULL) /* no other measures a GPU through two APIs by itself */
        listing_leave_out(&context->listing, context->options->device, context->selected, context->left_out,
                          sizeof context->left_out);
    if (!plan_make(plan, context->options, &context->host, &context->listing, context->selected,
                   context->terms->baseline, err))
        return EXIT_USAGE;
    for (unsigned i = 0; i < plan->cells; i++)
        context->takes_part[plan->cell[i].device - context->listing.device] = true;
    if (!context->resume && !has_time_for_one(context, plan, err))
        return EXIT_USAGE;
    return context_open_journal(context, err) ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct context *context, const struct plan *plan, struct supplement *supplement, struct error *err)
{
    struct ceilings ceilings;
    struct blocks blocks = { .first = NULL };
    context->plan = plan;
    bool ok = ceilings_open(&ceilings, context, plan, err) && blocks_order(&blocks, context, plan, err);
    context_begin(context, blocks.seconds + ceilings_seconds(&ceilings));
    if (context->resume)
        note_resumed(context, plan);
    else {
        doctor_note_no_gpu(context);
        note_other_api(context);
        note_types(context);
        note_without_method(context, plan);
        show_left_out(context);
    }
    ok = ok && measure_all(context, plan, &blocks, supplement, &ceilings, err);
    context_end(context, ok);
    plan_free(&ceilings.plan);
    free(blocks.first);
    return ok;
}

static int measure_and_report(struct resume *resume, const struct options *options, struct error *err)
{
    struct context context;
    struct plan plan = { 0 };
    struct supplement supplement = { .plan = { { 0 } } };
    int status = context_open(&context, options, resume, options->device, options->baseline, err);
    if (status == EXIT_OK)
        status = prepare(&context, &plan, err);
    if (status == EXIT_OK) {
        bool measured = measure(&context, &plan, &supplement, err), reported = measured_report(&context, err);
        status = measured_status(&context, measured && reported);
    }
    plan_free(&plan);
    supplement_free(&supplement);
    context_close(&context);
    return status;
}

int run(const struct options *options, struct error *err)
{
    return measured_begin(options, measure_and_report, err);
}
