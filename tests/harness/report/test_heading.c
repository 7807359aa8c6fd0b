/* What a report says of a run and of its devices before any figure. */

#include "harness/report/content/heading.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <string.h>

static struct document document;

static void heading_end(void)
{
    pool_release(&document.pool);
    release_kept();
}

TestSuite(heading, .fini = heading_end);

/* A cell with so many visits. */
static void add_cell(struct record *record, const char *key, const char *device, const char *more, unsigned visits,
                     const char *more_of_slices)
{
    addf(record, "{'line':'cell','key':'%s','block':'b','device':'%s','method':'m','dtype':'f32','baseline':'a'%s}",
         key, device, more);
    for (unsigned i = 0; i < visits; i++)
        addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'visit':%u,'wall_ns':[2000000]%s}",
             key, i, i, more_of_slices);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", key);
}

static const char *line_of(const char *label)
{
    for (unsigned i = 0; i < document.items; i++)
        if (strcmp(document.item[i].label, label) == 0)
            return document.item[i].text;
    return "";
}

Test(heading, a_run_is_described_by_what_was_asked_and_how_long_it_took)
{
    static const struct {
        const char *options, *cold, *elapsed_ns, *words;
        unsigned visits; /* of the second row; the first has two, or as many */
    } cases[] = {
        { "'suite':'quick'", "", "171600000000",
          "suite quick, 2026-11-22 20:14 UTC, 2 to 3 visits in 2 min 52 s, bench 0.3.0", 3 },
        { "'suite':'quick','sustained':2", ",'cold':true", "59400000000",
          "suite quick, cold, sustained 2.00 s, 2026-11-22 20:14 UTC, 2 to 3 visits in 59 s, bench 0.3.0", 3 },
        { "'suite':'quick','size':['n=1']", "", "59600000000",
          "chosen problems, 2026-11-22 20:14 UTC, 2 to 3 visits in 1 min 0 s, bench 0.3.0", 3 },
        { "'suite':'full'", "", "null", "suite full, 2026-11-22 20:14 UTC, 2 to 3 visits, bench 0.3.0", 3 },
        { "'suite':'full'", "", "5e9", "suite full, 2026-11-22 20:14 UTC, 1 visit in 5 s, bench 0.3.0", 1 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = new_record();
        addf(record, "{'line':'journal','version':'0.3.0','started':'2026-11-22T20:14:00Z','options':{%s}}",
             cases[i].options);
        add_cell(record, "a", "cpu", cases[i].cold, cases[i].visits < 2 ? 1 : 2, "");
        add_cell(record, "b", "cpu", "", cases[i].visits, "");
        addf(record, "{'line':'end','status':'complete','elapsed_ns':%s}", cases[i].elapsed_ns);
        cr_expect_str_eq(run_words(&document.pool, record), cases[i].words, "%s", run_words(&document.pool, record));
    }
}

static struct record *two_gpus(void)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','host':{'name':'a CPU'}}");
    add(record, "{'line':'device','id':'cpu','key':'c','backend':'cpu','class':'CPU','name':'a CPU'}");
    add(record, "{'line':'device','id':'cuda:0','key':'1','backend':'cuda','class':'dGPU','name':'Card','silicon':'pci "
                "1','max_clock':1980000000}");
    add(record,
        "{'line':'device','id':'cuda:1','key':'2','backend':'cuda','class':'dGPU','name':'Card','silicon':'pci 2'}");
    add(record, "{'line':'device','id':'opencl:0','key':'3','backend':'opencl','class':'dGPU','name':'Other "
                "name','silicon':'pci 2','driver_version':'5.1','platform':'CL'}");
    return record;
}

