#include "bench/selection.h"

#include "bench/registry.h"
#include "harness/text.h"

#include <stdio.h>
#include <string.h>

bool selection_names(const char *const list[], const char *word)
{
    if (!list[0])
        return true;
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* Whether one of the methods that were named, if any were, belongs to the workload. */
static bool has_named(const struct options *options, const struct workload *workload)
{
    if (!options->variant[0] || selection_names(options->variant, "all"))
        return true;
    for (const char *const *name = options->variant; *name; name++)
        if (variant_find(workload, *name))
            return true;
    return false;
}

bool selection_takes(const struct options *options, const struct workload *workload)
{
    return options->workload[0] ? selection_names(options->workload, workload->name) : has_named(options, workload);
}

/* "conv, matmul": the workloads that have the method, all of them or those that take part. */
static unsigned owners_of(const char *method, const struct options *only, char *to, size_t room)
{
    unsigned owners = 0;
    size_t used = 0;
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        if (!variant_find(*workload, method) || (only && !selection_takes(only, *workload)))
            continue;
        used += (size_t)snprintf(to + used, room - used, "%s%s", owners++ > 0 ? ", " : "", (*workload)->name);
        used = used < room ? used : room - 1;
    }
    return owners;
}

bool selection_check(const struct options *options, struct error *err)
{
    char owners[SHAPE_MAX];
    for (const char *const *name = options->variant; *name; name++)
        if (strcmp(*name, "all") != 0 && owners_of(*name, options, owners, sizeof owners) == 0) {
            owners_of(*name, NULL, owners, sizeof owners);
            return fail(err, STATUS_USAGE, "--variant %s: a method of %s, which --workload does not name", *name,
                        owners);
        }
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && !(*workload)->is_untyped && !has_named(options, *workload))
            return fail(err, STATUS_USAGE, "--workload %s: --variant names none of its methods", (*workload)->name);
    return true;
}

/* How many of a shape's dimensions the workload has. */
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

const struct workload *selection_closest(const struct options *options, const char *shape)
{
    const struct workload *best = NULL;
    for (const struct workload *const *workload = workloads; *workload; workload++)
        if (selection_takes(options, *workload) && (!best || dims_known(*workload, shape) > dims_known(best, shape)))
            best = *workload;
    return best;
}
