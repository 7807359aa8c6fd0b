/* The report of a fleet for programs; results/fleet.schema.json describes it. */

#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/stream.h"

#include <math.h>
#include <stdlib.h>

static json_t *states_to_json(unsigned states)
{
    json_t *out = json_array();
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        if (states & 1u << state)
            json_array_append_new(out, json_string(fleet_state_name(state)));
    return out;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *score_to_json(const struct fleet_score *score)
{
    return json_pack("{s:i, s:o, s:o, s:i, s:b}", "problems", (int)score->problems, "share",
                     journal_number(exp(-score->log_time)), "slow_below", journal_number(exp(-score->limit)), "cluster",
                     (int)score->mode, "slow", score->is_slow);
}

static json_t *scores_to_json(const struct fleet_score score[PARTS])
{
    json_t *out = json_object();
    for (enum fleet_part part = 0; part < PARTS; part++)
        if (score[part].problems > 0)
            json_object_set_new(out, fleet_part_name(part), score_to_json(&score[part]));
    return out;
}

static json_t *device_to_object(const struct fleet *fleet, const struct fleet_device *device)
{
    json_t *figures = json_array(), *facts = json_object();
    for (unsigned i = 0; i < device->figures; i++) {
        const struct fleet_figure *figure = &device->figure[i];
        json_array_append_new(figures,
                              json_pack("{s:i, s:f, s:o, s:o, s:o, s:o}", "problem", (int)figure->problem, "time_s",
                                        figure->seconds, "half_width", journal_number(figure->half_width), "share",
                                        journal_number(figure->share), "speedup", journal_number(figure->speedup),
                                        "share_of_earlier", journal_number(figure->earlier / figure->seconds)));
    }
    for (enum fleet_fact fact = 0; fact < FACTS; fact++)
        if (*device->fact[fact])
            json_object_set_new(facts, fleet_fact_name(fact), json_string(device->fact[fact]));
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "id", device->id, "kind", (int)device->kind, "facts", facts,
                     "parts", scores_to_json(device->score[FLEET_KIND]), "parts_since_earlier",
                     fleet->has_earlier ? scores_to_json(device->score[FLEET_EARLIER]) : json_null(), "figures",
                     figures);
}

static void put_nodes(struct stream *stream, const struct fleet *fleet)
{
    stream_open(stream, "nodes", '[');
    for (unsigned i = 0; i < fleet->nodes; i++) {
        const struct fleet_node *node = &fleet->node[i];
        json_t *devices = json_array();
        for (unsigned k = 0; k < node->devices; k++)
            json_array_append_new(devices, device_to_object(fleet, &fleet->device[node->first + k]));
        json_t *group = node->group == FLEET_NO_GROUP ? json_null() : json_string(fleet->group[node->group].name);
        stream_put(stream, NULL,
                   json_pack("{s:s, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:o}", "name", node->name, "group", group,
                             "states", states_to_json(node->states), "missing", text_or_null(node->missing), "failure",
                             text_or_null(node->failure), "cells", (int)node->cells, "ended", (int)node->ended,
                             "failures", (int)node->failures, "devices", devices));
    }
    stream_close(stream, ']');
}

static void put_kinds(struct stream *stream, const struct fleet *fleet)
{
    stream_open(stream, "kinds", '[');
    for (unsigned i = 0; i < fleet->kinds; i++) {
        const struct fleet_kind *kind = &fleet->kind[i];
        json_t *parts = json_object();
        for (enum fleet_part part = 0; part < PARTS; part++) {
            json_t *clusters = json_array();
            for (unsigned mode = 0; mode < kind->part[part].modes && kind->part[part].problems > 0; mode++) {
                const struct outlier_rule *rule = &kind->part[part].rule[mode];
                json_array_append_new(clusters,
                                      json_pack("{s:i, s:o, s:o, s:o}", "devices", (int)rule->count, "share",
                                                journal_number(exp(-rule->center)), "spread",
                                                journal_number(rule->spread), "limit", journal_number(rule->limit)));
            }
            json_object_set_new(parts, fleet_part_name(part), clusters);
        }
        stream_put(stream, NULL,
                   json_pack("{s:s, s:s, s:i, s:b, s:o}", "name", kind->name, "group", fleet->group[kind->group].name,
                             "devices", (int)kind->devices, "judged", fleet_is_judged(kind), "clusters", parts));
    }
    stream_close(stream, ']');
}

static void put_problems(struct stream *stream, const struct fleet *fleet)
{
    stream_open(stream, "problems", '[');
    for (unsigned i = 0; i < fleet->problems; i++) {
        const struct fleet_problem *problem = &fleet->problem[i];
        stream_put(stream, NULL,
                   json_pack("{s:s, s:i, s:s, s:i, s:o, s:o, s:o}", "name", problem->name, "kind", (int)problem->kind,
                             "part", fleet_part_name(problem->part), "devices", (int)problem->count, "median_s",
                             journal_number(problem->median), "spread", journal_number(problem->spread), "speedup",
                             journal_number(problem->speedup)));
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
                   json_pack("{s:s, s:s, s:o, s:s}", "state", fleet_state_name(finding->state), "node",
                             fleet->node[finding->node].name, "device",
                             text_or_null(finding->device ? finding->device->id : NULL), "text",
                             fleet_finding_text(&pool, finding)));
    }
    stream_close(stream, ']');
    stream->is_short |= pool.is_short;
    pool_release(&pool);
}

static bool json_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return fail(err, STATUS_NO_MEMORY, "no memory for the report");
    stream->out = out;
    stream_open(stream, NULL, '{');
    stream_put(stream, "schema", json_string("bench-fleet/1"));
    json_t *counts = json_object();
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        json_object_set_new(counts, fleet_state_name(state), json_integer(fleet->count[state]));
    stream_put(stream, "count", counts);
    put_findings(stream, fleet);
    put_kinds(stream, fleet);
    put_problems(stream, fleet);
    put_nodes(stream, fleet);
    stream_close(stream, '}');
    bool is_short = stream->is_short;
    free(stream);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct fleet_report fleet_json = { "json", "json", json_write };
