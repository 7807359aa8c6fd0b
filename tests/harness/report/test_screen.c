#include "harness/base/text.h"
#include "harness/report/content/claims.h"
#include "harness/report/report.h"
#include "tests/support/generator.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(screen, .fini = release_kept);

static const unsigned widths[] = { 56, 72, 80, 100, 120 };
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Those with a golden report: the narrowest and the widest. That every line fits is tested at all of them. */
static const unsigned golden_widths[] = { 56, 120 };
enum { GOLDEN_WIDTHS = sizeof golden_widths / sizeof *golden_widths };

static char *brief_text(struct record *record, const char *format, unsigned width, bool is_colored)
{
    return printed_as(record, format, &(struct layout){ .width = width, .is_brief = true, .is_colored = is_colored });
}

Test(screen, reports_of_made_up_machines_are_the_golden_ones)
{
    char name[128];
    for (unsigned i = 0; i < MACHINES; i++)
        for (unsigned w = 0; w < GOLDEN_WIDTHS; w++) {
            struct record *record = read_golden(GOLDEN, machines[i]);
            char *text = brief_text(record, "table", golden_widths[w], false);
            snprintf(name, sizeof name, "%s-%u.txt", machines[i], golden_widths[w]);
            expect_golden(GOLDEN, name, text);
        }
}

Test(screen, the_markdown_of_a_made_up_machine_is_the_golden_one)
{
    struct record *record = read_golden(GOLDEN, "made-uhd620");
    char *text = brief_text(record, "markdown", 0, false);
    expect_golden(GOLDEN, "made-uhd620.md", text);
}

static void expect_fit(const char *text, unsigned width, const char *name)
{
    unsigned lines = 0;
    for (const char *at = text; *at; lines++) {
        char line[512];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        cr_expect(text_width(line) <= width || !strchr(line + strspn(line, " "), ' '), "%s at %u: %s", name, width,
                  line);
        at += length + (at[length] == '\n');
    }
    if (width >= 80 && strcmp(name, "made-laptop") != 0 && strcmp(name, "made-rare") != 0) /* these have two GPUs */
        cr_expect_leq(lines, SCREEN_LINES, "%s at %u has %u lines", name, width, lines);
}

Test(screen, every_line_fits_and_a_screen_is_enough)
{
    for (unsigned i = 0; i < MACHINES + JOURNALS; i++)
        for (unsigned w = 0; w < WIDTHS; w++) {
            const char *name = i < MACHINES ? machines[i] : journals[i - MACHINES];
            struct record *record = read_golden(GOLDEN, name);
            char *text = brief_text(record, "table", widths[w], false);
            expect_fit(text, widths[w], name);
        }
}

/* Its matmul and conv are slower than the CPU, by kernels that are not the vendor's. */
Test(screen, a_no_says_that_no_library_of_the_vendor_was_tried)
{
    struct record *record = read_golden(GOLDEN, "made-uhd620");
    for (unsigned i = 0; i < record->cells; i++)
        record->cell[i]->lacks_library = strcmp(record->cell[i]->workload, "multiply") != 0;
    char *text = brief_text(record, "markdown", 0, false);
    cr_expect(strstr(text, "No for multiply (equal), matmul (0.77x to 0.91x by size, without a library of its "
                           "vendor) and conv (0.43x and 0.42x, without a library of its vendor)."),
              "%s", text);
    cr_expect(strstr(text, "matmul (0.76x to 0.91x by size) and conv (0.59x and 0.58x)"), "copied: %s", text);
}

Test(screen, a_cpu_through_an_api_is_never_called_a_gpu)
{
    struct record *record = read_golden(GOLDEN, "made-nogpu");
    char *text = brief_text(record, "table", 80, false);
    char *first_line_end = strchr(text, '\n');
    cr_assert(first_line_end && strncmp(text, "No GPU", strlen("No GPU")) == 0, "%s", text);
    cr_expect_eq(strstr(first_line_end, "GPU"), NULL, "%s", first_line_end);
    cr_expect(strstr(text, "the same CPU (opencl:0)"), "%s", text);
    add(record,
        "{'line':'device','id':'opencl:1','key':'o','backend':'opencl','class':'CPU','name':'a CPU','silicon':'cpu'}");
    add(record,
        "{'line':'cell','key':'o','block':'b','device':'opencl:1','workload':'multiply','shape':'n=1','dtype':'f32'}");
    text = brief_text(record, "table", 0, false);
    cr_expect(strstr(text, "the same CPU (opencl:0, opencl:1)"), "%s", text);
}

