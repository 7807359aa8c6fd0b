/* Notes on the machine: on a run, and on what the machine did to a cell. */

#include "harness/report/report.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/noted.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(notes_machine, .fini = release_kept);

/* A cell "a" of which everything is fine, on a device that works in the memory of a machine with such members. */
static struct record *cell_on(const char *host)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','options':{'precision':0.02},'host':{%s}}", host);
    add(record, "{'line':'device','id':'d','key':'d','backend':'opencl','class':'CPU','works_in_host_memory':true}");
    add(record, "{'line':'cell','key':'a','device':'d','flops':24e6,'memory':'pageable'}");
    for (unsigned turn = 0; turn < 12; turn++)
        addf(record,
             "{'line':'slice','cell':'a','series':'resident','number':%u,'elapsed_ns':22000000,'wall_ns':[2000000]}",
             turn);
    for (unsigned pass = 0; pass < 2; pass++)
        add(record, "{'line':'verify','cell':'a','checks':[{'checked':1}]}");
    add(record, "{'line':'outcome','cell':'a','status':'ok'}");
    return record;
}

static void expect_in(const char *text, const char *words, bool wanted)
{
    cr_expect((strstr(text, words) != NULL) == wanted, "\"%s\" is %sin\n%s", words, wanted ? "not " : "", text);
}

static const char four_cores[] = "'cores':4,'threads':8";

static void expect_state_note(const char *before, const char *after, const char *words, bool wanted)
{
    struct record *record = cell_on(four_cores);
    addf(record, "{'line':'state','cell':'a','when':'before',%s}", before);
    addf(record, "{'line':'state','cell':'a','when':'after',%s}", after);
    expect_in(noted_on(record, "a"), words, wanted);
}

/* Ten seconds of eight threads: eighty processor seconds. */
static void expect_others(double busy, double own, const char *words, bool wanted)
{
    char after[160];
    snprintf(after, sizeof after, "\"busy\":%g,\"idle\":%g,\"own\":%g,\"steal\":5,\"pressure\":90", 100 + busy,
             1000 + 80 - busy, 7 + own);
    expect_state_note("\"busy\":100,\"idle\":1000,\"own\":7,\"steal\":5", after, words, wanted);
}

Test(notes_machine, other_load_of_a_quarter_of_the_cores_is_noted)
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

Test(notes_machine, effects_of_the_machine_on_a_cell_are_noted_with_a_remedy)
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
        { "\"swapped\":0", "\"swapped\":5e6", "memory was swapped to disk", true },
        { "\"swapped\":5e6", "\"swapped\":5e6", "disk", false }, /* since the machine started */
        { "\"swapped\":0,\"swap_used\":1e9", "\"swapped\":4096,\"swap_used\":1e9", "disk", false },
        { "\"steal\":100,\"busy\":1000", "\"steal\":110,\"busy\":1090",
          "the hypervisor withheld over 5 % of the requested CPU time: measure again when its host is idle", true },
        { "\"steal\":100,\"busy\":1000", "\"steal\":105,\"busy\":1095", "hypervisor", false },
        { "\"steal\":100,\"busy\":1000", "\"steal\":null,\"busy\":2000", "hypervisor", false },
        { "\"on_battery\":false", "\"on_battery\":true", "ran on battery, which may hold the clock down: plug in",
          true },
        { "\"on_battery\":false", "\"on_battery\":null", "battery", false },
        { "\"governor\":\"powersave\"", "\"governor\":\"powersave\"",
          "the governor is powersave, so the clock follows the load: sudo cpupower frequency-set -g performance makes "
          "it "
          "steadier",
          true },
        { "\"governor\":\"schedutil\"", "\"governor\":\"performance\"", "governor", false },
        { "\"governor\":\"\"", "\"governor\":\"\"", "governor", false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_state_note(cases[i].before, cases[i].after, cases[i].words, cases[i].wanted);
}

