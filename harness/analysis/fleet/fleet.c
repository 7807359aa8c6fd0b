#include "harness/analysis/fleet/fleet.h"

#include "harness/measure/stats.h"

#include <stdlib.h>
#include <string.h>

/* A device is not called slow for less: smaller differences have other causes than a fault. */
static const double least_difference = 0.02;

/* A problem's spread is never taken for less, so that none outweighs all others. */
static const double least_spread = 0.001;

static const char *const part_names[PARTS] = { "compute", "memory", "link", "launch" };
static const char *const state_names[FLEET_STATES] = { "slow", "failed", "missing", "different" };
static const char *const fact_names[FACTS] = {
    [FACT_DRIVER] = "driver",
    [FACT_API] = "API",
    [FACT_CLOCK_LIMIT] = "clock limit",
    [FACT_POWER_LIMIT] = "power limit",
    [FACT_ECC] = "ECC",
    [FACT_LINK] = "PCI Express link",
    [FACT_MEMORY] = "device memory",
    [FACT_DEVICE_LIBRARY] = "library",
    [FACT_SOCKET] = "host memory is",
    [FACT_KERNEL] = "kernel",
    [FACT_HOST_MEMORY] = "host memory",
    [FACT_LIBRARY] = "libraries",
    [FACT_GOVERNOR] = "governor",
    [FACT_THREADS] = "CPU threads",
    [FACT_VERSION] = "bench",
};

const char *fleet_part_name(enum fleet_part part)
{
    return part_names[part];
}

const char *fleet_state_name(enum fleet_state state)
{
    return state_names[state];
}

const char *fleet_fact_name(enum fleet_fact fact)
{
    return fact_names[fact];
}

bool fleet_is_judged(const struct fleet_kind *kind)
{
    return kind->devices >= OUTLIER_LEAST;
}

/* How members differ in a problem, in logarithms of time. */
struct learned {
    unsigned count; /* members that have it */
    double center, spread;
    double error; /* usual standard error of a device's own figure; 0: most have none */
    bool is_joined;
};

/* What all steps of the judgement share. */
struct judge {
    struct fleet *fleet;
    enum fleet_view view;
    double tests;                 /* scores in all views */
    struct fleet_device **member; /* of one kind */
    unsigned members;
    double *value, *scratch; /* of each member */
    unsigned *mode, *node;   /* likewise */
    struct learned *learned; /* of each problem of the fleet */
    double weights;          /* of the problems that are joined */
};

const struct fleet_figure *fleet_figure_of(const struct fleet_device *device, unsigned problem)
{
    for (unsigned i = 0; i < device->figures; i++)
        if (device->figure[i].problem == problem)
            return &device->figure[i];
    return NULL;
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
    if (judge->learned[figure->problem].error > 0 && !isfinite(error_of(judge, figure)))
        return NAN;
    return judge->view == FLEET_EARLIER ? log(figure->seconds / figure->earlier) : log(figure->seconds);
}

/* The usual error of a problem; 0: most have none. */
static double usual_error(struct judge *judge, unsigned place)
{
    unsigned known = 0, unknown = 0;
    for (unsigned i = 0; i < judge->members; i++) {
        const struct fleet_figure *figure = fleet_figure_of(judge->member[i], place);
        judge->value[i] = figure ? error_of(judge, figure) : NAN;
        known += isfinite(judge->value[i]);
        unknown += figure && !isfinite(judge->value[i]);
    }
    return known > unknown ? stats_median(judge->value, judge->members) : 0;
}

static bool problem_learn(struct judge *judge, unsigned place)
{
    struct fleet_problem *problem = &judge->fleet->problem[place];
    struct outlier_rule rule;
    double *value = judge->value;
    judge->learned[place].error = usual_error(judge, place);
    for (unsigned i = 0; i < judge->members; i++) {
        const struct fleet_figure *figure = fleet_figure_of(judge->member[i], place);
        value[i] = figure ? log_time(judge, figure) : NAN;
    }
    if (!outlier_rule_make(&rule, value, judge->node, judge->members, 1))
        return false;
    judge->learned[place].count = rule.count;
    judge->learned[place].center = judge->view == FLEET_EARLIER ? 0 : rule.center;
    judge->learned[place].spread = fmax(least_spread, rule.spread);
    if (judge->view == FLEET_EARLIER)
        return true;
    problem->count = rule.count;
    problem->median = exp(rule.center);
    problem->spread = rule.count >= OUTLIER_LEAST ? rule.spread : NAN;
    for (unsigned i = 0; i < judge->members; i++) {
        const struct fleet_figure *figure = fleet_figure_of(judge->member[i], place);
        value[i] = figure ? figure->speedup : NAN;
    }
    problem->speedup = stats_median(value, judge->members);
    return true;
}

