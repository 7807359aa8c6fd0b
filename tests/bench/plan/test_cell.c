/* What is written of a cell, what its worker is asked for, and what it takes. */

#include "bench/worker/check.h"
#include "harness/base/text.h"
#include "tests/support/made_plan.h"

static struct made_plan made;

static void plan_end(void)
{
    made_plan_free(&made);
}

TestSuite(cell, .fini = plan_end);

static void plan_of(const char *workload, const char *size, const char *more)
{
    made_plan_of(&made, "cpu cuda:0 opencl:0", text_print("--workload %s --size %s%s", workload, size, more).text);
}

static double number_of(const json_t *line, const char *member)
{
    return json_number_value(json_object_get(line, member));
}

static void expect_text(const json_t *line, const char *member, const char *wanted)
{
    const char *text = json_string_value(json_object_get(line, member));
    cr_expect(text && strcmp(text, wanted) == 0, "%s: %s instead of %s", member, text, wanted);
}

Test(cell, its_line_has_the_work_and_how_it_is_done)
{
    plan_of("matmul", "m=64,n=32,k=16", " --dtype f16 --cold");
    const struct cell *cell = made_plan_cell(&made, "cuda:0", "portable", "m=64,n=32,k=16");
    json_t *line = made_plan_line(cell, "the baseline");
    expect_text(line, "device", "cuda:0");
    expect_text(line, "workload", "matmul");
    expect_text(line, "dtype", "f16");
    expect_text(line, "shape", "m=64,n=32,k=16");
    expect_text(line, "method", "portable");
    expect_text(line, "memory", "pinned");
    expect_text(line, "baseline", "the baseline");
    expect_text(line, "key", "matmul/f16/m=64,n=32,k=16/portable/pinned/cold@key-of-cuda:0");
    cr_expect_eq(number_of(line, "flops"), 2 * 64 * 32 * 16);
    cr_expect_eq(number_of(line, "bytes"), 2 * (64 * 16 + 16 * 32 + 64 * 32));
    cr_expect_eq(number_of(line, "held"), 2 * (64 * 16 + 16 * 32 + 64 * 32));
    cr_expect_eq(number_of(line, "workspace"), cell_workspace(cell));
    cr_expect(json_is_true(json_object_get(line, "cold")) && !json_object_get(line, "fast_algorithm"));
    cr_expect_null(json_object_get(line, "items"));
    cr_expect_null(json_object_get(line, "link"));
    cr_expect(strstr(cell->repro, "bench run --device cuda:0 --workload matmul --dtype f16 --size m=64,n=32,k=16 "
                                  "--memory pinned --method portable") == cell->repro,
              "%s", cell->repro);
    cr_expect(strstr(cell->repro, " --cold") && !strstr(cell->repro, "--baseline"), "%s", cell->repro);
    json_decref(line);
    plan_of("matmul", "m=64,n=32,k=16", " --baseline none");
    cell = made_plan_cell(&made, "cuda:0", "portable", "m=64,n=32,k=16");
    cr_expect(strstr(cell->repro, "--baseline"), "%s", cell->repro);
    cr_expect_null(strstr(cell->key, "/cold"));
}

/* A sweep compares the devices that it is given, and a run of one of them would compare it with the CPU. */
Test(cell, the_command_of_a_size_of_a_sweep_names_the_baseline)
{
    made_plan_of(&made, "cuda:0 opencl:0", "--workload multiply --size 1000");
    made.options.verb = VERB_SWEEP;
    made_plan_again(&made);
    const struct cell *cell = made_plan_cell(&made, "opencl:0", "portable", "n=1000");
    cr_expect(strstr(cell->repro, " --baseline cuda:0"), "%s", cell->repro);
}

