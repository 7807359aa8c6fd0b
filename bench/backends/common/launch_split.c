#include "bench/backends/common/launch_split.h"

#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/machine/theory.h"

#include <math.h>

/* A part of a run is a range of the groups of its only pass. Each part has at least one group. */
static bool parts_fit(const struct launch *launch, const struct problem *problem, const struct method *method,
                      unsigned parts, struct error *err)
{
    const struct pass *pass = &launch->pass[0];
    const char *name = problem->workload->name;
    if (parts <= 1)
        return true;
    if (!problem->workload->grain || launch->passes != 1 || !pass->is_divisible)
        return fail(err, STATUS_UNSUPPORTED, "%s of %s computes a run as a whole, not in %u parts", method->name, name,
                    parts);
    const size_t groups = pass->items / pass->group;
    return groups >= parts || fail(err, STATUS_UNSUPPORTED, "%zu group%s of %s cannot be cut into %u parts", groups,
                                   groups == 1 ? "" : "s", name, parts);
}

/* How many launches keep each launch below about 200 ms. A kernel is taken to reach an eighth of the device's
 * theoretical peaks. Where those are unknown a slow device is assumed: per clock and unit, 4 operations in f32 (a
 * quarter of what Intel's units do: eight lanes of multiply-add) and 1 in f64 (about a consumer card); 0.5 GHz where
 * the clock is unknown; 8 GB/s (one slow memory channel). A faster device gets more launches than it needs, of some
 * milliseconds each. */
static double launches_needed(const struct device *device, const struct problem *problem)
{
    const double longest = 0.2, slowest_bandwidth = 8e9, share = 0.125;
    const double clock = device->clock > 0 ? device->clock : 0.5e9, units = device->units > 0 ? device->units : 1;
    const enum dtype dtype = dtype_sums(problem->dtype); /* kernels never compute in a narrower one */
    const struct workload *workload = problem->workload;
    struct theory theory;
    struct theory_memory memory;
    const double rate =
        theory_peak(device, dtype, &theory) ? share * theory.flops : units * clock * (dtype == DTYPE_F64 ? 1 : 4);
    const double bandwidth = theory_bandwidth(device, &memory) ? share * memory.bandwidth : slowest_bandwidth;
    return ceil(fmax(workload->flops(problem) / rate, workload->bytes(problem) / bandwidth) / longest);
}

/* Groups of one launch, at most `most`: as many whole waves as fit. In a wave each unit runs as many
 * work-items as it can hold, 2048 on a multiprocessor, or half or a quarter of them, as the kernel's registers allow;
 * that is a power of two of waves of the largest. A last wave with few groups would take as long as a whole one. All
 * that fit where the number of units is unknown. */
static double whole_waves(const struct pass *pass, const struct device *device, double most)
{
    const double local = (double)pass->group;
    for (double held = 2048; held >= local && device->units > 0; held /= 2) {
        const double wave = device->units * floor(held / local), waves = floor(most / wave);
        if (waves >= 1)
            return waves * wave;
    }
    return most;
}

/* It is not known which pass has the work, so each is cut as if it had all of it. */
static void cut(struct launch_split *launch_split, struct launch *launch, const struct device *device, double needed)
{
    double most = 1;
    for (unsigned i = 0; i < launch->passes; i++) {
        const struct pass *pass = &launch->pass[i];
        launch_split->items_per_launch[i] = pass->items;
        if (!pass->is_divisible || !(needed > 1))
            continue;
        const double groups = (double)(pass->items / pass->group),
                     each = whole_waves(pass, device, ceil(groups / needed));
        launch_split->items_per_launch[i] = (size_t)each * pass->group;
        most = fmax(most, ceil(groups / each));
    }
    if (most > 1)
        text_join(launch->detail, sizeof launch->detail, ", ", text_print("computed in %.0f launches", most).text);
}

bool launch_split_plan(struct launch_split *out, struct launch *launch, const struct problem *problem,
                       const struct method *method, const struct device *device, unsigned parts, bool bounded,
                       struct error *err)
{
    *out = (struct launch_split){ .parts = parts > 1 ? parts : 1 };
    out->moves_in_parts = out->parts > 1 && problem_moves_in_parts(problem);
    if (!*launch->detail)
        text_copy(launch->detail, sizeof launch->detail, launch->kernel_shape);
    if (dtype_sums(problem->dtype) != problem->dtype) /* kernels never multiply in such a type; libraries may */
        text_join(launch->detail, sizeof launch->detail, ", ",
                  text_print("computed in %s", dtype_name(dtype_sums(problem->dtype))).text);
    cut(out, launch, device, bounded ? launches_needed(device, problem) : 1);
    return parts_fit(launch, problem, method, out->parts, err);
}

static bool pass_submit(const struct launch_split *launch_split, const struct launch *launch, unsigned i, unsigned part,
                        sub_launch_submit *submit, void *context, struct error *err)
{
    const struct pass *pass = &launch->pass[i];
    const bool is_whole = launch_split->parts == 1, ends = i + 1 == launch->passes && part + 1 == launch_split->parts;
    const size_t group = is_whole ? pass->items : pass->group, step = launch_split->items_per_launch[i];
    const int64_t groups = (int64_t)(pass->items / group);
    const size_t from = group * (size_t)parallel_cut(0, groups, 1, part, launch_split->parts),
                 to = group * (size_t)parallel_cut(0, groups, 1, part + 1, launch_split->parts),
                 origin = launch_split->moves_in_parts ? from : 0;
    for (size_t start = from; start < to; start += step) {
        const size_t end = to - start <= step ? to : start + step;
        const struct sub_launch sub = { .pass = i,
                                        .part = part,
                                        .start = start - origin,
                                        .end = end - origin,
                                        .is_first = i == 0 && start == 0,
                                        .is_last = ends && end == to,
                                        .is_cut = end - start < pass->items };
        if (!submit(context, &sub, err))
            return false;
    }
    return true;
}

bool launch_split_submit(const struct launch_split *launch_split, const struct launch *launch, unsigned first,
                         unsigned end, unsigned part, sub_launch_submit *submit, void *context, struct error *err)
{
    if (part >= launch_split->parts)
        return fail(err, STATUS_FAILED, "part %u of %u", part, launch_split->parts);
    for (unsigned i = first; i < end; i++)
        if (!pass_submit(launch_split, launch, i, part, submit, context, err))
            return false;
    return true;
}