/* The highest and the lowest of all cells; the driver may lower its limit meanwhile. */
Test(heading, a_gpu_is_described_by_the_extremes_of_all_its_cells)
{
    static const char *const clocks[] = { ",'gpu':{'after':{'sm_clock':1900000000}}",
                                          ",'gpu':{'after':{'sm_clock':1700000000}}" };
    static const struct {
        unsigned second; /* clock of the second cell */
        const char *states[2], *says;
    } cases[] = {
        { 1,
          { "'temperature':61,'power':640,'power_limit':650", "'temperature':50,'power':300,'power_limit':700" },
          "Card, dGPU; ran at 1.90 of 1.98 GHz, at least 1.70, up to 61 degrees Celsius, up to 640 of 650 W" },
        { 0,
          { "'temperature':40,'power':300", "'temperature':50,'power':400" },
          "Card, dGPU; ran at 1.90 of 1.98 GHz, up to 50 degrees Celsius, up to 400 W" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = two_gpus();
        for (unsigned k = 0; k < 2; k++) {
            const char *key = k ? "b" : "a";
            add_cell(record, key, "cuda:0", "", 3, clocks[k * cases[i].second]);
            addf(record, "{'line':'state','cell':'%s','when':'after','gpu':{%s}}", key, cases[i].states[k]);
        }
        document.items = 0;
        heading_run(&document, record);
        cr_expect_str_eq(line_of("cuda:0"), cases[i].says, "%s", line_of("cuda:0"));
    }
}

/* Those that were used; all of them where nothing was measured. */
Test(heading, devices_are_listed_with_what_is_the_same_chip_and_what_is_absent)
{
    for (unsigned is_measured = 0; is_measured < 2; is_measured++) {
        struct record *record = two_gpus();
        add(record, "{'line':'absent','backend':'cuda','source':'','reason':'a second library'}");
        add(record, "{'line':'absent','backend':'level-zero','source':'/a/b','reason':'no driver'}");
        if (is_measured)
            add_cell(record, "a", "opencl:0", "", 1, "");
        document.items = 0;
        heading_run(&document, record);
        cr_expect_str_eq(line_of("opencl:0"), "Other name, CL, 5.1, dGPU, same silicon as cuda:1");
        cr_expect_str_eq(line_of("cuda:1"), is_measured ? "" : "Card, dGPU", "%s", line_of("cuda:1"));
        cr_expect_str_eq(line_of("level-zero"), "absent: no driver [/a/b]");
        cr_expect_str_eq(line_of("cuda"), "absent: a second library");
    }
}

Test(heading, a_title_has_the_gpus_that_were_used_once_each)
{
    struct record *record = two_gpus();
    struct result run = { .path = "", .record = record };
    const struct results results = { &run, 1 };
    cr_expect_str_eq(heading_title(&document.pool, &results), "a CPU");
    add_cell(record, "a", "cuda:0", "", 1, "");
    add_cell(record, "b", "cuda:1", "", 1, "");
    cr_expect_str_eq(heading_title(&document.pool, &results), "Card against a CPU");
}

/* Only one that has a time. */
Test(heading, a_baseline_is_described_once_it_has_a_time)
{
    static const struct {
        const char *status, *detail, *says;
    } cases[] = { { "ok", "", "cpu m" }, { "ok", "width 16", "cpu m, width 16" }, { "crashed", "", "" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = new_record();
        struct figures figures;
        add(record, "{'line':'device','id':'cpu','key':'c','backend':'cpu','class':'CPU'}");
        addf(record, "{'line':'cell','key':'a','block':'b','device':'cpu','method':'m','baseline':'a'}");
        addf(record, "{'line':'first','cell':'a','detail':'%s'}", cases[i].detail);
        add(record, "{'line':'slice','cell':'a','series':'resident','number':0,'wall_ns':[2000000]}");
        addf(record, "{'line':'outcome','cell':'a','status':'%s'}", cases[i].status);
        figures_read_cell(&figures, record, record->cell[0]);
        document.items = 0;
        heading_baselines(&document, &figures, 1);
        cr_expect_str_eq(line_of("baseline"), cases[i].says, "case %u: %s", i, line_of("baseline"));
    }
}

Test(heading, an_incomplete_run_says_so)
{
    static const char *const ends[][2] = {
        { "complete", "" },
        { "interrupted", "the run was interrupted: only what it had measured until then is shown" },
        { "", "the run was broken off: only what it had measured until then is shown" }
    };
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct record *record = new_record();
        struct notes missing = { .pool = &document.pool };
        if (*ends[i][0])
            addf(record, "{'line':'end','status':'%s'}", ends[i][0]);
        const struct result run = { .record = record };
        missing_read(&missing, &run);
        cr_expect_eq(missing.count, *ends[i][1] != '\0', "%u", i);
        cr_expect(missing.count == 0 || strcmp(missing.note[0].text, ends[i][1]) == 0, "%u", i);
    }
}
