#include "harness/analysis/fleet/fleet.h"

#include "harness/measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A device is not called slow for less: smaller differences have other causes than a fault. */
static const double least_difference = 0.02;

/* A problem's spread is never taken for less, so that none outweighs all others. */
static const double least_spread = 0.001;

const char *const fleet_part_names[] = { "compute", "memory", "link", "launch" };
const char *const fleet_state_names[] = { "slow", "failed", "missing", "different", NULL };

bool fleet_is_judged(const struct fleet_kind *kind)
{
    return kind->devices >= OUTLIER_LEAST;
}

/* What all steps of the judgement share. */
struct judge {
    struct fleet *fleet;
    enum fleet_view view;
    double tests;                 /* scores in all views */
    struct fleet_device **member; /* of one kind */
    unsigned members;
    double *value, *scratch; /* of each member */
    unsigned *node;
    double weights; /* of the problems that are joined */
};

static int by_problem(const void *a, const void *b)
{
    const struct fleet_figure *one = a, *other = b;
    return (one->problem > other->problem) - (one->problem < other->problem);
}

const struct fleet_figure *fleet_figure_of(const struct fleet_device *device, unsigned problem)
{
    const struct fleet_figure key = { .problem = problem };
    return device->figures > 0 ? bsearch(&key, device->figure, device->figures, sizeof key, by_problem) : NULL;
}

static void figures_sort(struct fleet *fleet)
{
    for (unsigned i = 0; i < fleet->devices; i++)
        if (fleet->device[i].figures > 0)
            qsort(fleet->device[i].figure, fleet->device[i].figures, sizeof(struct fleet_figure), by_problem);
}

/* Standard error by the interval, or by both of them against an earlier date; NAN: one is unknown. */
static double error_of(const struct judge *judge, const struct fleet_figure *figure)
{
    const double now = figure->half_width, before = judge->view == FLEET_EARLIER ? figure->earlier_half_width : 0;
    return sqrt(now * now + before * before) / normal_95;
}

/* NAN: not compared. Where most have an interval a time without one has too few samples. */
static double log_time(const struct judge *judge, const struct fleet_figure *figure)
{
    if (judge->fleet->problem[figure->problem].error > 0 && !isfinite(error_of(judge, figure)))
        return NAN;
    return judge->view == FLEET_EARLIER ? log(figure->seconds / figure->earlier) : log(figure->seconds);
}

/* How members differ in a problem, in logarithms of time. */
static void problem_learn(struct judge *judge, unsigned place)
{
    struct fleet_problem *problem = &judge->fleet->problem[place];
    struct outlier_rule rule;
    unsigned known = 0, unknown = 0;
    for (unsigned i = 0; i < judge->members; i++) {
        const struct fleet_figure *figure = fleet_figure_of(judge->member[i], place);
        judge->value[i] = figure ? error_of(judge, figure) : NAN;
        known += isfinite(judge->value[i]);
        unknown += figure && !isfinite(judge->value[i]);
    }
    problem->error = known > unknown ? stats_median(judge->value, judge->members) : 0;
    for (unsigned i = 0; i < judge->members; i++) {
        const struct fleet_figure *figure = fleet_figure_of(judge->member[i], place);
        judge->value[i] = figure ? log_time(judge, figure) : NAN;
    }
    rule = outlier_rule_of(judge->value, judge->node, judge->members, 1, judge->scratch);
    problem->count = rule.count;
    problem->center = judge->view == FLEET_EARLIER ? 0 : rule.center;
    problem->spread = rule.count >= OUTLIER_LEAST ? rule.spread : NAN;
}

/* Joined are problems with a known spread that most have: a rare one would leave too few devices to compare with. */
static void problems_choose(struct judge *judge, unsigned kind, enum fleet_part part)
{
    struct fleet_problem *problem = judge->fleet->problem;
    unsigned most = 0;
    for (unsigned i = 0; i < judge->fleet->problems; i++)
        if (problem[i].kind == kind && problem[i].part == part && problem[i].count > most)
            most = problem[i].count;
    judge->weights = 0;
    for (unsigned i = 0; i < judge->fleet->problems; i++) {
        if (problem[i].kind != kind || problem[i].part != part)
            continue;
        bool is_joined = problem[i].count >= OUTLIER_LEAST && 2 * problem[i].count > most;
        problem[i].weight = is_joined ? pow(fmax(least_spread, problem[i].spread), -2) : 0;
        judge->weights += problem[i].weight;
    }
}

/* Joins the problems of a part. A time with a larger error than is usual weighs less, as if the spread were as large.
 * With less weight in all the limit is wider. */
