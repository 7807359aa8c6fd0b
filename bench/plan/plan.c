#include "bench/plan/planner.h"
#include "bench/plan/selection.h"
#include "harness/base/text.h"

#include <math.h>
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

/* Most sizes that a workload makes for one machine. */
enum { SIZES_MAX = 32 };

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

/* Adds one shape of one workload in each wanted element type. */
static bool add_shape(struct planner *planner, const struct workload *workload, const char *shape, struct error *err)
{
    char name[SHAPE_MAX], canonical[SHAPE_MAX];
    struct plan *plan = planner->plan;
    const bool is_named = planner->options->workload[0] || planner->options->size[0];
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        struct problem problem;
        struct error why = { .status = STATUS_OK };
        if (!dtype_wanted(planner->options, workload, dtype))
            continue;
        if (!problem_parse(&problem, workload, dtype, shape, &why))
            return fail(err, STATUS_USAGE, "--size %.60s: %s", shape, why.message);
        if (!plan_add_problem(planner, &problem, err))
            return false;
        /* A note names each problem that the user asked for and that no device can measure. */
        if (plan_has(plan, &problem, NULL) || !is_named || plan->without_method++ >= WITHOUT_METHOD_NAMED)
            continue;
        snprintf(name, sizeof name, "%s %.100s", workload->name, problem_shape(&problem, canonical));
        text_join(plan->first_without_method, sizeof plan->first_without_method, ", ", name);
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

/* Adds each --size to every workload that understands it. At least one must. */
static bool add_sizes(struct planner *planner, struct error *err)
{
    const struct options *options = planner->options;
    bool understood[LIST_MAX] = { false };
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && !add_sizes_of(planner, *workload, understood, err))
            return false;
    for (unsigned i = 0; options->size[i]; i++) {
        struct error why = { .status = STATUS_OK };
        struct problem probe;
        if (understood[i])
            continue;
        problem_parse(&probe, selection_closest(options, options->size[i]), DTYPE_F32, options->size[i], &why);
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
        if (!selection_takes(options, workload))
            continue;
        const enum suite suite = suite_for(options, workload);
        if (suite == SUITE_QUICK && workload->quick_shape && !add_shape(planner, workload, workload->quick_shape, err))
            return false;
        for (const struct suite_size *suite_size = workload->suite_sizes; suite_size->shape; suite_size++)
            if (suite_has(suite, suite_size) && !add_shape(planner, workload, suite_size->shape, err))
                return false;
        char own[SIZES_MAX][SHAPE_MAX]; /* for this machine */
        const unsigned sizes = workload->sizes ? workload->sizes(planner->host, suite, own, SIZES_MAX) : 0;
        for (unsigned i = 0; i < sizes; i++)
            if (!add_shape(planner, workload, own[i], err))
                return false;
    }
    return true;
}

bool plan_make(struct plan *out, const struct options *options, const struct host *host, const struct listing *listing,
               const bool chosen[DEVICES_MAX], const struct device *baseline, struct error *err)
{
    *out = (struct plan){ 0 };
    struct planner planner = { out, options, host, listing, chosen, baseline };
    if (options->cold && !isnan(options->sustained))
        return fail(err, STATUS_USAGE,
                    "--sustained and --cold: choose one; emptying the caches is a pause for the device");
    if (!selection_check(options, err) || !(options->size[0] ? add_sizes(&planner, err) : add_suite(&planner, err)))
        return false;
    return out->cells > 0 || selection_nothing(options, err);
}

/* Whether --size gives a size that may be of it, or the suite has one. */
static bool has_size(const struct options *options, const struct workload *workload)
{
    bool has = options->size[0] || workload->sizes || (options->suite == SUITE_QUICK && workload->quick_shape);
    for (const struct suite_size *size = workload->suite_sizes; size->shape; size++)
        has = has || suite_has(options->suite, size);
    return has;
}

static bool keeps(const struct options *options, enum narrowing narrowing, const struct workload *workload)
{
    struct problem probe;
    if (narrowing == BY_METHOD)
        return selection_has_method(options, workload);
    bool keeps = narrowing == BY_SIZE && !options->size[0];
    for (unsigned i = 0; narrowing == BY_SIZE && options->size[i]; i++)
        keeps = keeps || problem_parse(&probe, workload, DTYPE_F32, options->size[i], NULL);
    for (enum dtype dtype = 0; narrowing == BY_DTYPE && dtype < DTYPE_COUNT; dtype++)
        keeps = keeps || dtype_wanted(options, workload, dtype);
    return keeps;
}

bool plan_leaves_out(const struct options *options, enum narrowing narrowing, char applies[SHAPE_MAX],
                     char skipped[SHAPE_MAX])
{
    applies[0] = skipped[0] = '\0';
    for (const struct workload *const *each = workloads; *each; each++)
        if (has_size(options, *each))
            text_join(keeps(options, narrowing, *each) ? applies : skipped, SHAPE_MAX, ", ", (*each)->name);
    return skipped[0] != '\0';
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
    *plan = (struct plan){ 0 };
}
