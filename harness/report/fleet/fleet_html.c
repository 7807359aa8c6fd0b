/* The report of a fleet as a page: what was found, then for each kind of devices a matrix of devices and problems,
 * coloured by the share of the usual speed. */

#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/html.h"
#include "harness/report/formats/output.h"

#include <math.h>

static const char style[] =
    "table.fleet{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    ".fleet th,.fleet td{padding:.15em .5em;text-align:right;border:1px solid #8884}"
    ".fleet th:first-child,.fleet td:first-child{text-align:left;position:sticky;left:0;background:Canvas}"
    ".fleet .fast{background:#9cf;color:#000}.fleet .s99{background:#cec;color:#000}"
    ".fleet .s97{background:#eea;color:#000}.fleet .s95{background:#fd8;color:#000}"
    ".fleet .s90{background:#fa6;color:#000}.fleet .s0{background:#e55;color:#fff}"
    ".wide{overflow-x:auto}";

/* From so much of the usual speed on. */
static const struct {
    double least;
    const char *name;
} colors[] = { { 1.03, "fast" }, { 0.99, "s99" }, { 0.97, "s97" }, { 0.95, "s95" }, { 0.90, "s90" }, { 0, "s0" } };

/* "98.3", and below it the interval of its time. */
static void put_share(FILE *out, const struct fleet_figure *figure)
{
    unsigned color = 0;
    if (!figure || !isfinite(figure->share)) {
        fputs("<td>-</td>", out);
        return;
    }
    while (figure->share < colors[color].least)
        color++;
    fprintf(out, "<td class=\"%s\">%.1f<small>", colors[color].name, 100 * figure->share);
    if (isfinite(figure->half_width))
        fprintf(out, "<br/>&#177;%.1f", 100 * figure->half_width);
    fputs("</small></td>", out);
}

static void put_row(FILE *out, const struct fleet *fleet, const struct fleet_device *device)
{
    xml_print(out, "<tr><td>%s %s%s</td>", fleet->node[device->node].name, device->id,
              device->is_slow ? " (slow)" : "");
    for (unsigned i = fleet->kind[device->kind].problem; i != FLEET_NONE; i = fleet->problem[i].next)
        put_share(out, fleet_figure_of(device, i));
    fputs("</tr>\n", out);
}

/* A problem and what is usual in it: "4.1 TFLOP/s, +-0.4 % between devices". */
static void put_problem(FILE *out, const struct fleet_problem *problem)
{
    char rate[FLEET_RATE];
    xml_print(out, "<th>%s<br/>(%s)<small><br/>%s", problem->name, fleet_part_names[problem->part],
              fleet_rate(rate, problem, exp(problem->center)));
    if (isfinite(problem->spread))
        fprintf(out, "<br/>&#177;%.2g %%", 100 * problem->spread);
    fputs("</small></th>", out);
}

static void put_matrix(FILE *out, const struct fleet *fleet, unsigned place)
{
    fputs("<div class=\"wide\"><table class=\"fleet\"><tr><th>device</th>", out);
    for (unsigned i = fleet->kind[place].problem; i != FLEET_NONE; i = fleet->problem[i].next)
        put_problem(out, &fleet->problem[i]);
    fputs("</tr>\n", out);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < fleet->devices; i++)
            if (fleet->device[i].kind == place && fleet->device[i].is_slow == (pass == 0))
                put_row(out, fleet, &fleet->device[i]);
    fputs("</table></div>\n", out);
}

static void put_findings(FILE *out, struct pool *pool, const struct fleet *fleet)
{
    if (fleet->findings == 0)
        return;
    fputs("<h2>What was found</h2>\n<table class=\"fleet\"><tr><th>state</th><th>node</th><th>device</th>"
          "<th>what</th></tr>\n",
          out);
    for (unsigned i = 0; i < fleet->findings; i++) {
        const struct fleet_finding *finding = &fleet->finding[i];
        xml_print(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", fleet_state_names[finding->state],
                  fleet->node[finding->node].name, finding->device ? finding->device->id : "",
                  fleet_finding_text(pool, fleet, finding));
    }
    fputs("</table>\n", out);
}

static bool html_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    (void)width;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
            "content=\"width=device-width\"/><title>bench fleet</title><style>%s%s</style></head><body>\n",
            html_style, style);
    xml_print(out, "<h1>%s</h1>\n", fleet_answer(&pool, fleet));
    put_findings(out, &pool, fleet);
    fputs(
        "<h2>Devices and problems</h2>\n<p>Of a device: percent of the usual speed, half the 95 % interval of its time "
        "in percent. Of a problem: the usual rate, the spread between devices.</p>\n",
        out);
    for (unsigned i = 0; i < fleet->kinds; i++) {
        xml_print(out, "<h3>%s: %s</h3>\n<p>%s</p>\n", fleet->kind[i].group, fleet->kind[i].name,
                  fleet_kind_text(&pool, &fleet->kind[i]));
        put_matrix(out, fleet, i);
    }
    fputs("</body></html>\n", out);
    bool is_short = pool.is_short;
    pool_release(&pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct report fleet_html = { .name = "html", .extension = "html", .fleet = html_write };
