#include "bench/commands/commands.h"

#include "bench/commands/measured.h"
#include "bench/doctor/doctor.h"
#include "bench/plan/resume.h"
#include "bench/schedule/timetable.h"
#include "bench/workloads/shape_template.h"
#include "harness/analysis/threshold.h"
#include "harness/base/text.h"
#include "harness/report/formats/thresholds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID_MAX = 64, FURTHER_MAX = 24 };

struct sweep {
    struct context context;
    struct options options; /* those of one size; its texts lie in the options that it was copied from */
    struct shape_template shape_template;
    enum dtype dtype;
    int64_t from, to;
    double size[GRID_MAX];
    unsigned sizes;        /* of the grid */
    char shape[SHAPE_MAX]; /* of the latest */
    struct plan plan[GRID_MAX + FURTHER_MAX];
    unsigned plans;
    struct timetable timetable;
};

/* Whether the shape makes sense at one end of the sizes. */
static bool try_end(const struct sweep *sweep, int64_t size, struct error *err)
{
    char filled[SHAPE_MAX];
    struct problem probe;
    struct error why = { .status = STATUS_OK };
    shape_template_fill(&sweep->shape_template, size, filled);
    return problem_parse(&probe, sweep->shape_template.workload, sweep->dtype, filled, &why) ||
           fail(err, STATUS_USAGE, "no sweep from %" PRId64 " to %" PRId64 ": at %.80s: %s", sweep->from, sweep->to,
                filled, why.message);
}

/* What cannot be told by the option's row alone. */
static bool read_options(struct sweep *sweep, const struct options *options, struct error *err)
{
    const struct workload *workload = workload_find(options->workload[0]);
    unsigned dtypes = 0;
    sweep->dtype = DTYPE_F32;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        dtypes += options->dtype[dtype];
        sweep->dtype = options->dtype[dtype] ? dtype : sweep->dtype;
    }
    if (dtypes > 1)
        return fail(err, STATUS_USAGE, "--dtype: a sweep is of one element type; give one");
    if (options->size[0] && options->size[1])
        return fail(err, STATUS_USAGE, "--size: a sweep is of one shape; give one, such as %s", workload->name);
    if (!shape_template_make(&sweep->shape_template, workload, options->size[0], err))
        return false;
    sweep->from = options->from ? options->from : sweep->shape_template.from;
    sweep->to = options->to ? options->to : sweep->shape_template.to;
    if (sweep->from >= sweep->to)
        return fail(err, STATUS_USAGE,
                    "a sweep goes from a small size to a larger one, not from %" PRId64 " to %" PRId64, sweep->from,
                    sweep->to);
    if (!try_end(sweep, sweep->from, err) || !try_end(sweep, sweep->to, err))
        return false;
    sweep->sizes = threshold_grid((double)sweep->from, (double)sweep->to, options->points,
                                  (double)sweep->shape_template.multiple, sweep->size);
    return !options->thresholds || thresholds_check(options->thresholds, err);
}

/* The first of several devices is the baseline; otherwise it is the CPU. */
static int open_context(struct sweep *sweep, struct resume *resume, const struct options *options, struct error *err)
{
    const char *const *devices = options->device;
    bool names_baseline = devices[0] && devices[1], any = false;
    int status = context_open(&sweep->context, options, resume, names_baseline ? devices + 1 : devices,
                              names_baseline ? devices[0] : "auto", err);
    struct context *context = &sweep->context;
    if (status == EXIT_NOTHING)
        doctor_explain(&context->listing, options, err);
    if (status != EXIT_OK)
        return status;
    if (context->baseline)
        context->selected[context->baseline - context->listing.device] = false;
    for (unsigned i = 0; i < context->listing.devices; i++)
        any = any || context->selected[i];
    if (context->baseline && any)
        return EXIT_OK;
    bool is_asked = devices[0] && strcmp(devices[0], "all") != 0;
    fail(err, is_asked ? STATUS_USAGE : STATUS_UNSUPPORTED, "--device: there is %s: %s",
         context->baseline ? "nothing to compare with the baseline" : "no CPU to compare with",
         is_asked ? "name two, the baseline first" : "'bench devices' says what there is");
    return is_asked ? EXIT_USAGE : EXIT_NOTHING;
}

