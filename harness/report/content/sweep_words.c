#include "harness/report/content/sweep_words.h"

#include "harness/analysis/plausible.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 2, 3))) void say(char to[SENTENCE_ROOM], const char *format, ...)
{
    size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + used, SENTENCE_ROOM - used, format, arguments);
    va_end(arguments);
}

static char *next_sentence(struct sweep_words *out, bool is_below)
{
    unsigned at = out->sentences < SENTENCES_MAX ? out->sentences++ : SENTENCES_MAX - 1;
    out->is_below[at] = is_below;
    out->sentence[at][0] = '\0';
    return out->sentence[at];
}

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
static void say_unit(char *to, const struct curves *curves)
{
    for (const char *dim = curves->unit; *dim; dim += strcspn(dim, "="), dim += *dim == '=')
        say(to, "%s%.*s", dim == curves->unit ? "" : " = ", (int)strcspn(dim, "="), dim);
}

/* "n = 1,000", "m = n = k = 512" */
static void say_size(char *to, const struct curves *curves, double size)
{
    char text[TEXT_NUMBER];
    say_unit(to, curves);
    sweep_size(text, sizeof text, size);
    say(to, " = %s", text);
}

static void say_between(char *to, const struct curves *curves, const struct crossing *crossing)
{
    char high[TEXT_NUMBER];
    sweep_size(high, sizeof high, crossing->high);
    say(to, "somewhere between ");
    say_size(to, curves, crossing->low);
    say(to, " and %s", high);
}

/* Sizes at either end of which nothing is sure. */
static void say_unsure_ends(char *to, const struct curves *curves, const struct threshold *threshold)
{
    bool below = threshold->sure_from > threshold->first, above = threshold->sure_to < threshold->last;
    if (below || above)
        say(to, "; neither is surely faster ");
    if (below)
        say(to, "below "), say_size(to, curves, threshold->sure_from);
    if (above)
        say(to, "%sabove ", below ? " and " : "");
    if (above && threshold->outcome == THRESHOLD_NEVER) /* the size was named before */
        say(to, "that");
    else if (above)
        say_size(to, curves, threshold->sure_to);
}

static void say_crossings(char *to, const struct curves *curves, const struct threshold *threshold)
{
    for (unsigned i = 0; i < threshold->crossings; i++) {
        const struct crossing *crossing = &threshold->crossing[i];
        bool is_last = i + 1 == threshold->crossings;
        say(to, "%s%s ", i == 0 ? "" : crossing->is_up ? ", and again " : ", ", crossing->is_up ? "from" : "up to");
        say_between(to, curves, crossing);
        say(to, "%s", crossing->is_up && is_last ? " on" : "");
    }
}

/* What became of the sizes where none can be trusted: without an interval nothing can be said of a difference. */
static void say_why_unsure(char *to, const struct curve *curve, enum mode mode)
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
        say(to, "no size has a speed-up");
    else if (with_interval == known)
        say(to, "no difference could be shown at any size");
    else if (few == known)
        say(to, "too few rounds for an interval at any size%s; --budget gives more",
            agreeing > 0 ? ", and nowhere surely all far on one side of 1"
                         : ", and fewer than three, which could show it without one");
    else if (few > 0)
        say(to,
            "too few rounds for an interval at %u of %u sizes, and no difference could be shown at the others; "
            "--budget gives more",
            few, known);
    else
        say(to, "no interval at %u of %u sizes, as the rounds resemble their neighbours too much%s", alike, known,
            with_interval > 0 ? ", and no difference could be shown at the others" : "");
}

static void say_threshold(char *to, const struct curves *curves, const struct curve *curve, enum mode mode,
                          const struct threshold *threshold)
{
    switch (threshold->outcome) {
    case THRESHOLD_UNSURE:
        say(to, "not known: ");
        say_why_unsure(to, curve, mode);
        return;
    case THRESHOLD_NEVER:
        say(to, "at no size up to ");
        say_size(to, curves, threshold->sure_to);
        break;
    case THRESHOLD_ALWAYS:
        say(to, "from ");
        say_size(to, curves, threshold->sure_from);
        say(to, " on%s", threshold->sure_from > threshold->first ? "" : ", the smallest size");
        break;
    case THRESHOLD_CROSSES:
        say_crossings(to, curves, threshold);
        break;
    }
    say_unsure_ends(to, curves, threshold);
    if (isnan(threshold->lone))
        return;
    say(to, "; ");
    say_size(to, curves, threshold->lone);
    say(to, " says otherwise, but alone, which is not believed");
}

static double three_digits(double size)
{
    double unit = pow(10, fmax(0, floor(log10(size)) - 2));
    return round(size / unit) * unit;
}