static struct fleet_score score_of(const struct judge *judge, const struct fleet_device *device, enum fleet_part part)
{
    struct fleet_score score = { .log_time = NAN, .widening = 1, .limit = NAN };
    double weights = 0, sum = 0;
    for (unsigned i = 0; i < device->figures; i++) {
        const struct fleet_figure *figure = &device->figure[i];
        const struct fleet_problem *problem = &judge->fleet->problem[figure->problem];
        const double value = log_time(judge, figure) - problem->center,
                     more = fmax(0, pow(error_of(judge, figure), 2) - pow(problem->error, 2)), /* 0 of a NAN */
            weight = problem->weight / (1 + problem->weight * more);
        if (problem->part != part || !(weight > 0) || !isfinite(value))
            continue;
        weights += weight;
        sum += weight * value;
        score.problems++;
    }
    if (score.problems > 0) {
        score.log_time = sum / weights;
        score.widening = sqrt(judge->weights / weights);
    }
    return score;
}

/* Joins the problems of a part for each member, and finds those that are slow in it. */
static void part_judge(struct judge *judge, unsigned kind, enum fleet_part part)
{
    problems_choose(judge, kind, part);
    for (unsigned i = 0; i < judge->members; i++) {
        struct fleet_score *score = &judge->member[i]->score[judge->view][part];
        *score = score_of(judge, judge->member[i], part);
        judge->value[i] = score->log_time;
    }
    struct outlier_rule rule = outlier_rule_of(judge->value, judge->node, judge->members, judge->tests, judge->scratch);
    rule.limit = isnan(rule.limit) ? NAN : fmax(rule.limit, least_difference);
    judge->fleet->kind[kind].part[part].rule = rule;
    for (unsigned i = 0; i < judge->members; i++) {
        struct fleet_score *score = &judge->member[i]->score[judge->view][part];
        if (!isfinite(score->log_time))
            continue;
        score->log_time -= judge->view == FLEET_EARLIER ? 0 : rule.center;
        score->limit = rule.limit * score->widening;
    }
}

/* Shares of the typical speed. */
static void shares_fill(struct judge *judge, const struct fleet_kind *kind)
{
    for (unsigned i = 0; i < judge->members; i++)
        for (unsigned k = 0; k < judge->member[i]->figures; k++) {
            struct fleet_figure *figure = &judge->member[i]->figure[k];
            const struct fleet_problem *problem = &judge->fleet->problem[figure->problem];
            const struct outlier_rule *rule = &kind->part[problem->part].rule;
            figure->share = exp(problem->center + (rule->count > 0 ? rule->center : 0) - log_time(judge, figure));
        }
}

static void kind_judge(struct judge *judge, unsigned kind)
{
    struct fleet *fleet = judge->fleet;
    judge->members = 0;
    for (unsigned i = 0; i < fleet->devices; i++)
        if (fleet->device[i].kind == kind) {
            judge->node[judge->members] = fleet->device[i].node;
            judge->member[judge->members++] = &fleet->device[i];
        }
    for (unsigned i = 0; i < fleet->problems; i++)
        if (fleet->problem[i].kind == kind)
            problem_learn(judge, i);
    for (enum fleet_part part = 0; part < PARTS; part++)
        part_judge(judge, kind, part);
    if (judge->view == FLEET_KIND)
        shares_fill(judge, &fleet->kind[kind]);
}

/* Today's view comes last: what is learned of a problem in it stays. */
static void judge_all(struct fleet *fleet, double tests, unsigned views)
{
    struct pool *pool = &fleet->pool;
    size_t devices = fleet->devices + 1;
    struct judge judge = { .fleet = fleet,
                           .tests = views * tests,
                           .member = pool_take(pool, devices * sizeof *judge.member),
                           .value = pool_take(pool, devices * sizeof *judge.value),
                           .scratch = pool_take(pool, devices * sizeof *judge.scratch),
                           .node = pool_take(pool, devices * sizeof *judge.node) };
    while (views-- > 0) {
        judge.view = (enum fleet_view)views;
        for (unsigned kind = 0; kind < fleet->kinds && !pool->is_short; kind++)
            kind_judge(&judge, kind);
    }
}

/* What more than half of those who know a fact agree on, NULL if nothing: the only candidate is who is left when two
 * that differ always leave together (Boyer and Moore). */
static const char *usual_fact(const struct fleet *fleet, unsigned kind, unsigned fact)
{
    const char *candidate = NULL;
    unsigned votes = 0, known = 0, agree = 0;
    for (unsigned i = 0; i < fleet->devices; i++) {
        const char *value = fleet->device[i].fact[fact].value;
        if (fleet->device[i].kind != kind || !*value)
            continue;
        candidate = votes == 0 ? value : candidate;
        votes += strcmp(value, candidate) == 0 ? 1u : -1u;
        known++;
    }
    for (unsigned i = 0; i < fleet->devices && candidate; i++)
        agree += fleet->device[i].kind == kind && strcmp(fleet->device[i].fact[fact].value, candidate) == 0;
    return 2 * agree > known ? candidate : NULL;
}

