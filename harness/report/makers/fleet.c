/* The document of a fleet: what was found, the worst first, then each kind of devices. */

#include "harness/report/makers/makers.h"

#include <math.h>
#include <string.h>

/* How much of a screen findings may take. */
enum { FINDINGS_SHOWN = 20, NODES_SHOWN = 6 };

/* The rate of a device in a problem: "1.92 TFLOP/s", "1.2 TB/s"; its time where nothing is computed or moved. */
static const char *rate_of(struct pool *pool, const struct fleet_problem *problem, double seconds)
{
    const char *operation = text_has_word(problem->name, "i8") ? "OP" : "FLOP";
    if (problem->part == PART_COMPUTE && problem->flops > 0)
        return pool_copy(pool, text_flops(problem->flops / seconds, operation).text);
    return problem->bytes > 0 ? pool_print(pool, "%s/s", text_bytes(problem->bytes / seconds).text)
                              : pool_copy(pool, text_seconds(seconds).text);
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
                      rate_of(pool, problem, worst->seconds));
        if (isfinite(worst->half_width))
            string_append(&text, " +- %.1f %%", 100 * worst->half_width);
    }
    if (finding->more > 0)
        string_append(&text, "; and %u more device%s of the node, by less", finding->more,
                      finding->more == 1 ? "" : "s");
    if (*finding->text)
        string_append(&text, "; likely because: %s", finding->text);
    return string_text(&text);
}

/* A row for each finding, but one for all nodes that differ alike. */
static void add_findings(struct document *out, const struct fleet *fleet, bool is_whole)
{
    static const struct column columns[] = {
        { "state", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "node", "", ALIGN_LEFT, GROUP_NAME, "" },
        { "device", "", ALIGN_LEFT, GROUP_NAME, "device" },
        { "what", "", ALIGN_LEFT, GROUP_SPEEDUP, "" },
    };
    enum { STATE, NODE, DEVICE, WHAT, COLUMNS };
    struct pool *pool = &out->pool;
    const unsigned most = is_whole || fleet->findings < FINDINGS_SHOWN ? fleet->findings : FINDINGS_SHOWN;
    struct table *table = table_open(pool, columns, COLUMNS, most);
    unsigned first = 0;
    if (!table || most == 0)
        return;
    table->rows = 0; /* grows below */
    for (unsigned end; first < fleet->findings && table->rows < most; first = end) {
        const struct fleet_finding *finding = &fleet->finding[first];
        struct row *row = &table->row[table->rows++];
        end = first + 1;
        while (finding->state == FLEET_DIFFERENT && end < fleet->findings &&
               strcmp(fleet->finding[end].text, finding->text) == 0)
            end++;
        const bool is_alone = end == first + 1;
        row->field[STATE] = fleet_state_names[finding->state];
        row->field[NODE] = is_alone ? fleet->node[finding->node].name : pool_print(pool, "%u nodes", end - first);
        row->field[DEVICE] = is_alone && finding->device ? finding->device->id : "";
        struct string_builder nodes = { .pool = pool }; /* "driver 535, usual is 550: n1, n2, ..." */
        string_append(&nodes, "%s: ", finding->text);
        for (unsigned i = first; i < end && (is_whole || i < first + NODES_SHOWN); i++)
            string_append(&nodes, "%s%s", i > first ? ", " : "", fleet->node[fleet->finding[i].node].name);
        string_append(&nodes, "%s", !is_whole && end - first > NODES_SHOWN ? ", ..." : "");
        row->span = is_alone ? fleet_finding_text(pool, fleet, finding) : string_text(&nodes);
        row->span_at = WHAT;
    }
    document_heading(out, 2, "What was found");
    document_table(out, table);
    if (first < fleet->findings)
        document_line(out, ABOUT_VERDICT, "", "and %u more finding%s: --format json has all", fleet->findings - first,
                      fleet->findings - first == 1 ? "" : "s");
}

/* How much devices of a kind differ, and what can be found. */
static const char *kind_text(struct pool *pool, const struct fleet_kind *kind)
{
    struct string_builder text = { .pool = pool };
    for (enum fleet_part part = 0; part < PARTS && fleet_is_judged(kind); part++) {
        const struct outlier_rule *rule = &kind->part[part].rule;
        const double slower = 100 * (1 - exp(-rule->limit));
        if (kind->part[part].problems == 0)
            continue;
        string_append(&text, "%s%s", *string_text(&text) ? "; " : "", fleet_part_names[part]);
        if (isnan(rule->limit))
            string_append(&text, ": too few to judge");
        else if (slower < 99.5)
            string_append(&text, " differs by %.2g %%, called slow when %.2g %% slower", 100 * rule->spread, slower);
        else
            string_append(&text, " differs by %.0f %%, too much to find a slow one", 100 * rule->spread);
    }
    return *string_text(&text) ? string_text(&text) : "too few to judge";
}

