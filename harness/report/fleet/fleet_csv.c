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

/* `figure` NULL: the node has none. */
static void put_row(FILE *out, const struct fleet *fleet, const struct fleet_node *node,
                    const struct fleet_device *device, const struct fleet_figure *figure)
{
    struct fleet_value row[FLEET_COLUMNS] = { { .text = NULL, .number = NAN } };
    put_text(out, node->name);
    put_text(out, node->group ? node->group : "");
    if (figure)
        fleet_row(row, device, &fleet->kind[device->kind], &fleet->problem[figure->problem], figure);
    for (unsigned i = 0; i < FLEET_COLUMNS; i++) {
        if (row[i].text)
            put_text(out, row[i].text);
        else
            fprintf(out, figure && isfinite(row[i].number) ? "%.9g," : ",", row[i].number);
    }
    for (enum fleet_state state = 0, first = 1; state < FLEET_STATES; state++)
        if (node->states & 1u << state) {
            fprintf(out, "%s%s", first ? "" : " ", fleet_state_names[state]);
            first = 0;
        }
    fputc('\n', out);
}

static void put_names(FILE *out)
{
    struct fleet_value row[FLEET_COLUMNS];
    fleet_row(row, &(struct fleet_device){ .id = "" }, &(struct fleet_kind){ .name = "" },
              &(struct fleet_problem){ .name = "" }, &(struct fleet_figure){ .seconds = NAN });
    fputs("node,group,", out);
    for (unsigned i = 0; i < FLEET_COLUMNS; i++)
        fprintf(out, "%s,", row[i].name);
    fputs("states\n", out);
}

static bool csv_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    put_names(out);
    for (unsigned i = 0; i < fleet->nodes; i++) {
        const struct fleet_node *node = &fleet->node[i];
        unsigned rows = 0;
        for (unsigned k = 0; k < node->devices; k++) {
            const struct fleet_device *device = &fleet->device[node->first + k];
            for (unsigned figure = 0; figure < device->figures; figure++, rows++)
                put_row(out, fleet, node, device, &device->figure[figure]);
        }
        if (rows == 0)
            put_row(out, fleet, node, NULL, NULL);
    }
    return output_end(out, err);
}

const struct report fleet_csv = { .name = "csv", .extension = "csv", .fleet = csv_write };