/* The same of another device of the node: the findings of a node follow each other. NULL: there is none. */
static struct fleet_finding *same_of_node(const struct fleet *fleet, const struct fleet_finding *one)
{
    for (unsigned i = fleet->findings; i > 0 && fleet->finding[i - 1].node == one->node; i--) {
        struct fleet_finding *other = &fleet->finding[i - 1];
        const bool is_same = one->state == FLEET_SLOW
                                 ? other->view == one->view && other->part == one->part
                                 : one->state == FLEET_DIFFERENT && strcmp(other->text, one->text) == 0;
        if (other->state == one->state && is_same)
            return other;
    }
    return NULL;
}

/* Of the devices of a node that are slow in the same part the slowest stands for all. */
static void finding_add(struct fleet *fleet, struct fleet_finding finding)
{
    struct fleet_finding *held = same_of_node(fleet, &finding);
    finding.more = held ? held->more + 1 : 0;
    if (!held)
        pool_add(&fleet->pool, &fleet->finding, &fleet->findings, &finding, sizeof finding);
    else if (finding.share < held->share)
        *held = finding;
    else
        held->more = finding.more;
}

/* "driver 535.1, usual is 550.54"; NULL: nothing unusual. */
static const char *difference_of(struct fleet *fleet, const struct fleet_device *device, unsigned fact)
{
    const char *name = device->fact[fact].name, *value = device->fact[fact].value;
    const char *usual = fleet->kind[device->kind].usual[fact];
    if (!*value)
        return NULL;
    if (fact == FACT_SOCKET)
        return strcmp(value, "near") == 0 ? NULL : pool_print(&fleet->pool, "%s %s", name, value);
    if (!usual || strcmp(value, usual) == 0)
        return NULL;
    return pool_print(&fleet->pool, "%s %s, usual is %s", name, value, usual);
}

/* Problems that most devices of its kind have and a device lacks. A failure, an incomplete journal or other options say
 * it already. */
static void absent_finding(struct fleet *fleet, const struct fleet_device *device)
{
    const struct fleet_node *node = &fleet->node[device->node];
    const struct fleet_kind *kind = &fleet->kind[device->kind];
    const char *first = NULL;
    unsigned usual = 0, absent = 0;
    if (!fleet_is_judged(kind) || node->missing || node->failure || difference_of(fleet, device, FACT_OPTIONS))
        return;
    for (unsigned i = 0; i < fleet->problems; i++) {
        if (fleet->problem[i].kind != device->kind || 2 * fleet->problem[i].count <= kind->devices)
            continue;
        const struct fleet_figure *figure = fleet_figure_of(device, i);
        usual++;
        if (figure && isfinite(figure->share))
            continue;
        absent++;
        first = first ? first : fleet->problem[i].name;
    }
    if (absent > 0)
        finding_add(fleet,
                    (struct fleet_finding){
                        FLEET_FAILED, device->node, device,
                        .text = pool_print(&fleet->pool,
                                           "no certain time for %u of %u problems that most nodes have, such as %s%s%s",
                                           absent, usual, first, device->untimed ? "; " : "",
                                           device->untimed ? device->untimed : "") });
}

static void device_findings(struct fleet *fleet, struct fleet_device *device)
{
    const char *cause = "";
    absent_finding(fleet, device);
    for (unsigned fact = 0; fact < FACTS; fact++) {
        const char *text = difference_of(fleet, device, fact);
        if (!text)
            continue;
        finding_add(fleet, (struct fleet_finding){ FLEET_DIFFERENT, device->node, device, .text = text });
        cause = *cause ? pool_print(&fleet->pool, "%s; %s", cause, text) : text;
    }
    for (enum fleet_view view = 0; view < FLEET_VIEWS; view++)
        for (enum fleet_part part = 0; part < PARTS; part++) {
            const struct fleet_score *score = &device->score[view][part];
            if (!(score->log_time > score->limit))
                continue;
            device->is_slow = true;
            finding_add(fleet, (struct fleet_finding){ FLEET_SLOW, device->node, device, view, part,
                                                       exp(-score->log_time), .text = cause });
        }
}