/* The devices of a kind, slow ones first, and their problems with what is usual: "compute, 4.1 TFLOP/s, +-0.4 %". */
static void add_matrix(struct document *out, const struct fleet *fleet, unsigned kind)
{
    struct pool *pool = &out->pool;
    struct column *column = pool_take(pool, (fleet->problems + 1) * sizeof *column);
    unsigned *problem = pool_take(pool, (fleet->problems + 1) * sizeof *problem), columns = 1;
    if (!column || !problem)
        return;
    column[0] = (struct column){ "device", "", ALIGN_LEFT, GROUP_NAME, "device" };
    for (unsigned i = 0; i < fleet->problems; i++) {
        const struct fleet_problem *one = &fleet->problem[i];
        if (one->kind != kind)
            continue;
        const char *form = one->spread < 0.995 ? ", +-%.2g %%" : ", +-%.0f %%"; /* no exponent */
        const char *spread = isfinite(one->spread) ? pool_print(pool, form, 100 * one->spread) : "";
        const char *usual =
            pool_print(pool, "%s, %s%s", fleet_part_names[one->part], rate_of(pool, one, exp(one->center)), spread);
        problem[columns] = i;
        column[columns++] = (struct column){ one->name, usual, ALIGN_SHARE, GROUP_SPEEDUP, "" };
    }
    const struct table *table = table_open(pool, column, columns, fleet->kind[kind].devices);
    const struct row *row = table ? table->row : NULL;
    for (unsigned i = 0; i < 2 * fleet->devices && row; i++) {
        const struct fleet_device *device = &fleet->device[i % fleet->devices];
        if (device->kind != kind || device->is_slow != (i < fleet->devices))
            continue;
        row->field[0] =
            pool_print(pool, "%s %s%s", fleet->node[device->node].name, device->id, device->is_slow ? " (slow)" : "");
        for (unsigned k = 1; k < columns; k++) { /* "98.3 (98.0 - 98.6)" percent of the usual speed */
            const struct fleet_figure *figure = fleet_figure_of(device, problem[k]);
            const double share = figure ? 100 * figure->share : NAN, half = figure ? figure->half_width : NAN;
            row->field[k] = !isfinite(share) ? "-"
                            : isfinite(half)
                                ? pool_print(pool, "%.1f (%.1f - %.1f)", share, share * (1 - half), share * (1 + half))
                                : pool_print(pool, "%.1f", share);
        }
        row++;
    }
    if (row)
        document_table(out, table);
}

bool fleet_document(struct document *out, const struct fleet *fleet, struct error *err)
{
    struct pool *pool = &out->pool;
    const bool is_whole = out->medium != MEDIUM_TEXT; /* otherwise as much as fits on a screen */
    struct string_builder answer = { .pool = pool };  /* "1 slow, 0 failed, 1 missing, 0 different of 24 nodes." */
    unsigned unjudged = 0;
    for (enum fleet_state state = 0; state < FLEET_STATES; state++)
        string_append(&answer, "%s%u %s", state > 0 ? ", " : "", fleet->count[state], fleet_state_names[state]);
    string_append(&answer, " of %u node%s.", fleet->nodes, fleet->nodes == 1 ? "" : "s");
    for (unsigned i = 0; i < fleet->kinds; i++)
        unjudged += fleet_is_judged(&fleet->kind[i]) ? 0 : fleet->kind[i].devices;
    if (unjudged > 0)
        string_append(&answer, " %u of %u devices %s of a kind with fewer than %d: too few to judge.", unjudged,
                      fleet->devices, unjudged == 1 ? "is" : "are", OUTLIER_LEAST);
    document_heading(out, 1, string_text(&answer));
    out->level = LEVEL_FULL;
    add_findings(out, fleet, is_whole);
    for (unsigned i = 0; i < fleet->kinds; i++) {
        const struct fleet_kind *kind = &fleet->kind[i];
        document_heading(out, 2, pool_print(pool, "%s: %u x %s", kind->group, kind->devices, kind->name));
        document_line(out, ABOUT_BASIS, "", "%s", kind_text(pool, kind));
        if (!is_whole)
            continue;
        document_line(out, ABOUT_BASIS, "",
                      "Of a device: percent of the usual speed, with the 95 %% interval of its time. Of a problem: the "
                      "usual rate, and the spread between devices.");
        add_matrix(out, fleet, i);
    }
    return !pool->is_short || fail(err, STATUS_NO_MEMORY, "no memory for the report of %u nodes", fleet->nodes);
}
