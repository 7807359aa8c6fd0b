#include "bench/plan/peaks.h"

#include "harness/analysis/roofline.h"
#include "harness/machine/host.h"
#include "harness/machine/theory.h"
#include "kernels/native_peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds of each series, and of its slices: enough of them for an interval. */
static const double quick_budget = 0.3, usual_budget = 0.5, slices_in_budget = 8;
enum { visits_of_peak = 6 };

/* Working sets beyond all caches, bytes; the smaller one where time is short, as most of it goes to checking. */
static const double quick_top = ROOFLINE_TOP / 2, usual_top = ROOFLINE_TOP;

/* Part of the memory there is that one peak may take: of the host's, where it may lie twice, and of a device's. A
 * card of 4 GB has enough for a set beyond the caches. */
static const double memory_share = 0.125, device_memory_share = 0.125;

/* Seconds of a run that goes through memory, at least. */
static const double triad_seconds = 2e-3;

/* With more FLOP on each byte a problem is bound by arithmetic on every device there is. */
static const double compute_intensity_max = 32;

/* Bytes that a run goes through where the caches hold the set: it is gone over so often that starting costs nothing. */
static const double run_bytes = 64 << 20;

/* Of multiply-adds, for each core of a CPU, which take some milliseconds, so that starting the threads costs nothing,
 * and several runs fit a slice; and about so many for any other device. */
static const double fma_bytes_of_core = 2 << 20, fma_bytes = 16 << 20;

/* A run of multiply-adds takes at least this many seconds, and each element has at least, and at most, so many. */
static const double fma_seconds = 2e-3, fma_turns_least = 2048, fma_turns_most = 65536;

/* Groups of a wave on one unit. Every GPU of NVIDIA holds 16 from Turing on, whose work-items have enough chains to
 * keep the unit busy. With whole waves all units are busy to the end. */
static const double fma_groups_of_unit = 16;

/* What peaks are planned by. */
struct planning {
    struct plan *plan;           /* of the peaks */
    const struct plan *run_plan; /* which may hold peaks that the user asked for */
    const struct options *options;
    const struct workload *peak;
    double available; /* bytes of the host's memory */
};

/* Adds a peak by its shape text, unless it is planned already. */
static bool add_needed(const struct planning *planning, const char *shape, enum dtype dtype,
                       const struct device *device, struct error *err)
{
    struct problem problem;
    return problem_parse(&problem, planning->peak, dtype, shape, err) &&
           (plan_has(planning->run_plan, &problem, device) ||
            plan_add_peak(planning->plan, planning->options, &problem, device, err));
}

/* The class of a working set of so many bytes: a power of two. */
static double class_of(double held)
{
    return exp2(ceil(log2(held)));
}

/* The working set beyond the caches, three arrays of the same size: more where memory is so fast that a run would take
 * no longer than its launch, and less where memory is small. */
static double top_of(const struct planning *planning, const struct device *device)
{
    struct theory_memory theory;
    bool is_quick = planning->options->suite == SUITE_QUICK;
    double top = is_quick ? quick_top : usual_top, most = memory_share * planning->available;
    if (!device->works_in_host_memory && theory_bandwidth(device, &theory))
        top = fmax(top, class_of(triad_seconds * theory.bandwidth));
    if (device->memory > 0)
        most = fmin(most, device_memory_share * device->memory);
    if (device->largest_buffer > 0)
        most = fmin(most, 3 * device->largest_buffer);
    return most < top ? fmax(1 << 16, class_of(most) / 2) : top; /* fmin(x, NAN) is x */
}

/* Memory of `bytes`, as one run of a problem of that size goes through it. */
static bool add_triad(const struct planning *planning, double bytes, const struct device *device, struct error *err)
{
    char shape[SHAPE_MAX];
    double passes = device->works_in_host_memory ? fmax(1, floor(run_bytes / bytes)) : 1;
    snprintf(shape, sizeof shape, "kind=triad,bytes=%.0f,passes=%.0f", bytes, passes);
    return add_needed(planning, shape, DTYPE_F32, device, err);
}

/* Bytes of a working set of multiply-adds: enough elements for every thread there is, less where memory is small. */
static double fma_bytes_for(const struct device *device, enum dtype dtype, double top)
{
    const double wave = fma_groups_of_unit * device->units * PEAK_GROUP_ELEMENTS * (double)dtype_bytes(dtype);
    if (device->class == CLASS_CPU)
        return fmin(fma_bytes_of_core * fmax(1, device->units), top);
    const double bytes = fmin(fma_bytes, top);
    return wave > 0 ? fmin(wave * fmax(1, floor(bytes / wave)), top) : bytes;
}