/* Plans the cells of one size. False, with nothing to be freed, where it makes no sense. */
static bool plan_size(struct sweep *sweep, double size, struct plan *out, struct error *err)
{
    const struct context *context = &sweep->context;
    sweep->options.size[0] = shape_template_fill(&sweep->shape_template, (int64_t)size, sweep->shape);
    sweep->options.size[1] = NULL;
    bool planned =
        plan_make(out, &sweep->options, &context->host, &context->listing, context->selected, context->baseline, err);
    if (!planned)
        plan_free(out);
    return planned;
}

/* The sizes of the grid, every fourth of them first, so that a crossing is bracketed early. */
static bool plan_grid(struct sweep *sweep, struct error *err)
{
    bool is_planned[GRID_MAX] = { false };
    for (unsigned stride = 4; stride > 0; stride /= 2)
        for (unsigned i = 0; i < sweep->sizes; i += stride) {
            struct plan *plan = &sweep->plan[sweep->plans];
            if (is_planned[i])
                continue;
            if (!plan_size(sweep, sweep->size[i], plan, err))
                return false;
            is_planned[i] = true;
            sweep->plans++;
        }
    return true;
}

static bool is_planned(const struct sweep *sweep, const char *block)
{
    for (unsigned i = 0; i < sweep->plans; i++)
        if (strcmp(sweep->plan[i].cell->block, block) == 0)
            return true;
    return false;
}

/* Plans a further size. Nothing is added where it is planned already. */
static bool plan_further(struct sweep *sweep, double size, struct error *err)
{
    struct plan *plan = &sweep->plan[sweep->plans];
    if (!plan_size(sweep, size, plan, err))
        return false;
    if (is_planned(sweep, plan->cell->block))
        plan_free(plan);
    else
        sweep->plans++;
    return true;
}

static bool has_place(const struct sweep *sweep)
{
    return sweep->plans < sweep->sizes + FURTHER_MAX;
}

/* The further sizes that a resumed sweep had begun. */
static bool plan_begun(struct sweep *sweep, struct error *err)
{
    const struct record *record = sweep->context.run_log.record;
    bool ok = true;
    for (unsigned i = 0; ok && i < record->cells && has_place(sweep); i++) {
        const struct cell_record *cell = record->cell[i];
        size_t length;
        const char *size = text_value(cell->shape, sweep->shape_template.dim, &length);
        if (size && !record_find_block(record, cell->block)->is_done && !is_planned(sweep, cell->block))
            ok = plan_further(sweep, strtod(size, NULL), err);
    }
    return ok;
}

static void write_line(struct sweep *sweep)
{
    const struct context *context = &sweep->context;
    const struct options *options = context->options;
    const struct shape_template *shape_template = &sweep->shape_template;
    json_t *devices = json_array();
    for (unsigned i = 0; i < context->listing.devices; i++)
        if (context->selected[i])
            json_array_append_new(devices, json_string(context->listing.device[i].id));
    run_log_write_json(&sweep->context.run_log, LINE_SWEEP,
                       json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:s, s:o, s:b}", "workload",
                                 shape_template->workload->name, "dtype", dtype_name(sweep->dtype), "shape",
                                 shape_template->shape, "unit", shape_template->unit, "dim", shape_template->dim,
                                 "from", (json_int_t)sweep->from, "to", (json_int_t)sweep->to, "points",
                                 (int)sweep->sizes, "uses", (int)options->uses, "baseline", context->baseline->id,
                                 "devices", devices, "each_method", options->method[0] != NULL));
}

/* The size in the widest gap that any device in any kind of use has; NAN: all crossings are known well enough. */
static double next_size(const struct sweep *sweep)
{
    struct curves curves;
    double widest = 0, next = NAN;
    bool complete = curves_read(&curves, sweep->context.run_log.record);
    for (unsigned i = 0; complete && i < curves.curves; i++)
        for (enum mode mode = 0; mode < MODES; mode++) {
            double gap, size = threshold_next(&curves.curve[i], mode, (double)sweep->shape_template.multiple, &gap);
            if (!isnan(size) && gap > widest) {
                widest = gap;
                next = size;
            }
        }
    curves_free(&curves);
    return next;
}