/* Where the model has it. */
static void say_opinion(char *to, const struct curves *curves, const struct curve_model *model,
                        const struct threshold *threshold)
{
    bool begins_faster = model->begins_faster;
    say(to, " (model: ");
    if (model->crossings == 0)
        say(to, "%s", begins_faster ? "everywhere" : "nowhere");
    for (unsigned i = 0; i < model->crossings; i++) {
        bool is_up = begins_faster == (i % 2 == 1);
        say(to, "%s%s ", i == 0 ? "" : ", ", is_up ? "from" : "up to");
        say_size(to, curves, three_digits(model->crossing[i]));
    }
    say(to, "%s)", curve_model_differs(model, threshold) ? ", which differs by more than 25 %" : "");
}

static void mode_name(char to[SENTENCE_ROOM], const struct curves *curves, const struct curve *curve, enum mode mode)
{
    to[0] = '\0';
    if (!curve->moves)
        say(to, "nothing has to be moved");
    else if (mode == MODE_RESIDENT)
        say(to, "data that stays there");
    else if (mode == MODE_USES)
        say(to, "data moved once for %u use%s", curves->uses, curves->uses == 1 ? "" : "s");
    else
        say(to, "data moved at every use");
}

/* No device does more than its peak, however well that would explain its times. */
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

static bool say_mode(struct sweep_words *out, const struct curves *curves, const struct curve *curve, enum mode mode)
{
    struct threshold threshold;
    struct curve_model model;
    char *to = next_sentence(out, true);
    if (!curve_threshold(curve, mode, &threshold))
        return false;
    mode_name(to, curves, curve, mode);
    say(to, ": ");
    say_threshold(to, curves, curve, mode, &threshold);
    if (curve_model(curve, mode, &model) && is_credible(&model, curves, curve))
        say_opinion(to, curves, &model, &threshold);
    say(to, ".");
    return true;
}

/* "launch 8.1 us + bytes at 31.2 GB/s + work at 12.1 GFLOP/s, off by up to 12 %". Of what does not fit no figure is
 * told: it would pass for a property of the device. */
static void say_model(char *to, const struct cost_model *model, const struct device *device, const char *dtype)
{
    char text[TEXT_NUMBER];
    const char *plus = "";
    if (!is_possible(model, device, dtype)) {
        say(to, "does not fit: it would work faster than its peak");
        return;
    }
    if (curve_cost_misfits(model)) {
        say(to, "does not fit, off by up to %s %%", text_figure(text, 100 * model->worst, 0.3));
        return;
    }
    if (model->launch > 0) {
        say(to, "launch %s", text_seconds(text, model->launch));
        plus = " + ";
    }
    if (isfinite(model->bandwidth)) {
        say(to, "%sbytes at %s GB/s", plus, text_figure(text, model->bandwidth / 1e9, NAN));
        plus = " + ";
    }
    if (isfinite(model->rate))
        say(to, "%swork at %s GFLOP/s", plus, text_figure(text, model->rate / 1e9, NAN));
    if (model->worst < 0.001)
        say(to, ", off by less than 0.1 %%");
    else
        say(to, ", off by up to %s %%", text_figure(text, 100 * model->worst, 0.3));
}

/* The models of both sides, that of the baseline with the first mode. */
static void say_models(struct sweep_words *out, const struct curves *curves, const struct curve *curve)
{
    static const char *const what[MODES] = { "resident", "", "moved at every use" };
    struct curve_model model;
    bool misfits = false, any = false;
    for (enum mode mode = 0; mode < MODES; mode++) {
        if (mode == MODE_USES || (mode == MODE_OFFLOAD && !curve->moves) || !curve_model(curve, mode, &model))
            continue;
        if (!any)
            say(next_sentence(out, false),
                "Model: time = launch + bytes / bandwidth + work / rate, fitted to all sizes:");
        char *to = next_sentence(out, true);
        if (!any) {
            say(to, "%s: ", curves->baseline->id);
            say_model(to, &model.baseline, curves->baseline, curves->dtype);
            to = next_sentence(out, true);
        }
        say(to, "%s, %s: ", curve->device->id, what[mode]);
        say_model(to, &model.own, curve->device, curves->dtype);
        any = true;
        misfits = misfits || !is_credible(&model, curves, curve);
    }
    if (misfits)
        say(next_sentence(out, true), "Where a model is off by more than 25 %% it has no figures: a cache that is "
                                      "outgrown, or another method, has other costs. Believe what was measured.");
}

bool sweep_words(struct sweep_words *out, const struct curves *curves, const struct curve *curve)
{
    out->sentences = 0;
    char *to = next_sentence(out, false);
    say(to, "Threshold, from which ");
    say_unit(to, curves);
    say(to, " on %s (%s) is faster than %s:", curve->device->id, curve->memory, curves->baseline->id);
    for (enum mode mode = 0; mode < MODES; mode++)
        if ((curve->moves || mode == MODE_RESIDENT) && !say_mode(out, curves, curve, mode))
            return false;
    say_models(out, curves, curve);
    return true;
}

const char *sweep_unsure(const struct curve *curve)
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