static double weight_of(const struct judge *judge, unsigned problem)
{
    return 1 / (judge->learned[problem].spread * judge->learned[problem].spread);
}

/* Joined are problems with a known spread that most have: a rare one would leave too few devices to compare with. */
static void problems_choose(struct judge *judge, unsigned kind, enum fleet_part part)
{
    const struct fleet *fleet = judge->fleet;
    unsigned most = 0;
    for (unsigned i = 0; i < fleet->problems; i++)
        if (fleet->problem[i].kind == kind && fleet->problem[i].part == part && judge->learned[i].count > most)
            most = judge->learned[i].count;
    judge->weights = 0;
    for (unsigned i = 0; i < fleet->problems; i++) {
        if (fleet->problem[i].kind != kind || fleet->problem[i].part != part)
            continue;
        judge->learned[i].is_joined = judge->learned[i].count >= OUTLIER_LEAST && 2 * judge->learned[i].count > most;
        judge->weights += judge->learned[i].is_joined ? weight_of(judge, i) : 0;
    }
}

/* Joins the problems of a part. */
static struct fleet_score score_of(const struct judge *judge, const struct fleet_device *device, enum fleet_part part)
{
    struct fleet_score score = { .limit = NAN };
    double weights = 0, sum = 0, errors = 0;
    for (unsigned i = 0; i < device->figures; i++) {
        const struct fleet_figure *figure = &device->figure[i];
        unsigned place = figure->problem;
        double value = log_time(judge, figure) - judge->learned[place].center;
        if (judge->fleet->problem[place].part != part || !judge->learned[place].is_joined || !isfinite(value))
            continue;
        double weight = weight_of(judge, place);
        double error = error_of(judge, figure), usual = judge->learned[place].error;
        weights += weight;
        sum += weight * value;
        errors += weight * weight * fmax(0, error * error - usual * usual); /* fmax(0, NAN) is 0 */
        score.problems++;
    }
    score.log_time = score.problems > 0 ? sum / weights : NAN;
    score.error = score.problems > 0 ? sqrt(errors) / weights : 0;
    score.widening = score.problems > 0 ? sqrt(judge->weights / weights) : 1;
    return score;
}

/* Applies the limit of a cluster to its members. */
static bool cluster_judge(struct judge *judge, struct fleet_kind *kind, enum fleet_part part, unsigned mode)
{
    struct outlier_rule rule;
    double *scratch = judge->scratch;
    for (unsigned i = 0; i < judge->members; i++)
        scratch[i] = judge->mode[i] == mode ? judge->value[i] : NAN;
    if (!outlier_rule_make(&rule, scratch, judge->node, judge->members, judge->tests))
        return false;
    double center = judge->view == FLEET_EARLIER ? 0 : rule.center;
    if (judge->view == FLEET_KIND)
        kind->part[part].rule[mode] = rule;
    for (unsigned i = 0; i < judge->members; i++) {
        struct fleet_score *score = &judge->member[i]->score[judge->view][part];
        if (!isfinite(scratch[i]))
            continue;
        /* more of its own error than is usual widens the limit as it widens the spread */
        double wider = rule.spread > 0 ? sqrt(1 + pow(score->error / rule.spread, 2)) : 1;
        score->mode = mode;
        score->log_time -= center;
        score->limit = isnan(rule.limit) ? NAN : fmax(rule.limit * wider * score->widening, least_difference);
        score->is_slow = score->log_time > score->limit;
    }
    return true;
}

