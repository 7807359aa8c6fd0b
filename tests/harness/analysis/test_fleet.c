/* What a journal gives a fleet: the figures of a device, each with its own interval, and which of them are compared. */

#include "harness/analysis/fleet/fleet.h"
#include "harness/journal/results.h"
#include "tests/support/lines.h"
#include "tests/support/simulated_fleet.h"

#include <string.h>

enum { VISITS = 14 };

/* Nanoseconds of a run in a visit, around 2 ms. */
static int run_ns(int visit)
{
    return 2000000 + 10000 * (visit * 5 % 7 - 3);
}

/* A cell whose headline is in that series ("": it has none): of about 2 ms, 3 times as fast as the baseline, with
 * transfers of 0.5 ms. */
static void add_cell(struct record *record, const char *workload, const char *shape, const char *memory, double flops,
                     double bytes, const char *headline)
{
    static const char *const series[] = { "resident", "copied" };
    char key[128];
    snprintf(key, sizeof key, "%s/%s/%s", workload, shape, memory);
    for (unsigned i = 0; i < 2; i++)
        addf(record,
             "{'line':'cell','key':'%s%s','block':'%s','device':'%s','workload':'%s','dtype':'f32','shape':'%s','"
             "method':'m','memory':'%s','flops':%g,'bytes':%g,'baseline':'%s on cpu'}",
             key, i == 0 ? " on cpu" : "", key, i == 0 ? "cpu" : "cuda:0", workload, shape, memory, flops, bytes, key);
    for (int visit = 0; visit < VISITS && *headline; visit++)
        for (int i = strcmp(headline, "copied") == 0; i < 2; i++) {
            addf(record, "{'line':'slice','cell':'%s on cpu','series':'%s','number':%d,'wall_ns':[6000000]}", key,
                 series[i], 4 * visit + 2 * i);
            addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%d,'wall_ns':[%d]%s}", key, series[i],
                 4 * visit + 2 * i + 1, run_ns(visit),
                 i > 0 ? ",\"phases\":{\"upload_ns\":[300000],\"download_ns\":[200000]}" : "");
        }
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
}

/* The figure of a problem of the first device; NULL: none. */
static const struct fleet_figure *figure_named(const struct fleet *fleet, const char *name)
{
    for (unsigned i = 0; i < fleet->device[0].figures; i++)
        if (strcmp(fleet->problem[fleet->device[0].figure[i].problem].name, name) == 0)
            return &fleet->device[0].figure[i];
    return NULL;
}

