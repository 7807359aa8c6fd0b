/* The figures of a fleet as programs and spreadsheets get them. */

#include "harness/base/text.h"
#include "harness/report/report.h"
#include "tests/support/simulated_fleet.h"

#include <criterion/criterion.h>
#include <string.h>

static char *written(const struct fleet *fleet, const char *format)
{
    char *text = NULL;
    size_t size;
    struct error err = { .status = STATUS_OK };
    FILE *out = open_memstream(&text, &size);
    cr_assert(report_fleet(report_find(reports, format), fleet, 100, out, &err), "%s", err.message);
    fclose(out);
    return text;
}

static double member(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void expect_share(const json_t *row, const char *name, double log_time)
{
    const double is = member(row, name);
    cr_expect(isfinite(log_time) && fabs(is / exp(-log_time) - 1) < 1e-7, "%s: %g, not %g", name, is, exp(-log_time));
}

/* 24 nodes that differ by 1 %, and by a tenth of that from the day before: n7 became slow in arithmetic and in memory.
 */
static void judge_two_days(struct fleet *now, struct fleet *before)
{
    struct error err = { .status = STATUS_OK };
    struct generator g = { .seed = 5 };
    fleet_simulate_gpus(now, &g, 24, 1, 0.01, 0, 0);
    g = (struct generator){ .seed = 5 };
    fleet_simulate_gpus(before, &g, 24, 1, 0.01, 0, 0);
    now->kind[0].name = "a GPU";
    for (unsigned i = 0; i < 24; i++)
        for (unsigned k = 0; k < before->device[i].figures; k++)
            before->device[i].figure[k].seconds *=
                exp(0.001 * normal(&g)) * (i == 7 && before->device[i].figure[k].problem < 6 ? 0.5 : 1);
    cr_assert(fleet_judge(now, before, &err), "%s", err.message);
}

Test(fleet_report, each_limit_is_that_of_its_own_comparison)
{
    struct fleet now, before;
    judge_two_days(&now, &before);
    char *text = written(&now, "json");
    json_t *report = json_loads(text, 0, NULL), *nodes = json_object_get(report, "nodes");
    cr_assert_eq(json_array_size(nodes), 24);
    for (unsigned i = 0; i < 24; i++) {
        const struct fleet_device *device = &now.device[i];
        const json_t *rows = json_object_get(json_array_get(nodes, i), "figures");
        cr_assert_eq(json_array_size(rows), device->figures);
        for (unsigned k = 0; k < device->figures; k++) {
            const json_t *row = json_array_get(rows, k);
            const struct fleet_figure *figure = &device->figure[k];
            const enum fleet_part part = now.problem[figure->problem].part;
            const struct fleet_score *kind = &device->score[FLEET_KIND][part],
                                     *since = &device->score[FLEET_EARLIER][part];
            expect_share(row, "part_share", kind->log_time);
            expect_share(row, "part_slow_below", kind->limit);
            expect_share(row, "part_share_of_earlier", since->log_time);
            expect_share(row, "part_earlier_slow_below", since->limit);
            cr_expect_gt(member(row, "part_earlier_slow_below"), member(row, "part_slow_below"),
                         "a day differs less from the day before than nodes from each other");
            cr_expect_float_eq(member(row, "share_of_earlier"), figure->earlier / figure->seconds, 1e-7);
            cr_expect_float_eq(member(row, "time_half_width"), figure->half_width, 1e-9);
        }
    }
    json_decref(report);
    free(text);
    fleet_release(&now);
    fleet_release(&before);
}

/* The text of a finding has the share, the limit and the worst problem of the comparison that it is of. */
Test(fleet_report, a_finding_against_the_earlier_day_has_the_limit_of_that_comparison)
{
    struct fleet now, before;
    struct pool pool = { 0 };
    unsigned findings = 0;
    judge_two_days(&now, &before);
    for (unsigned i = 0; i < now.findings; i++) {
        const struct fleet_finding *finding = &now.finding[i];
        char limit[64];
        if (finding->state != FLEET_SLOW || finding->view != FLEET_EARLIER)
            continue;
        const char *says = fleet_finding_text(&pool, &now, finding), *worst = strstr(says, "worst: ");
        snprintf(limit, sizeof limit, "(slow below %.1f %%)",
                 100 * exp(-finding->device->score[FLEET_EARLIER][finding->part].limit));
        cr_expect(strstr(says, "% of its earlier speed in ") && strstr(says, limit), "%s; not %s", says, limit);
        cr_expect_eq(finding->node, 7);
        cr_expect_float_eq(finding->share, 0.5, 0.05, "%g", finding->share);
        double least = 1;
        for (unsigned k = 0; k < finding->device->figures; k++) {
            const struct fleet_figure *figure = &finding->device->figure[k];
            if (now.problem[figure->problem].part == finding->part && figure->earlier / figure->seconds < least)
                least = figure->earlier / figure->seconds;
        }
        snprintf(limit, sizeof limit, " at %.1f %%, ", 100 * least);
        cr_expect(worst && strstr(worst, limit), "%s; not %s", says, limit);
        findings++;
    }
    cr_expect_eq(findings, 2, "one for each slow part: %u", findings);
    pool_release(&pool);
    fleet_release(&now);
    fleet_release(&before);
}

Test(fleet_report, a_spreadsheet_has_the_figures_of_the_json_in_the_same_order)
{
    struct fleet now, before;
    judge_two_days(&now, &before);
    char *csv = written(&now, "csv"), *json = written(&now, "json"), *next = csv;
    json_t *report = json_loads(json, 0, NULL);
    const char *header = strsep(&next, "\n");
    cr_expect_eq(strncmp(header, "node,group,device,device_name,problem,part,time_s,time_half_width,flop_per_s,", 77),
                 0, "%s", header);
    for (unsigned i = 0; i < 24; i++) {
        const json_t *rows = json_object_get(json_array_get(json_object_get(report, "nodes"), i), "figures");
        for (unsigned k = 0; k < json_array_size(rows); k++) {
            const json_t *row = json_array_get(rows, k);
            char *line = strsep(&next, "\n"), wanted[200];
            snprintf(wanted, sizeof wanted, ",%.9g,%.9g,,,", member(row, "time_s"), member(row, "time_half_width"));
            cr_assert(line);
            cr_expect(strstr(line, wanted), "%s has not %s", line, wanted);
            cr_expect_eq(strstr(line, "slow") != NULL, i == 7, "%s", line);
        }
    }
    json_decref(report);
    free(csv);
    free(json);
    fleet_release(&now);
    fleet_release(&before);
}

/* Its own time and interval, and what can be found in the kind. */
Test(fleet_report, the_worst_problem_has_its_own_rate_and_interval)
{
    struct fleet now, before;
    struct pool pool = { 0 };
    char wanted[120];
    judge_two_days(&now, &before);
    for (unsigned k = 0; k < now.problems; k++) {
        now.problem[k].flops = 1e9;
        now.problem[k].bytes = 2e9;
    }
    cr_assert_gt(now.findings, 0);
    const struct fleet_finding *finding = NULL;
    for (unsigned i = 0; i < now.findings && !finding; i++)
        if (now.finding[i].state == FLEET_SLOW && now.finding[i].part == PART_MEMORY)
            finding = &now.finding[i];
    cr_assert(finding);
    const struct fleet_figure *worst = NULL;
    for (unsigned k = 0; k < finding->device->figures; k++) {
        struct fleet_figure *figure = &finding->device->figure[k];
        figure->half_width = 0.01 * (k + 1);
        if (now.problem[figure->problem].part == PART_MEMORY &&
            (!worst || figure->earlier / figure->seconds < worst->earlier / worst->seconds))
            worst = figure;
    }
    cr_assert(worst);
    snprintf(wanted, sizeof wanted, "%%, %.20s/s +- %.1f %%", text_bytes(2e9 / worst->seconds).text,
             100 * worst->half_width);
    const char *says = fleet_finding_text(&pool, &now, finding);
    cr_expect(strstr(says, wanted), "%s; not %s", says, wanted);
    snprintf(wanted, sizeof wanted, " in %u problem", finding->device->score[FLEET_EARLIER][PART_MEMORY].problems);
    cr_expect(strstr(says, wanted), "%s; not %s", says, wanted);
    now.device[0].figure[0].half_width = 0.05;
    char *markdown = written(&now, "markdown");
    const struct outlier_rule *rule = &now.kind[0].part[PART_MEMORY].rule;
    snprintf(wanted, sizeof wanted, "memory differs by %.2g %%, called slow when %.2g %%", 100 * rule->spread,
             100 * (1 - exp(-rule->limit)));
    cr_expect(strstr(markdown, wanted), "%s; not %s", markdown, wanted);
    const struct fleet_figure *first = &now.device[0].figure[0];
    const double share = 100 * first->share;
    snprintf(wanted, sizeof wanted, "%.1f (%.1f - %.1f)", share, share * (1 - first->half_width),
             share * (1 + first->half_width));
    cr_expect(strstr(markdown, wanted), "%s; not %s", markdown, wanted);
    snprintf(wanted, sizeof wanted, "memory, %.20s/s, +-%.2g %%",
             text_bytes(2e9 / exp(now.problem[worst->problem].center)).text, 100 * now.problem[worst->problem].spread);
    cr_expect(strstr(markdown, wanted), "%s; not %s", markdown, wanted);
    free(markdown);
    now.kind[0].part[PART_MEMORY].rule = (struct outlier_rule){ .spread = 1.234, .limit = 6 };
    markdown = written(&now, "markdown");
    cr_expect(strstr(markdown, "memory differs by 123 %, too much to find a slow one"), "%s", markdown);
    free(markdown);
    pool_release(&pool);
    fleet_release(&now);
    fleet_release(&before);
}
