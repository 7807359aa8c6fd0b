/* The sentences of a fleet's report, for all formats. */

#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "harness/report/fleet/fleet_report.h"

#include <math.h>
#include <string.h>

const char *fleet_answer(struct pool *pool, const struct fleet *fleet)
{
    struct string_builder text = { .pool = pool };
    unsigned unjudged = 0;
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        string_append(&text, "%s%u %s", state > 0 ? ", " : "", fleet->count[state], fleet_state_names[state]);
    string_append(&text, " of %u node%s.", fleet->nodes, fleet->nodes == 1 ? "" : "s");
    for (unsigned i = 0; i < fleet->kinds; i++)
        unjudged += fleet_is_judged(&fleet->kind[i]) ? 0 : fleet->kind[i].devices;
    if (unjudged > 0)
        string_append(&text, " %u of %u devices are of a kind with fewer than %d: too few to judge.", unjudged,
                      fleet->devices, OUTLIER_LEAST);
    return string_text(&text);
}

const char *fleet_rate(char to[FLEET_RATE], const struct fleet_problem *problem, double seconds)
{
    char number[TEXT_NUMBER];
    if (problem->part == PART_COMPUTE && problem->flops > 0)
        snprintf(to, FLEET_RATE, "%s",
                 text_flops(number, problem->flops / seconds, text_has_word(problem->name, "i8") ? "OP" : "FLOP"));
    else if (problem->bytes > 0)
        snprintf(to, FLEET_RATE, "%s/s", text_bytes(number, problem->bytes / seconds));
    else
        snprintf(to, FLEET_RATE, "%s", text_seconds(number, seconds));
    return to;
}

json_t *fleet_row(const struct fleet *fleet, const struct fleet_device *device, const struct fleet_figure *figure)
{
    static const struct fleet_device no_device = { .id = "" };
    static const struct fleet_problem no_problem = { .name = "" };
    static const struct fleet_figure no_figure = { .seconds = NAN };
    const bool is_known = figure != NULL;
    const char *name = device ? fleet->kind[device->kind].name : "";
    device = device ? device : &no_device;
    figure = figure ? figure : &no_figure;
    const struct fleet_problem *problem = is_known ? &fleet->problem[figure->problem] : &no_problem;
    const struct fleet_score *score = &device->score[FLEET_KIND][problem->part];
    const struct fleet_score *since = &device->score[FLEET_EARLIER][problem->part];
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        { "time_s", figure->seconds },
        { "time_half_width", figure->half_width },
        { "flop_per_s", problem->flops > 0 ? problem->flops / figure->seconds : NAN },
        { "byte_per_s", problem->bytes > 0 ? problem->bytes / figure->seconds : NAN },
        { "share_of_usual", figure->share },
        { "group_spread", problem->spread },
        { "speedup", figure->speedup },
        { "share_of_earlier", figure->earlier / figure->seconds },
        { "part_share", exp(-score->log_time) },
        { "part_slow_below", exp(-score->limit) },
        { "part_share_of_earlier", since->problems > 0 ? exp(-since->log_time) : NAN },
        { "part_earlier_slow_below", since->problems > 0 ? exp(-since->limit) : NAN },
    };
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "device", device->id, "device_name", name, "problem", problem->name,
                            "part", is_known ? fleet_part_names[problem->part] : "");
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(row, numbers[i].name, journal_number(is_known ? numbers[i].value : NAN));
    return row;
}

/* The problem of the part in which the device is furthest below what is usual. */
static const struct fleet_figure *worst_figure(const struct fleet *fleet, const struct fleet_finding *finding,
                                               double *least)
{
    const struct fleet_figure *worst = NULL;
    *least = INFINITY;
    for (unsigned i = 0; i < finding->device->figures; i++) {
        const struct fleet_figure *figure = &finding->device->figure[i];
        double share = finding->view == FLEET_KIND ? figure->share : figure->earlier / figure->seconds;
        if (fleet->problem[figure->problem].part == finding->part && share < *least) {
            *least = share;
            worst = figure;
        }
    }
    return worst;
}

const char *fleet_finding_text(struct pool *pool, const struct fleet *fleet, const struct fleet_finding *finding)
{
    char rate[FLEET_RATE];
    double least;
    struct string_builder text = { .pool = pool };
    if (finding->state != FLEET_SLOW)
        return finding->text;
    const struct fleet_score *score = &finding->device->score[finding->view][finding->part];
    const struct fleet_figure *worst = worst_figure(fleet, finding, &least);
    string_append(&text, "%s at %.1f %% of %s in %u problem%s (slow below %.1f %%)", fleet_part_names[finding->part],
                  100 * finding->share, finding->view == FLEET_EARLIER ? "its earlier speed" : "the usual speed",
                  score->problems, score->problems == 1 ? "" : "s", 100 * exp(-score->limit));
    if (worst) {
        const struct fleet_problem *problem = &fleet->problem[worst->problem];
        string_append(&text, "; worst: %s at %.1f %%, %s", problem->name, 100 * least,
                      fleet_rate(rate, problem, worst->seconds));
        if (isfinite(worst->half_width))
            string_append(&text, " +- %.1f %%", 100 * worst->half_width);
    }
    if (*finding->text)
        string_append(&text, "; likely because: %s", finding->text);
    return string_text(&text);
}

/* "0.52" of 0.0052. */
static const char *percent(char to[TEXT_NUMBER], double share)
{
    snprintf(to, TEXT_NUMBER, share < 0.0995 ? "%.2g" : "%.0f", 100 * share);
    return to;
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
        const struct outlier_rule *rule = &kind->part[part].rule;
        if (kind->part[part].problems == 0)
            continue;
        string_append(&text, "%s %s", separator, fleet_part_names[part]);
        separator = ";";
        if (isnan(rule->limit)) {
            string_append(&text, ": too few to judge");
            continue;
        }
        string_append(&text, " differs by %s %%, called slow when %s %% slower", percent(spread, rule->spread),
                      percent(limit, 1 - exp(-fleet_limit(rule))));
    }
    string_append(&text, ".");
    return string_text(&text);
}
