#include "bench/plan/planner.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Seconds a series, where its visits are not counted; choices and deadlines depend on it everywhere. */
static const double suite_budget[SUITE_COUNT] = { 0.5, 1.5, 10, 10 };

/* The same for each size of a sweep. */
static const double sweep_budget = 0.6;

/* By suite, and for each size of a sweep. */
static const unsigned suite_visits[SUITE_COUNT] = { 12, 24, 0, 0 }, sweep_visits = 12;

unsigned plan_visits(const struct options *options)
{
    if (!isnan(options->budget) || !isnan(options->precision))
        return 0;
    return options->verb == VERB_SWEEP ? sweep_visits : suite_visits[options->suite];
}

double plan_budget(const struct options *options)
{
    double usual = options->verb == VERB_SWEEP ? sweep_budget : suite_budget[options->suite];
    return isnan(options->budget) ? usual : options->budget;
}

double plan_deadline(const struct options *options)
{
    static const double budgets_of_run = 10;
    return fmin(options->timeout, budgets_of_run * plan_budget(options));
}

/* Without --workload, a workload takes part if it has a method that --method names. */
static bool is_taken(const struct options *options, const struct workload *workload)
{
    return options->workload[0] ? options_names(options->workload, workload->name)
                                : options_names(options->method, "all") || plan_names_method(options, workload);
}

static bool dtype_wanted(const struct options *options, const struct workload *workload, enum dtype dtype)
{
    const bool any = memchr(options->dtype, true, sizeof options->dtype);
    if (!(workload->dtypes & 1u << dtype))
        return false;
    return any ? options->dtype[dtype] : dtype == DTYPE_F32 || (options->suite == SUITE_FULL && !workload->is_untyped);
}

bool plan_has(const struct plan *plan, const struct problem *problem, const struct device *device)
{
    for (unsigned i = 0; i < plan->cells; i++)
        if ((!device || plan->cell[i].device == device) && problem_is_same(&plan->cell[i].problem, problem))
            return true;
    return false;
}

/* Of the problems that no method suits so many are named. */
enum { PROBLEMS_NAMED = 4 };

/* Adds one shape of one workload in each wanted element type. */
static bool add_shape(struct planner *planner, const struct workload *workload, const char *shape, struct error *err)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error why = { .status = STATUS_OK };
        char text[SHAPE_MAX];
        if (!dtype_wanted(planner->options, workload, dtype))
            continue;
        if (!problem_parse(&problem, workload, dtype, shape, &why))
            return fail(err, STATUS_USAGE, "--size %.60s: %s", shape, why.message);
        if (!plan_add_problem(planner, &problem, err))
            return false;
        if (!plan_has(planner->plan, &problem, NULL) && planner->without_methods++ < PROBLEMS_NAMED)
            text_append(planner->without_method, sizeof planner->without_method, "%s%s %.100s",
                        *planner->without_method ? ", " : "", workload->name, problem_shape(&problem, text));
    }
    return true;
}

/* Adds those of the --size values that the workload understands. A workload that was named must understand one. */
static bool add_sizes_of(struct planner *planner, const struct workload *workload, bool understood[], struct error *err)
{
    const struct options *options = planner->options;
    struct error why = { .status = STATUS_OK };
    bool any = false;
    for (unsigned i = 0; options->size[i]; i++) {
        struct problem probe;
        if (!problem_parse(&probe, workload, DTYPE_F32, options->size[i], &why))
            continue;
        understood[i] = any = true;
        if (!add_shape(planner, workload, options->size[i], err))
            return false;
    }
    if (options->workload[0] && !any)
        return fail(err, STATUS_USAGE, "--size %.60s: %s", options->size[0], why.message);
    return true;
}

/* How many of the shape's dimensions the workload has. */
static unsigned dims_known(const struct workload *workload, const char *shape)
{
    unsigned known = 0;
    for (const struct dim *dim = workload->dims; dim->name; dim++) {
        size_t length = strlen(dim->name);
        for (const char *part = shape; part; part = text_next_part(part))
            known += strncmp(part, dim->name, length) == 0 && part[length] == '=';
    }
    return known;
}

/* The workload that a wrong shape was probably meant for: the one with most of its dimensions. */
static const struct workload *closest(const struct options *options, const char *shape)
{
    const struct workload *best = NULL;
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (is_taken(options, *workload) && (!best || dims_known(*workload, shape) > dims_known(best, shape)))
            best = *workload;
    return best;
}

/* Adds each --size to every workload that understands it. At least one must. */
static bool add_sizes(struct planner *planner, struct error *err)
{
    const struct options *options = planner->options;
    bool understood[LIST_MAX] = { false };
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (is_taken(options, *workload) && !add_sizes_of(planner, *workload, understood, err))
            return false;
    for (unsigned i = 0; options->size[i]; i++) {
        struct error why = { .status = STATUS_OK };
        struct problem probe;
        if (understood[i])
            continue;
        problem_parse(&probe, closest(options, options->size[i]), DTYPE_F32, options->size[i], &why);
        return fail(err, STATUS_USAGE, "--size %.60s: %s", options->size[i], why.message);
    }
    return true;
}

static bool suite_has(enum suite suite, const struct suite_size *suite_size)
{
    bool is_apart = suite == SUITE_UHD620 || suite_size->suite == SUITE_UHD620;
    return is_apart ? suite_size->suite == suite : suite_size->suite <= suite;
}

/* The suite whose sizes a workload is measured at: a named workload that the suite leaves out takes those of the
 * smallest suite that has it. */
