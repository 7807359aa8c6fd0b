/* The report of a fleet for programs; results/fleet.schema.json describes it. */

#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"

static void put_nodes(struct stream *stream, const struct fleet *fleet)
{
    stream_open(stream, "nodes", '[');
    for (unsigned i = 0; i < fleet->nodes; i++) {
        const struct fleet_node *node = &fleet->node[i];
        json_t *figures = json_array(), *states = json_array();
        for (enum fleet_state state = 0; state < FLEET_STATES; state++)
            if (node->states & 1u << state)
                json_array_append_new(states, json_string(fleet_state_names[state]));
        for (unsigned k = node->first; k < node->first + node->devices; k++)
            for (unsigned figure = 0; figure < fleet->device[k].figures; figure++)
                stream->is_short |= json_array_append_new(figures, fleet_row(fleet, &fleet->device[k],
                                                                             &fleet->device[k].figure[figure])) != 0;
        stream_put(stream, NULL,
                   json_pack("{s:s, s:s?, s:o, s:s?, s:s?, s:o}", "name", node->name, "group", node->group, "states",
                             states, "missing", node->missing, "failure", node->failure, "figures", figures));
    }
    stream_close(stream, ']');
}

static void put_findings(struct stream *stream, const struct fleet *fleet)
{
    struct pool pool = { 0 };
    stream_open(stream, "findings", '[');
    for (unsigned i = 0; i < fleet->findings; i++) {
        const struct fleet_finding *finding = &fleet->finding[i];
        stream_put(stream, NULL,
                   json_pack("{s:s, s:s, s:s?, s:s}", "state", fleet_state_names[finding->state], "node",
                             fleet->node[finding->node].name, "device", finding->device ? finding->device->id : NULL,
                             "text", fleet_finding_text(&pool, fleet, finding)));
    }
    stream_close(stream, ']');
    stream->is_short |= pool.is_short;
    pool_release(&pool);
}

static bool json_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    struct stream whole = { .out = out }, *stream = &whole;
    stream_open(stream, NULL, '{');
    stream_put(stream, "schema", json_string("bench-fleet/1"));
    stream_open(stream, "count", '{');
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        stream_put(stream, fleet_state_names[state], json_integer(fleet->count[state]));
    stream_close(stream, '}');
    put_findings(stream, fleet);
    put_nodes(stream, fleet);
    stream_close(stream, '}');
    return stream->is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct report fleet_json = { .name = "json", .extension = "json", .fleet = json_write };
