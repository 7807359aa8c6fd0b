#include "harness/report/content/document_parts.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const mode_labels[MODES] = { "resident", "uses", "copied" };

const char *sweep_size(struct pool *pool, double size)
{
    char digits[TEXT_NUMBER], text[TEXT_NUMBER];
    if (!(size >= 0 && size < 1e18))
        return "-";
    snprintf(digits, sizeof digits, "%.0f", size);
    return pool_copy(pool, text_shape(text, sizeof text, digits));
}

/* "n = 1,000", "m = n = k = 512" */
static const char *sized(struct pool *pool, const struct curves *curves, double size)
{
    struct string_builder to = { .pool = pool };
    for (const char *dim = curves->unit; *dim; dim += strcspn(dim, "="), dim += *dim == '=')
        string_append(&to, "%.*s = ", (int)strcspn(dim, "="), dim);
    string_append(&to, "%s", sweep_size(pool, size));
    return string_text(&to);
}

/* Without an interval there is no certain difference at a size. */
static void append_reason(struct string_builder *to, const struct curve *curve, enum mode mode)
{
    unsigned known = 0, with_interval = 0;
    for (unsigned i = 0; i < curve->points; i++) {
        known += !isnan(curve->point[i].speedup[mode].value);
        with_interval += !isnan(curve->point[i].speedup[mode].low);
    }
    if (known == 0)
        string_append(to, "not known: no size has a speed-up");
    else
        string_append(to, "not known: no difference could be shown; %u of %u sizes have an interval", with_interval,
                      known);
}

static void append_crossings(struct string_builder *to, const struct curves *curves, const struct threshold *threshold)
{
    for (unsigned i = 0; i < threshold->crossings; i++) {
        const struct crossing *crossing = &threshold->crossing[i];
        string_append(to, "%s%s somewhere between %s and %s", i > 0 ? ", " : "", crossing->is_up ? "from" : "up to",
                      sized(to->pool, curves, crossing->low), sweep_size(to->pool, crossing->high));
    }
    if (threshold->crossing[threshold->crossings - 1].is_up)
        string_append(to, " on");
}

static void append_threshold(struct string_builder *to, const struct curves *curves, const struct curve *curve,
                             enum mode mode, const struct threshold *threshold)
{
    const bool is_partly = threshold->sure_from > threshold->first || threshold->sure_to < threshold->last;
    if (threshold->outcome == THRESHOLD_UNSURE) {
        append_reason(to, curve, mode);
        return;
    }
    if (threshold->outcome == THRESHOLD_CROSSES)
        append_crossings(to, curves, threshold);
    else
        string_append(to, "%s", threshold->outcome == THRESHOLD_NEVER ? "at no size" : "at every size");
    if (is_partly)
        string_append(to, "; certain from %s to %s only", sized(to->pool, curves, threshold->sure_from),
                      sweep_size(to->pool, threshold->sure_to));
    if (!isnan(threshold->lone))
        string_append(to, "; not so at %s alone, which is not believed", sized(to->pool, curves, threshold->lone));
}

void sweep_thresholds_append(struct pool *pool, struct lines *out, const struct curves *curves,
                             const struct curve *curve)
{
    for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1) && !pool->is_short; mode++) {
        struct threshold threshold;
        struct string_builder line = { .pool = pool };
        pool->is_short = !curve_threshold(curve, mode, &threshold);
        if (pool->is_short)
            return;
        append_threshold(&line, curves, curve, mode, &threshold);
        lines_add(pool, out,
                  !curve->moves       ? "faster"
                  : mode == MODE_USES ? pool_print(pool, "faster, %u use%s", curves->uses, curves->uses == 1 ? "" : "s")
                                      : pool_print(pool, "faster, %s", mode_labels[mode]),
                  string_text(&line));
    }
}