static enum suite suite_for(const struct options *options, const struct workload *workload)
{
    enum suite least = SUITE_COUNT;
    bool is_lacking = !(options->suite == SUITE_QUICK && workload->quick_shape);
    for (const struct suite_size *suite_size = workload->suite_sizes; suite_size->shape; suite_size++) {
        if (suite_size->suite < least)
            least = suite_size->suite;
        is_lacking = is_lacking && !suite_has(options->suite, suite_size);
    }
    return is_lacking && least < SUITE_COUNT && options->workload[0] ? least : options->suite;
}

static bool add_suite(struct planner *planner, struct error *err)
{
    const struct options *options = planner->options;
    for (const struct workload *const *each = workloads; *each; each++) {
        const struct workload *workload = *each;
        if (!is_taken(options, workload))
            continue;
        const enum suite suite = suite_for(options, workload);
        if (suite == SUITE_QUICK && workload->quick_shape && !add_shape(planner, workload, workload->quick_shape, err))
            return false;
        for (const struct suite_size *suite_size = workload->suite_sizes; suite_size->shape; suite_size++)
            if (suite_has(suite, suite_size) && !add_shape(planner, workload, suite_size->shape, err))
                return false;
    }
    return true;
}

static void __attribute__((format(printf, 2, 3))) add_unmeasured(struct plan *plan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_vprint(&plan->pool, format, arguments);
    va_end(arguments);
    pool_add(&plan->pool, &plan->unmeasured.label, &plan->unmeasured.count, &text, sizeof text);
}

/* Element types that a workload lacks. */
static void explain_types(struct plan *plan, const struct options *options, const struct workload *workload)
{
    char lacking[64] = "", has[64] = "";
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        const bool is_there = workload->dtypes & 1u << dtype;
        if (is_there || options->dtype[dtype])
            text_join(is_there ? has : lacking, sizeof has, ", ", dtype_name(dtype));
    }
    if (*lacking)
        add_unmeasured(plan, "%s has no element type %s; it has %s", workload->name, lacking, has);
}

/* Whether the suite has a size of it, or --size may be one. */
static bool has_size(const struct options *options, const struct workload *workload)
{
    bool has = options->size[0] || (options->suite == SUITE_QUICK && workload->quick_shape);
    for (const struct suite_size *size = workload->suite_sizes; size->shape; size++)
        has = has || suite_has(options->suite, size);
    return has;
}

/* Workloads that have no row as options leave them out. */
static void explain_left_out(struct plan *plan, const struct options *options)
{
    char names[256] = "", by[32] = "";
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        bool has_row = false;
        for (unsigned i = 0; i < plan->cells; i++)
            has_row |= plan->cell[i].problem.workload == *workload;
        if (!has_row && has_size(options, *workload))
            text_join(names, sizeof names, ", ", (*workload)->name);
    }
    if (options->size[0])
        text_join(by, sizeof by, ", ", "--size");
    if (memchr(options->dtype, true, sizeof options->dtype))
        text_join(by, sizeof by, ", ", "--dtype");
    if (options->method[0])
        text_join(by, sizeof by, ", ", "--method");
    if (*names && *by)
        add_unmeasured(plan, "%s: left out by %s", names, by);
}

/* Of what the user named, and where there is nothing to measure. */
static void explain_unmeasured(struct planner *planner)
{
    struct plan *plan = planner->plan;
    const struct options *options = planner->options;
    const bool is_named = options->workload[0] || options->size[0] || plan->cells == 0;
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (is_taken(options, *workload) && (options->workload[0] || plan->cells == 0))
            explain_types(plan, options, *workload);
    if (planner->without_methods > PROBLEMS_NAMED)
        text_append(planner->without_method, sizeof planner->without_method, " and %u more",
                    planner->without_methods - PROBLEMS_NAMED);
    if (is_named && planner->without_methods > 0)
        add_unmeasured(plan, "%s %s",
                       options->method[0] ? "no requested method supports" : "no chosen device has a method for",
                       planner->without_method);
    for (const char *const *name = options->method; *name; name++) {
        bool is_measured = strcmp(*name, "all") == 0;
        for (unsigned i = 0; i < plan->cells; i++)
            is_measured |= plan->cell[i].method && strcmp(plan->cell[i].method->name, *name) == 0;
        if (!is_measured)
            add_unmeasured(plan, "%s: no chosen device has this method for these sizes", *name);
    }
    if (!options->workload[0] && plan->cells > 0)
        explain_left_out(plan, options);
}

bool plan_make(struct plan *out, const struct options *options, const struct host *host, const struct listing *listing,
               const bool chosen[DEVICES_MAX], const struct device *baseline, struct error *err)
{
    *out = (struct plan){ 0 };
    struct planner planner = { out, options, host, listing, chosen, baseline, .without_methods = 0 };
    if (options->cold && !isnan(options->sustained))
        return fail(err, STATUS_USAGE,
                    "--sustained and --cold: choose one; emptying the caches is a pause for the device");
    if (!(options->size[0] ? add_sizes(&planner, err) : add_suite(&planner, err)))
        return false;
    explain_unmeasured(&planner);
    return out->cells > 0 ||
           fail(err, STATUS_USAGE, "nothing to measure: %s ('bench workloads' shows what there is)",
                out->unmeasured.count > 0 ? out->unmeasured.label[0] : "no workload fits these options");
}

unsigned plan_block_end(const struct plan *plan, unsigned first)
{
    unsigned end = first + 1;
    while (end < plan->cells && strcmp(plan->cell[end].block, plan->cell[first].block) == 0)
        end++;
    return end;
}

void plan_free(struct plan *plan)
{
    free(plan->cell);
    pool_release(&plan->pool);
    *plan = (struct plan){ 0 };
}
