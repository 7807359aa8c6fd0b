#include "harness/report/content/sweep_text.h"

#include "harness/analysis/plausible.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sweep_size(char *to, size_t room, double size)
{
    char digits[TEXT_NUMBER];
    if (!(size >= 0 && size < 1e18)) {
        text_copy(to, room, "-");
        return;
    }
    snprintf(digits, sizeof digits, "%.0f", size);
    text_shape(to, room, digits);
}

/* "n", "m = n = k" */
static void append_unit(struct string_builder *to, const struct curves *curves)
{
    for (const char *dim = curves->unit; *dim; dim += strcspn(dim, "="), dim += *dim == '=')
        string_append(to, "%s%.*s", dim == curves->unit ? "" : " = ", (int)strcspn(dim, "="), dim);
}

/* "n = 1,000", "m = n = k = 512" */
static void append_size(struct string_builder *to, const struct curves *curves, double size)
{
    char text[TEXT_NUMBER];
    append_unit(to, curves);
    sweep_size(text, sizeof text, size);
    string_append(to, " = %s", text);
}

/* Sizes at both ends at which nothing is certain. */
static void append_unsure_ends(struct string_builder *to, const struct curves *curves,
                               const struct threshold *threshold)
{
    bool below = threshold->sure_from > threshold->first, above = threshold->sure_to < threshold->last;
    if (below || above)
        string_append(to, "; neither is surely faster ");
    if (below) {
        string_append(to, "below ");
        append_size(to, curves, threshold->sure_from);
    }
    if (above)
        string_append(to, "%sabove ", below ? " and " : "");
    if (above && threshold->outcome == THRESHOLD_NEVER) /* the text before has the size */
        string_append(to, "that");
    else if (above)
        append_size(to, curves, threshold->sure_to);
}

static void append_crossings(struct string_builder *to, const struct curves *curves, const struct threshold *threshold)
{
    for (unsigned i = 0; i < threshold->crossings; i++) {
        char high[TEXT_NUMBER];
        const struct crossing *crossing = &threshold->crossing[i];
        bool is_last = i + 1 == threshold->crossings;
        string_append(to, "%s%s ",
                      i == 0            ? ""
                      : crossing->is_up ? ", and again "
                                        : ", ",
                      crossing->is_up ? "from" : "up to");
        sweep_size(high, sizeof high, crossing->high);
        string_append(to, "somewhere between ");
        append_size(to, curves, crossing->low);
        string_append(to, " and %s", high);
        string_append(to, "%s", crossing->is_up && is_last ? " on" : "");
    }
}

/* Why there is no threshold: without an interval there is no certain difference at a size. */
static void append_reason(struct string_builder *to, const struct curve *curve, enum mode mode)
{
    unsigned with_interval = 0, few = 0, alike = 0, agreeing = 0;
    for (unsigned i = 0; i < curve->points; i++) {
        const struct estimate *speedup = &curve->point[i].speedup[mode];
        bool is_known = !isnan(speedup->value), has_interval = is_known && !isnan(speedup->low);
        with_interval += has_interval;
        few += is_known && !has_interval && speedup->samples < ESTIMATE_BLOCKS_MIN;
        agreeing += is_known && speedup->samples >= THRESHOLD_ROUNDS_MIN;
        alike += is_known && !has_interval && speedup->samples >= ESTIMATE_BLOCKS_MIN;
    }
    unsigned known = with_interval + few + alike;
    if (known == 0)
        string_append(to, "no size has a speed-up");
    else if (with_interval == known)
        string_append(to, "no difference could be shown at any size");
    else if (few == known)
        string_append(to, "too few rounds for an interval at any size%s; --budget gives more",
                      agreeing > 0 ? ", and nowhere surely all far on one side of 1"
                                   : ", and fewer than three, which could show it without one");
    else if (few > 0)
        string_append(
            to,
            "too few rounds for an interval at %u of %u sizes, and no difference could be shown at the others; "
            "--budget gives more",
            few, known);
    else
        string_append(to, "no interval at %u of %u sizes, as the rounds resemble their neighbours too much%s", alike,
                      known, with_interval > 0 ? ", and no difference could be shown at the others" : "");
}

