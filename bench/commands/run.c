#include "bench/commands/commands.h"

#include "bench/doctor/doctor.h"
#include "bench/plan/selection.h"
#include "bench/schedule/batch.h"
#include "bench/schedule/block.h"
#include "bench/schedule/ceilings.h"
#include "bench/schedule/context.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

/* A run plans cells: one problem, device, method and kind of memory each. The cells of one problem are a block. Cells
 * of a block that differ in the method alone are candidates for one row of the report: a race keeps the
 * fastest, and only that one is measured, in rounds with the other rows. Some blocks take turns (batch.h). Ceilings are
 * measured before the first block. */

/* Plans all blocks. Returns their seconds. */
static double plan_blocks(struct context *context, const struct plan *plan)
{
    double seconds = 0;
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        seconds += block_plan(context, &plan->cell[first], end - first);
    }
    return seconds;
}

/* One note for all problems that were not begun when the user interrupted. It names as many as fit. */
static void note_not_begun(struct context *context, const struct plan *plan, unsigned first)
{
    char names[850] = "", more[32] = "", label[CELL_TEXT];
    unsigned left_out = 0;
    for (unsigned end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        if (run_log_has(&context->run_log, plan->cell[first].block))
            continue;
        size_t used = strlen(names);
        if (left_out > 0 || !text_join(names, sizeof names, "; ", cell_label(&plan->cell[first], label))) {
            names[used] = '\0'; /* part of a name */
            left_out++;
        }
    }
    if (left_out > 0)
        snprintf(more, sizeof more, "; and %u more", left_out);
    run_log_note(&context->run_log, "", "not begun: %s%s", names, more);
}

static bool review(struct ceilings *ceilings, const struct plan *plan, unsigned first, unsigned end, struct error *err)
{
    bool ok = true;
    for (; first < end && ok; first = plan_block_end(plan, first))
        ok = ceilings_review(ceilings, plan->cell[first].block, err);
    return ok;
}

/* The ceilings, then batch by batch. */
static bool measure_all(struct context *context, const struct plan *plan, struct ceilings *ceilings, struct error *err)
{
    if (!ceilings_measure(ceilings, err))
        return false;
    struct batch_place place = { 0 };
    for (unsigned first = 0; first < plan->cells; first = plan_block_end(plan, first))
        place.blocks++;
    while (place.first < plan->cells && !context->interrupted) {
        const unsigned first = place.first;
        if (!batch_measure(context, plan, &place, err) || !review(ceilings, plan, first, place.first, err))
            return false;
    }
    if (place.first < plan->cells)
        note_not_begun(context, plan, place.first);
    return true;
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

static void note_without_row(struct context *context, const struct plan *plan)
{
    char text[sizeof plan->first_without_row + 100], more[32] = "";
    if (plan->without_row == 0)
        return;
    if (plan->without_row > WITHOUT_ROW_NAMED)
        snprintf(more, sizeof more, " and %u more", plan->without_row - WITHOUT_ROW_NAMED);
    snprintf(text, sizeof text, "not asked of any device: %s %s%s",
             context->options->method[0] ? "no method that was asked for suits" : "no chosen device has a method for",
             plan->first_without_row, more);
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

/* Everything before the first measurement. Returns EXIT_OK, or with err filled the exit status. */
static int prepare(struct context *context, struct plan *plan, struct error *err)
{
    if (!plan_make(plan, context->options, &context->host, &context->listing, context->chosen, context->terms->baseline,
                   err))
        return EXIT_USAGE;
    for (unsigned i = 0; i < plan->cells; i++)
        context->takes_part[plan->cell[i].device - context->listing.device] = true;
    return context_open_journal(context, err) ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct context *context, const struct plan *plan, struct error *err)
{
    struct ceilings ceilings;
    bool ok = ceilings_open(&ceilings, context, plan, err);
    context_begin(context, plan_blocks(context, plan) + ceilings_seconds(&ceilings));
    if (context->resume)
        note_resumed(context, plan);
    else {
        doctor_note_no_gpu(context);
        note_types(context);
        note_without_row(context, plan);
        show_left_out(context);
    }
    ok = ok && measure_all(context, plan, &ceilings, err);
    context_end(context, ok);
    ceilings_close(&ceilings);
    return ok;
}

static int measure_and_report(struct resume *resume, const struct options *options, struct error *err)
{
    struct context context;
    struct plan plan = { 0 };
    int status = context_open(&context, options, resume, options->device, options->baseline, err);
    if (status == EXIT_OK)
        status = prepare(&context, &plan, err);
    if (status == EXIT_OK) {
        bool measured = measure(&context, &plan, err), reported = context_report(&context, err);
        status = context_status(&context, measured && reported);
    }
    plan_free(&plan);
    context_close(&context);
    return status;
}

int run(const struct options *options, struct error *err)
{
    return resume_or_begin(options, measure_and_report, err);
}
