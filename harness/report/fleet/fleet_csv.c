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

/* Takes the row. False when there was no memory for it. */
static bool put_row(FILE *out, const struct fleet_node *node, json_t *row)
{
    const char *name, *separator = "";
    const bool is_complete = row != NULL;
    json_t *value;
    put_text(out, node->name);
    put_text(out, node->group ? node->group : "");
    json_object_foreach (row, name, value) {
        if (json_is_string(value))
            put_text(out, json_string_value(value));
        else
            fprintf(out, json_is_number(value) ? "%.9g," : ",", json_number_value(value));
    }
    json_decref(row);
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        if (node->states & 1u << state) {
            fprintf(out, "%s%s", separator, fleet_state_names[state]);
            separator = " ";
        }
    fputc('\n', out);
    return is_complete;
}

static void put_names(FILE *out)
{
    json_t *row = fleet_row(NULL, NULL, NULL), *value;
    const char *name;
    fputs("node,group,", out);
    json_object_foreach (row, name, value)
        fprintf(out, "%s,", name);
    fputs("states\n", out);
    json_decref(row);
}

static bool csv_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    bool is_complete = true;
    (void)width;
    put_names(out);
    for (unsigned i = 0; i < fleet->nodes; i++) {
        const struct fleet_node *node = &fleet->node[i];
        unsigned rows = 0;
        for (unsigned k = node->first; k < node->first + node->devices; k++)
            for (unsigned figure = 0; figure < fleet->device[k].figures; figure++, rows++)
                is_complete &=
                    put_row(out, node, fleet_row(fleet, &fleet->device[k], &fleet->device[k].figure[figure]));
        if (rows == 0)
            is_complete &= put_row(out, node, fleet_row(fleet, NULL, NULL));
    }
    return is_complete ? output_end(out, err) : fail(err, STATUS_NO_MEMORY, "no memory for the report");
}

const struct report fleet_csv = { .name = "csv", .extension = "csv", .fleet = csv_write };