static void append_threshold(struct string_builder *to, const struct curves *curves, const struct curve *curve,
                             enum mode mode, const struct threshold *threshold)
{
    switch (threshold->outcome) {
    case THRESHOLD_UNSURE:
        string_append(to, "not known: ");
        append_reason(to, curve, mode);
        return;
    case THRESHOLD_NEVER:
        string_append(to, "at no size up to ");
        append_size(to, curves, threshold->sure_to);
        break;
    case THRESHOLD_ALWAYS:
        string_append(to, "from ");
        append_size(to, curves, threshold->sure_from);
        string_append(to, " on%s", threshold->sure_from > threshold->first ? "" : ", the smallest size");
        break;
    case THRESHOLD_CROSSES:
        append_crossings(to, curves, threshold);
        break;
    }
    append_unsure_ends(to, curves, threshold);
    if (isnan(threshold->lone))
        return;
    string_append(to, "; ");
    append_size(to, curves, threshold->lone);
    string_append(to, " says otherwise, but alone, which is not believed");
}

static double three_digits(double size)
{
    double unit = pow(10, fmax(0, floor(log10(size)) - 2));
    return round(size / unit) * unit;
}

/* The threshold by the model. */
static void append_model_threshold(struct string_builder *to, const struct curves *curves,
                                   const struct curve_model *model, const struct threshold *threshold)
{
    bool begins_faster = model->begins_faster;
    string_append(to, " (model: ");
    if (model->crossings == 0)
        string_append(to, "%s", begins_faster ? "everywhere" : "nowhere");
    for (unsigned i = 0; i < model->crossings; i++) {
        bool is_up = begins_faster == (i % 2 == 1);
        string_append(to, "%s%s ", i == 0 ? "" : ", ", is_up ? "from" : "up to");
        append_size(to, curves, three_digits(model->crossing[i]));
    }
    string_append(to, "%s)", curve_model_differs(model, threshold) ? ", which differs by more than 25 %" : "");
}

static void append_mode_name(struct string_builder *to, const struct curves *curves, const struct curve *curve,
                             enum mode mode)
{
    if (!curve->moves)
        string_append(to, "nothing has to be moved");
    else if (mode == MODE_RESIDENT)
        string_append(to, "data that stays there");
    else if (mode == MODE_USES)
        string_append(to, "data moved once for %u use%s", curves->uses, curves->uses == 1 ? "" : "s");
    else
        string_append(to, "data moved at every use");
}

/* A model that needs more than the peak of a device is wrong, however well it fits. */
static bool is_possible(const struct cost_model *model, const struct device *device, const char *dtype)
{
    enum dtype type;
    struct error ignored;
    return !isfinite(model->rate) || !dtype_parse(dtype, &type) ||
           plausible_time(device, type, model->rate, 1, &ignored);
}

static bool is_credible(const struct curve_model *model, const struct curves *curves, const struct curve *curve)
{
    return !curve_model_misfits(model) && is_possible(&model->own, curve->device, curves->dtype) &&
           is_possible(&model->baseline, curves->baseline, curves->dtype);
}

static void add_sentence(struct lines *out, const struct string_builder *sentence, bool is_below)
{
    struct line *line = lines_add(sentence->pool, out, "", string_text(sentence));
    if (line)
        line->is_below = is_below;
}

static bool add_mode(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve,
                     enum mode mode)
{
    struct threshold threshold;
    struct curve_model model;
    struct string_builder line = { .pool = pool };
    if (!curve_threshold(curve, mode, &threshold))
        return false;
    append_mode_name(&line, curves, curve, mode);
    string_append(&line, ": ");
    append_threshold(&line, curves, curve, mode, &threshold);
    if (curve_model(curve, mode, &model) && is_credible(&model, curves, curve))
        append_model_threshold(&line, curves, &model, &threshold);
    string_append(&line, ".");
    add_sentence(out, &line, true);
    return true;
}

/* "launch 8.1 us + bytes at 31.2 GB/s + work at 12.1 GFLOP/s, off by up to 12 %". A model that does not fit shows no
 * figures: they would be taken for properties of the device. */
