#include "bench/commands/commands.h"

#include "bench/commands/earlier.h"
#include "bench/commands/measured.h"
#include "bench/commands/supplement.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/peaks.h"
#include "bench/plan/selection.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run plans cells: one problem, device, method and kind of memory each. The cells of one problem are a block
 * (block.h). Blocks are measured in rotations (timetable.h); the peaks come last. */

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
            context_note(context, "not measured: %s", says);
}

static void note_without_method(struct context *context, const struct plan *plan)
{
    char more[32] = "";
    if (plan->without_method == 0)
        return;
    if (plan->without_method > WITHOUT_METHOD_NAMED)
        snprintf(more, sizeof more, " and %u more", plan->without_method - WITHOUT_METHOD_NAMED);
    context_note(context, "not measured: %s %s%s",
                 context->options->method[0] ? "no requested method supports" : "no chosen device has a method for",
                 plan->first_without_method, more);
}

/* Methods that were named beside others, for which no device has a row. */
static void note_methods(struct context *context, const struct plan *plan)
{
    for (const char *const *name = context->options->method; *name; name++) {
        bool is_refused = false, is_measured = false;
        for (unsigned i = 0; i < plan->cells; i++)
            if (plan->cell[i].method && strcmp(plan->cell[i].method->name, *name) == 0) {
                is_refused |= plan->cell[i].refused.status != STATUS_OK;
                is_measured |= plan->cell[i].refused.status == STATUS_OK;
            }
        if (is_refused && !is_measured)
            context_note(context, "not measured: %s: no chosen device has this method", *name);
    }
}

/* What an option leaves out of the suite, and where it means nothing. */
static void note_left_out(struct context *context)
{
    static const char *const option[NARROWINGS] = { "size", "dtype", "method" };
    char applies[SHAPE_MAX], skipped[SHAPE_MAX];
    for (enum narrowing narrowing = 0; narrowing < NARROWINGS && !context->options->workload[0]; narrowing++)
        if (plan_leaves_out(context->options, narrowing, applies, skipped))
            context_note(context, "--%s applies to %s; %s skipped", option[narrowing], applies, skipped);
    const bool *memory = context->options->memory;
    for (unsigned i = 0; i < context->listing.devices; i++)
        if (context->takes_part[i] && context->selected[i] && context->listing.device[i].works_in_host_memory &&
            !memory[MEMORY_PAGEABLE] && (memory[MEMORY_PINNED] || memory[MEMORY_MAPPED] || memory[MEMORY_MAPPED_COPY]))
            context_note(context, "--memory has no effect on %s, which computes in host memory",
                         context->listing.device[i].id);
}

static void note_other_api(struct context *context)
{
    if (*context->left_out)
        context_note(context,
                     "the same GPU through another API is left out: %s (--device all,opencl or --suite full measures "
                     "both)",
                     context->left_out);
}

/* Part of --time that is kept for peaks at most. */
static const double most_for_peaks = 0.2;

/* What is measured. Must not move: plans point to options. */
struct work {
    struct plan plan;
    struct peaks peaks;
    struct timetable timetable, peak_table;
    struct supplement supplement;
};

/* Everything before the first measurement. Returns EXIT_OK, or with err filled the exit status. */
static int prepare(struct context *context, struct work *work, struct error *err)
{
    struct plan *plan = &work->plan;
    if (context->options->suite != SUITE_FULL) /* no other measures a GPU through two APIs by itself */
        listing_leave_out(&context->listing, context->options->device, context->selected, context->left_out,
                          sizeof context->left_out);
    if (!plan_make(plan, context->options, &context->host, &context->listing, context->selected, context->baseline,
                   err))
        return EXIT_USAGE;
    for (unsigned i = 0; i < plan->cells; i++)
        context->takes_part[plan->cell[i].device - context->listing.device] = true;
    context->plan = plan;
    context->plans = 1;
    work->timetable = (struct timetable){ .context = context, .rule = &context->rule, .compared = context->baseline };
    work->peak_table = (struct timetable){ .context = context, .rule = &work->peaks.rule, .is_of_peaks = true };
    /* What a resumed run has left is in its journal; a new one has a journal only if there is anything to measure. */
    return (!context->resume || measured_open_journal(context, err)) &&
                   timetable_add_plan(&work->timetable, plan, err) &&
                   (context->resume ||
                    (timetable_has_time(&work->timetable, err) && measured_open_journal(context, err))) &&
                   peaks_plan(&work->peaks, context->options, &context->rule, plan, err) &&
                   timetable_add_plan(&work->peak_table, &work->peaks.plan, err)
               ? EXIT_OK
               : EXIT_USAGE;
}

static void reserve_peaks(struct context *context, const struct work *work)
{
    const double spare = fmax(0, context_time_left(context) - timetable_least(&work->timetable));
    context->reserved =
        fmin(spare, fmin(work->peak_table.seconds, most_for_peaks * context->options->time)); /* not NAN */
}

static void note_all(struct context *context, const struct plan *plan)
{
    if (context->resume) {
        note_resumed(context, plan);
        return;
    }
    if (!context->options->dry_run)
        doctor_note_no_gpu(context);
    note_other_api(context);
    note_types(context);
    note_without_method(context, plan);
    note_methods(context, plan);
    note_left_out(context);
}

static bool measure(struct context *context, struct work *work, struct error *err)
{
    struct timetable *timetable = &work->timetable;
    measured_start(context, timetable->seconds + work->peak_table.seconds);
    note_all(context, &work->plan);
    bool ok = timetable_cut(timetable, err) && timetable_run(timetable, supplement_join, &work->supplement, err);
    context->reserved = 0;
    ok = ok && timetable_cut(&work->peak_table, err) && timetable_run(&work->peak_table, NULL, NULL, err);
    if (!context->interrupted)
        earlier_write(context);
    measured_end(context, ok);
    return ok;
}

static int measure_and_report(struct resume *resume, const struct options *options, struct error *err)
{
    struct context context;
    struct work work = { .supplement = { .timetable = &work.timetable } };
    int status = context_open(&context, options, resume, options->device, options->baseline, err);
    if (status == EXIT_NOTHING)
        doctor_explain(&context.listing, options, err);
    if (status == EXIT_OK)
        status = prepare(&context, &work, err);
    reserve_peaks(&context, &work);
    if (status == EXIT_OK && options->dry_run) {
        context.progress.is_quiet = options->quiet;
        note_all(&context, &work.plan);
        status = measured_forecast(&work.timetable, &work.peak_table, err);
    } else if (status == EXIT_OK) {
        bool measured = measure(&context, &work, err), reported = measured_report(&context, err);
        status = measured_status(&context, measured && reported);
    }
    plan_free(&work.peaks.plan);
    timetable_free(&work.timetable);
    timetable_free(&work.peak_table);
    supplement_free(&work.supplement);
    plan_free(&work.plan);
    context_close(&context);
    return status;
}

int run(const struct options *options, struct error *err)
{
    return measured_begin(options, measure_and_report, err);
}