/* Without the escape codes it is the plain report, and each code is ended on its line. */
Test(screen, colours_are_all_that_a_colored_report_adds)
{
    struct record *record = read_golden(GOLDEN, "made-h200");
    char *plain = brief_text(record, "table", 80, false), *colored = brief_text(record, "table", 80, true);
    char *to = colored;
    unsigned codes = 0;
    cr_expect_eq(strchr(plain, '\033'), NULL);
    for (const char *from = colored; *from;) {
        size_t code = *from == '\033' ? strcspn(from, "m") + 1 : 0;
        codes += code > 0;
        from += code;
        if (code == 0)
            *to++ = *from++;
    }
    *to = '\0';
    cr_expect_gt(codes, 0);
    cr_expect_eq(codes % 2, 0);
    cr_expect_str_eq(colored, plain);
}

/* A problem or a transfer in a type on the CPU and on a GPU: seconds of a run on each. A transfer has no CPU. */
static void add_problem(struct record *record, const char *workload, const char *dtype, const char *shape, double bytes,
                        double cpu, double gpu)
{
    static const char *const devices[] = { "cpu", "cuda:0" };
    struct generator g = { .seed = 20261123 };
    const bool is_transfer = !(cpu > 0);
    for (unsigned i = is_transfer; i < 2; i++) {
        char key[128];
        snprintf(key, sizeof key, "%s %s %s %s", workload, dtype, shape, devices[i]);
        addf(record,
             "{'line':'cell','key':'%s','block':'%s %s "
             "%s','device':'%s','workload':'%s','dtype':'%s','shape':'%s','method':'m','memory':'pinned','bytes':%g,'"
             "flops':%g,'baseline':'%s %s %s cpu'}",
             key, workload, dtype, shape, devices[i], workload, dtype, shape, bytes, is_transfer ? 0 : 10 * bytes,
             workload, dtype, shape);
        for (unsigned k = 0; k < 24; k++)
            addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", key,
                 is_transfer ? "copied" : "resident", 2 * k + i, 1e9 * (i ? gpu : cpu) * (1 + 1e-4 * normal(&g)));
        end_well(record, key);
    }
}