static void append_model(struct string_builder *to, const struct cost_model *model, const struct device *device,
                         const char *dtype)
{
    char text[TEXT_NUMBER];
    const char *plus = "";
    if (!is_possible(model, device, dtype)) {
        string_append(to, "does not fit: it would work faster than its peak");
        return;
    }
    if (curve_cost_misfits(model)) {
        string_append(to, "does not fit, off by up to %s %%", text_figure(text, 100 * model->worst, 0.3));
        return;
    }
    if (model->launch > 0) {
        string_append(to, "launch %s", text_seconds(text, model->launch));
        plus = " + ";
    }
    if (isfinite(model->bandwidth)) {
        string_append(to, "%sbytes at %s GB/s", plus, text_figure(text, model->bandwidth / 1e9, NAN));
        plus = " + ";
    }
    if (isfinite(model->rate))
        string_append(to, "%swork at %s GFLOP/s", plus, text_figure(text, model->rate / 1e9, NAN));
    if (model->worst < 0.001)
        string_append(to, ", off by less than 0.1 %%");
    else
        string_append(to, ", off by up to %s %%", text_figure(text, 100 * model->worst, 0.3));
}

static void add_model(struct pool *pool, struct lines *out, const char *label, const struct cost_model *model,
                      const struct device *device, const char *dtype)
{
    struct string_builder line = { .pool = pool };
    string_append(&line, "%s: ", label);
    append_model(&line, model, device, dtype);
    add_sentence(out, &line, true);
}

/* The models of both sides; the baseline's comes with the first mode. */
static void add_models(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve)
{
    static const char *const what[MODES] = { "resident", "", "moved at every use" };
    struct curve_model model;
    bool misfits = false, any = false;
    for (enum mode mode = 0; mode < MODES; mode++) {
        if (mode == MODE_USES || (mode == MODE_OFFLOAD && !curve->moves) || !curve_model(curve, mode, &model))
            continue;
        if (!any) {
            lines_add(pool, out, "", "Model: time = launch + bytes / bandwidth + work / rate, fitted to all sizes:");
            add_model(pool, out, curves->baseline->id, &model.baseline, curves->baseline, curves->dtype);
        }
        add_model(pool, out, pool_print(pool, "%s, %s", curve->device->id, what[mode]), &model.own, curve->device,
                  curves->dtype);
        any = true;
        misfits = misfits || !is_credible(&model, curves, curve);
    }
    struct string_builder line = { .pool = pool };
    string_append(&line,
                  "Where a model is off by more than 25 %% it has no figures: a cache that is outgrown, or another "
                  "method, has other costs. Believe what was measured.");
    if (misfits)
        add_sentence(out, &line, true);
}

void sweep_text_append(struct pool *pool, struct lines *out, const struct curves *curves, const struct curve *curve)
{
    struct string_builder line = { .pool = pool };
    string_append(&line, "Threshold, from which ");
    append_unit(&line, curves);
    string_append(&line, " on %s (%s) is faster than %s:", curve->device->id, curve->memory, curves->baseline->id);
    add_sentence(out, &line, false);
    for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1) && !pool->is_short; mode++)
        pool->is_short = !add_mode(pool, out, curves, curve, mode);
    add_models(pool, out, curves, curve);
}

const char *sweep_legend(const struct curve *curve)
{
    bool any = false, few = false;
    for (unsigned i = 0; i < curve->points; i++)
        for (enum mode mode = 0; mode < (curve->moves ? MODES : MODE_RESIDENT + 1); mode++) {
            const struct estimate *speedup = &curve->point[i].speedup[mode];
            bool is_unsure = !isnan(speedup->value) && isnan(speedup->low);
            any = any || is_unsure;
            few = few || (is_unsure && speedup->samples < ESTIMATE_BLOCKS_MIN);
        }
    return few   ? "interval unknown, rounds are too few: --budget gives more. Three or more that all lie far on one "
                   "side of 1, and farther than from each other, show which device is faster all the same."
           : any ? "interval unknown, the rounds resemble their neighbours too much. Those that all lie far on one "
                   "side of 1, and farther than from each other, show which device is faster all the same."
                 : NULL;
}