static int by_badness(const void *a, const void *b)
{
    const struct fleet_finding *one = a, *other = b;
    if (one->state != other->state)
        return one->state < other->state ? -1 : 1;
    if (one->share != other->share)
        return one->share < other->share ? -1 : 1;
    int texts = one->state == FLEET_DIFFERENT ? strcmp(one->text, other->text) : 0;
    return texts != 0 ? texts : (one->node > other->node) - (one->node < other->node);
}

static void findings_fill(struct fleet *fleet)
{
    for (unsigned i = 0; i < fleet->nodes; i++) {
        if (fleet->node[i].failure)
            finding_add(fleet, (struct fleet_finding){ FLEET_FAILED, i, .text = fleet->node[i].failure });
        if (fleet->node[i].missing)
            finding_add(fleet, (struct fleet_finding){ FLEET_MISSING, i, .text = fleet->node[i].missing });
    }
    for (unsigned i = 0; i < fleet->devices; i++)
        device_findings(fleet, &fleet->device[i]);
    if (fleet->findings > 0)
        qsort(fleet->finding, fleet->findings, sizeof *fleet->finding, by_badness);
    for (unsigned i = 0; i < fleet->findings; i++) {
        const enum fleet_state state = fleet->finding[i].state;
        unsigned *states = &fleet->node[fleet->finding[i].node].states;
        fleet->count[state] += !(*states & 1u << state);
        *states |= 1u << state;
    }
}

/* Gives each figure the time of the same node, device and problem at the earlier date. */
static void times_recall(struct fleet *fleet, struct fleet *earlier, const struct fleet_node *node,
                         const struct fleet_node *old)
{
    for (unsigned i = 0; i < node->devices * old->devices; i++) {
        struct fleet_device *device = &fleet->device[node->first + i / old->devices];
        const struct fleet_device *then = &earlier->device[old->first + i % old->devices];
        for (unsigned k = 0; k < device->figures && strcmp(device->id, then->id) == 0; k++) {
            struct fleet_figure *figure = &device->figure[k];
            const char *name = fleet->problem[figure->problem].name;
            const struct fleet_figure *its =
                fleet_figure_of(then, fleet_place(earlier, FLEET_NONE, "problem %u %s", then->kind, name));
            figure->earlier = its ? its->seconds : NAN;
            figure->earlier_half_width = its ? its->half_width : NAN;
        }
    }
}

static void join_earlier(struct fleet *fleet, struct fleet *earlier)
{
    figures_sort(earlier);
    for (unsigned i = 0; i < earlier->nodes; i++) {
        const struct fleet_node *old = &earlier->node[i];
        unsigned place = fleet_place(fleet, FLEET_NONE, "node %s", old->name);
        if (place == FLEET_NONE) {
            fleet_add_missing(fleet, old->name, old->missing ? "no journal" : "no journal; it had one earlier");
            continue;
        }
        struct fleet_node *node = &fleet->node[place];
        times_recall(fleet, earlier, node, old);
        if (!node->missing && node->devices < old->devices)
            node->missing =
                pool_print(&fleet->pool, "a device: it has %u, and had %u earlier", node->devices, old->devices);
    }
}

/* Nodes with fewer devices than over half of those of the same processor have. */
static void devices_count(struct fleet *fleet)
{
    for (unsigned i = 0; i < fleet->nodes; i++) {
        struct fleet_node *node = &fleet->node[i];
        unsigned like = 0, more = 0;
        for (unsigned k = 0; k < fleet->nodes && !node->missing; k++)
            if (strcmp(fleet->node[k].processor, node->processor) == 0) {
                like++;
                more += fleet->node[k].devices > node->devices;
            }
        if (like >= OUTLIER_LEAST && 2 * more > like)
            node->missing = pool_print(&fleet->pool, "a device: it has %u; %u of %u nodes of this processor have more",
                                       node->devices, more, like);
    }
}

bool fleet_judge(struct fleet *fleet, struct fleet *earlier, struct error *err)
{
    double tests = 0; /* parts of devices */
    figures_sort(fleet);
    if (earlier)
        join_earlier(fleet, earlier);
    devices_count(fleet);
    for (unsigned i = 0; i < fleet->problems; i++) {
        struct fleet_kind *kind = &fleet->kind[fleet->problem[i].kind];
        tests += kind->part[fleet->problem[i].part].problems++ == 0 ? kind->devices : 0;
    }
    judge_all(fleet, tests, earlier ? FLEET_VIEWS : 1);
    for (unsigned kind = 0; kind < fleet->kinds; kind++)
        for (unsigned fact = 0; fact < FACTS && fleet_is_judged(&fleet->kind[kind]); fact++)
            fleet->kind[kind].usual[fact] = usual_fact(fleet, kind, fact);
    findings_fill(fleet);
    return !fleet->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory to compare %u devices", fleet->devices);
}
