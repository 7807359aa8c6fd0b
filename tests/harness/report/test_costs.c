/* What a cell costs beside its time, and what the machine did to it: from journal lines to what reports say. */

#include "harness/report/report.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(costs, .fini = release_kept);

/* A cell "a" of 24 MFLOP on a device of that class, on a machine of four cores with two threads each. */
static struct record *cell_on(const char *class, const char *more_of_device)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','options':{'precision':0.02},'host':{'cores':4,'threads':8}}");
    addf(record, "{'line':'device','id':'d','key':'d','backend':'opencl','class':'%s'%s}", class, more_of_device);
    addf(record, "{'line':'cell','key':'a','device':'d','flops':24e6,'memory':'pageable'}");
    return record;
}

/* Slices of eleven runs of 2 ms, 22 ms in all, with these members more, that burn so many processor seconds a second.
 */
static void add_slices(struct record *record, unsigned from, unsigned to, double cpu, const char *more)
{
    for (unsigned turn = from; turn < to; turn++)
        addf(record,
             "{'line':'slice','cell':'a','series':'resident','number':%u,'elapsed_ns':22000000,'cpu_ns':%.0f,'wall_ns':"
             "[2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000,2000000]%s}",
             turn, cpu * 22e6, more);
}

/* The facts of the cell when it has ended well. */
static struct figures cell_metrics_of(struct record *record)
{
    struct figures metrics;
    addf(record, "{'line':'verify','cell':'a','pass':'before','checks':[{'checked':1}]}");
    addf(record, "{'line':'verify','cell':'a','pass':'after','checks':[{'checked':1}]}");
    addf(record, "{'line':'outcome','cell':'a','status':'ok'}");
    figures_read_cell(&metrics, record, record_cell(record, "a"));
    return metrics;
}

static void expect(const char *what, double got, double want)
{
    bool is_right = isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * fabs(want);
    cr_expect(is_right, "%s: %.9g, should be %.9g", what, got, want);
}

/* 0.33 J in 22 ms are 15 W; at 2 ms a run that is 30 mJ, for 24 MFLOP. */
static const char package[] = ",\"energy_j\":{\"package\":0.33,\"dram\":0.044}";

Test(costs, energy_of_a_run_is_power_times_its_time)
{
    static const char *const classes[] = { "CPU", "iGPU" };
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = cell_on(classes[i], "");
        add_slices(record, 0, 12, 1, package);
        struct figures metrics = cell_metrics_of(record);
        expect("power", metrics.power.watts[ENERGY_PACKAGE], 15);
        expect("power of the memory", metrics.power.watts[ENERGY_DRAM], 2);
        expect("power of all", metrics.power.watts[ENERGY_PSYS], NAN);
        expect("energy", metrics.power.energy, 0.03);
        expect("FLOP a joule", metrics.power.flops_per_joule, 24e6 / 0.03);
    }
}

Test(costs, a_card_is_not_in_the_package_that_is_counted)
{
    struct record *record = cell_on("dGPU", "");
    add_slices(record, 0, 12, 1, package);
    struct figures metrics = cell_metrics_of(record);
    expect("power of the package beside it", metrics.power.watts[ENERGY_PACKAGE], 15);
    expect("energy", metrics.power.energy, NAN);
    expect("FLOP a joule", metrics.power.flops_per_joule, NAN);
}

Test(costs, slices_without_energy_do_not_dilute_the_others)
{
    static const char *const none[] = { "",
                                        ",\"energy_j\":null",
                                        ",\"energy_j\":{}",
                                        ",\"energy_j\":{\"package\":-5}",
                                        ",\"energy_j\":{\"package\":\"much\"}",
                                        ",\"energy_j\":7" };
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        struct record *record = cell_on("CPU", "");
        add_slices(record, 0, 6, 1, package);
        add_slices(record, 6, 12, 1, none[i]);
        struct figures metrics = cell_metrics_of(record);
        expect(none[i], metrics.power.watts[ENERGY_PACKAGE], 15);
        record = cell_on("CPU", "");
        add_slices(record, 0, 12, 1, none[i]);
        metrics = cell_metrics_of(record);
        expect(none[i], metrics.power.watts[ENERGY_PACKAGE], NAN);
        expect(none[i], metrics.power.energy, NAN);
    }
}