Test(notes_machine, memory_far_from_its_threads_is_noted)
{
    static const struct {
        double share;
        const char *host;
        bool wanted;
    } cases[] = { { 0.97, "'worker_nodes':2", true },
                  { 0.6, "'worker_nodes':2", false },
                  { 1, "'worker_nodes':1", false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = cell_on(cases[i].host);
        addf(record, "{'line':'first','cell':'a','memory_cost':{'largest_node':%g}}", cases[i].share);
        expect_in(noted_on(record, "a"), "memory is on one NUMA node, threads are on 2", cases[i].wanted);
    }
}

static void expect_run_note(const char *host, const char *words, bool wanted)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','host':{%s}}", host);
    const char *all = noted(NULL, record);
    cr_expect(wanted ? strstr(all, words) && !strchr(all, '\n') : !*all, "%s: \"%s\" and \"%s\"", host, words, all);
    expect_in(printed(record, "table"), "note: ", wanted);
}

Test(notes_machine, what_the_machine_is_holds_for_the_run)
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

Test(notes_machine, a_processor_that_is_held_back_is_noted)
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

Test(notes_machine, waiting_in_vain_for_quiet_cores_is_a_warning)
{
    static const char *const ends[] = { "still used", "used up to" };
    for (unsigned i = 0; i < 2; i++) {
        struct pool pool = { 0 };
        struct record *record = new_record();
        addf(record, "{'line':'note','text':'waited 3 s for quiet cores: other programs %s 2.0 of 2'}", ends[i]);
        const struct notes notes = notes_read_run(&pool, record);
        cr_expect_eq(notes.note[0].severity, i == 0 ? SEVERITY_WARNING : SEVERITY_NONE, "%s", ends[i]);
        pool_release(&pool);
    }
}

/* A row of a problem of its own, under a governor. */
static void add_row(struct record *record, const char *name, const char *governor)
{
    addf(record, "{'line':'cell','key':'%s','block':'%s','device':'d'}", name, name);
    for (unsigned i = 0; i < 12; i++)
        addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'wall_ns':[1000000]}", name, i);
    addf(record, "{'line':'state','cell':'%s','when':'after','governor':'%s'}", name, governor);
}

Test(notes_machine, a_note_on_all_rows_of_several_problems_is_printed_once)
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

/* Of `looks` looks each of two processors has so many in a hundred below four fifths of its rate, which is another for
 * each. */
static void expect_neighbours(unsigned looks, unsigned shared, const char *share)
{
    struct record *record = new_record();
    char line[128];
    add(record, "{'line':'journal','host':{'cores':2,'threads':2}}");
    for (unsigned i = 0; i < looks; i++) {
        const double rate = (i % 2 ? 6 : 2) * (i % 3 ? 1 : 0.82); /* a core alone varies by this much */
        snprintf(line, sizeof line, "{'line':'look','processor':%u,'rate':%.3f}", i % 2,
                 i / 2 % 50 < shared / 2 ? 0.78 * rate : rate * (i == 181 ? 3 : 1)); /* one of many is too high */
        add(record, line);
    }
    struct pool pool = { 0 };
    const char *all = noted(NULL, record);
    const char *wanted = share ? pool_print(&pool,
                                            "other load on the same cores in %s of the load checks: close other "
                                            "programs, or repeat later",
                                            share)
                               : "";
    cr_expect_str_eq(all, wanted, "\"%s\" instead of \"%s\"", all, wanted);
    pool_release(&pool);
}

Test(notes_machine, other_load_on_the_same_cores_is_told_with_the_share_of_the_looks)
{
    expect_neighbours(200, 38, "38 %");
    expect_neighbours(200, 12, "12 %");
    expect_neighbours(200, 10, NULL);
    expect_neighbours(200, 0, NULL);
    expect_neighbours(19, 38, NULL);
    expect_neighbours(20, 12, "60 %");
}
