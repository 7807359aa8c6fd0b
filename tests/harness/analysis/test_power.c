/* What reports make of a GPU's state: from journal lines to notes and figures. */

#include "harness/report/report.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpu, .fini = release_kept);

/* A baseline on the CPU, and a cell "g" of 24 MFLOP on a card, with 12 slices of runs of 1 ms each. */
static struct record *cell_on_card(const char *more_of_slices)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','options':{'precision':0.02},'host':{'cores':4,'threads':8}}");
    addf(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU'}");
    addf(record,
         "{'line':'device','id':'d','key':'d','backend':'cuda','class':'dGPU','name':'Card','max_clock':1.98e9}");
    addf(record, "{'line':'cell','key':'c','device':'cpu','flops':24e6,'baseline':'c'}");
    addf(record, "{'line':'cell','key':'g','device':'d','flops':24e6,'baseline':'c'}");
    for (unsigned turn = 0; turn < 24; turn += 2) {
        addf(record,
             "{'line':'slice','cell':'c','series':'resident','number':%u,'elapsed_ns':20000000,'wall_ns':[2000000,"
             "2000000,2000000]}",
             turn);
        addf(record,
             "{'line':'slice','cell':'g','series':'resident','number':%u,'elapsed_ns':20000000,'wall_ns':[1000000,"
             "1000000,1000000]%s}",
             turn + 1, turn >= 6 ? more_of_slices : ",\"gpu\":{\"after\":{\"reasons\":[],\"sm_clock\":1.98e9}}");
    }
    return record;
}

static const char free_to_rise[] = ",\"gpu\":{\"after\":{\"reasons\":[],\"sm_clock\":1.2e9}}";

static struct figures cell_metrics_of(struct record *record)
{
    struct figures metrics;
    static const char *const keys[] = { "c", "g" };
    for (unsigned i = 0; i < 2; i++) {
        addf(record, "{'line':'verify','cell':'%s','pass':'before','checks':[{'checked':1}]}", keys[i]);
        addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", keys[i]);
    }
    figures_read_cell(&metrics, record, record_cell(record, "g"));
    return metrics;
}

static void expect(const char *what, double got, double want)
{
    bool is_right = isnan(want) ? isnan(got) : fabs(got - want) <= 1e-9 * fabs(want);
    cr_expect(is_right, "%s: %.9g, should be %.9g", what, got, want);
}

Test(power, throttled_slices_are_counted_by_reason_and_kept)
{
    struct record *record = cell_on_card(",\"gpu\":{\"before\":{\"reasons\":[\"sync boost\"]},\"after\":{\"reasons\":["
                                         "\"software power cap\",\"hardware power brake\"],\"sm_clock\":1.5e9}}");
    struct figures metrics = cell_metrics_of(record);
    cr_expect_eq(metrics.power.gpu.reported, 12);
    cr_expect_eq(metrics.power.gpu.held, 9);
    cr_expect_eq(metrics.cell->track[SERIES_RESIDENT].wall.count, 36);
    expect("clock", metrics.power.gpu.clock, 1.5e9);
    cr_expect(strstr(noted(&metrics, NULL), "9 of 12 slices ran while the clock was held down: software power cap"));
    cr_expect(strstr(noted(&metrics, NULL), "9 of 12 slices ran while the clock was held down: hardware power brake"));
    cr_expect(!strstr(noted(&metrics, NULL), "sync boost"), "what held it before the slice is no reason of it");
}

Test(power, a_clock_below_its_maximum_without_a_reason_is_no_note)
{
    struct record *record = cell_on_card(free_to_rise);
    struct figures metrics = cell_metrics_of(record);
    cr_expect_eq(metrics.power.gpu.reported, 12);
    cr_expect_eq(metrics.power.gpu.held, 0);
    cr_expect(!strstr(noted(&metrics, NULL), "held down"));
}

Test(power, a_reason_of_a_later_version_counts)
{
    struct record *record = cell_on_card(",\"gpu\":{\"after\":{\"reasons\":[\"moon phase\"]}}");
    struct figures metrics = cell_metrics_of(record);
    cr_expect(
        strstr(noted(&metrics, NULL), "9 of 12 slices ran while the clock was held down: a reason without a name"));
}