/* Whatever the baseline is: the CPU and, if there is one, the CPU through OpenCL, which takes twice as long. */
Test(screen, what_was_measured_is_on_the_screen)
{
    static const struct {
        const char *baseline;
        bool has_opencl;
        const char *says[3];
        char lacks; /* 't': OpenCL its times, 'v': the CPU its checks, 'r': the CPU a right result */
    } rows[] = {
        { "cpu", true, { "Not compared.", "matmul 1000  no times  no times", "CPU\n  matmul 1000  10.0 ms" }, 't' },
        { "cpu",
          true,
          { "matmul 1000  unverified  unverified", "never verified", "OpenCL\n  matmul 1000  20.0 ms" },
          'v' },
        { "cpu", true, { "Not compared.", "matmul 1000  wrong  wrong", "1 cell went wrong: cpu m" }, 'r' },
        { "cpu",
          true,
          { "Is OpenCL on this CPU faster?  No for matmul (0.50x).", "OpenCL against CPU, f32", "10.0 ms" },
          0 },
        { "opencl:0",
          true,
          { "Is the CPU faster?    Yes for matmul (2.0x).", "CPU against OpenCL, f32", "20.0 ms" },
          0 },
        { "none", true, { "Not compared.", "matmul 1000 cpu       10.0 ms", "matmul 1000 opencl:0  20.0 ms" }, 0 },
        { "cpu",
          false,
          { "Not known: no GPU was measured.", "matmul 1000  10.0 ms", "Unsettled     matmul 1000 m" },
          0 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = new_record();
        add(record, "{'line':'journal','schema':'bench-journal/4','seed':1}");
        for (unsigned k = 0; k < 1u + rows[i].has_opencl; k++) {
            const char *id = k ? "opencl:0" : "cpu";
            addf(record,
                 "{'line':'device','id':'%s','key':'%s','name':'a "
                 "CPU','class':'CPU','backend':'%.6s','api_version':'OpenCL','silicon':'s','works_in_host_memory':%s,'"
                 "shares_host_memory':true}",
                 id, id, id, k ? "false" : "true");
            addf(record,
                 "{'line':'cell','key':'%s','block':'b','device':'%s','workload':'matmul','dtype':'f32','shape':'m="
                 "1000,n=1000,k=1000','method':'m','memory':'mapped','bytes':1e6,'flops':1e7,'baseline':'%s'}",
                 id, id, rows[i].baseline);
            for (unsigned pass = 0; pass < 2 && (k || rows[i].lacks != 'v'); pass++)
                addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", id);
            for (unsigned number = k; number < 48 && !(k && rows[i].lacks == 't'); number += 2)
                addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'wall_ns':[%u]}", id, number,
                     10000000 * (k + 1) + number % 7);
            addf(record, "{'line':'outcome','cell':'%s','status':'%s'}", id,
                 !k && rows[i].lacks == 'r' ? "wrong" : "ok");
        }
        add(record, "{'line':'race','block':'b','device':'cpu','for':'resident','rounds':9,'settled':false,'contenders'"
                    ":[{'method':'m','end':'measured'},{'method':'n','end':'tied'}]}");
        add(record, "{'line':'end','status':'complete'}");
        const char *text = brief_text(record, "table", 120, false);
        for (unsigned k = 0; k < 3; k++)
            cr_expect(strstr(text, rows[i].says[k]), "%u: no %s in %s", i, rows[i].says[k], text);
    }
}