static void read_cells(struct fleet *fleet, const char *options, void (*add_cells)(struct record *record))
{
    struct result result = { .record = record_new(), .faults = { .complete = true } };
    addf(result.record, "{'line':'journal','schema':'bench-journal/3','seed':1,'options':{%s}}", options);
    add(result.record, "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
    add_cells(result.record);
    add(result.record, "{'line':'end','status':'complete'}");
    *fleet = (struct fleet){ .nodes = 0 };
    fleet_add(fleet, "n1", &result);
    cr_assert_eq(fleet->devices, 1);
    record_free(result.record);
}

static void three_cells(struct record *record)
{
    add_cell(record, "matmul", "n=1", "pinned", 1e9, 1e6, "resident");
    add_cell(record, "multiply", "n=2", "pinned", 1e6, 1e7, "copied");
    add_cell(record, "transfer", "n=3", "pinned", 0, 1e7, "copied");
}

/* The interval and the speed-up are those of the whole run: transfers alone have neither. */
Test(fleet, each_figure_has_its_own_interval_speedup_and_part)
{
    static const struct {
        const char *name;
        double seconds;
        bool is_whole;
        enum fleet_part part;
    } wanted[] = {
        { "matmul f32 n=1 pinned", 2e-3, true, PART_COMPUTE },
        { "matmul f32 n=1 pinned transfers alone", 0.5e-3, false, PART_LINK },
        { "multiply f32 n=2 pinned with transfers", 2e-3, true, PART_LINK },
        { "multiply f32 n=2 pinned transfers alone", 0.5e-3, false, PART_LINK },
        { "transfer f32 n=3 pinned", 2e-3, true, PART_LINK },
    };
    enum { WANTED = sizeof wanted / sizeof *wanted };
    struct fleet fleet;
    double run[VISITS];
    for (int i = 0; i < VISITS; i++)
        run[i] = 1e-9 * run_ns(i);
    const struct estimate time = stats_estimate(run, VISITS);
    const double half_width = (time.high - time.low) / 2 / time.value;
    cr_assert_gt(half_width, 0.001);
    read_cells(&fleet, "", three_cells);
    cr_expect_eq(fleet.device[0].figures, WANTED);
    for (unsigned i = 0; i < WANTED; i++) {
        const struct fleet_figure *figure = figure_named(&fleet, wanted[i].name);
        cr_assert(figure, "%s", wanted[i].name);
        const struct fleet_problem *problem = &fleet.problem[figure->problem];
        cr_expect_float_eq(figure->seconds, wanted[i].seconds, 1e-12, "%s: %g", wanted[i].name, figure->seconds);
        cr_expect_eq(problem->part, wanted[i].part, "%s: %s", wanted[i].name, fleet_part_names[problem->part]);
        cr_expect(wanted[i].is_whole ? fabs(figure->half_width - half_width) < 1e-9 : isnan(figure->half_width),
                  "%s: %g", wanted[i].name, figure->half_width);
        cr_expect(wanted[i].is_whole ? fabs(figure->speedup - 3) < 1e-9 : isnan(figure->speedup), "%s: %g",
                  wanted[i].name, figure->speedup);
        cr_expect(isnan(figure->earlier) && isnan(figure->share), "%s", wanted[i].name);
        cr_expect((problem->flops > 0) == (strstr(wanted[i].name, "alone") == NULL && i < 4), "%s: %g FLOP",
                  wanted[i].name, problem->flops);
    }
    fleet_release(&fleet);
}

static void one_run_cell(struct record *record)
{
    add_cell(record, "matmul", "n=1", "mapped", 1e9, 1e6, "");
    for (unsigned i = 0; i < 2; i++)
        addf(record,
             "{'line':'slice','cell':'matmul/n=1/mapped%s','series':'resident','number':%u,'wall_ns':[2000000]}",
             i ? "" : " on cpu", 100 + i);
}

Test(fleet, one_visit_makes_a_time_and_no_speedup)
{
    struct fleet fleet;
    read_cells(&fleet, "", one_run_cell);
    cr_assert_eq(fleet.device[0].figures, 1);
    cr_expect_float_eq(fleet.device[0].figure[0].seconds, 2e-3, 1e-12);
    cr_expect(isnan(fleet.device[0].figure[0].speedup), "%g", fleet.device[0].figure[0].speedup);
    fleet_release(&fleet);
}

static void one_mapped_cell(struct record *record)
{
    add_cell(record, "matmul", "n=1", "mapped", 1e9, 1e6, "resident");
    add_cell(record, "matmul", "n=2", "pinned", 0.5e6, 1e5, "resident");
}

Test(fleet, mapped_memory_has_no_transfers_alone_and_a_run_by_methods_has_none_at_all)
{
    struct fleet fleet;
    read_cells(&fleet, "", one_mapped_cell);
    cr_expect_eq(fleet.device[0].figures, 3);
    cr_expect(figure_named(&fleet, "matmul f32 n=1 mapped"));
    cr_expect_null(figure_named(&fleet, "matmul f32 n=1 mapped transfers alone"));
    cr_expect_eq(fleet.problem[figure_named(&fleet, "matmul f32 n=2 pinned")->problem].part, PART_MEMORY,
                 "5 FLOP for each byte");
    fleet_release(&fleet);
    read_cells(&fleet, "\"method\":[\"m\"]", one_mapped_cell);
    cr_expect_eq(fleet.device[0].figures, 2);
    cr_expect(figure_named(&fleet, "matmul f32 n=2 pinned m"));
    fleet_release(&fleet);
}

/* Three nodes of which one is read again: the first, the middle and the last of three names are all found. */
Test(fleet, a_second_journal_of_a_node_is_found_wherever_the_first_one_is)
{
    static const char *const names[] = { "n1", "n2", "n3" };
    for (unsigned again = 0; again < 3; again++) {
        struct fleet fleet = { .nodes = 0 };
        struct result result = { .record = record_new(), .faults = { .complete = true } };
        add(result.record, "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
        for (unsigned i = 0; i < 3; i++)
            fleet_add(&fleet, names[i], &result);
        fleet_add(&fleet, names[again], &result);
        cr_expect_eq(fleet.nodes, 3);
        for (unsigned i = 0; i < 3; i++)
            cr_expect_eq(strncmp(fleet.node[i].missing, "it has two journals", 19) == 0, i == again, "%u: %s", again,
                         fleet.node[i].missing);
        fleet_release(&fleet);
        record_free(result.record);
    }
}

/* A copy is of the same run. Its devices are not counted again, and it takes nothing from the others: neither their
 * figures nor their own copies. */
Test(fleet, a_copy_of_a_journal_is_no_node_of_its_own)
{
    static const struct {
        const char *started;
        double elapsed;
        const char *missing;
    } nodes[] = { { "a", 1, NULL }, { "a", 1, "its journal is a copy of that of n0" },
                  { "b", 1, NULL }, /* of equal times */
                  { "a", 2, NULL }, { "b", 1, "its journal is a copy of that of n2" },
                  { "c", 1, NULL } };
    enum { NODES = sizeof nodes / sizeof *nodes };
    struct fleet fleet = { .nodes = 0 };
    struct result result = { .record = record_new(), .faults = { .complete = true } };
    add(result.record, "{'line':'journal','schema':'bench-journal/4','seed':1}");
    for (unsigned i = 0; i < 2; i++)
        addf(result.record, "{'line':'device','id':'%s:0','key':'g','backend':'%s','name':'a GPU','class':'dGPU'}",
             i ? "opencl" : "cuda", i ? "opencl" : "cuda");
    three_cells(result.record);
    add(result.record, "{'line':'end','status':'complete'}");
    for (unsigned i = 0; i < NODES; i++) {
        json_object_set_new(result.record->head, "started", json_string(nodes[i].started));
        result.record->elapsed = nodes[i].elapsed;
        fleet_add(&fleet, text_print("n%u", i).text, &result);
    }
    cr_assert_eq(fleet.nodes, NODES);
    for (unsigned i = 0; i < NODES; i++) {
        const struct fleet_node *node = &fleet.node[i];
        cr_expect_str_eq(node->missing ? node->missing : "", nodes[i].missing ? nodes[i].missing : "", "%u", i);
        cr_expect_eq(node->devices, nodes[i].missing ? 0 : 2, "%u", i);
        for (unsigned k = 0; k < node->devices; k++)
            cr_expect_eq(fleet.device[node->first + k].figures, k == 0 ? 5 : 0, "%u", i);
    }
    cr_expect_eq(fleet.devices, 8);
    cr_assert_eq(fleet.kinds, 2);
    cr_expect(fleet.kind[0].devices == 4 && fleet.kind[1].devices == 4, "one for each API");
    fleet_release(&fleet);
    record_free(result.record);
}

/* Two days of 24 nodes in which n7 became slow: the earlier day's times are n7's own. */
Test(fleet, an_earlier_day_has_its_own_times_and_its_own_limit)
{
    struct fleet now, before;
    struct error err = { .status = STATUS_OK };
    struct generator g = { .seed = 31 };
    fleet_simulate_gpus(&now, &g, 24, 1, 0.01, 0, 0);
    fleet_simulate_gpus(&before, &g, 24, 1, 0.001, 0, 0);
    for (unsigned k = 0; k < before.device[7].figures; k++)
        before.device[7].figure[k].seconds *= 0.5;
    cr_assert(fleet_judge(&now, &before, &err), "%s", err.message);
    cr_expect_eq(now.count[FLEET_SLOW], 1);
    cr_expect_eq(now.finding[0].node, 7);
    cr_expect_eq(now.finding[0].view, FLEET_EARLIER);
    cr_expect_float_eq(now.finding[0].share, 0.5, 0.05, "%g", now.finding[0].share);
    for (unsigned i = 0; i < 24; i++)
        for (unsigned k = 0; k < now.device[i].figures; k++) {
            const struct fleet_figure *figure = &now.device[i].figure[k];
            cr_expect(isnan(figure->earlier) ||
                          fabs(figure->earlier / figure->seconds - (i == 7 ? 0.5 : 1)) < (i == 7 ? 0.05 : 0.1),
                      "n%u: %g after %g", i, figure->seconds, figure->earlier);
        }
    fleet_release(&now);
    fleet_release(&before);
}

static void judge(struct fleet *fleet, struct fleet *earlier)
{
    struct error err = { .status = STATUS_OK };
    cr_assert(fleet_judge(fleet, earlier, &err), "%s", err.message);
}

/* Nodes that differ by 1 %, with so many GPUs each, without an absent time. */
static void make(struct fleet *fleet, unsigned nodes, unsigned gpus, unsigned seed)
{
    struct generator g = { .seed = seed };
    fleet_simulate_gpus(fleet, &g, nodes, gpus, 0.01, 0, 0);
    for (unsigned i = 0; i < fleet->devices; i++)
        fleet->device[i].fact[FACTS - 1].name = "driver";
}

static void scale(struct fleet_device *device, double times)
{
    for (unsigned k = 0; k < device->figures; k++)
        device->figure[k].seconds *= times;
}

static unsigned slow_devices(const struct fleet *fleet)
{
    unsigned count = 0;
    for (unsigned i = 0; i < fleet->devices; i++)
        count += fleet->device[i].is_slow;
    return count;
}

/* cuda:1 of n7 became slow; then it is not known, as its earlier times were too uncertain. */
Test(fleet, each_gpu_of_a_node_is_compared_with_its_own_earlier_time_and_both_intervals_count)
{
    for (unsigned uncertain = 0; uncertain < 2; uncertain++) {
        struct fleet now, before;
        make(&now, 12, 2, 3);
        make(&before, 12, 2, 4);
        struct fleet_device *device = &before.device[15];
        scale(device, 0.8);
        for (unsigned k = 0; k < device->figures && uncertain; k++)
            device->figure[k].half_width = 2;
        judge(&now, &before);
        cr_expect_eq(slow_devices(&now), uncertain ? 0 : 1, "%u", slow_devices(&now));
        cr_expect_eq(now.device[15].is_slow, !uncertain);
        fleet_release(&now);
        fleet_release(&before);
    }
}

/* As many comparisons again are made with the earlier day, so that a limit is higher for it. */
Test(fleet, a_fleet_that_became_slower_as_a_whole_is_slow_against_the_earlier_day_alone)
{
    struct fleet alone, now, before;
    make(&alone, 12, 1, 3);
    make(&now, 12, 1, 3);
    make(&before, 12, 1, 4);
    for (unsigned i = 0; i < 12; i++)
        scale(&before.device[i], 0.8);
    judge(&alone, NULL);
    judge(&now, &before);
    cr_expect_eq(slow_devices(&alone), 0);
    cr_expect_eq(slow_devices(&now), 12);
    for (unsigned i = 0; i < now.findings && now.finding[i].state == FLEET_SLOW; i++) {
        cr_expect(now.finding[i].view == FLEET_EARLIER && fabs(now.finding[i].share - 0.8) < 0.05, "%g",
                  now.finding[i].share);
        cr_expect(i == 0 || now.finding[i - 1].share <= now.finding[i].share, "the worst comes first");
    }
    for (enum fleet_part part = 0; part < PART_LAUNCH; part++)
        cr_expect_gt(now.device[0].score[FLEET_KIND][part].limit, alone.device[0].score[FLEET_KIND][part].limit);
    fleet_release(&alone);
    fleet_release(&now);
    fleet_release(&before);
}

Test(fleet, a_device_with_uncertain_times_needs_a_larger_difference)
{
    struct fleet fleet;
    make(&fleet, 24, 1, 3);
    for (unsigned k = 0; k < fleet.device[7].figures; k++)
        fleet.device[7].figure[k].half_width = 0.1;
    judge(&fleet, NULL);
    for (enum fleet_part part = 0; part < PART_LAUNCH; part++)
        cr_expect_gt(fleet.device[7].score[FLEET_KIND][part].limit,
                     1.5 * fleet.device[8].score[FLEET_KIND][part].limit);
    fleet_release(&fleet);
}

/* Its devices are slower by 20 and by 30 %: the slower one stands for both in each part. Others differ by 1 %. */
Test(fleet, a_node_with_several_slow_devices_has_a_finding_for_each_part)
{
    for (unsigned first = 14; first <= 15; first++) {
        struct fleet fleet;
        make(&fleet, 24, 2, 3);
        scale(&fleet.device[first], 1.2);
        scale(&fleet.device[29 - first], 1.3);
        judge(&fleet, NULL);
        cr_assert_eq(fleet.count[FLEET_SLOW], 1, "%u", fleet.count[FLEET_SLOW]);
        for (unsigned i = 0; i < PART_LAUNCH; i++) {
            const struct fleet_finding *finding = &fleet.finding[i];
            cr_assert(finding->state == FLEET_SLOW && finding->node == 7 &&
                      finding->device == &fleet.device[29 - first]);
            cr_expect_eq(finding->more, 1);
            cr_expect_float_eq(finding->share, 1 / 1.3, 0.02, "%g", finding->share);
        }
        cr_expect(fleet.findings == PART_LAUNCH || fleet.finding[PART_LAUNCH].state != FLEET_SLOW);
        fleet_release(&fleet);
    }
}

/* So many of twelve nodes have lost a device. */
Test(fleet, what_most_nodes_have_is_missing_where_it_is_not_there)
{
    for (unsigned lacking = 5; lacking <= 7; lacking++) {
        struct fleet fleet;
        make(&fleet, 12, 2, 3);
        for (unsigned i = 0; i < lacking; i++)
            fleet.node[i].devices = 1;
        judge(&fleet, NULL);
        cr_expect_eq(fleet.count[FLEET_MISSING], lacking == 5 ? 5 : 0, "%u lack one: %u", lacking,
                     fleet.count[FLEET_MISSING]);
        fleet_release(&fleet);
    }
}

/* Half of the nodes are not most of them. */
Test(fleet, a_time_that_most_nodes_have_is_a_failure_where_it_is_not_there)
{
    for (unsigned lacking = 5; lacking <= 6; lacking++) {
        struct generator g = { .seed = 3 };
        struct fleet fleet;
        fleet_simulate(&fleet, &g, 12, 0.01, BETWEEN_NORMAL, 12, 1);
        for (unsigned i = 0; i < lacking; i++)
            fleet.device[i].figures--;
        judge(&fleet, NULL);
        cr_expect_eq(fleet.count[FLEET_FAILED], lacking == 5 ? 5 : 0, "%u lack one: %u", lacking,
                     fleet.count[FLEET_FAILED]);
        fleet_release(&fleet);
    }
}

/* Of 13 nodes the first ones have an old driver; a fact that no value has in most nodes is no difference. */
Test(fleet, what_differs_from_most_is_found_on_each_node_and_told_as_a_likely_cause)
{
    static const struct {
        unsigned old, middle, found;
    } cases[] = { { 2, 0, 2 }, { 6, 0, 6 }, { 4, 3, 0 }, { 3, 3, 6 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fleet fleet;
        make(&fleet, 13, 1, 3);
        for (unsigned k = 0; k < 13; k++)
            fleet.device[k].fact[FACTS - 1].value = k < cases[i].old                     ? "old"
                                                    : k < cases[i].old + cases[i].middle ? "middle"
                                                                                         : "new";
        for (unsigned k = 0; k < 13; k++)
            fleet.device[k].fact[FACTS - 2] = (struct fleet_fact){ "kernel", k == 1 ? "5" : "6" };
        scale(&fleet.device[1], 1.5);
        judge(&fleet, NULL);
        cr_expect_eq(fleet.count[FLEET_DIFFERENT], cases[i].found > 0 ? cases[i].found : 1, "case %u: %u", i,
                     fleet.count[FLEET_DIFFERENT]);
        cr_expect_eq(fleet.finding[0].state, FLEET_SLOW);
        cr_expect_eq(fleet.finding[0].node, 1);
        cr_expect_str_eq(fleet.finding[0].text, cases[i].found > 0 ? "kernel 5, usual is 6; driver old, usual is new"
                                                                   : "kernel 5, usual is 6");
        fleet_release(&fleet);
    }
}

/* It lacks the times that others have, or has them of other methods. */
Test(fleet, a_node_with_other_options_is_different_and_has_not_failed)
{
    struct fleet fleet;
    read_cells(&fleet, "'suite':'quick','size':[],'method':['native','portable']", three_cells);
    cr_expect_str_eq(fleet.device[0].fact[FACT_OPTIONS].value, "--suite quick --method native,portable");
    fleet_release(&fleet);
    fleet_simulate(&fleet, &(struct generator){ .seed = 3 }, 12, 0.01, BETWEEN_NORMAL, 12, 1);
    for (unsigned k = 0; k < 12; k++)
        fleet.device[k].fact[FACT_OPTIONS] =
            (struct fleet_fact){ "run with", k == 2 ? "--suite quick --method native" : "--suite quick" };
    fleet.device[2].figures--;
    judge(&fleet, NULL);
    cr_assert_eq(fleet.findings, 1);
    cr_expect(fleet.finding[0].state == FLEET_DIFFERENT && fleet.finding[0].node == 2);
    cr_expect_str_eq(fleet.finding[0].text, "run with --suite quick --method native, usual is --suite quick");
    fleet_release(&fleet);
}

static void two_devices(struct record *record)
{
    add(record,
        "{'line':'device','id':'cuda:1','key':'h','backend':'cuda','name':'a GPU','class':'dGPU','max_clock':2e9}");
    for (unsigned i = 0; i < 4; i++) {
        addf(record,
             "{'line':'cell','key':'k%u','block':'b%u','device':'cuda:%u','workload':'matmul','dtype':'f32','shape':'n="
             "1','method':'m%u','memory':'mapped','flops':1e9,'bytes':1e6}",
             i, i, i / 3, i);
        addf(record, "{'line':'first','cell':'k%u','memory_node':%u,'device_node':0}", i, i == 1);
        for (unsigned after = 0; after < 2 && i < 3; after++)
            addf(record, "{'line':'state','cell':'k%u','when':'%s','gpu':{'highest_clock':%g}}", i,
                 after ? "after" : "before", after ? 0.9e9 : 1.2e9);
        addf(record, "{'line':'outcome','cell':'k%u','status':'ok'}", i);
        addf(record, "{'line':'slice','cell':'k%u','series':'resident','number':0,'wall_ns':[%u000000000]}", i, i + 1);
    }
}

Test(fleet, of_two_methods_the_first_counts_and_one_cell_on_the_wrong_socket_is_remembered)
{
    struct fleet fleet;
    struct result result = { .record = record_new(), .faults = { .complete = true } };
    add(result.record, "{'line':'journal','host':{'memory':68719476736}}");
    add(result.record, "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
    two_devices(result.record);
    add(result.record, "{'line':'end','status':'complete'}");
    fleet = (struct fleet){ .nodes = 0 };
    fleet_add(&fleet, "n1", &result);
    cr_assert_eq(fleet.devices, 2);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(fleet.device[i].figures, 1, "cuda:%u: %u", i, fleet.device[i].figures);
        cr_expect_eq(fleet.device[i].figure[0].seconds, i == 0 ? 1 : 4);
    }
    cr_expect_null(fleet.node[0].missing, "%s", fleet.node[0].missing);
    cr_expect_str_eq(fleet.device[1].fact[FACT_SOCKET].value, "near");
    cr_expect_eq(strncmp(fleet.device[0].fact[FACT_SOCKET].value, "another socket's: NUMA node 1", 29), 0, "%s",
                 fleet.device[0].fact[FACT_SOCKET].value);
    cr_expect_str_eq(fleet.device[0].fact[FACT_CLOCK_LIMIT].value, "1200 MHz");
    cr_expect_str_eq(fleet.device[1].fact[FACT_CLOCK_LIMIT].value, "2000 MHz", "no cell says it");
    unsigned memories = 0;
    for (unsigned fact = 0; fact < FACTS; fact++)
        if (strcmp(fleet.device[0].fact[fact].name, "host memory") == 0)
            memories += strcmp(fleet.device[0].fact[fact].value, "64 GiB") == 0;
    cr_expect_eq(memories, 1);
    fleet_release(&fleet);
    record_free(result.record);
}

static void three_failures(struct record *record)
{
    static const char *const status[] = { "ok", "too-slow", "unsupported", "wrong", "crashed" };
    for (unsigned i = 0; i < 5; i++) {
        addf(record,
             "{'line':'cell','key':'k%u','block':'b%u','device':'cuda:0','workload':'matmul','dtype':'f32','shape':'n=%"
             "u','method':'m','memory':'mapped','flops':1e9,'bytes':1e6}",
             i, i, i);
        addf(record, "{'line':'outcome','cell':'k%u','status':'%s','reason':''}", i, status[i]);
    }
}

Test(fleet, the_first_failure_and_the_first_cell_without_a_time_are_named)
{
    struct fleet fleet;
    read_cells(&fleet, "", three_failures);
    cr_expect_str_eq(fleet.node[0].failure, "b3 on cuda:0: wrong");
    cr_expect_str_eq(fleet.device[0].untimed, "b1: too-slow");
    cr_expect_eq(fleet.node[0].cells, 5);
    fleet_release(&fleet);
}

static void no_cells(struct record *record)
{
    add(record, "{'line':'note','text':'nothing was measured'}");
}

Test(fleet, a_journal_without_a_cell_is_a_missing_node_and_so_is_one_that_both_days_lack)
{
    struct fleet fleet, before = { .nodes = 0 };
    read_cells(&fleet, "", no_cells);
    cr_expect_str_eq(fleet.node[0].missing, "its journal has no cell");
    fleet_add_missing(&before, "n2", "no journal");
    fleet_add_missing(&before, "n1", "no journal");
    judge(&fleet, &before);
    cr_assert_eq(fleet.nodes, 2);
    cr_expect_str_eq(fleet.node[1].name, "n2");
    cr_expect_str_eq(fleet.node[1].missing, "no journal");
    fleet_release(&fleet);
    fleet_release(&before);
}