/* Whether all sizes so far have what an interval needs. */
static bool is_known(const struct timetable *timetable)
{
    for (unsigned i = 0; i < timetable->entries; i++)
        if (!timetable->entry[i].is_left_out &&
            !record_find_block(timetable->context->run_log.record, timetable->entry[i].cell->block))
            return false;
    for (unsigned i = 0; i < timetable->blocks; i++)
        if (timetable->block[i]->visits < ESTIMATE_VALUES_MIN)
            return false;
    return true;
}

/* Adds the size that tells most, once the others are known. */
static bool add_size(void *with, struct error *err)
{
    struct sweep *sweep = with;
    const struct plan *plan = &sweep->plan[sweep->plans];
    const unsigned plans = sweep->plans;
    if (sweep->context.interrupted || !has_place(sweep) || !is_known(&sweep->timetable))
        return true;
    const double size = next_size(sweep);
    if (isnan(size))
        return true;
    return plan_further(sweep, size, err) &&
           (sweep->plans == plans || timetable_extend(&sweep->timetable, plan->cell, plan->cells, err));
}

/* Everything up to the first measurement. Returns EXIT_OK, or with err filled the status to leave with. */
static int prepare(struct sweep *sweep, struct resume *resume, const struct options *options, struct error *err)
{
    if (!read_options(sweep, options, err))
        return EXIT_USAGE;
    int status = open_context(sweep, resume, options, err);
    if (status != EXIT_OK)
        return status;
    sweep->options = *options;
    sweep->options.budget = plan_budget(options);
    sweep->options.no_peaks = true; /* as it has none, and neither has a cell that is measured again */
    struct context *context = &sweep->context;
    memcpy(context->takes_part, context->selected, sizeof context->takes_part);
    context->takes_part[context->baseline - context->listing.device] = true;
    bool ok = plan_grid(sweep, err) && (!resume || (measured_open_journal(context, err) && plan_begun(sweep, err)));
    sweep->timetable = (struct timetable){ .context = context, .rule = &context->rule, .compared = context->baseline };
    context->plan = sweep->plan;
    context->plans = sweep->plans;
    for (unsigned i = 0; i < sweep->plans; i++)
        ok = ok && timetable_add_plan(&sweep->timetable, &sweep->plan[i], err);
    ok = ok && (resume || (timetable_has_time(&sweep->timetable, err) && measured_open_journal(context, err)));
    return ok ? EXIT_OK : EXIT_USAGE;
}

/* Adds what was found to the file that programs load. What a whole sweep found is better than half of another one. */
static bool save(struct sweep *sweep, bool is_whole, struct error *err)
{
    struct context *context = &sweep->context;
    const char *path = context->options->thresholds;
    if (!path)
        return true;
    if (is_whole && !context->interrupted)
        return thresholds_save(context->run_log.record, path, err);
    progress_note(&context->progress, "not complete: %s is left as it was", path);
    return true;
}

static int measure_and_report(struct resume *resume, const struct options *options, struct error *err)
{
    struct sweep sweep = { .plans = 0 };
    int status = prepare(&sweep, resume, options, err);
    if (status == EXIT_OK && options->dry_run)
        status = measured_forecast(&sweep.timetable, &(struct timetable){ .context = &sweep.context }, err);
    else if (status == EXIT_OK) {
        measured_start(&sweep.context, sweep.timetable.seconds);
        if (!sweep.context.run_log.record->sweep)
            write_line(&sweep);
        const bool measured =
            timetable_cut(&sweep.timetable, err) && timetable_run(&sweep.timetable, add_size, &sweep, err);
        measured_end(&sweep.context, measured);
        const bool reported = measured_report(&sweep.context, err);
        const bool saved = save(&sweep, measured, err);
        status = measured_status(&sweep.context, measured && reported && saved);
    }
    timetable_free(&sweep.timetable);
    for (unsigned i = 0; i < sweep.plans; i++)
        plan_free(&sweep.plan[i]);
    context_close(&sweep.context);
    return status;
}

int sweep(const struct options *options, struct error *err)
{
    return measured_begin(options, measure_and_report, err);
}