static bool part_judge(struct judge *judge, struct fleet_kind *kind, enum fleet_part part)
{
    unsigned modes = 1;
    problems_choose(judge, (unsigned)(kind - judge->fleet->kind), part);
    for (unsigned i = 0; i < judge->members; i++) {
        struct fleet_device *device = judge->member[i];
        device->score[judge->view][part] = score_of(judge, device, part);
        judge->value[i] = device->score[judge->view][part].log_time;
        judge->mode[i] = 0;
    }
    if (judge->view == FLEET_KIND) {
        modes = outlier_modes(judge->mode, judge->value, judge->node, judge->members);
        kind->part[part].modes = modes;
    }
    bool judged = modes > 0;
    for (unsigned mode = 0; mode < modes && judged; mode++)
        judged = cluster_judge(judge, kind, part, mode);
    return judged;
}

/* Shares of the speed that is typical in the device's own cluster. */
static void shares_fill(struct judge *judge, const struct fleet_kind *kind)
{
    for (unsigned i = 0; i < judge->members; i++)
        for (unsigned k = 0; k < judge->member[i]->figures; k++) {
            struct fleet_figure *figure = &judge->member[i]->figure[k];
            enum fleet_part part = judge->fleet->problem[figure->problem].part;
            unsigned mode = judge->member[i]->score[FLEET_KIND][part].mode;
            const struct outlier_rule *rule = &kind->part[part].rule[mode];
            double center = judge->learned[figure->problem].center + (rule->count > 0 ? rule->center : 0);
            figure->share = exp(center - log_time(judge, figure));
        }
}

static bool kind_judge(struct judge *judge, unsigned place)
{
    struct fleet *fleet = judge->fleet;
    struct fleet_kind *kind = &fleet->kind[place];
    bool judged = true;
    judge->members = 0;
    for (unsigned i = 0; i < fleet->devices; i++)
        if (fleet->device[i].kind == place) {
            judge->node[judge->members] = fleet->device[i].node;
            judge->member[judge->members++] = &fleet->device[i];
        }
    for (unsigned i = 0; i < fleet->problems && judged; i++)
        if (fleet->problem[i].kind == place)
            judged = problem_learn(judge, i);
    for (enum fleet_part part = 0; part < PARTS && judged; part++)
        judged = part_judge(judge, kind, part);
    if (judged && judge->view == FLEET_KIND)
        shares_fill(judge, kind);
    return judged;
}

static void count_parts(struct fleet *fleet)
{
    for (unsigned i = 0; i < fleet->problems; i++)
        fleet->kind[fleet->problem[i].kind].part[fleet->problem[i].part].problems++;
}

/* Parts of devices, once for each view. */
static double tests_of(const struct fleet *fleet)
{
    double tests = 0;
    for (unsigned i = 0; i < fleet->kinds; i++)
        for (enum fleet_part part = 0; part < PARTS; part++)
            tests += (fleet->kind[i].part[part].problems > 0) * fleet->kind[i].devices;
    return tests * (fleet->has_earlier ? 2 : 1);
}

static bool judge_all(struct fleet *fleet, struct error *err)
{
    struct pool pool = { 0 };
    size_t devices = fleet->devices + 1, problems = fleet->problems + 1;
    struct judge judge = { .fleet = fleet,
                           .tests = tests_of(fleet),
                           .member = pool_take(&pool, devices * sizeof *judge.member),
                           .value = pool_take(&pool, devices * sizeof *judge.value),
                           .scratch = pool_take(&pool, devices * sizeof *judge.scratch),
                           .mode = pool_take(&pool, devices * sizeof *judge.mode),
                           .node = pool_take(&pool, devices * sizeof *judge.node),
                           .learned = pool_take(&pool, problems * sizeof *judge.learned) };
    bool judged = !pool.is_short;
    for (; judge.view < FLEET_VIEWS && judged; judge.view++)
        for (unsigned kind = 0; kind < fleet->kinds && judged; kind++)
            judged = (judge.view == FLEET_EARLIER && !fleet->has_earlier) || kind_judge(&judge, kind);
    pool_release(&pool);
    return judged || fail(err, STATUS_NO_MEMORY, "no memory to compare %u devices", fleet->devices);
}

