#include "bench/commands/commands.h"

#include "bench/commands/earlier.h"
#include "bench/commands/measured.h"
#include "bench/commands/supplement.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/peaks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run plans cells: one problem, device, method and kind of memory each. The cells of one problem are a block
 * (block.h). Blocks are measured in rotations (timetable.h); the peaks come last. */

/* Part of --time that is kept for peaks at most. */
static const double most_for_peaks = 0.2;

/* What is measured. Must not move: timetables point to the rule of the peaks. */
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

/* What is not measured, and why. A resumed run has these notes. */
static void note_all(struct context *context, const struct plan *plan)
{
    if (context->resume)
        return;
    if (*context->left_out)
        context_note(context,
                     "the same GPU through another API is left out: %s (--device all,opencl or --suite full measures "
                     "both)",
                     context->left_out);
    for (unsigned i = 0; i < plan->unmeasured.count; i++)
        context_note(context, "not measured: %s", plan->unmeasured.label[i]);
    const bool *memory = context->options->memory;
    const bool is_chosen = memory[MEMORY_PINNED] || memory[MEMORY_MAPPED] || memory[MEMORY_MAPPED_COPY];
    for (unsigned i = 0; i < context->listing.devices; i++)
        if (context->takes_part[i] && context->selected[i] && context->listing.device[i].works_in_host_memory &&
            !memory[MEMORY_PAGEABLE] && is_chosen)
            context_note(context, "--memory has no effect on %s, which computes in host memory",
                         context->listing.device[i].id);
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
    const double spare = fmax(0, context_time_left(&context) - timetable_least(&work.timetable));
    context.reserved = fmin(spare, fmin(work.peak_table.seconds, most_for_peaks * options->time)); /* not NAN */
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
