/* What contradicts physics, and what only looks odd. */

#include "harness/journal/plausible.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(plausible, .fini = release_kept);

static struct device uhd620(void)
{
    struct device device = { .id = "opencl:0", .key = "k", .backend = "opencl", .class = CLASS_IGPU, .units = 24 };
    strcpy(device.architecture, "intel gen9");
    device.max_clock = 1.1e9;
    device.max_clock_is_limit = true;
    return device;
}

/* 422.4 GFLOP/s at most. */
Test(plausible, a_rate_above_the_hardware_is_refused_with_both_numbers)
{
    struct device device = uhd620();
    struct error err = { 0 };
    cr_expect(!plausible_time(&device, DTYPE_F32, 7.23e12, 1, &err));
    cr_expect_eq(err.status, STATUS_IMPOSSIBLE);
    cr_expect_str_eq(err.message, "7.23 TFLOP/s, but 24 EU x 16 FLOP x 1.10 GHz (maximum) make at most 422 GFLOP/s");
    err = (struct error){ 0 };
    cr_expect(plausible_time(&device, DTYPE_F32, 422.4e9, 1, &err));
    cr_expect(plausible_time(&device, DTYPE_F32, 425e9, 1, &err), "a board's clock may be trimmed: %s", err.message);
    cr_expect(!plausible_time(&device, DTYPE_F32, 430e9, 1, &err));
    err = (struct error){ 0 };
    cr_expect(!plausible_time(&device, DTYPE_F64, 110e9, 1, &err) && strstr(err.message, "4 FLOP"), "%s", err.message);
}

/* Of any core: 256 FLOP in a cycle, and 64 times as many operations in the small types. */
Test(plausible, small_types_have_a_limit_of_their_own)
{
    static const struct {
        enum dtype dtype;
        double flops;
        bool is_fine;
    } cases[] = { { DTYPE_F32, 5e12, true },  { DTYPE_F32, 6e12, false }, { DTYPE_F64, 6e12, false },
                  { DTYPE_BF16, 6e12, true }, { DTYPE_I8, 3e14, true },   { DTYPE_I8, 4e14, false } };
    const struct device device = { .class = CLASS_CPU, .units = 2 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(plausible_time(&device, cases[i].dtype, cases[i].flops, 1, NULL), cases[i].is_fine, "%s, %g",
                     dtype_name(cases[i].dtype), cases[i].flops);
}

Test(plausible, an_unconfirmed_limit_refuses_nothing)
{
    struct device device = uhd620();
    struct error err = { 0 };
    device.max_clock_is_limit = false;
    cr_expect(plausible_time(&device, DTYPE_F32, 1e15, 1, &err), "%s", err.message);
    device = uhd620();
    strcpy(device.architecture, "intel gen99");
    cr_expect(plausible_time(&device, DTYPE_F32, 1e15, 1, &err), "%s", err.message);
    device = uhd620();
    cr_expect(plausible_time(&device, DTYPE_F32, 0, 1e-8, &err), "%s", err.message);
}

Test(plausible, a_time_of_zero_is_refused_on_any_device)
{
    static const double times[] = { 0, -1, NAN, INFINITY, -INFINITY };
    struct device device = { .class = CLASS_CPU };
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        struct error err = { 0 };
        cr_expect(!plausible_time(&device, DTYPE_F32, 0, times[i], &err), "%g s", times[i]);
        cr_expect_eq(err.status, STATUS_IMPOSSIBLE);
    }
}

/* A cell of 1 GFLOP, so that 2.37 ms is the least that a run can take there, in a slice of `count` runs of 10 ms of
 * which `odd` take another time. */
static struct record *record_on(const struct device *device, const char *series, unsigned count, unsigned odd,
                                const char *odd_ns, bool is_fast)
{
    char runs[4096] = "";
    struct record *record = new_record();
    json_t *line = device_to_json(device);
    struct error err = { 0 };
    json_object_set_new(line, "line", json_string("device"));
    addf(record, "{'line':'journal','schema':'bench-journal/3'}");
    cr_assert(record_add(record, line, &err), "%s", err.message);
    json_decref(line);
    addf(record,
         "{'line':'cell','key':'c','block':'b','device':'opencl:0','workload':'matmul','dtype':'f32','method':'"
         "portable','memory':'pageable','flops':1e9,'bytes':1e6,'fast_algorithm':%s}",
         is_fast ? "true" : "false");
    for (unsigned i = 0; i < count; i++)
        snprintf(runs + strlen(runs), sizeof runs - strlen(runs), "%s%s", i ? "," : "", i < odd ? odd_ns : "10000000");
    addf(record, "{'line':'slice','cell':'c','series':'%s','number':1,'wall_ns':[%s]}", series, runs);
    return record;
}

static struct record *record_of(const char *series, unsigned count, unsigned odd, const char *odd_ns, bool is_fast)
{
    struct device device = uhd620();
    return record_on(&device, series, count, odd, odd_ns, is_fast);
}

static void check(const char *series, unsigned count, unsigned odd, const char *odd_ns, bool is_fast, const char *want)
{
    struct record *record = record_of(series, count, odd, odd_ns, is_fast);
    struct error err = { 0 };
    bool is_fine = plausible_cell(record, record_cell(record, "c"), &err);
    cr_expect(is_fine == (want == NULL), "%s, %u of %u at %s: \"%s\"", series, odd, count, odd_ns, err.message);
    cr_expect(!want || strstr(err.message, want), "\"%s\" does not say \"%s\"", err.message, want ? want : "");
    cr_expect(!want || err.status == STATUS_IMPOSSIBLE);
}