/* The usual value of each fact of a kind. */
static void facts_learn(struct fleet *fleet, unsigned place, enum fleet_fact fact)
{
    json_t *counts = json_object();
    const char *best = NULL;
    json_int_t most = 0, known = 0;
    for (unsigned i = 0; i < fleet->devices; i++) {
        const char *value = fleet->device[i].fact[fact];
        if (fleet->device[i].kind != place || !*value)
            continue;
        json_int_t count = json_integer_value(json_object_get(counts, value)) + 1;
        fleet->pool.is_short |= json_object_set_new(counts, value, json_integer(count)) != 0;
        known++;
        if (count > most) {
            most = count;
            best = value;
        }
    }
    fleet->kind[place].usual[fact] = 2 * most > known ? best : NULL;
    json_decref(counts);
}

static struct fleet_finding *finding_add(struct fleet *fleet, enum fleet_state state, unsigned node,
                                         const struct fleet_device *device, const char *text)
{
    fleet->finding =
        pool_grow(&fleet->pool, fleet->finding, fleet->findings, &fleet->finding_room, sizeof *fleet->finding);
    if (fleet->pool.is_short)
        return NULL;
    fleet->finding[fleet->findings] =
        (struct fleet_finding){ .state = state, .node = node, .device = device, .share = 1, .text = text };
    return &fleet->finding[fleet->findings++];
}

/* "driver 535.1, usual is 550.54"; NULL: nothing unusual. */
static const char *difference_of(struct fleet *fleet, const struct fleet_device *device, enum fleet_fact fact)
{
    const struct fleet_kind *kind = &fleet->kind[device->kind];
    const char *value = device->fact[fact], *usual = kind->usual[fact];
    if (!*value)
        return NULL;
    if (fact == FACT_SOCKET)
        return strcmp(value, "near") == 0 ? NULL : pool_print(&fleet->pool, "%s %s", fact_names[fact], value);
    if (!fleet_is_judged(kind) || !usual || strcmp(value, usual) == 0)
        return NULL;
    return pool_print(&fleet->pool, "%s %s, usual is %s", fact_names[fact], value, usual);
}

/* A problem that most devices of its kind have. */
static bool is_usual(const struct fleet *fleet, unsigned problem)
{
    const struct fleet_kind *kind = &fleet->kind[fleet->problem[problem].kind];
    return fleet_is_judged(kind) && 2 * fleet->problem[problem].count > kind->devices;
}

/* Problems that most have and a device lacks. A failure or an incomplete journal says it already. */
static void absent_finding(struct fleet *fleet, const struct fleet_device *device)
{
    const struct fleet_node *node = &fleet->node[device->node];
    unsigned usual = fleet->kind[device->kind].problems, timed = 0, first = 0;
    for (unsigned i = 0; i < device->figures; i++)
        timed += is_usual(fleet, device->figure[i].problem) && isfinite(device->figure[i].share);
    if (timed == usual || node->missing || node->failure)
        return;
    const struct fleet_figure *figure;
    while (fleet->problem[first].kind != device->kind || !is_usual(fleet, first) ||
           ((figure = fleet_figure_of(device, first)) && isfinite(figure->share)))
        first++;
    finding_add(fleet, FLEET_FAILED, device->node, device,
                pool_print(&fleet->pool, "no certain time of %u of %u problems that most have, such as %s%s%s",
                           usual - timed, usual, fleet->problem[first].name, device->untimed ? "; " : "",
                           device->untimed ? device->untimed : ""));
}

