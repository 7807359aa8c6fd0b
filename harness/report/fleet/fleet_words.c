/* The sentences of a fleet's report, for all formats. */

#include "harness/base/text.h"
#include "harness/report/fleet/fleet_report.h"

#include <math.h>

const char *fleet_answer(struct pool *pool, const struct fleet *fleet)
{
    struct string_builder text = { .pool = pool };
    unsigned unjudged = 0;
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        string_append(&text, "%s%u %s", state > 0 ? ", " : "", fleet->count[state], fleet_state_name(state));
    string_append(&text, " of %u node%s.", fleet->nodes, fleet->nodes == 1 ? "" : "s");
    for (unsigned i = 0; i < fleet->kinds; i++)
        unjudged += fleet_is_judged(&fleet->kind[i]) ? 0 : fleet->kind[i].devices;
    if (unjudged > 0)
        string_append(&text, " %u of %u devices are of a kind with fewer than %d: too few to judge.", unjudged,
                      fleet->devices, OUTLIER_LEAST);
    return string_text(&text);
}

const char *fleet_finding_text(struct pool *pool, const struct fleet_finding *finding)
{
    if (finding->state != FLEET_SLOW)
        return finding->text;
    const struct fleet_score *score = &finding->device->score[finding->view][finding->part];
    const char *of = finding->view == FLEET_EARLIER ? "its earlier speed" : "the usual speed";
    return pool_print(pool, "%s at %.1f %% of %s in %u problem%s (slow below %.1f %%)%s%s",
                      fleet_part_name(finding->part), 100 * finding->share, of, score->problems,
                      score->problems == 1 ? "" : "s", 100 * exp(-score->limit),
                      *finding->text ? "; likely because: " : "", finding->text);
}

/* "0.52" of 0.0052. */
static const char *percent(char to[TEXT_NUMBER], double share)
{
    snprintf(to, TEXT_NUMBER, share < 0.0995 ? "%.2g" : "%.0f", 100 * share);
    return to;
}

/* Two clusters of a kind by one part. */
static void append_modes(struct string_builder *text, const struct fleet_kind *kind, enum fleet_part part)
{
    const struct outlier_rule *rule = kind->part[part].rule;
    if (kind->part[part].modes < 2)
        return;
    string_append(text, " By %s these are %u groups, each compared with itself:", fleet_part_name(part),
                  kind->part[part].modes);
    for (unsigned mode = 0; mode < kind->part[part].modes; mode++)
        string_append(text, "%s %u at %.0f %%", mode > 0 ? "," : "", rule[mode].count,
                      100 * exp(rule[0].center - rule[mode].center));
    string_append(text, ".");
}

const char *fleet_kind_text(struct pool *pool, const struct fleet_kind *kind)
{
    char spread[TEXT_NUMBER], limit[TEXT_NUMBER];
    struct string_builder text = { .pool = pool };
    const char *separator = ":";
    string_append(&text, "%u x %s", kind->devices, kind->name);
    if (!fleet_is_judged(kind)) {
        string_append(&text, ": too few to judge");
        return string_text(&text);
    }
    for (enum fleet_part part = 0; part < PARTS; part++) {
        const struct outlier_rule *rule = &kind->part[part].rule[0];
        if (kind->part[part].problems == 0)
            continue;
        string_append(&text, "%s %s", separator, fleet_part_name(part));
        if (isnan(rule->limit))
            string_append(&text, ": too few to judge");
        else
            string_append(&text, " differs by %s %%, slow from %s %%", percent(spread, rule->spread),
                          percent(limit, fmax(0.02, 1 - exp(-rule->limit))));
        separator = ";";
    }
    string_append(&text, ".");
    for (enum fleet_part part = 0; part < PARTS; part++)
        append_modes(&text, kind, part);
    return string_text(&text);
}
