#include "bench/workloads/shape_template.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char place[] = "{}";

static bool is_place(const char *value, size_t length)
{
    return length == strlen(place) && strncmp(value, place, length) == 0;
}

/* Without this check a misspelt dimension, or the second of two, would be ignored silently. */
static bool knows_all(const struct workload *workload, const char *size, struct error *err)
{
    for (const char *part = size; part; part = text_next_part(part)) {
        size_t named = strcspn(part, "=,"), length;
        bool known = false;
        for (const struct dim *dim = workload->dims; dim->name; dim++)
            known = known || (strlen(dim->name) == named && text_value(size, dim->name, &length) == part + named + 1);
        if (!known)
            return fail(err, STATUS_USAGE,
                        "--size: '%.*s' fixes no dimension of %s, or one twice; write for example %s",
                        (int)strcspn(part, ","), part, workload->name, workload->range->shape);
    }
    return true;
}

bool shape_template_make(struct shape_template *out, const struct workload *workload, const char *size,
                         struct error *err)
{
    const struct range *range = workload->range;
    if (!range)
        return fail(err, STATUS_USAGE, "sweep: %s cannot be swept: %s", workload->name, workload->no_range_reason);
    *out = (struct shape_template){
        .workload = workload, .from = range->from, .to = range->to, .multiple = range->multiple
    };
    if (size && !knows_all(workload, size, err))
        return false;
    bool has_own_place = size && strstr(size, place);
    for (const struct dim *dim = workload->dims; dim->name; dim++) {
        size_t length = 0;
        const char *own = size ? text_value(size, dim->name, &length) : NULL;
        const char *value = own ? own : text_value(range->shape, dim->name, &length);
        if (!value)
            continue; /* takes its fallback */
        if (!own && has_own_place && is_place(value, length))
            return fail(err, STATUS_USAGE, "--size %.60s: %s=... is missing, as other dimensions are swept", size,
                        dim->name);
        if (is_place(value, length)) {
            out->dim = out->dim ? out->dim : dim->name;
            text_join(out->unit, SHAPE_MAX, "=", dim->name);
        }
        if (!text_append(out->shape, SHAPE_MAX, "%s%s=%.*s", *out->shape ? "," : "", dim->name, (int)length, value))
            return fail(err, STATUS_USAGE, "--size %.60s: more than %d characters", size, SHAPE_MAX - 1);
    }
    if (!out->dim)
        return fail(err, STATUS_USAGE, "--size %.60s: fixes all of %s, and leaves nothing to sweep", size,
                    range->shape);
    return true;
}

const char *shape_template_fill(const struct shape_template *shape_template, int64_t size, char to[SHAPE_MAX])
{
    size_t used = 0;
    for (const char *at = shape_template->shape; *at && used < SHAPE_MAX - 1;) {
        if (strncmp(at, place, strlen(place)) != 0) {
            to[used++] = *at++;
            continue;
        }
        used += (size_t)snprintf(to + used, SHAPE_MAX - used, "%" PRId64, size);
        used = used < SHAPE_MAX ? used : SHAPE_MAX - 1;
        at += strlen(place);
    }
    to[used] = '\0';
    return to;
}