Test(power, absent_members_are_unknown)
{
    static const char *const nothing[] = { "", ",\"gpu\":null", ",\"gpu\":{}", ",\"gpu\":{\"after\":7}",
                                           ",\"gpu\":{\"after\":{\"reasons\":\"much\",\"sm_clock\":-1}}" };
    for (unsigned i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        struct record *record = cell_on_card(nothing[i]);
        struct figures metrics = cell_metrics_of(record);
        cr_expect_eq(metrics.power.gpu.reported, 3, "%s", nothing[i]);
        cr_expect_eq(metrics.power.gpu.held, 0, "%s", nothing[i]);
        expect("temperature", metrics.power.gpu.most.temperature, NAN);
        expect("power", metrics.power.gpu.most.power, NAN);
        expect("others", metrics.power.gpu.most.others, NAN);
        expect("energy", metrics.power.energy, NAN);
    }
}

Test(power, energy_of_a_run_is_from_the_metered_runs)
{
    struct record *record = cell_on_card(free_to_rise);
    addf(record, "{'line':'meter','cell':'g','runs':400,'elapsed_ns':500000000,'energy_j':{'gpu':24},'error':0.04,'gpu'"
                 ":{'temperature':70,'power_limit':300}}");
    struct figures metrics = cell_metrics_of(record);
    expect("energy", metrics.power.energy, 0.06);
    expect("power", metrics.power.gpu.most.power, 48);
    expect("FLOP a joule", metrics.power.flops_per_joule, 24e6 / 0.06);
    expect("temperature", metrics.power.gpu.most.temperature, 70);
}

/* 1 % of the time is a rounding of the counter. */
Test(power, counters_tell_how_long_the_clock_was_held_down)
{
    struct record *record = cell_on_card(free_to_rise);
    addf(record, "{'line':'meter','cell':'g','runs':400,'elapsed_ns':500000000,'held':{'power_cap_ns':150000000,'heat_"
                 "ns':4000000}}");
    struct figures metrics = cell_metrics_of(record);
    char names[256];
    gpu_metrics_reasons(&metrics.power.gpu, names, sizeof names);
    cr_expect_str_eq(names, "software power cap");
    cr_expect_eq(metrics.power.gpu.held, 0);
    cr_expect(strstr(noted(&metrics, NULL),
                     "in 30 % of its runs without pauses the clock was held down: software power cap"));
    cr_expect(!strstr(noted(&metrics, NULL), "thermal"));
}

Test(power, energy_of_a_processor_is_that_of_its_package)
{
    struct record *record = cell_on_card(free_to_rise);
    addf(record, "{'line':'meter','cell':'c','runs':100,'elapsed_ns':600000000,'energy_j':{'package':30,'dram':3}}");
    cell_metrics_of(record);
    struct figures metrics;
    figures_read_cell(&metrics, record, record_cell(record, "c"));
    expect("energy", metrics.power.energy, 0.3);
    expect("FLOP a joule", metrics.power.flops_per_joule, 24e6 / 0.3);
    expect("power of all", metrics.power.watts[ENERGY_PSYS], NAN);
    expect("power of the package", metrics.power.watts[ENERGY_PACKAGE], 50);
    expect("power of the memory", metrics.power.watts[ENERGY_DRAM], 5);
    expect("error", metrics.power.error, NAN);
}

/* The power is then that of the sensor. */
Test(power, an_imprecise_or_impossible_energy_is_unknown)
{
    static const char *const meters[] = {
        "\"runs\":400,\"elapsed_ns\":500000000,\"energy_j\":{\"gpu\":24},\"error\":0.5",
        "\"runs\":400,\"elapsed_ns\":500000000,\"energy_j\":{\"gpu\":24}",
        "\"runs\":0,\"elapsed_ns\":500000000,\"energy_j\":{\"gpu\":24},\"error\":0.01",
        "\"runs\":400,\"elapsed_ns\":0,\"energy_j\":{\"gpu\":24},\"error\":0.01",
        "\"runs\":400,\"elapsed_ns\":500000000,\"energy_j\":{\"gpu\":0},\"error\":0.01",
        "\"runs\":400,\"elapsed_ns\":500000000,\"energy_j\":{\"gpu\":24e6},\"error\":0.01",
        "\"runs\":400,\"elapsed_ns\":500000000,\"energy_j\":{\"package\":24},\"error\":0.01",
        "\"gpu\":{\"temperature\":70}",
    };
    for (unsigned i = 0; i < sizeof meters / sizeof *meters; i++) {
        struct record *record = cell_on_card(free_to_rise);
        addf(record, "{'line':'meter','cell':'g',%s}", meters[i]);
        addf(record, "{'line':'state','cell':'g','when':'after','gpu':{'power':55}}");
        struct figures metrics = cell_metrics_of(record);
        expect(meters[i], metrics.power.energy, NAN);
        expect(meters[i], metrics.power.gpu.most.power, 55);
    }
}