Test(plausible, a_cell_is_refused_for_its_median_or_for_more_than_one_run_in_a_hundred)
{
    for (enum series series = 0; series < SERIES_COUNT; series++) {
        const char *name = series_names[series];
        check(name, 20, 0, "", false, NULL);
        check(name, 20, 20, "1000000", false, "1.00 TFLOP/s, but 24 EU");
        check(name, 20, 20, "1000000", true, NULL);
        check(name, 20, 1, "1000000", false, "1.00 TFLOP/s (1 of 20 runs were too fast)");
        check(name, 200, 2, "1000000", false, NULL);
        check(name, 200, 3, "1000000", false, "1.00 TFLOP/s (3 of 200 runs were too fast)");
        check(name, 200, 2, "0", false, NULL);
        check(name, 200, 3, "-5", false, "3 of 200 runs");
        check(name, 20, 20, "0", true, "20 of 20 runs");
        check(name, 20, 20, "2400000", false, NULL);
    }
}

/* A map may copy nothing; what computes reads its bytes. */
Test(plausible, bytes_of_a_map_without_work_have_no_limit)
{
    static const struct {
        const char *memory;
        double flops;
        bool is_fine;
    } cases[] = { { "mapped", 0, true }, { "mapped", 1e9, false }, { "pinned", 0, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = record_of("copied", 20, 0, "", false);
        struct cell_record *cell = record_cell(record, "c");
        cell->memory = cases[i].memory;
        cell->flops = cases[i].flops;
        cell->bytes = 1e14;
        cr_expect_eq(plausible_cell(record, cell, NULL), cases[i].is_fine, "%s, %g", cases[i].memory, cases[i].flops);
    }
}

/* An i5-8250U makes 435.2 GFLOP/s at 3.4 GHz, and here does 1 GFLOP in 2.2 ms, which takes 3.56 GHz. */
Test(plausible, a_cpu_measured_at_a_higher_clock_has_a_higher_limit)
{
    static const struct {
        double before, after;
        bool is_fine;
    } cases[] = { { 3.4e9, 3.4e9, false }, { 3.6e9, 3.4e9, true }, { 3.4e9, 3.6e9, true }, { 3.5e9, 3.5e9, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device = { .id = "opencl:0", .key = "k", .backend = "cpu", .class = CLASS_CPU, .units = 4 };
        strcpy(device.architecture, "intel 6-142");
        strcpy(device.isa, "avx2");
        strcpy(device.clock_origin, "measured");
        device.clock = 2e9, device.max_clock = 3.4e9, device.max_clock_is_limit = true;
        struct record *record = record_on(&device, "resident", 20, 20, "2200000", false);
        struct error err = { 0 };
        addf(record, "{'line':'state','cell':'c','when':'before','clock':%g}", cases[i].before);
        addf(record, "{'line':'state','cell':'c','when':'after','clock':%g}", cases[i].after);
        cr_expect(plausible_cell(record, record_cell(record, "c"), &err) == cases[i].is_fine, "%u: %s", i, err.message);
    }
}

/* A cell whose operands have 300 elements, with 20 timed runs: each number of a verification, at its limit and above.
 */
Test(plausible, a_verification_compares_some_elements_and_no_more_than_there_are)
{
    static const char fine[] = "", none[] = "a verification without a check, or with one that compared no",
                      more[] = "a check compared ", error[] = "a check let an error of ";
    static const struct {
        const char *check, *checked_runs, *refused;
    } cases[] = {
        { "", "0", none },
        { "7,null,{'name':'exact'}", "0", none },
        { "{'name':'exact','checked':0,'of':300}", "0", none },
        { "{'name':'guard','checked':9,'of':9},{'name':'exact','checked':0,'of':300}", "0", none },
        { "{'name':'exact','checked':0,'of':300},{'name':'random','checked':9,'of':9}", "0", none },
        { "{'name':'exact','checked':300,'of':300,'smallest_error':0.5,'largest_error':0.5}", "20", fine },
        { "{'name':'exact','checked':2,'of':300}", "0", fine },
        { "{'name':'guard','checked':100000,'of':100000}", "0", fine },
        { "{'name':'exact','checked':5,'of':4}", "0", more },
        { "{'name':'guard','checked':5,'of':4}", "0", more },
        { "{'name':'exact','checked':1e9,'of':1e9}", "0", more },
        { "{'name':'random','checked':301,'of':301}", "0", more },
        { "{'name':'random','checked':301}", "0", more },
        { "{'name':'exact','checked':5,'of':5,'smallest_error':0.5,'largest_error':0.6}", "0", error },
        { "{'name':'exact','checked':5,'of':5}", "21", "21 of 20 timed runs" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct device device = uhd620();
        struct record *record = record_on(&device, "resident", 20, 0, "", false);
        struct cell_record *cell = record_cell(record, "c");
        struct error err = { 0 };
        char text[512];
        cell->held = 1200, cell->checks.timed = 20;
        snprintf(text, sizeof text, "{'line':'verify','cell':'c','pass':'after','checks':[%s],'checked_runs':%s}",
                 cases[i].check, cases[i].checked_runs);
        json_t *line = parsed(text);
        cr_expect_eq(record_add(record, line, &err), !*cases[i].refused, "%u: %s", i, err.message);
        cr_expect(strncmp(err.message, cases[i].refused, strlen(cases[i].refused)) == 0, "%u: %s", i, err.message);
        cr_expect_eq(cell->verified, !*cases[i].refused, "%u", i);
        json_decref(line);
    }
    struct error err = { 0 };
    struct cell_record cell = { .dtype = "f16", .held = 200 };
    cr_expect(plausible_elements(&cell, 100, &err) && plausible_elements(&cell, NAN, &err));
    cr_expect(!plausible_elements(&cell, 101, &err));
}