Test(screen, costs_name_their_sizes_and_every_problem_against_another_type_has_its_reason)
{
    static const char *const sizes[] = { "m=1000,n=1000,k=1000", "m=2000,n=2000,k=2000" };
    struct record *record = new_record();
    add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
    add(record, "{'line':'device','id':'cpu','key':'c','backend':'cpu','name':'a "
                "CPU','class':'CPU','works_in_host_memory':true}");
    add(record, "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
    for (unsigned i = 0; i < 2; i++) {
        add_problem(record, "matmul", "f32", sizes[i], 1e6 * (i + 1), 10e-3, 5e-3);
        add_problem(record, "matmul", "f16", sizes[i], 5e5 * (i + 1), 50e-3, 20e-3);
    }
    add_problem(record, "transfer", "f32", "bytes=1048576,direction=up", 1048576, 0, 1e-3);
    add_problem(record, "transfer", "f32", "bytes=67108864,direction=up", 67108864, 0, 10e-3);
    add_problem(record, "transfer", "f32", "bytes=1048576,direction=down", 1048576, 0, 0.2e-3);
    add_problem(record, "transfer", "f32", "bytes=67108864,direction=down", 67108864, 0, 40e-3);
    add(record, "{'line':'end','status':'complete'}");
    char *text = brief_text(record, "table", 100, false);
    cr_expect(strstr(text, "to the GPU 6.71 GB/s, 1 MiB back 5.24 GB/s"), "%s", text);
    cr_expect(strstr(text, "matmul f16 1000  10.0 ms                in f32  20.0 ms   250 MFLOP/s  m\n"),
              "the time is that of f32, which has no rate of the f16 row: %s", text);
    cr_expect(strstr(text, "matmul f16 1000: against the CPU's f32"), "%s", text);
    cr_expect(strstr(text, "matmul f16 2000: against the CPU's f32"), "%s", text);
}

Test(screen, an_empty_record_has_a_report)
{
    struct record *record = new_record();
    char *text = brief_text(record, "table", 80, false);
    cr_expect(strstr(text, "Not known: no GPU was measured."), "%s", text);
}

/* Warnings of a run beside remarks, which are none. */
static char *text_with_warnings(unsigned warnings)
{
    struct record *record = new_record();
    for (unsigned i = 0; i < warnings; i++) {
        addf(record, "{'line': 'note', 'text': 'a remark %u'}", i);
        addf(record, "{'line': 'note', 'text': 'left out, as --time allows no more: row %u'}", i);
    }
    add(record, "{'line': 'end', 'status': 'complete'}");
    char *text = brief_text(record, "table", 80, false);
    return text;
}

Test(screen, the_three_worst_warnings_are_shown)
{
    char *three = text_with_warnings(3), *five = text_with_warnings(5);
    cr_expect(strstr(three, ": row 2"), "%s", three);
    cr_expect(strstr(five, ": row 2") && !strstr(five, ": row 3"), "%s", five);
    cr_expect(!strstr(five, "a remark"), "%s", five);
}

/* What an interrupted run did not reach is no failure; what it abandoned otherwise is one. */
Test(screen, failures_are_counted_with_the_first_of_them)
{
    static const char *const ends[] = { "complete", "interrupted" };
    static const struct {
        const char *status, *reason;
    } outcomes[] = { { "ok", "" },
                     { "unsupported", "no driver" },
                     { "abandoned", "stopped" },
                     { "crashed", "signal 11" },
                     { "wrong", "off by 3" },
                     { "timeout", "after 9 s" } };
    for (unsigned end = 0; end < 2; end++) {
        struct record *record = new_record();
        add(record, "{'line':'device','id':'g','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
        for (unsigned i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
            addf(record,
                 "{'line':'cell','key':'%u','block':'b','device':'g','workload':'gemv','dtype':'f32','shape':'m=%u','"
                 "method':'way'}",
                 i, i);
            addf(record, "{'line':'outcome','cell':'%u','status':'%s','reason':'%s'}", i, outcomes[i].status,
                 outcomes[i].reason);
        }
        addf(record, "{'line':'end','status':'%s'}", ends[end]);
        char *text = brief_text(record, "table", 120, false);
        cr_expect(strstr(text, end ? "! 3 cells went wrong, the first: g way, gemv m = 3: crashed, signal 11"
                                   : "! 4 cells went wrong, the first: g way, gemv m = 2: abandoned, stopped"),
                  "%s", text);
    }
}

/* A problem on the CPU and on the GPU, 24 visits each: twice as fast there. */
static void add_pair(struct record *record)
{
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        const char *key = gpu ? "gpu" : "cpu";
        addf(record,
             "{'line':'cell','key':'%s','block':'b','device':'%s','workload':'matmul','dtype':'f32','shape':'m=1000,n="
             "1000,k=1000','method':'m','flops':1e6,'bytes':1e6,'baseline':'cpu'}",
             key, gpu ? "cuda:0" : "cpu");
        for (unsigned i = 0; i < 24; i++)
            addf(record, "{'line':'slice','cell':'%s','series':'resident','visit':%u,'number':%u,'wall_ns':[%u]}", key,
                 i, 2 * i + gpu, (gpu ? 1000000 : 2000000) + i);
        end_well(record, key);
    }
}

static void add_two_devices(struct record *record)
{
    add(record, "{'line':'device','id':'cpu','key':'c','backend':'cpu','name':'a "
                "CPU','class':'CPU','works_in_host_memory':true}");
    add(record, "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU'}");
}

/* 24 visits of a row, of which the first ones follow a look beside others and have another ratio than the others. */
static char *text_of_disturbed(unsigned disturbed, double ratio)
{
    struct record *record = new_record();
    add(record, "{'line': 'journal', 'host': {'cores': 1, 'threads': 1}}");
    add_two_devices(record);
    for (unsigned gpu = 0; gpu < 2; gpu++)
        addf(record,
             "{'line':'cell','key':'%s','block':'b','device':'%s','workload':'matmul','dtype':'f32','shape':'m=1000,n="
             "1000,k=1000','method':'m','flops':1e6,'bytes':1e6,'baseline':'cpu'}",
             gpu ? "gpu" : "cpu", gpu ? "cuda:0" : "cpu");
    for (unsigned i = 0; i < 80; i++)
        add(record, "{'line': 'look', 'processor': 0, 'rate': 6}");
    for (unsigned i = 0; i < 48; i++) {
        const bool is_disturbed = i / 2 < disturbed, is_cpu = i % 2 == 0;
        addf(record, "{'line': 'look', 'processor': 0, 'rate': %d}", is_disturbed ? 3 : 6);
        addf(record, "{'line':'slice','cell':'%s','series':'resident','visit':%u,'number':%u,'wall_ns':[%.0f]}",
             is_cpu ? "cpu" : "gpu", i / 2, i,
             1e6 * (!is_cpu        ? 1
                    : is_disturbed ? ratio
                                   : 2) +
                 i);
    }
    for (unsigned i = 0; i < 4; i++)
        addf(record, "{'line':'verify','cell':'%s','checks':[{'checked':1}]}", i % 2 ? "gpu" : "cpu");
    add(record, "{'line':'outcome','cell':'cpu','status':'ok'}");
    add(record, "{'line':'outcome','cell':'gpu','status':'ok'}");
    add(record, "{'line': 'end', 'status': 'complete'}");
    char *text = brief_text(record, "table", 120, false);
    return text;
}

Test(screen, a_disturbed_run_says_so_first_only_if_an_answer_may_change)
{
    static const char may_change[] =
        "Disturbed: other load on these cores may change the answer for matmul 1000. Close other programs, or\n"
        "  repeat later.\n\n";
    static const struct {
        unsigned disturbed;
        double ratio;
        const char *first;
    } cases[] = {
        { 10, 0.5, may_change },
        { 20, 2, may_change },
        { 10, 2.2, "Is the GPU worth it?" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of_disturbed(cases[i].disturbed, cases[i].ratio);
        cr_expect_eq(strncmp(text, cases[i].first, strlen(cases[i].first)), 0, "%u: %s", i, text);
    }
}

/* What the CPU's line says, and the first warning; NULL: there is none. */
Test(screen, what_holds_the_cpu_back_is_in_its_line_and_the_first_warning)
{
    static const char held[] = "{'line':'first','cell':'cpu','cores_planned':4,'cores_computing':1}";
    static const struct {
        const char *host, *device, *line; /* members of host and CPU, and another line; "": none */
        const char *cpu, *warning;
        bool is_only; /* it is no worse than what was left out */
    } rows[] = {
        { "\"cores\":4,\"worker_threads\":4,\"threads_reason\":\"all\"", "", "", "a CPU, 4 cores\n", NULL, false },
        { "\"cores\":1,\"worker_threads\":2,\"threads_reason\":\"--threads\"", "", "", "a CPU, 1 core\n", NULL, false },
        { "\"cores\":4", "", "", "a CPU, 4 cores\n", NULL, false },
        { "\"cores\":4,\"worker_threads\":2,\"threads_reason\":\"affinity\"", "", "",
          "a CPU, 2 of 4 cores (affinity)\n", NULL, false },
        { "\"cores\":4,\"worker_threads\":1,\"quota\":0.5,\"threads_reason\":\"quota\"", "", "",
          "a CPU, 0.5 of 4 cores (quota)\n", NULL, false },
        { "\"cores\":4,\"worker_threads\":3,\"threads_reason\":\"--threads\"", "", "",
          "a CPU, 3 of 4 cores (--threads)\n", "! only 3 of 4 cores are used (--threads)", true },
        { "\"cores\":4,\"worker_threads\":4,\"threads_reason\":\"all\"", "", held, "a CPU, 1 of 4 cores (held back)\n",
          "! matmul 1000: not judged: CPU held back: 1 of 4 planned cores computed", false },
        { "\"cores\":4", ",\"note\":\"OMP_THREAD_LIMIT=4 is low\"", "", "a CPU, 4 cores\n",
          "! the CPU could be faster: OMP_THREAD_LIMIT=4 is low: unset it\n", false },
        { "\"cores\":4", ",\"note\":\"A=1 is low; B=2 is low\"", "", "a CPU, 4 cores\n",
          "! the CPU could be faster: A=1 is low; B=2 is low: unset them\n", false },
        { "\"cores\":4", ",\"blas_core\":\"Atom\",\"blas_better\":\"Zen\",\"blas_bound\":\"build\"", "",
          "a CPU, 4 cores\n", "! the CPU could be faster: OpenBLAS uses fewer", false },
        { "\"cores\":4,\"clock_limit\":\"no_turbo is 1 instead of 0\"", "", "", "a CPU, 4 cores\n",
          "! the clock is limited: no_turbo is 1 instead of 0: bench doctor has the command\n", true },
        { "\"cores\":4", "",
          "{'line':'race','block':'b','device':'cpu','memory':'pageable','for':'resident','contenders':[{'method':'"
          "openblas','status':'wrong','end':'failed'},{'method':'onednn','status':'timeout','end':'failed'},{'method':'"
          "none','status':'unsupported','end':'passed-over'},{'method':'slow','status':'too-slow','end':'passed-over','"
          "reason':'not tried: "
          "later'},{'method':'late','status':'too-slow','end':'passed-over','where':'compile'},{'method':'m','status':'"
          "ok','end':'measured'}]}",
          "a CPU, 4 cores\n",
          "! the CPU could be faster: openblas wrong, onednn timeout, late too-slow: --full has the reasons\n", false },
        { "\"cores\":4", "",
          "{'line':'race','block':'b','device':'cuda:0','memory':'pageable','for':'resident','contenders':[{'method':'"
          "cublas','status':'wrong','end':'failed'}]}",
          "a CPU, 4 cores\n", NULL, false },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = new_record();
        addf(record, "{'line':'journal','host':{%s}}", rows[i].host);
        addf(record,
             "{'line':'device','id':'cpu','key':'c','backend':'cpu','name':'a "
             "CPU','class':'CPU','works_in_host_memory':true%s}",
             rows[i].device);
        add(record,
            "{'line':'device','id':'cuda:0','key':'g','backend':'cuda','name':'a GPU','class':'dGPU','units':2}");
        add_pair(record);
        if (*rows[i].line)
            addf(record, "%s", rows[i].line);
        /* A warning that comes after what is about the baseline. */
        if (!rows[i].is_only)
            add(record, "{'line':'note','text':'left out, as --time allows no more: conv'}");
        add(record, "{'line': 'end', 'status': 'complete'}");
        char *text = brief_text(record, "table", 200, false);
        const char *first = strstr(text, "\n! ");
        const char *wanted = rows[i].warning ? rows[i].warning : "! left out";
        cr_expect(strstr(text, rows[i].cpu), "%u: %s", i, text);
        cr_expect(strstr(text, "a GPU (cuda:0)\n"), "the units of a GPU are no cores: %u: %s", i, text);
        cr_expect(first && strncmp(first + 1, wanted, strlen(wanted)) == 0, "%u: %s", i, text);
    }
}

/* It took 2.00 times as long. */
Test(screen, a_row_outside_the_range_of_earlier_runs_says_so)
{
    static const struct {
        double median, high;
        const char *said;
    } rows[] = {
        { 1.91, 1.95, "! matmul 1000: 2.00 here, 1.89 to 1.95 in 6 earlier runs: the machine was in another state\n" },
        { 1.91, 2.03, NULL },
        { 2, 2.03, NULL },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char cell[] = "matmul f32 m=1000,n=1000,k=1000 cuda:0";
        struct record *record = new_record();
        add(record, "{'line':'journal','host':{'cores':2,'threads':4}}");
        add_two_devices(record);
        add_problem(record, "matmul", "f32", "m=1000,n=1000,k=1000", 1e6, 10e-3, 5e-3);
        add_problem(record, "matmul", "f32", "m=2000,n=2000,k=2000", 2e6, 20e-3, 5e-3);
        addf(record, "{'line':'earlier','cell':'%s','runs':6,'low':1.89,'median':%g,'high':%g}", cell, rows[i].median,
             rows[i].high);
        add(record, "{'line':'end','status':'complete'}");
        char *text = brief_text(record, "table", 120, false);
        cr_expect(rows[i].said ? strstr(text, rows[i].said) != NULL : !strstr(text, "earlier"), "%u: %s", i, text);
    }
}

Test(screen, loops_that_measure_peaks_are_no_rows)
{
    struct record *record = new_record();
    static const char *const devices[] = { "cpu", "cuda:0" };
    add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
    add_two_devices(record);
    for (unsigned i = 0; i < 4; i++) {
        char shape[64];
        snprintf(shape, sizeof shape, "m=%u000,n=1000,k=1000", i + 1);
        add_problem(record, "matmul", "f32", shape, 1e6 * (i + 1), 10e-3, 5e-3);
        addf(record, "{'line':'state','cell':'matmul f32 %s cpu','when':'before','governor':'slow'}", shape);
        addf(record,
             "{'line':'cell','key':'p%u','block':'peaks','device':'%s','workload':'peak','dtype':'f32','shape':'n=%u','"
             "method':'m','ceiling':true,'roof':'flops','flops':1e6}",
             i, devices[i % 2], i);
        addf(record, "{'line':'slice','cell':'p%u','series':'resident','number':0,'wall_ns':[1000]}", i);
        addf(record, "{'line':'state','cell':'p%u','when':'before','governor':'slow'}", i);
        addf(record, "{'line':'outcome','cell':'p%u','status':'ok'}", i);
    }
    add(record, "{'line':'end','status':'complete'}");
    char *text = brief_text(record, "table", 120, false);
    cr_expect(strstr(text, "! on 4 of 8 rows: the governor is slow"), "%s", text);
}

/* The peak of a device in a type, as a loop of multiply-adds shows it. */
static void add_peak(struct record *record, const char *device, const char *dtype, double flops_per_s)
{
    addf(record,
         "{'line':'cell','key':'peak %s "
         "%s','block':'peaks','device':'%s','workload':'peak','dtype':'%s','shape':'n=1','method':'m','ceiling':true,'"
         "roof':'flops','flops':%g}",
         device, dtype, device, dtype, 1e-3 * flops_per_s);
    addf(record, "{'line':'slice','cell':'peak %s %s','series':'resident','number':0,'wall_ns':[1000000]}", device,
         dtype);
    addf(record, "{'line':'outcome','cell':'peak %s %s','status':'ok'}", device, dtype);
}

Test(screen, what_was_refused_says_why_and_where)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
    add_two_devices(record);
    add(record, "{'line':'cell','key':'g','block':'large','device':'cuda:0','workload':'matmul','dtype':'f32','shape':'"
                "m=60000,n=60000,k=60000','method':'m','flops':1e9,'bytes':1e6,'baseline':'c'}");
    add(record, "{'line':'cell','key':'c','block':'large','device':'cpu','workload':'matmul','dtype':'f32','shape':'m="
                "60000,n=60000,k=60000','method':'m','flops':1e9,'bytes':1e6,'baseline':'c'}");
    add(record, "{'line':'outcome','cell':'g','status':'no-memory','reason':'the operands take 43.2 GB'}");
    add(record, "{'line':'outcome','cell':'c','status':'ok'}");
    add(record, "{'line':'end','status':'complete'}");
    char *text = brief_text(record, "table", 120, false);
    cr_expect(strstr(text, "! matmul 60K on cuda:0: no-memory: the operands take 43.2 GB\n"), "%s", text);
}

/* A transfer has no row on the screen. Where something was measured, the screen is about that. */
Test(screen, a_run_that_measured_nothing_says_why)
{
    for (unsigned measured = 0; measured < 2; measured++) {
        struct record *record = new_record();
        add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
        add_two_devices(record);
        add(record, "{'line':'cell','key':'t','block':'t','device':'cpu','workload':'transfer','dtype':'f32','shape':'"
                    "bytes=1024,direction=up'}");
        add(record, "{'line':'outcome','cell':'t','status':'unsupported','reason':'there is nothing to transfer'}");
        if (measured)
            add_problem(record, "multiply", "f32", "n=1000", 1e3, 10e-3, 5e-3);
        add(record, "{'line':'end','status':'complete'}");
        const char *text = brief_text(record, "table", 120, false);
        cr_expect_eq(strstr(text, "! transfer 1 KiB up on cpu: unsupported: there is nothing to transfer\n") != NULL,
                     !measured, "%s", text);
    }
}

Test(screen, a_peak_names_its_type_where_there_are_several)
{
    static const struct {
        const char *dtype[2], *peak[2], *says;
    } cases[] = {
        { { "f32", "f32" }, { "f64", "f32" }, "peak 7.00 TFLOP/s\n" },
        { { "f32", "f64" }, { "f64", "f32" }, "peak 7.00 TFLOP/s in f32\n" },
        { { "f16", "f64" }, { "f64", "f64" }, "peak 3.00 TFLOP/s in f64\n" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = new_record();
        add(record, "{'line':'journal','schema':'bench-journal/3','seed':1}");
        add_two_devices(record);
        add_problem(record, "matmul", cases[i].dtype[0], "m=1000,n=1000,k=1000", 1e6, 10e-3, 5e-3);
        add_problem(record, "matmul", cases[i].dtype[1], "m=2000,n=2000,k=2000", 1e6, 10e-3, 5e-3);
        add_peak(record, "cuda:0", cases[i].peak[0], 3e12);
        if (strcmp(cases[i].peak[0], cases[i].peak[1]) != 0)
            add_peak(record, "cuda:0", cases[i].peak[1], 7e12);
        add(record, "{'line':'end','status':'complete'}");
        char *text = brief_text(record, "table", 120, false);
        cr_expect(strstr(text, cases[i].says), "%s: %s", cases[i].says, text);
    }
}

/* What a run with these speed-ups at two sizes says to "the larger one is worse". Another device, of which the claim is
 * not, comes first and has them the other way round. */
static enum claim_outcome claimed(struct estimate smaller, struct estimate larger)
{
    static const struct claim worse[] = { { "w", "f32", "n=2", "GPU", "worse", VERDICT_SLOWER, "n=1" }, { 0 } };
    const struct device device[] = { { .name = "another" }, { .name = "a GPU" } };
    const struct answer_part part[] = { { .device = &device[0] }, { .device = &device[1] } };
    const struct figures metrics = { 0 };
    const struct cell_record problem[] = { { .workload = "w", .dtype = "f32", .shape = "n=1" },
                                           { .workload = "w", .dtype = "f32", .shape = "n=2" } };
    struct answer answer[4] = { { .problem = NULL } };
    for (unsigned i = 0; i < 4; i++) {
        answer[i] =
            (struct answer){ .problem = &problem[i % 2], .part = &part[i / 2], .size = &problem[i % 2].shape[2] };
        answer[i].row[USE_RESIDENT] = &metrics;
        answer[i].use[USE_RESIDENT] = (struct figure){ .speedup = i == 1 || i == 2 ? smaller : larger };
    }
    struct answer_set set = { .answer = answer, .answers = 4 };
    const struct answer *found;
    const enum claim_outcome outcome = claim_check(&set, worse, &found);
    cr_assert(found);
    return outcome;
}

Test(screen, a_claim_of_a_change_is_judged_by_intervals_that_are_apart)
{
    const struct estimate low = { .value = 2, .low = 1.9, .high = 2.1 }, high = { .value = 3, .low = 2.8, .high = 3.2 };
    const struct estimate between = { .value = 2.5, .low = 2.05, .high = 2.9 };
    cr_expect_eq(claimed(high, low), CLAIM_AGREES);
    cr_expect_eq(claimed(low, high), CLAIM_DIFFERS);
    cr_expect_eq(claimed(high, between), CLAIM_UNCLEAR);
    cr_expect_eq(claimed(between, low), CLAIM_UNCLEAR);
    cr_expect_eq(claimed(low, between), CLAIM_UNCLEAR);
    cr_expect_eq(claimed(estimate_unknown, low), CLAIM_UNCLEAR);
    cr_expect_eq(claimed(high, estimate_unknown), CLAIM_UNCLEAR);
}