/* What runs on the chip whose package is counted. */
Test(power, energy_of_a_package_is_that_of_a_processor_and_of_a_gpu_inside)
{
    static const struct {
        enum device_class class;
        double joules;
    } cases[] = { { CLASS_CPU, 0.3 }, { CLASS_IGPU, 0.3 }, { CLASS_DGPU, NAN }, { CLASS_ACCELERATOR, NAN } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = cell_on_card(free_to_rise);
        addf(record, "{'line':'meter','cell':'g','runs':100,'elapsed_ns':600000000,'energy_j':{'package':30}}");
        record->device[1].class = cases[i].class;
        expect(class_names[cases[i].class], cell_metrics_of(record).power.energy, cases[i].joules);
    }
}

/* A driver may tell it before the runs alone. */
Test(power, the_limit_is_the_latest_that_is_known)
{
    static const char *const after[] = { "{\"power\":55}", "{\"power_limit\":250}" };
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = cell_on_card(free_to_rise);
        addf(record, "{'line':'state','cell':'g','when':'before','gpu':{'power_limit':300}}");
        addf(record, "{'line':'state','cell':'g','when':'after','gpu':%s}", after[i]);
        expect(after[i], cell_metrics_of(record).power.gpu.most.power_limit, i == 0 ? 300 : 250);
    }
}

Test(power, any_figure_makes_the_state_of_a_gpu_known)
{
    const struct gpu_metrics none = { .clock = NAN, .most = gpu_state_unknown() };
    struct gpu_metrics one[] = { none, none, none, none, none };
    one[0].reported = 1;
    one[1].clock = 1e9;
    one[2].most.temperature = 0;
    one[3].most.power = 0;
    one[4].most.memory_used = 0;
    cr_expect_not(gpu_metrics_are_known(&none));
    for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
        cr_expect(gpu_metrics_are_known(&one[i]), "%u", i);
}

Test(power, others_and_memory_errors_are_notes)
{
    struct record *record = cell_on_card(free_to_rise);
    addf(record, "{'line':'state','cell':'g','when':'before','gpu':{'ecc_errors':2,'others':0}}");
    addf(record, "{'line':'state','cell':'g','when':'after','gpu':{'ecc_errors':5,'others':2,'others_memory':3e9}}");
    struct figures metrics = cell_metrics_of(record);
    cr_expect(strstr(noted(&metrics, NULL), "other processes used this GPU, 2 processes with 3.00 GB of its memory"));
    cr_expect(strstr(noted(&metrics, NULL), "memory errors that ECC could not correct: 3"));

    record = cell_on_card(free_to_rise);
    addf(record, "{'line':'state','cell':'g','when':'before','gpu':{'ecc_errors':5,'others':0}}");
    addf(record, "{'line':'state','cell':'g','when':'after','gpu':{'ecc_errors':5,'others':0}}");
    metrics = cell_metrics_of(record);
    cr_expect(!strstr(noted(&metrics, NULL), "other processes used") &&
              !strstr(noted(&metrics, NULL), "memory errors"));
}

static void expect_in(const char *text, const char *words)
{
    cr_expect(strstr(text, words), "\"%s\" is not in\n%s", words, text);
}

Test(power, reports_show_the_maximum_clock_as_the_driver_tells_it)
{
    struct record *record = cell_on_card(",\"gpu\":{\"after\":{\"reasons\":[],\"sm_clock\":2.1e9}}");
    cell_metrics_of(record);
    char *text = printed(record, "table");
    expect_in(text, "ran at 2.10 of 1.98 GHz");
    record->device[1].max_clock = 0;
    text = printed(record, "table");
    expect_in(text, "ran at 2.10 GHz");
}

Test(power, reports_say_how_it_ran)
{
    struct record *record = cell_on_card(free_to_rise);
    addf(record, "{'line':'meter','cell':'g','runs':400,'elapsed_ns':500000000,'energy_j':{'gpu':24},'error':0.04,'gpu'"
                 ":{'temperature':70,'power_limit':300}}");
    cell_metrics_of(record);
    char *text = printed(record, "table");
    expect_in(text, "ran at 1.20 of 1.98 GHz, up to 70 degrees Celsius, up to 48 of 300 W");
    text = printed(record, "json");
    expect_in(text, "\"run_j\": 0.06");
    expect_in(text, "\"slices_told\": 12");
}
