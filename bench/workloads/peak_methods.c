#include "bench/workloads/geometry.h"
#include "bench/workloads/peak.h"
#include "kernels/native.h"
#include "kernels/texts.h"

#include <stdio.h>
#include <string.h>

/* How the limits are measured: loops in plain C on the CPU, which alone has caches and threads to choose from, and a
 * kernel text elsewhere. */

/* --- plain C --- */

static int64_t native_extent(const struct problem *problem)
{
    return peak_plan_of(problem).lines;
}

static unsigned native_threads(const struct problem *problem)
{
    return problem->dim[PEAK_THREADS] == PEAK_ONE ? 1 : 0;
}

static const char *describe(const struct problem *problem, const char *stores)
{
    switch ((enum peak_kind)problem->dim[PEAK_KIND]) {
    case PEAK_FMA:
        return "12 chains";
    case PEAK_READ:
        return "8 sums";
    default:
        return stores;
    }
}

static const char *native_describe(const struct problem *problem)
{
    return describe(problem, "ordinary stores");
}

static const char *streaming_describe(const struct problem *problem)
{
    return describe(problem, problem->dim[PEAK_PASSES] > 1 ? "ordinary stores" : NATIVE_STREAMING);
}

static const struct native streaming = {
    .describe = streaming_describe,
    .threads = native_threads,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, peak_streaming), .grain = 1, .extent = native_extent } },
};

static const struct native native = {
    .describe = native_describe,
    .threads = native_threads,
    .passes = 1,
    .pass = { { NATIVE_VERSIONS(NATIVE_REALS, peak), .grain = 1, .extent = native_extent } },
    .streaming = &streaming,
};

/* --- kernel text --- */

/* What a work-item, or a group, takes at once, and how often it does so. */
struct shares {
    unsigned width, local, steps;
    int64_t groups;
};

/* Long walks for a core, but enough of them to keep every unit busy to the end. */
static unsigned walk(int64_t pieces, unsigned most, const struct device *device)
{
    const int64_t groups_wanted = 16 * (int64_t)(device->units ? device->units : 1);
    unsigned steps = most;
    while (steps > 1 && pieces / steps < groups_wanted)
        steps /= 2;
    return steps;
}

/* Tiles are short, and blocks too: a GPU has one for each of its items. */
static struct shares shares_of(const struct problem *problem, const struct device *device)
{
    const struct peak_plan plan = peak_plan_of(problem);
    const bool is_cpu = !has_lanes(device);
    const enum peak_kind kind = (enum peak_kind)problem->dim[PEAK_KIND];
    struct shares shares = { .width = is_cpu ? (unsigned)plan.line : 1, .local = is_cpu ? 1 : 256, .steps = 1 };
    int64_t each;
    if (kind == PEAK_FMA) {
        shares.local = is_cpu ? 1 : 64; /* small groups, so that the last of them leave few multiprocessors idle */
        shares.steps = is_cpu ? walk(plan.lines, 8, device) : 1;
        each = (is_cpu ? 1 : shares.local / plan.line) * shares.steps;
    } else if (kind == PEAK_READ) {
        shares.steps = is_cpu ? walk(plan.lines, 16, device) : 1;
        each = (is_cpu ? 1 : shares.local / plan.row) * shares.steps;
    } else {
        shares.steps = is_cpu ? walk(plan.lines, 1024, device) : 4;
        each = (int64_t)shares.local * shares.steps * shares.width / plan.line;
    }
    shares.groups = blocks_of(plan.lines, each);
    return shares;
}

static void portable_launch(const struct problem *problem, const struct device *device, struct launch *out)
{
    static const char *const entry[PEAK_KINDS] = { "chains", "sums", "fill", "copy", "triad" };
    const bool is_cpu = !has_lanes(device);
    const enum peak_kind kind = (enum peak_kind)problem->dim[PEAK_KIND];
    const struct peak_plan plan = peak_plan_of(problem);
    const struct shares shares = shares_of(problem, device);
    const int span = is_cpu ? (int)(plan.row / plan.line) : 1; /* vectors of a row that one work-item has */

    *out = (struct launch){ .passes = 1 };
    out->pass[0] = (struct pass){ .entry = entry[kind],
                                  .dims = 1,
                                  .global = { (size_t)shares.groups * shares.local },
                                  .local = { shares.local },
                                  .is_divisible = true };
    snprintf(out->defines, sizeof out->defines,
             "-DWIDTH=%u -DLOCAL=%u -DSTEPS=%u -DCHAINS=%d -DROWS=%d -DSPAN=%d "
             "-DSTRETCHES=%d",
             shares.width, shares.local, shares.steps, PEAK_CHAINS, (int)plan.rows, span,
             is_cpu && shares.steps % 4 == 0 ? 4 : 1);
    const char *how = kind == PEAK_FMA ? "12 chains" : kind == PEAK_READ ? "sums of columns" : "streaming stores";
    if (is_cpu)
        snprintf(out->detail, sizeof out->detail, "width %u, %s", shares.width, how);
    else
        snprintf(out->detail, sizeof out->detail, "groups of %u%s%s", shares.local, kind < PEAK_WRITE ? ", " : "",
                 kind < PEAK_WRITE ? how : "");
    out->turns = (double)shares.steps;
    if (kind == PEAK_FMA)
        out->turns *= (double)problem->dim[PEAK_TURNS] + 4;
    if (kind == PEAK_READ)
        out->turns *= (double)plan.rows + 4;
}

static const struct portable portable = { .source = peak_text, .launch = portable_launch };

static bool portable_suits(const struct problem *problem, const struct device *device, struct error *err)
{
    if (problem->dim[PEAK_PASSES] > 1)
        return fail(err, STATUS_UNSUPPORTED, "passes=%lld: only the CPU's own loops stay in a cache; %s takes passes=1",
                    (long long)problem->dim[PEAK_PASSES], device->id);
    if (problem->dim[PEAK_THREADS] == PEAK_ONE)
        return fail(err, STATUS_UNSUPPORTED, "threads=one: only the CPU's own loops run on one; %s takes threads=all",
                    device->id);
    return true;
}

static const char *const on_cpu[] = { "cpu", "fake", NULL };

const struct method peak_methods[] = {
    { "native", "C, compiled for each instruction set", on_cpu, .native = &native },
    { "portable", "kernel text, compiled by the device's driver", with_compiler, .portable = &portable,
      .suits = portable_suits },
    { 0 },
};
