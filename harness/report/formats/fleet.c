/* The figures of a fleet for spreadsheets (RFC 4180, SI units) and for programs (results/fleet.schema.json), from one
 * set of columns. */

#include "harness/base/fields.h"
#include "harness/journal/journal.h"
#include "harness/report/formats/formats.h"
#include "harness/report/formats/output.h"

#include <math.h>
#include <string.h>

/* A figure as an object: the columns of the CSV and the members of the JSON, in order. Without a device and a figure
 * all is unknown: texts are empty, numbers null. NULL when memory is short. */
static json_t *row_of(const struct fleet *fleet, const struct fleet_device *device, const struct fleet_figure *figure)
{
    static const struct fleet_device no_device = { .id = "" };
    static const struct fleet_problem no_problem = { .name = "", .spread = NAN };
    static const struct fleet_figure no_figure = { 0, NAN, NAN, NAN, NAN, NAN, NAN };
    const struct fleet_problem *problem = figure ? &fleet->problem[figure->problem] : &no_problem;
    const char *name = device ? fleet->kind[device->kind].name : "",
               *part = figure ? fleet_part_names[problem->part] : "";
    device = device ? device : &no_device;
    figure = figure ? figure : &no_figure;
    const struct fleet_score *now = &device->score[FLEET_KIND][problem->part];
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
        { "part_share", now->problems > 0 ? exp(-now->log_time) : NAN },
        { "part_slow_below", now->problems > 0 ? exp(-now->limit) : NAN },
        { "part_share_of_earlier", since->problems > 0 ? exp(-since->log_time) : NAN },
        { "part_earlier_slow_below", since->problems > 0 ? exp(-since->limit) : NAN },
    };
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "device", device->id, "device_name", name, "problem", problem->name,
                            "part", part);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(row, numbers[i].name, number_to_json(numbers[i].value));
    return row;
}

/* A node as the JSON has it, with the rows of its figures. NULL when memory is short. */
static json_t *node_of(const struct fleet *fleet, const struct fleet_node *node)
{
    json_t *states = json_array(), *figures = json_array();
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        if (node->states & 1u << state)
            states = array_with(states, json_string(fleet_state_names[state]));
    for (unsigned i = node->first; i < node->first + node->devices; i++)
        for (unsigned k = 0; k < fleet->device[i].figures; k++)
            figures = array_with(figures, row_of(fleet, &fleet->device[i], &fleet->device[i].figure[k]));
    return json_pack("{s:s, s:s?, s:o, s:s?, s:s?, s:o}", "name", node->name, "group", node->group, "states", states,
                     "missing", node->missing, "failure", node->failure, "figures", figures);
}

static void put_row(FILE *out, const json_t *node, const json_t *row)
{
    const char *name;
    const json_t *value;
    size_t i;
    output_put_csv(journal_text(node, "name"), out);
    fputc(',', out);
    output_put_csv(journal_text(node, "group"), out);
    fputc(',', out);
    json_object_foreach ((json_t *)row, name, value) {
        output_put_csv(json_is_string(value) ? json_string_value(value) : "", out);
        fprintf(out, json_is_number(value) ? "%.9g," : ",", json_number_value(value));
    }
    json_array_foreach (json_object_get(node, "states"), i, value)
        fprintf(out, "%s%s", i > 0 ? " " : "", json_string_value(value));
    fputs("\r\n", out);
}

/* A node without figures has one row. */
bool csv_fleet(const struct fleet *fleet, FILE *out, struct error *err)
{
    json_t *none = row_of(fleet, NULL, NULL);
    bool is_complete = none != NULL;
    const json_t *value;
    const char *name;
    size_t row;
    fputs("node,group,", out);
    json_object_foreach (none, name, value)
        fprintf(out, "%s,", name);
    fputs("states\r\n", out);
    for (unsigned i = 0; i < fleet->nodes; i++) {
        json_t *node = node_of(fleet, &fleet->node[i]), *figures = json_object_get(node, "figures");
        is_complete &= node != NULL;
        json_array_foreach (figures, row, value)
            put_row(out, node, value);
        if (json_array_size(figures) == 0)
            put_row(out, node, none);
        json_decref(node);
    }
    json_decref(none);
    return is_complete ? output_end(out, err) : fail(err, STATUS_NO_MEMORY, "no memory for the report");
}

bool json_fleet(const struct fleet *fleet, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    json_t *count = json_object(), *findings = json_array(), *nodes = json_array();
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        pool.is_short |= json_object_set_new(count, fleet_state_names[state], json_integer(fleet->count[state])) != 0;
    for (unsigned i = 0; i < fleet->findings; i++) {
        const struct fleet_finding *finding = &fleet->finding[i];
        findings = array_with(findings, json_pack("{s:s, s:s, s:s?, s:s}", "state", fleet_state_names[finding->state],
                                                  "node", fleet->node[finding->node].name, "device",
                                                  finding->device ? finding->device->id : NULL, "text",
                                                  fleet_finding_text(&pool, fleet, finding)));
    }
    for (unsigned i = 0; i < fleet->nodes; i++)
        nodes = array_with(nodes, node_of(fleet, &fleet->node[i]));
    json_t *whole = json_pack("{s:s, s:o, s:o, s:o}", "schema", "bench-fleet/1", "count", count, "findings", findings,
                              "nodes", nodes);
    if (pool.is_short) {
        json_decref(whole);
        whole = NULL;
    }
    pool_release(&pool);
    return output_put_json(whole, out, err);
}
