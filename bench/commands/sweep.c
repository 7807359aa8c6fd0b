#include "bench/commands/commands.h"

#include "bench/commands/measured.h"
#include "bench/doctor/doctor.h"
#include "bench/schedule/block.h"
#include "bench/schedule/context.h"
#include "bench/schedule/forecast.h"
#include "bench/schedule/resume.h"
#include "bench/workloads/shape_template.h"
#include "harness/analysis/curve.h"
#include "harness/report/formats/thresholds.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRID_MAX = 64, FURTHER_MAX = 24 };

/* Sizes that a crossing usually takes beyond the grid: for the progress line. */
static const double usual_further = 4;

struct sweep {
    struct context context;
    struct options options; /* those of one size; its texts lie in the options that it was copied from */
    struct shape_template shape_template;
    enum dtype dtype;
    int64_t from, to;
    double size[GRID_MAX];
    unsigned sizes;        /* of the grid */
    char shape[SHAPE_MAX]; /* of the latest */
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
    if (status != EXIT_OK)
        return status;
    struct context *context = &sweep->context;
    if (context->terms->baseline)
        context->selected[context->terms->baseline - context->listing.device] = false;
    for (unsigned i = 0; i < context->listing.devices; i++)
        any = any || context->selected[i];
    if (context->terms->baseline && any)
        return EXIT_OK;
    bool is_asked = devices[0] && strcmp(devices[0], "all") != 0;
    fail(err, is_asked ? STATUS_USAGE : STATUS_UNSUPPORTED, "--device: there is %s: %s",
         context->terms->baseline ? "nothing to compare with the baseline" : "no CPU to compare with",
         is_asked ? "name two, the baseline first" : "'bench devices' says what there is");
    return is_asked ? EXIT_USAGE : EXIT_NOTHING;
}

/* Plans the cells of one size. False, with nothing to be freed, where it makes no sense. */
static bool plan_size(struct sweep *sweep, double size, struct plan *out, struct error *err)
{
    const struct context *context = &sweep->context;
    sweep->options.size[0] = shape_template_fill(&sweep->shape_template, (int64_t)size, sweep->shape);
    sweep->options.size[1] = NULL;
    bool planned = plan_make(out, &sweep->options, &context->host, &context->listing, context->selected,
                             context->terms->baseline, err);
    if (!planned)
        plan_free(out);
    return planned;
}

/* The first and the last size must make sense before anything is measured; so do those between them. Returns how long
 * all of the grid may take, or NAN with err. */
static double try_grid(struct sweep *sweep, struct error *err)
{
    double seconds = 0;
    for (unsigned i = 0; i < sweep->sizes; i++) {
        struct plan plan;
        if (!plan_size(sweep, sweep->size[i], &plan, err))
            return NAN;
        seconds += forecast_block(&sweep->context, plan.cell, plan.cells);
        plan_free(&plan);
    }
    return seconds;
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
    run_log_write(&sweep->context.run_log,
                  json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:s, s:o, s:b}", "line", "sweep",
                            "workload", shape_template->workload->name, "dtype", dtype_name(sweep->dtype), "shape",
                            shape_template->shape, "unit", shape_template->unit, "dim", shape_template->dim, "from",
                            (json_int_t)sweep->from, "to", (json_int_t)sweep->to, "points", (int)sweep->sizes, "uses",
                            (int)options->uses, "baseline", context->terms->baseline->id, "devices", devices,
                            "each_method", options->method[0] != NULL));
}

/* Measures one size. */
static bool measure_size(struct sweep *sweep, double size, struct error *err)
{
    struct context *context = &sweep->context;
    struct plan plan;
    if (!plan_size(sweep, size, &plan, err))
        return false;
    const bool is_measured = block_measure(context, plan.cell, plan.cells, err);
    plan_free(&plan);
    return is_measured;
}

/* The size in the widest gap that any device in any kind of use has; NAN: all crossings are known well enough. */
static double next_size(const struct sweep *sweep)
{
    struct curves curves;
    double widest = 0, next = NAN;
    bool complete = curves_read(&curves, sweep->context.run_log.record);
    for (unsigned i = 0; complete && i < curves.curves; i++)
        for (enum mode mode = 0; mode < MODES; mode++) {
            double gap, size = curve_next(&curves.curve[i], mode, (double)sweep->shape_template.multiple, &gap);
            if (!isnan(size) && gap > widest) {
                widest = gap;
                next = size;
            }
        }
    curves_free(&curves);
    return next;
}

static bool measure_all(struct sweep *sweep, struct error *err)
{
    const struct context *context = &sweep->context;
    struct progress *progress = &sweep->context.progress;
    double each = progress->planned / (sweep->sizes + usual_further);
    for (unsigned i = 0; i < sweep->sizes && !context->interrupted; i++)
        if (!measure_size(sweep, sweep->size[i], err))
            return false;
    for (unsigned i = 0; i < FURTHER_MAX && !context->interrupted; i++) {
        double size = next_size(sweep);
        if (isnan(size))
            break;
        progress->planned = fmax(progress->planned, progress->done + each);
        if (!measure_size(sweep, size, err))
            return false;
    }
    return true;
}

/* Everything up to the first measurement. Returns EXIT_OK, or with err filled the status to leave with. */
static int prepare(struct sweep *sweep, struct resume *resume, const struct options *options, double *seconds,
                   struct error *err)
{
    if (!read_options(sweep, options, err))
        return EXIT_USAGE;
    int status = open_context(sweep, resume, options, err);
    if (status != EXIT_OK)
        return status;
    sweep->options = *options;
    sweep->options.budget = plan_budget(options);
    sweep->options.no_ceilings = true; /* as it has none, and neither has a cell that is measured again */
    *seconds = try_grid(sweep, err);
    struct context *context = &sweep->context;
    memcpy(context->takes_part, context->selected, sizeof context->takes_part);
    context->takes_part[context->terms->baseline - context->listing.device] = true;
    return !isnan(*seconds) && context_open_journal(context, err) ? EXIT_OK : EXIT_USAGE;
}

static bool measure(struct sweep *sweep, double seconds, struct error *err)
{
    struct context *context = &sweep->context;
    seconds *= 1 + usual_further / sweep->sizes;
    context_begin(context, seconds);
    unsigned done = 0;
    for (unsigned i = 0; i < context->run_log.record->blocks; i++)
        done += context->run_log.record->block[i].is_done;
    if (context->resume)
        progress_note(&context->progress, "resuming %s: %u size%s done", context->run_log.path, done,
                      done == 1 ? " is" : "s are");
    else
        doctor_note_no_gpu(context);
    if (!context->run_log.record->sweep)
        write_line(sweep);
    bool ok = measure_all(sweep, err);
    context_end(context, ok);
    return ok;
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
    struct sweep sweep = { .context = { .setup = { .wake_fd = -1 } } };
    double seconds;
    int status = prepare(&sweep, resume, options, &seconds, err);
    if (status == EXIT_OK) {
        bool measured = measure(&sweep, seconds, err), reported = measured_report(&sweep.context, err);
        bool saved = save(&sweep, measured, err);
        status = measured_status(&sweep.context, measured && reported && saved);
    }
    context_close(&sweep.context);
    return status;
}

int sweep(const struct options *options, struct error *err)
{
    return measured_begin(options, measure_and_report, err);
}