static void expect_in(const char *text, const char *words, bool wanted)
{
    cr_expect((strstr(text, words) != NULL) == wanted, "\"%s\" is %sin\n%s", words, wanted ? "not " : "", text);
}

Test(costs, the_table_has_a_column_of_energy_only_where_there_is_any)
{
    for (int metered = 0; metered < 2; metered++) {
        struct record *record = cell_on("CPU", "");
        add_slices(record, 0, 12, 1, metered ? package : "");
        cell_metrics_of(record);
        char *text = printed(record, "table");
        expect_in(text, "energy", metered);
        expect_in(text, "per W", metered);
        expect_in(text, "0.0300", metered);
        expect_in(text, "0.800", metered);
        text = printed(record, "csv");
        expect_in(text, ",15,2,,0.03,800000000,", metered);
        text = printed(record, "json");
        expect_in(text, "\"package_j\": 0.03", metered);
    }
}

Test(costs, spinning_is_reported_by_the_backend_or_seen_in_processor_time)
{
    static const struct {
        const char *class, *wait;
        double cpu;
        const char *want;
    } cases[] = {
        { "CPU", "none", 2, "none" },         { "dGPU", "spin", 0, "spins" },
        { "dGPU", "block", 1, "sleeps" },     { "dGPU", "driver", 1, "spins" },
        { "iGPU", "driver", 0.05, "sleeps" }, { "iGPU", "driver", 0.5, "both" },
        { "CPU", "driver", 2, "" },           { "dGPU", "", 1, "" },
        { "dGPU", "rubbish", 1, "" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = cell_on(cases[i].class, "");
        addf(record, "{'line':'first','cell':'a','detail':'','wait':'%s'}", cases[i].wait);
        add_slices(record, 0, 12, cases[i].cpu, "");
        struct figures metrics = cell_metrics_of(record);
        cr_expect(strcmp(metrics.costs.wait, cases[i].want) == 0, "case %u: \"%s\", should be \"%s\"", i,
                  metrics.costs.wait, cases[i].want);
        expect("host", metrics.costs.host_cpu, cases[i].cpu);
    }
}

Test(costs, emptying_caches_is_no_time_of_the_runs)
{
    struct record *record = cell_on("dGPU", "");
    add_slices(record, 0, 12, 0.5, ",\"flush_ns\":11000000");
    struct figures metrics = cell_metrics_of(record);
    expect("host", metrics.costs.host_cpu, 1); /* half a core of 22 ms, in the 11 that are left of them */
}

static void expect_note(struct record *record, const char *words, bool wanted)
{
    const struct figures metrics = cell_metrics_of(record);
    expect_in(noted(&metrics, record), words, wanted);
}

static void expect_state_note(const char *before, const char *after, const char *words, bool wanted)
{
    struct record *record = cell_on("CPU", "");
    add_slices(record, 0, 12, 1, "");
    addf(record, "{'line':'state','cell':'a','when':'before',%s}", before);
    addf(record, "{'line':'state','cell':'a','when':'after',%s}", after);
    expect_note(record, words, wanted);
}

/* Ten seconds of eight threads: eighty processor seconds. */
static void expect_others(double busy, double own, const char *words, bool wanted)
{
    char after[160];
    snprintf(after, sizeof after, "\"busy\":%g,\"idle\":%g,\"own\":%g,\"steal\":5,\"pressure\":90", 100 + busy,
             1000 + 80 - busy, 7 + own);
    expect_state_note("\"busy\":100,\"idle\":1000,\"own\":7,\"steal\":5", after, words, wanted);
}

Test(costs, other_load_of_a_quarter_of_the_cores_is_noted)
{
    static const char expected[] = "other programs kept over 20 % of the cores busy";
    expect_others(30, 30, expected, false);
    expect_others(40, 30, expected, true); /* one core of four */
    expect_others(37, 30, expected, false);
    expect_others(60, 30, expected, true);  /* in the same words, so that rows share a footnote */
    expect_others(20, 30, expected, false); /* ticks are coarse: less than nothing is nothing */
    expect_state_note("\"busy\":1,\"idle\":1,\"own\":0", "\"busy\":1.5,\"idle\":1.5,\"own\":0", expected, false);
    expect_state_note("\"busy\":100,\"idle\":1000", "\"busy\":170,\"idle\":1010", expected, false);
}

Test(costs, a_load_that_cannot_be_read_is_noted)
{
    static const char *const states[] = { "\"own\":7", "\"own\":7,\"busy\":100", "\"load\":1" };
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++) {
        struct record *record = cell_on("CPU", "");
        addf(record, "{'line':'state','cell':'a','when':'before',%s}", states[i]);
        expect_in(noted(NULL, record), "not known whether other programs computed", i == 0);
    }
}