/* Multiply-adds on each element, a power of two: by the device's theoretical peak, where that is known. */
static double fma_turns_for(const struct device *device, enum dtype dtype, double bytes)
{
    struct theory theory;
    const double elements = bytes / (double)dtype_bytes(dtype) * PEAK_CHAINS / (2 * PEAK_CHAINS + 2);
    if (device->class == CLASS_CPU || !theory_peak(device, dtype, &theory))
        return fma_turns_least;
    const double turns = exp2(ceil(log2(fma_seconds * theory.flops / (2 * elements))));
    return fmin(fmax(turns, fma_turns_least), fma_turns_most);
}

/* Adds the peak of arithmetic that a cell is compared with. Of the small types, for which some devices have matrix
 * units and others only vectors, none is measured. */
static bool add_arithmetic(const struct planning *planning, const struct cell *cell, struct error *err)
{
    const enum dtype dtype = cell->problem.dtype;
    const double bytes = fma_bytes_for(cell->device, dtype, top_of(planning, cell->device));
    const struct text shape =
        text_print("kind=fma,bytes=%.0f,turns=%.0f", bytes, fma_turns_for(cell->device, dtype, bytes));
    return !(planning->peak->dtypes & 1u << dtype) || add_needed(planning, shape.text, dtype, cell->device, err);
}

/* The same of memory: of a set beyond the caches, and of one like the cell's where arithmetic does not clearly bind it.
 * Where that of arithmetic is not measured it is not known whether memory binds a row. */
static bool add_memory(const struct planning *planning, const struct cell *cell, struct error *err)
{
    const struct problem *problem = &cell->problem;
    const struct device *device = cell->device;
    double top = top_of(planning, device), class = class_of(problem_bytes_held(problem)),
           flops = problem->workload->flops(problem), bytes = problem->workload->bytes(problem);
    if (!(planning->peak->dtypes & 1u << problem->dtype) && flops > 0)
        return true;
    bool needs_class = flops < compute_intensity_max * bytes && class < fmin(top, ROOFLINE_TOP / 2) && cell->flush == 0;
    return add_triad(planning, top, device, err) && (!needs_class || add_triad(planning, class, device, err));
}

static bool add_all(const struct planning *planning,
                    bool (*add)(const struct planning *planning, const struct cell *cell, struct error *err),
                    struct error *err)
{
    const struct plan *plan = planning->run_plan;
    for (unsigned i = 0; i < plan->cells; i++) {
        const struct cell *cell = &plan->cell[i];
        bool is_measured = cell->method && cell->refused.status == STATUS_OK &&
                           problem_roof(&cell->problem) == ROOF_NONE && !cell->method->leaves_device;
        if (is_measured && !add(planning, cell, err))
            return false;
    }
    return true;
}

/* Puts the cells of a problem one after the other, as a block: behind the first of them. */
static void join_blocks(struct plan *plan)
{
    for (unsigned first = 0, end; first < plan->cells; first = end) {
        end = plan_block_end(plan, first);
        for (unsigned i = end; i < plan->cells; i++) {
            const struct cell cell = plan->cell[i];
            if (strcmp(cell.block, plan->cell[first].block) != 0)
                continue;
            memmove(&plan->cell[end + 1], &plan->cell[end], (i - end) * sizeof cell);
            plan->cell[end++] = cell;
        }
    }
}

bool peaks_plan(struct peaks *out, const struct options *options, const struct rule *rule, const struct plan *plan,
                struct error *err)
{
    const double budget = fmin(options->suite == SUITE_QUICK ? quick_budget : usual_budget, rule->budget);
    struct options own = *options; /* for repro lines */
    own.budget = budget;
    own.baseline = "none";
    const struct planning planning = { &out->plan, plan, &own, workload_find("peak"), host_memory_available("") };
    *out = (struct peaks){ 0 };
    out->rule = (struct rule){ .visits = visits_of_peak,
                               .target = rule->target,
                               .budget = budget,
                               .slice = budget / slices_in_budget,
                               .deadline = budget };
    if (options->no_peaks || !planning.peak)
        return true;
    const bool is_planned = add_all(&planning, add_arithmetic, err) && add_all(&planning, add_memory, err);
    join_blocks(&out->plan);
    return is_planned;
}
