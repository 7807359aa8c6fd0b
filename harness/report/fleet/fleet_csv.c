/* The report of a fleet for spreadsheets and programs: one row for each node, device and problem (RFC 4180), SI units.
 * A node without figures has one row. */

#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/output.h"

#include <math.h>
#include <string.h>

/* A text that a spreadsheet would take for a formula gets an apostrophe. */
static void put_text(FILE *out, const char *text)
{
    fprintf(out, "\"%s", *text && strchr("=+-@", *text) ? "'" : "");
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    fputs("\",", out);
}

static void put_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", value);
    fputc(',', out);
}

static void put_states(FILE *out, unsigned states)
{
    const char *separator = "";
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        if (states & 1u << state) {
            fprintf(out, "%s%s", separator, fleet_state_name(state));
            separator = " ";
        }
    fputc('\n', out);
}

static void put_figure(FILE *out, const struct fleet *fleet, const struct fleet_device *device,
                       const struct fleet_figure *figure)
{
    const struct fleet_problem *problem = &fleet->problem[figure->problem];
    const struct fleet_score *score = &device->score[FLEET_KIND][problem->part];
    put_text(out, device->id);
    put_text(out, fleet->kind[device->kind].name);
    put_text(out, problem->name);
    put_text(out, fleet_part_name(problem->part));
    const double numbers[] = { figure->seconds,
                               figure->half_width,
                               problem->flops > 0 ? problem->flops / figure->seconds : NAN,
                               problem->bytes > 0 ? problem->bytes / figure->seconds : NAN,
                               figure->share,
                               problem->spread,
                               figure->speedup,
                               figure->speedup / problem->speedup,
                               figure->earlier / figure->seconds,
                               exp(-score->log_time),
                               exp(-score->limit) };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(out, numbers[i]);
}

static bool csv_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    static const unsigned figure_columns = 15;
    (void)width;
    fputs("node,group,device,device_name,problem,part,time_s,time_half_width,flop_per_s,byte_per_s,share_of_median,"
          "group_spread,speedup,speedup_share_of_median,share_of_earlier,part_share,part_slow_below,states\n",
          out);
    for (unsigned i = 0; i < fleet->nodes; i++) {
        const struct fleet_node *node = &fleet->node[i];
        const char *group = node->group == FLEET_NO_GROUP ? "" : fleet->group[node->group].name;
        unsigned states = fleet->node[i].states, rows = 0;
        for (unsigned k = 0; k < node->devices; k++) {
            const struct fleet_device *device = &fleet->device[node->first + k];
            for (unsigned figure = 0; figure < device->figures; figure++, rows++) {
                put_text(out, node->name);
                put_text(out, group);
                put_figure(out, fleet, device, &device->figure[figure]);
                put_states(out, states);
            }
        }
        if (rows > 0)
            continue;
        put_text(out, node->name);
        put_text(out, group);
        for (unsigned column = 0; column < figure_columns; column++)
            fputc(',', out);
        put_states(out, states);
    }
    return output_end(out, err);
}

const struct fleet_report fleet_csv = { "csv", "csv", csv_write };
