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
    const char *name, *meaning;
} colors[] = { { 1.03, "fast", "103 and more" }, { 0.99, "s99", "99 to 103" }, { 0.97, "s97", "97 to 99" },
               { 0.95, "s95", "95 to 97" },      { 0.90, "s90", "90 to 95" },  { 0, "s0", "below 90" } };

static void put_legend(FILE *out)
{
    fputs("<p>Percent of the usual speed:</p>\n<table class=\"fleet\"><tr>", out);
    for (unsigned i = 0; i < sizeof colors / sizeof *colors; i++)
        html_print(out, "<td class=\"%s\">%s</td>", colors[i].name, colors[i].meaning);
    fputs("</tr></table>\n", out);
}

static bool is_slow(const struct fleet_device *device)
{
    bool slow = false;
    for (enum fleet_view view = 0; view < FLEET_VIEWS; view++)
        for (enum fleet_part part = 0; part < PARTS; part++)
            slow |= device->score[view][part].is_slow;
    return slow;
}

static void put_row(FILE *out, const struct fleet *fleet, const struct fleet_device *device)
{
    html_print(out, "<tr><td>%s %s%s</td>", fleet->node[device->node].name, device->id,
               is_slow(device) ? " (slow)" : "");
    for (unsigned i = 0; i < fleet->problems; i++) {
        if (fleet->problem[i].kind != device->kind)
            continue;
        const struct fleet_figure *figure = fleet_figure_of(device, i);
        unsigned color = 0;
        if (!figure || !isfinite(figure->share)) {
            fputs("<td>-</td>", out);
            continue;
        }
        while (figure->share < colors[color].least)
            color++;
        fprintf(out, "<td class=\"%s\">%.1f</td>", colors[color].name, 100 * figure->share);
    }
    fputs("</tr>\n", out);
}

static void put_matrix(FILE *out, const struct fleet *fleet, unsigned place)
{
    fputs("<div class=\"wide\"><table class=\"fleet\"><tr><th>device</th>", out);
    for (unsigned i = 0; i < fleet->problems; i++)
        if (fleet->problem[i].kind == place)
            html_print(out, "<th>%s<br/>(%s)</th>", fleet->problem[i].name, fleet_part_name(fleet->problem[i].part));
    fputs("</tr>\n", out);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < fleet->devices; i++)
            if (fleet->device[i].kind == place && is_slow(&fleet->device[i]) == (pass == 0))
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
        html_print(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", fleet_state_name(finding->state),
                   fleet->node[finding->node].name, finding->device ? finding->device->id : "",
                   fleet_finding_text(pool, finding));
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
    html_print(out, "<h1>%s</h1>\n", fleet_answer(&pool, fleet));
    put_findings(out, &pool, fleet);
    fputs("<h2>Devices and problems</h2>\n", out);
    put_legend(out);
    for (unsigned i = 0; i < fleet->kinds; i++) {
        html_print(out, "<h3>%s: %s</h3>\n<p>%s</p>\n", fleet->group[fleet->kind[i].group].name, fleet->kind[i].name,
                   fleet_kind_text(&pool, &fleet->kind[i]));
        put_matrix(out, fleet, i);
    }
    fputs("</body></html>\n", out);
    bool is_short = pool.is_short;
    pool_release(&pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct fleet_report fleet_html = { "html", "html", html_write };