Test(costs, effects_of_the_machine_on_a_cell_are_noted_with_a_remedy)
{
    static const struct {
        const char *before, *after, *words;
        bool wanted;
    } cases[] = {
        { "\"throttled\":5", "\"throttled\":5.2", "the cgroup's quota kept threads waiting for over 5 %", true },
        { "\"throttled\":5", "\"throttled\":5.02", "the cgroup's quota kept threads waiting for over 5 %", true },
        { "\"throttled\":5", "\"throttled\":5.01", "quota", false },
        { "\"throttled\":5", "\"throttled\":4", "quota", false },
        { "\"throttled\":null", "\"throttled\":4", "quota", false },
        { "\"overheated\":5", "\"overheated\":6", "slowed down for heat", true },
        { "\"overheated\":5", "\"overheated\":5", "heat", false },
        { "\"overheated\":5", "\"overheated\":null", "heat", false },
        { "\"swapped\":0", "\"swapped\":5e6", "memory went to the disk and back", true },
        { "\"swapped\":5e6", "\"swapped\":5e6", "disk", false }, /* since the machine started */
        { "\"swapped\":0,\"swap_used\":1e9", "\"swapped\":4096,\"swap_used\":1e9", "disk", false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_state_note(cases[i].before, cases[i].after, cases[i].words, cases[i].wanted);
}

Test(costs, operands_held_twice_are_in_the_JSON)
{
    static const char first[] = "{'line':'first','cell':'a','memory_cost':{'device_operands':480e6,'host_operands':"
                                "480e6,'context_host':7e6,'held_twice':%g,'repacked':0,'peak_host':1e9}}";
    struct record *record = cell_on("iGPU", ",\"shares_host_memory\":true");
    add_slices(record, 0, 12, 1, "");
    cr_expect(isnan(record_cell(record, "a")->first.memory_cost.held_twice));
    addf(record, first, 480e6);
    const struct memory_cost *cost = &record_cell(record, "a")->first.memory_cost;
    cr_expect(cost->device_operands == 480e6 && cost->context_host == 7e6 && cost->peak_host == 1e9);
    char *text = printed(record, "json");
    expect_in(text, "\"held_twice_bytes\": 480000000", true);
}

static void expect_node_note(double share, unsigned nodes, bool wanted)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','host':{'worker_nodes':%u}}", nodes);
    addf(record, "{'line':'device','id':'d','key':'d','backend':'cpu','class':'CPU','works_in_host_memory':true}");
    addf(record, "{'line':'cell','key':'a','device':'d','flops':1}");
    addf(record, "{'line':'first','cell':'a','memory_cost':{'largest_node':%g}}", share);
    add_slices(record, 0, 12, 1, "");
    expect_note(record, "memory is on one NUMA node, threads are on 2", wanted);
}

Test(costs, memory_far_from_its_threads_is_noted)
{
    expect_node_note(0.97, 2, true);
    expect_node_note(0.6, 2, false);
    expect_node_note(1, 1, false);
}

static void expect_run_note(const char *host, const char *words, bool wanted)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','host':{%s}}", host);
    const char *all = noted(NULL, record);
    cr_expect(wanted ? strstr(all, words) && !strchr(all, '\n') : !*all, "%s: \"%s\" and \"%s\"", host, words, all);
    expect_in(printed(record, "table"), "note: ", wanted);
}