static void device_findings(struct fleet *fleet, const struct fleet_device *device)
{
    const struct fleet_device *first = &fleet->device[fleet->node[device->node].first];
    const char *cause = "";
    absent_finding(fleet, device);
    for (enum fleet_fact fact = 0; fact < FACTS; fact++) {
        const struct fleet_device *of = fact < FACT_KERNEL ? device : first;
        const char *text = difference_of(fleet, of, fact);
        if (!text)
            continue;
        if (of == device)
            finding_add(fleet, FLEET_DIFFERENT, device->node, device, text);
        cause = *cause ? pool_print(&fleet->pool, "%s; %s", cause, text) : text;
    }
    for (enum fleet_view view = 0; view < FLEET_VIEWS; view++)
        for (enum fleet_part part = 0; part < PARTS; part++) {
            const struct fleet_score *score = &device->score[view][part];
            struct fleet_finding *finding =
                score->is_slow ? finding_add(fleet, FLEET_SLOW, device->node, device, cause) : NULL;
            if (finding) {
                finding->view = view;
                finding->part = part;
                finding->share = exp(-score->log_time);
            }
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
            finding_add(fleet, FLEET_FAILED, i, NULL, fleet->node[i].failure);
        if (fleet->node[i].missing)
            finding_add(fleet, FLEET_MISSING, i, NULL, fleet->node[i].missing);
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

/* A time and its half width; one that is unknown is -1, since JSON has no word for it. */
static json_t *time_keep(const struct fleet_figure *figure)
{
    return json_pack("[f,f]", figure->seconds, isfinite(figure->half_width) ? figure->half_width : -1);
}

static void time_recall(struct fleet_figure *figure, json_t *kept)
{
    double half_width = -1;
    figure->earlier = NAN;
    if (kept)
        json_unpack(kept, "[F,F]", &figure->earlier, &half_width);
    figure->earlier_half_width = half_width < 0 ? NAN : half_width;
}

/* Notes each figure's time by its node, device and problem, or gives each the time that was noted earlier. */
static bool times_join(struct fleet *fleet, json_t *times, bool is_earlier)
{
    bool complete = times != NULL;
    for (unsigned i = 0; i < fleet->devices; i++)
        for (unsigned k = 0; k < fleet->device[i].figures && complete; k++) {
            const struct fleet_device *device = &fleet->device[i];
            struct fleet_figure *figure = &device->figure[k];
            char *key = NULL;
            complete = asprintf(&key, "%s %s %s", fleet->node[device->node].name, device->id,
                                fleet->problem[figure->problem].name) >= 0;
            if (is_earlier)
                complete = complete && json_object_set_new(times, key, time_keep(figure)) == 0;
            else if (complete)
                time_recall(figure, json_object_get(times, key));
            free(key);
        }
    return complete;
}

static bool join_earlier(struct fleet *fleet, struct fleet *earlier, struct error *err)
{
    json_t *times = json_object();
    bool complete = times_join(earlier, times, true) && times_join(fleet, times, false);
    json_decref(times);
    for (unsigned i = 0; i < earlier->nodes && complete; i++) {
        const struct fleet_node *old = &earlier->node[i];
        if (!fleet_has(fleet, old->name)) {
            complete = fleet_add_missing(fleet, old->name,
                                         old->missing ? "no journal" : "no journal; it had one earlier", err);
            continue;
        }
        struct fleet_node *node = &fleet->node[fleet_place(fleet, "node", old->name, 0)];
        if (!node->missing && node->devices < old->devices)
            node->missing =
                pool_print(&fleet->pool, "a device: it has %u, and had %u earlier", node->devices, old->devices);
    }
    return complete || fail(err, STATUS_NO_MEMORY, "no memory to compare with an earlier day");
}

/* Nodes with fewer devices than over half of those of the same processor have. */
static void devices_count(struct fleet *fleet)
{
    for (unsigned i = 0; i < fleet->nodes; i++) {
        struct fleet_node *node = &fleet->node[i];
        unsigned like = 0, more = 0;
        for (unsigned k = 0; k < fleet->groups && !node->missing; k++) {
            const struct fleet_group *group = &fleet->group[k];
            if (group->processor != fleet->group[node->group].processor)
                continue;
            like += group->nodes;
            more += group->devices > node->devices ? group->nodes : 0;
        }
        if (like >= OUTLIER_LEAST && 2 * more > like)
            node->missing = pool_print(&fleet->pool, "a device: it has %u; %u of %u nodes of this processor have more",
                                       node->devices, more, like);
    }
}

bool fleet_judge(struct fleet *fleet, struct fleet *earlier, struct error *err)
{
    fleet->has_earlier = earlier != NULL;
    if (earlier && !join_earlier(fleet, earlier, err))
        return false;
    devices_count(fleet);
    count_parts(fleet);
    if (!judge_all(fleet, err))
        return false;
    for (unsigned i = 0; i < fleet->problems; i++)
        fleet->kind[fleet->problem[i].kind].problems += is_usual(fleet, i);
    for (unsigned kind = 0; kind < fleet->kinds; kind++)
        for (enum fleet_fact fact = 0; fact < FACTS; fact++)
            facts_learn(fleet, kind, fact);
    findings_fill(fleet);
    return !fleet->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for what was found");
}