Test(cell, its_line_names_items_links_and_fast_algorithms)
{
    plan_of("conv", "n=7,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", "");
    const struct cell *cell =
        made_plan_cell(&made, "cpu", "onednn-winograd", "n=7,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1");
    json_t *line = made_plan_line(cell, "");
    expect_text(line, "items", "images");
    cr_expect_eq(number_of(line, "items_per_run"), 7);
    cr_expect(json_is_true(json_object_get(line, "fast_algorithm")));
    json_decref(line);
    plan_of("transfer", "bytes=4096,direction=peer", "");
    line = made_plan_line(made_plan_cell(&made, "cuda:0", "peer", "bytes=4096,direction=peer"), "");
    cr_expect(json_is_true(json_object_get(line, "link")));
    json_decref(line);
}

/* Only the user limits the threads of a driver, such as one that computes on the same CPU. The host has 6. */
Test(cell, a_request_has_seed_threads_and_what_empties_the_caches)
{
    static const struct {
        const char *device, *method, *more;
        double threads;
    } rows[] = { { "cpu", "native", "", 6 },
                 { "cuda:0", "portable", "", 0 },
                 { "opencl:0", "portable", "", 0 },
                 { "opencl:0", "portable", " --threads 3", 3 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan_of("multiply", "n=1000", text_print(" --seed 77 --cold%s", rows[i].more).text);
        const struct cell *cell = made_plan_cell(&made, rows[i].device, rows[i].method, "n=1000");
        made.device[2].class = CLASS_CPU;
        const struct request asked = cell_request(cell, ASK_OPEN, &made.options, 6);
        json_t *request = request_to_json(&asked);
        cr_expect_eq(number_of(request, "seed"), 77);
        cr_expect_eq(number_of(request, "threads"), rows[i].threads, "%u", i);
        cr_expect_eq(number_of(request, "flush"), (double)cell->flush);
        cr_expect_gt(cell->flush, 0);
        expect_text(request, "do", "open");
        expect_text(request, "method", rows[i].method);
        expect_text(json_object_get(request, "device"), "id", rows[i].device);
        json_decref(request);
    }
}

Test(cell, says_where_no_library_of_the_vendor_is_known)
{
    static const struct {
        const char *workload, *size, *device, *method;
        bool lacks;
    } rows[] = { { "matmul", "m=64,n=32,k=16", "opencl:0", "portable", true },
                 { "matmul", "m=64,n=32,k=16", "opencl:0", "clblast", true },
                 { "matmul", "m=64,n=32,k=16", "cuda:0", "portable", false },
                 { "matmul", "m=64,n=32,k=16", "cpu", "native", false },
                 { "train", "batch=16,in=784,hidden=1024,out=10", "opencl:0", "portable", true },
                 { "train", "batch=16,in=784,hidden=1024,out=10", "cuda:0", "cublas", false },
                 { "multiply", "n=1000", "opencl:0", "portable", false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan_of(rows[i].workload, rows[i].size, "");
        json_t *line = made_plan_line(made_plan_cell(&made, rows[i].device, rows[i].method, rows[i].size), "");
        cr_expect_eq(json_is_true(json_object_get(line, "lacks_library")), rows[i].lacks, "%u", i);
        json_decref(line);
    }
}

/* What empties the caches is host memory, what a method needs beside its operands is the device's. */
Test(cell, takes_memory_for_all_that_it_allocates)
{
    plan_of("matmul", "m=512,n=4,k=512", "");
    const struct cell *cell = made_plan_cell(&made, "opencl:0", "portable-gemv", "m=512,n=4,k=512");
    const double bytes = cell_host_bytes(cell);
    cr_expect_gt(cell_workspace(cell), 0);
    cr_expect_float_eq(cell_device_bytes(cell), problem_bytes_held(&cell->problem) + cell_workspace(cell), 1);
    cr_expect_float_eq(cell_check_seconds(cell, 3) - cell_check_seconds(cell, 1), 2 * CHECKS_MAX, 1e-9);
    cr_expect_geq(cell_check_seconds(cell, 0), cell_host_seconds(cell));
    struct cell flushed = *cell;
    flushed.flush = 4096;
    cr_expect_float_eq(cell_host_bytes(&flushed), bytes + 4096, 1e-9);
    made.device[2].shares_host_memory = true;
    cr_expect_eq(cell_device_bytes(cell), 0);
}