Test(costs, what_the_machine_is_holds_for_the_run)
{
    expect_run_note("\"cores\":64,\"worker_threads\":8,\"threads_reason\":\"affinity\"",
                    "only 8 of 64 cores are used (affinity)", true);
    expect_run_note("\"cores\":8,\"worker_threads\":8", "cores", false);
    expect_run_note("\"cores\":4,\"quota\":0.5,\"worker_threads\":1,\"threads_reason\":\"quota\"",
                    "only 0.5 of 4 cores are used (quota)", true);
    expect_run_note("\"cores\":4,\"quota\":null,\"worker_threads\":4", "cores", false);
    expect_run_note("\"cores\":4,\"quota\":4,\"worker_threads\":4", "cores", false);
    expect_run_note("\"clock_limit\":\"no_turbo is 1 instead of 0\"", "the clock is limited: no_turbo is 1", true);
    expect_run_note("\"huge_pages\":\"never\"", "large pages are off", true);
    expect_run_note("\"huge_pages\":\"madvise\"", "pages", false);
    expect_run_note("\"energy\":\"unavailable: only root may read /sys/x/energy_uj\"",
                    "sudo chmod a+r /sys/x/energy_uj", true);
    expect_run_note("\"energy\":\"unavailable\"", "energy", false);
    expect_run_note("\"energy\":\"package, dram\"", "energy", false);
    expect_run_note("", "", false);
}

/* The note on a CPU whose device has these members; "": none. */
static void expect_baseline_note(const char *members, const char *words)
{
    struct record *record = new_record();
    add(record, "{'line':'journal'}");
    addf(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU','works_in_host_memory':true%s}",
         members);
    const char *all = noted(NULL, record);
    cr_expect(*words ? strstr(all, words) && !strchr(all, '\n') : !*all, "%s: \"%s\" and \"%s\"", members, words, all);
}

Test(costs, a_processor_that_is_held_back_is_noted)
{
    expect_baseline_note("", "");
    expect_baseline_note(",\"blas_core\":\"SkylakeX\"", "");
    expect_baseline_note(",\"blas_core\":\"Haswell\",\"blas_bound\":\"build\"", "");
    expect_baseline_note(",\"blas_core\":\"Prescott\",\"blas_better\":\"SkylakeX\"", ""); /* it was made to use those */
    expect_baseline_note(
        ",\"blas_core\":\"Prescott\",\"blas_better\":\"SkylakeX\",\"blas_bound\":\"OPENBLAS_CORETYPE\"",
        "those of the core Prescott: unset OPENBLAS_CORETYPE");
    expect_baseline_note(",\"blas_core\":\"Prescott\",\"blas_better\":\"SkylakeX\",\"blas_bound\":\"build\"",
                         "those of the core Prescott");
    expect_baseline_note(",\"note\":\"OMP_THREAD_LIMIT=1 leaves cores unused\"",
                         "the CPU could be faster: OMP_THREAD_LIMIT=1 leaves cores unused: unset it");
}

/* A row of a problem of its own, under a governor. */
static void add_row(struct record *record, const char *name, const char *governor)
{
    addf(record, "{'line':'cell','key':'%s','block':'%s','device':'d'}", name, name);
    for (unsigned i = 0; i < 12; i++)
        addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'wall_ns':[1000000]}", name, i);
    addf(record, "{'line':'state','cell':'%s','when':'after','governor':'%s'}", name, governor);
}

Test(costs, a_note_on_all_rows_of_several_problems_is_printed_once)
{
    static const char everywhere[] = "note: every row: the governor is powersave", footnote[] = "  the governor is";
    static const struct {
        unsigned rows;
        const char *other;
        bool wanted;
    } cases[] = { { 3, "powersave", true }, { 3, "performance", false }, { 1, "powersave", false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const name[] = { "a", "b", "c" };
        struct record *record = new_record();
        addf(record, "{'line':'device','id':'d','key':'d','backend':'x','class':'CPU'}");
        for (unsigned k = 0; k < cases[i].rows; k++)
            add_row(record, name[k], k == 1 ? cases[i].other : "powersave");
        char *text = printed(record, "table");
        expect_in(text, everywhere, cases[i].wanted);
        const char *table = strstr(text, "\nmachine"); /* beyond the brief part, which warns of it */
        cr_assert(table);
        expect_in(table, footnote, !cases[i].wanted);
    }
}
