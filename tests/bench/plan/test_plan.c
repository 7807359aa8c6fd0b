/* Which cells are planned, by options and devices: a table of commands and the cells that follow. */

#include "bench/plan/peaks.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"
#include "tests/support/made_plan.h"

static struct made_plan made;

static void plan_end(void)
{
    made_plan_free(&made);
}

TestSuite(plan, .fini = plan_end);

/* "[shape] row:device/method/memory[!]" of each cell, in order, blanks between; the shape once for each block; "!"
 * where it is refused. */
static void describe(const struct plan *plan, char to[4096])
{
    size_t used = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < plan->cells; i++) {
        const struct cell *cell = &plan->cell[i];
        char shape[SHAPE_MAX];
        bool is_first = i == 0 || strcmp(cell->block, plan->cell[i - 1].block) != 0;
        problem_shape(&cell->problem, shape);
        used += (size_t)snprintf(to + used, 4096 - used, "%s%s%s%s%u:%s/%s/%s%s", i ? " " : "", is_first ? "[" : "",
                                 is_first ? shape : "", is_first ? "] " : "", cell->row, cell->device->id,
                                 cell->method ? cell->method->name : "-", memory_names[cell->memory],
                                 cell->refused.status != STATUS_OK ? "!" : "");
    }
}

static const struct {
    const char *ids, *words, *cells;
} rows[] = {
    /* every method of a device is a candidate of one row; the baseline's device comes first */
    { "opencl:0 cpu", "--workload multiply --size 1000", "[n=1000] 0:cpu/native/pageable 1:opencl:0/portable/pinned" },
    { "cpu opencl:0", "--workload matmul --size m=16,n=16,k=16",
      "[m=16,n=16,k=16] 0:cpu/onednn/pageable 0:cpu/onednn-gemm/pageable 0:cpu/openblas/pageable 0:cpu/native/pageable "
      "1:opencl:0/portable/pinned 1:opencl:0/clblast/pinned" },
    /* a named method has a row of its own; the baseline keeps its candidates */
    { "cpu opencl:0", "--workload matmul --size m=16,n=16,k=16 --method portable",
      "[m=16,n=16,k=16] 0:cpu/onednn/pageable 0:cpu/onednn-gemm/pageable 0:cpu/openblas/pageable 0:cpu/native/pageable "
      "1:opencl:0/portable/pinned" },
    /* each kind of memory that is asked for */
    { "cpu cuda:0", "--workload multiply --size 1000 --memory pageable,pinned",
      "[n=1000] 0:cpu/native/pageable 1:cuda:0/portable/pageable 2:cuda:0/portable/pinned" },
    /* the same size in other words is one cell */
    { "cpu", "--workload multiply --size 1000 --size n=1K", "[n=1000] 0:cpu/native/pageable" },
    /* two sizes are two blocks */
    { "cpu", "--workload multiply --size 1000 --size 2000",
      "[n=1000] 0:cpu/native/pageable [n=2000] 1:cpu/native/pageable" },
    /* of named methods each device has its own */
    { "cpu opencl:0", "--workload matmul --size m=16,n=16,k=16 --method cublas,clblast,openblas",
      "[m=16,n=16,k=16] 0:cpu/openblas/pageable 1:opencl:0/clblast/pinned" },
    /* nothing to transfer where the device works in host memory */
    { "cpu", "--workload transfer --size bytes=4Ki,direction=up", "[bytes=4096,direction=up] 0:cpu/-/pageable!" },
    /* a method that a workload without methods cannot have is of the others */
    { "cpu", "--workload multiply,transfer --size 1000 --size bytes=4Ki,direction=up --method native",
      "[n=1000] 0:cpu/native/pageable" },
    /* in a suite that measures all, each kind of memory of what moves, and one of what does not */
    { "opencl:0", "--workload multiply --size 1000 --suite full --dtype f32",
      "[n=1000] 0:opencl:0/portable/pageable 1:opencl:0/portable/pinned 2:opencl:0/portable/mapped "
      "3:opencl:0/portable/mapped-copy" },
    { "opencl:0", "--workload launch --size n=1,count=1 --suite full --dtype f32",
      "[n=1,count=1] 0:opencl:0/portable/pinned" },
    /* what is copied in parts cannot be mapped */
    { "opencl:0", "--workload overlap --size n=100000,chunks=8,queues=2 --memory mapped,pinned",
      "[n=100000,chunks=8,queues=2] 0:opencl:0/portable/pinned 1:opencl:0/portable/mapped!" },
    /* a named method that is not made for a problem is left out, beside one that is */
    { "opencl:0", "--workload matmul --size 64 --method portable,portable-gemv",
      "[m=64,n=64,k=64] 0:opencl:0/portable/pinned" },
};

Test(plan, has_the_cells_that_the_table_states)
{
    char cells[4096];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        made_plan_of(&made, rows[i].ids, rows[i].words);
        describe(&made.plan, cells);
        cr_expect_str_eq(cells, rows[i].cells, "%s, %s: %s", rows[i].ids, rows[i].words, cells);
    }
}

Test(plan, refuses_with_the_reason)
{
    static const char *const refusals[][2] = {
        { "--workload matmul --size banana", "--size banana" },
        { "--workload multiply --size 1000 --dtype bf16", "multiply has no element type bf16" },
        { "--workload multiply --size 1000 --method clblast",
          "nothing to measure: no requested method supports multiply n=1000" },
        { "--workload transfer --size bytes=4Ki,direction=peer",
          "nothing to measure: no chosen device has a method for transfer bytes=4096,direction=peer" },
        { "--workload matmul --size m=16,n=16,k=16 --method cublas",
          "nothing to measure: no requested method supports matmul m=16,n=16,k=16" },
        { "--workload matmul --size m=4,n=4,k=600000 --dtype f32,i8",
          "--size m=4,n=4,k=600000: sums of 600000 products in i8" },
        { "--cold --sustained 5s", "--sustained and --cold" },
        /* by the workload that has most of the dimensions */
        { "--size m=4,q=5", "'q': matmul has no such dimension" },
        { "--size count=5,zz=1", "'zz': launch has no such dimension" },
    };
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        cr_expect_not(made_plan_try(&made, "cpu opencl:0", refusals[i][0]), "%s", refusals[i][0]);
        cr_expect(strstr(made.err.message, refusals[i][1]), "%s: %s", refusals[i][0], made.err.message);
        cr_expect_eq(made.err.status, STATUS_USAGE);
    }
}

/* It is not measured for itself. */
Test(plan, a_baseline_that_was_not_chosen_is_measured_where_a_device_is_compared_with_it)
{
    char cells[4096];
    made_plan_of(&made, "cpu opencl:0", "--workload matmul --size 64 --method portable");
    made.chosen[0] = false;
    made_plan_again(&made);
    describe(&made.plan, cells);
    cr_expect_str_eq(cells, "[m=64,n=64,k=64] 0:cpu/onednn/pageable 0:cpu/onednn-gemm/pageable 0:cpu/openblas/pageable "
                            "0:cpu/native/pageable 1:opencl:0/portable/pinned");
}

Test(plan, blocks_end_where_the_problem_changes)
{
    made_plan_of(&made, "cpu opencl:0", "--workload multiply --size 1000 --size 2000");
    cr_expect_eq(made.plan.cells, 4);
    cr_expect_eq(plan_block_end(&made.plan, 0), 2);
    cr_expect_eq(plan_block_end(&made.plan, 2), 4);
}

/* Devices that exist, but are in no plan. */
static void devices_of(const char *ids)
{
    char text[128], *rest = text;
    snprintf(text, sizeof text, "%s", ids);
    plan_free(&made.plan);
    made = (struct made_plan){ .err = { .status = STATUS_OK } };
    made.listing.device = made.device;
    while (rest)
        made_plan_device(&made, strsep(&rest, " "));
}

/* Without --device: a class for each device, and x where it is chosen. */
Test(plan, the_usual_devices_are_the_cpu_and_every_gpu)
{
    static const struct {
        const char *ids;
        enum device_class class[5];
        const char *chosen;
    } machines[] = {
        { "cpu opencl:0 opencl:1 cuda:0 fake:0",
          { CLASS_CPU, CLASS_CPU, CLASS_IGPU, CLASS_DGPU, CLASS_DGPU },
          "x.xx." },
        { "cpu opencl:0 fake:0", { CLASS_CPU, CLASS_CPU, CLASS_DGPU }, "xx." },
        { "cpu opencl:0 opencl:1", { CLASS_CPU, CLASS_ACCELERATOR, CLASS_CPU }, "xx." },
        { "opencl:0", { CLASS_IGPU }, "x" },
    };
    static const char *const none[] = { NULL };
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        bool chosen[DEVICES_MAX];
        devices_of(machines[i].ids);
        for (unsigned d = 0; d < made.listing.devices; d++)
            made.device[d].class = machines[i].class[d];
        cr_assert(listing_select(&made.listing, "--device", none, chosen, &made.err));
        for (unsigned d = 0; d < made.listing.devices; d++)
            cr_expect_eq(chosen[d], machines[i].chosen[d] == 'x', "%s: %s", machines[i].ids, made.device[d].id);
    }
}

/* CUDA's mapped memory is not cached by a GPU within the chip; OpenCL's may be. A card has pinned memory alone. */
Test(plan, a_gpu_of_nvidia_within_the_chip_is_measured_in_memory_of_its_own_as_well)
{
    static const struct {
        const char *id;
        bool is_shared, memory[MEMORY_COUNT];
    } cases[] = {
        { "cuda:0", true, { [MEMORY_PINNED] = true, [MEMORY_MAPPED] = true } },
        { "cuda:0", false, { [MEMORY_PINNED] = true } },
        { "opencl:0", true, { [MEMORY_MAPPED] = true } },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool memory[MEMORY_COUNT] = { false };
        made_plan_of(&made, text_print("cpu %s", cases[i].id).text, "--workload matmul --size 64");
        made.listing.device[1].shares_host_memory = cases[i].is_shared;
        made_plan_again(&made);
        for (unsigned k = 0; k < made.plan.cells; k++)
            if (made.plan.cell[k].device == &made.device[1])
                memory[made.plan.cell[k].memory] = true;
        for (enum memory kind = 0; kind < MEMORY_COUNT; kind++)
            cr_expect_eq(memory[kind], cases[i].memory[kind], "case %u: %s", i, memory_names[kind]);
    }
}

/* The last two devices are one GPU. */
Test(plan, a_gpu_that_two_apis_list_is_measured_through_the_better_one_unless_the_other_is_named)
{
    static const struct {
        const char *word, *compiler, *silicon, *backend, *says;
        bool is_alone; /* the better one was not chosen */
    } cases[] = {
        { "all", "NVRTC", "pci 0000:01:00.0", "cuda", "opencl:0 is cuda:0", false },
        { "gpu", "NVRTC", "pci 0000:01:00.0", "cuda", "opencl:0 is cuda:0", false },
        { NULL, "NVRTC", "pci 0000:01:00.0", "cuda", "opencl:0 is cuda:0", false },
        { "opencl", "NVRTC", "pci 0000:01:00.0", "cuda", "", false },
        { "opencl:0", "NVRTC", "pci 0000:01:00.0", "cuda", "", false },
        { "all", "cuBLAS", "pci 0000:01:00.0", "cuda", "", false },
        { "all", "NVRTC", "pci 0000:02:00.0", "cuda", "", false },
        { "all", "NVRTC", "", "cuda", "", false },
        { "all", "NVRTC", "pci 0000:01:00.0", "opencl", "", false },
        { "Made-up", "NVRTC", "pci 0000:01:00.0", "cuda", "", true },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words[] = { cases[i].word, NULL };
        char says[64];
        devices_of("cpu opencl:0 cuda:0");
        struct device *const opencl = &made.device[1], *const cuda = &made.device[2];
        strcpy(opencl->silicon, cases[i].silicon);
        strcpy(cuda->silicon, *cases[i].silicon ? "pci 0000:01:00.0" : "");
        strcpy(cuda->backend, cases[i].backend);
        strcpy(cuda->library[0].name, cases[i].compiler);
        strcpy(cuda->library[0].path, "there");
        made.chosen[2] = !cases[i].is_alone;
        listing_leave_out(&made.listing, words, made.chosen, says, sizeof says);
        cr_expect_str_eq(says, cases[i].says, "case %u: %s", i, says);
        cr_expect_eq(made.chosen[1], !*cases[i].says, "case %u", i);
        cr_expect(made.chosen[0] && made.chosen[2] == !cases[i].is_alone, "case %u", i);
    }
}

/* A short suite counts visits. --budget is taken as it is. */
Test(plan, a_series_has_the_visits_or_the_budget_of_its_suite)
{
    static const struct {
        const char *words;
        unsigned visits;
        double seconds, deadline; /* of one run: ten budgets, and no more than the timeout */
    } cases[] = { { "quick", 12, 0.5, 5 },
                  { "standard", 24, 1.5, 15 },
                  { "full", 0, 10, 30 },
                  { "uhd620", 0, 10, 30 },
                  { "standard --budget 3s", 0, 3, 30 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_plan_of(&made, "cpu", text_print("--workload multiply --suite %s", cases[i].words).text);
        cr_expect_eq(plan_visits(&made.options), cases[i].visits, "case %u", i);
        cr_expect_eq(plan_budget(&made.options), cases[i].seconds, "case %u", i);
        cr_expect_eq(plan_deadline(&made.options), cases[i].deadline, "case %u", i);
    }
}

/* The suite of one machine has its sizes alone, and the others do not have them. */
Test(plan, a_suite_has_its_own_sizes)
{
    static const struct {
        const char *suite, *sizes[3];
    } cases[] = { { "quick", { "n=40000000", NULL } },
                  { "standard", { "n=40000000", "n=80000000", NULL } },
                  { "uhd620", { "n=40000000", "n=160000000", NULL } } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned sizes = 0;
        made_plan_of(&made, "cpu", text_print("--workload multiply --suite %s", cases[i].suite).text);
        for (; cases[i].sizes[sizes]; sizes++)
            made_plan_cell(&made, "cpu", "native", cases[i].sizes[sizes]);
        cr_expect_eq(made.plan.cells, sizes, "%s: %u cells", cases[i].suite, made.plan.cells);
    }
}

/* "multiply, matmul": the workloads of the plan. */
static void name_workloads(char to[256])
{
    const struct workload *latest = NULL;
    to[0] = '\0';
    for (unsigned i = 0; i < made.plan.cells; i++) {
        const struct workload *workload = made.plan.cell[i].problem.workload;
        if (workload != latest)
            snprintf(to + strlen(to), 256 - strlen(to), "%s%s", *to ? ", " : "", workload->name);
        latest = workload;
    }
}

/* What a suite leaves out is measured where it is named, at the sizes of the smallest suite that has it; bytes have no
 * types. */
Test(plan, a_suite_has_its_own_workloads_and_those_that_are_named)
{
    static const struct {
        const char *words, *workloads, *last;
        unsigned blocks;
    } cases[] = {
        { "--suite quick", "multiply, matmul, conv", "/n=8,c=64,", 3 },
        { "--suite quick --workload conv", "conv", "/n=8,c=64,", 1 },
        { "--suite quick --workload train", "train", "/batch=4096,", 1 },
        { "--suite uhd620", "multiply, conv", "/n=128,c=3,", 3 },
        { "--suite full --workload transfer", "transfer", "/bytes=268435456,direction=down", 9 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char named[256];
        unsigned blocks = 0, first = 0, last = 0;
        made_plan_of(&made, "cpu opencl:0", cases[i].words);
        name_workloads(named);
        for (; first < made.plan.cells; blocks++, first = plan_block_end(&made.plan, first))
            last = first;
        cr_expect_str_eq(named, cases[i].workloads, "%s: %s", cases[i].words, named);
        cr_expect_eq(blocks, cases[i].blocks, "%s: %u", cases[i].words, blocks);
        cr_expect(strstr(made.plan.cell[last].block, cases[i].last), "%s: %s", cases[i].words,
                  made.plan.cell[last].block);
    }
}

/* What was named, the first ones by name; of a suite, the workloads that an option leaves out. */
Test(plan, what_has_no_row_is_explained)
{
    static const struct {
        const char *words, *unmeasured;
    } cases[] = {
        { "--suite standard", "" },
        { "--workload transfer --size bytes=4096,direction=up --size bytes=4096,direction=peer",
          "no chosen device has a method for transfer bytes=4096,direction=peer" },
        { "--workload transfer --size bytes=1024,direction=up --size bytes=4,direction=peer --size "
          "bytes=8,direction=peer --size bytes=12,direction=peer --size bytes=16,direction=peer --size "
          "bytes=20,direction=peer",
          "no chosen device has a method for transfer bytes=4,direction=peer, transfer bytes=8,direction=peer, "
          "transfer bytes=12,direction=peer, transfer bytes=16,direction=peer and 1 more" },
        { "--workload matmul --size 16 --method openblas,cublas",
          "cublas: no chosen device has this method for these sizes" },
        { "--workload multiply --size 1000 --dtype f32,bf16",
          "multiply has no element type bf16; it has f32, f64, f16" },
        { "--suite quick --workload multiply,matmul --method openblas",
          "no requested method supports multiply n=40000000" },
        { "--suite quick --method openblas", "multiply, conv: left out by --method" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_plan_of(&made, "cpu opencl:0", cases[i].words);
        const struct labels *unmeasured = &made.plan.unmeasured;
        cr_expect_eq(unmeasured->count, *cases[i].unmeasured ? 1 : 0, "case %u: %u", i, unmeasured->count);
        cr_expect_str_eq(unmeasured->count > 0 ? unmeasured->label[0] : "", cases[i].unmeasured);
    }
}

/* The processor as a device of OpenCL has memory of its own. */
Test(plan, only_what_computes_in_host_memory_has_nothing_to_transfer)
{
    made_plan_of(&made, "cpu opencl:0", "--workload transfer --size bytes=4096,direction=up");
    made.device[1].class = CLASS_CPU;
    made_plan_again(&made);
    for (unsigned i = 0; i < made.plan.cells; i++)
        cr_expect_eq(made.plan.cell[i].refused.status == STATUS_OK, made.plan.cell[i].device == &made.device[1], "%s",
                     made.plan.cell[i].key);
}

/* Ids, case and parts of names choose devices; a word that chooses none is answered with what there is, or with why its
 * API has no device. */
Test(plan, a_word_chooses_devices_or_is_answered)
{
    static const struct {
        const char *word, *chosen; /* a letter each, x where it is chosen */
        const char *says;
    } cases[] = {
        { "cpu", "x...", NULL },
        { "all", "xxx.", NULL },
        { "gpu", ".xx.", NULL },
        { "opencl", ".xx.", NULL },
        { "opencl:1", "..x.", NULL },
        { "MADE-UP OPENCL:0", ".x..", NULL },
        { "fake", "...x", NULL },
        { "OpenCL:7", NULL, "'OpenCL:7' matches no device; there is cpu, opencl:0, opencl:1, fake:0 (did you mean" },
        { "cuda", NULL, "--device cuda: no device from there: it is broken; there is cpu, opencl:0" },
        { "CUDA:1", NULL, "--device CUDA:1: no device from there: it is broken; there is cpu, opencl:0" },
        { "cu", NULL, "'cu' matches no device" },
    };
    devices_of("cpu opencl:0 opencl:1 fake:0");
    made.listing.absent = json_array();
    for (unsigned i = 0; i < 3; i++)
        json_array_append_new(made.listing.absent,
                              json_pack("{s:s, s:s, s:s, s:s}", "backend", i ? "cuda" : "opencl", "source", "there",
                                        "status", i == 2 ? "failed" : "unsupported", "reason",
                                        i == 2 ? "it is broken" : "no driver"));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words[] = { cases[i].word, NULL };
        bool chosen[DEVICES_MAX];
        struct error err = { .status = STATUS_OK };
        const bool is_chosen = listing_select(&made.listing, "--device", words, chosen, &err);
        cr_expect_eq(is_chosen, cases[i].chosen != NULL, "%s: %s", cases[i].word, err.message);
        cr_expect(is_chosen || strstr(err.message, cases[i].says), "%s: %s", cases[i].word, err.message);
        for (unsigned k = 0; is_chosen && k < made.listing.devices; k++)
            cr_expect_eq(chosen[k], cases[i].chosen && cases[i].chosen[k] == 'x', "%s: %s", cases[i].word,
                         made.device[k].id);
    }
    json_decref(made.listing.absent);
}

/* Of a card that allocates too little at once, and of one that has no such arithmetic. */
Test(plan, a_cell_is_refused_where_the_device_cannot_have_it)
{
    for (unsigned i = 0; i < 3; i++) {
        made_plan_of(&made, "cpu opencl:0", "--workload multiply --size 1000 --dtype f64");
        made.listing.device[1].largest_buffer = i == 1 ? 7999 : 8000;
        made.listing.device[1].computes[DTYPE_F64] = i != 2;
        made_plan_again(&made);
        const struct cell *cell = made_plan_cell(&made, "opencl:0", "portable", "n=1000");
        cr_expect_eq(cell->refused.status,
                     i == 0   ? STATUS_OK
                     : i == 1 ? STATUS_NO_MEMORY
                              : STATUS_UNSUPPORTED,
                     "%u: %s", i, cell->refused.message);
    }
}

/* A buffer that is mapped changes hands as a whole; and a loop that measures a limit keeps its caches warm. */
Test(plan, memory_and_caches_follow_from_the_problem)
{
    static const struct {
        const char *workload, *size;
        enum memory memory;
        bool is_flushed;
    } cases[] = { { "multiply", "n=100000", MEMORY_MAPPED, true },
                  { "overlap", "n=100000,chunks=8,queues=2", MEMORY_PINNED, true },
                  { "launch", "n=1,count=1", MEMORY_MAPPED, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_plan_of(&made, "cpu opencl:0",
                     text_print("--workload %s --size %s --cold", cases[i].workload, cases[i].size).text);
        made.listing.device[1].shares_host_memory = true;
        made_plan_again(&made);
        const struct cell *cell = made_plan_cell(&made, "opencl:0", "portable", cases[i].size);
        cr_expect_eq(cell->memory, cases[i].memory, "%s: %s", cases[i].workload, memory_names[cell->memory]);
        cr_expect_eq(cell->flush > 0, cases[i].is_flushed, "%s", cases[i].workload);
    }
}

/* CLBlast's kernels are for GPUs: a CPU under OpenCL does not race with them. */
Test(plan, a_method_for_gpus_is_no_contender_on_a_cpu)
{
    for (unsigned is_cpu = 0; is_cpu < 2; is_cpu++) {
        unsigned found = 0;
        made_plan_of(&made, "cpu opencl:0", "--workload matmul --size 64");
        made.listing.device[1].class = is_cpu ? CLASS_CPU : CLASS_DGPU;
        made_plan_again(&made);
        for (unsigned i = 0; i < made.plan.cells; i++)
            found += strcmp(made.plan.cell[i].method->name, "clblast") == 0;
        cr_expect_eq(found, !is_cpu);
    }
}

/* Operands of a multiplication of 1000 numbers take 12000 bytes, and its check inputs of its own, 8000. */
Test(plan, a_cell_counts_each_copy_of_its_operands_on_the_host)
{
    static const double bytes[MEMORY_COUNT] = {
        [MEMORY_PAGEABLE] = 20e3, [MEMORY_PINNED] = 20e3, [MEMORY_MAPPED] = 20e3, [MEMORY_MAPPED_COPY] = 32e3
    };
    made_plan_of(&made, "cpu opencl:0", "--workload multiply --size 1000");
    struct cell card = *made_plan_cell(&made, "opencl:0", "portable", "n=1000");
    for (enum memory memory = 0; memory < MEMORY_COUNT; memory++) {
        card.memory = memory;
        cr_expect_eq(cell_host_bytes(&card), bytes[memory], "%s: %g", memory_names[memory], cell_host_bytes(&card));
    }
    cr_expect_eq(cell_host_bytes(made_plan_cell(&made, "cpu", "native", "n=1000")), 20e3);
}

/* And says which limit it measures: of launches, the smallest alone. */
Test(plan, a_cell_counts_the_launches_of_its_run)
{
    static const struct {
        const char *workload, *size, *roof;
        int launches;
    } cases[] = { { "multiply", "n=1000", "none", 1 },
                  { "overlap", "n=100000,chunks=8,queues=2", "none", 8 },
                  { "launch", "n=1,count=1", "latency", 1 },
                  { "launch", "n=100000,count=10", "none", 10 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_plan_of(&made, "cpu opencl:0",
                     text_print("--workload %s --size %s", cases[i].workload, cases[i].size).text);
        json_t *line = made_plan_line(made_plan_cell(&made, "opencl:0", "portable", cases[i].size), "");
        cr_expect_eq(json_integer_value(json_object_get(line, "launches")), cases[i].launches, "%s", cases[i].workload);
        cr_expect_str_eq(journal_text(line, "roof"), cases[i].roof, "%s %s", cases[i].workload, cases[i].size);
        json_decref(line);
    }
}

/* A card that holds the operands, and half of what the method needs beside them. */
Test(plan, a_method_is_refused_where_its_workspace_does_not_fit)
{
    made_plan_of(&made, "cpu opencl:0", "--workload matmul --size m=512,n=4,k=512");
    const struct cell *cell = made_plan_cell(&made, "opencl:0", "portable-gemv", "m=512,n=4,k=512");
    const double held = problem_bytes_held(&cell->problem), workspace = cell_workspace(cell);
    cr_assert(workspace > 0 && cell->refused.status == STATUS_OK);
    for (unsigned halves = 1; halves < 3; halves++) {
        made.listing.device[1].memory = held + halves * workspace / 2;
        made_plan_again(&made);
        cell = made_plan_cell(&made, "opencl:0", "portable-gemv", "m=512,n=4,k=512");
        cr_expect_eq(cell->refused.status, halves == 1 ? STATUS_NO_MEMORY : STATUS_OK, "%s", cell->refused.message);
    }
}

/* Only one element in one launch is the shortest run there is. */
Test(plan, the_peak_of_a_launch_is_that_of_one_element)
{
    static const char *const shapes[] = { "n=1,count=1", "n=40000000,count=1", "n=1000000,count=100" };
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct problem problem;
        struct error err = { .status = STATUS_OK };
        cr_assert(problem_parse(&problem, workload_find("launch"), DTYPE_F32, shapes[i], &err), "%s", err.message);
        cr_expect_eq(problem.workload->roof(&problem), i == 0 ? ROOF_LATENCY : ROOF_NONE, "%s", shapes[i]);
    }
}

/* Of the three operands of a product the first, the second or the last takes 1 MiB. */
Test(plan, an_operand_that_is_too_large_is_refused_whichever_it_is)
{
    static const char *const sizes[] = { "m=512,n=8,k=512", "m=8,n=512,k=512", "m=512,n=512,k=8", "m=8,n=8,k=8" };
    for (unsigned i = 0; i < 4; i++) {
        unsigned cells = 0;
        made_plan_of(&made, "cpu opencl:0", text_print("--workload matmul --size %s", sizes[i]).text);
        made.listing.device[1].largest_buffer = 1e5;
        made_plan_again(&made);
        for (unsigned k = 0; k < made.plan.cells; k++) {
            const struct cell *cell = &made.plan.cell[k];
            if (cell->device != &made.listing.device[1])
                continue;
            cells++;
            cr_expect_eq(cell->refused.status, i < 3 ? STATUS_NO_MEMORY : STATUS_OK, "%s: %s", sizes[i],
                         cell->refused.message);
        }
        cr_expect_gt(cells, 0);
    }
}

/* All methods of three devices, a row for each. */
Test(plan, every_cell_that_measures_a_peak_is_a_peak)
{
    struct plan plan = { 0 };
    struct problem problem;
    made_plan_of(&made, "cpu opencl:0 opencl:1", "--workload matmul --size 64");
    cr_assert(problem_parse(&problem, workload_find("peak"), DTYPE_F32, "kind=triad,bytes=65536,passes=1", &made.err));
    for (unsigned i = 0; i < 3; i++)
        cr_assert(plan_add_peak(&plan, &made.options, &problem, &made.listing.device[i], &made.err));
    cr_expect_geq(plan.cells, 3);
    cr_expect_eq(plan.rows, 3);
    for (unsigned i = 0; i < plan.cells; i++)
        cr_expect(plan.cell[i].is_peak, "%s", plan.cell[i].key);
    plan_free(&plan);
}

/* The peaks of the plan: their shapes, until the next call. */
static const char *peaks_of(double budget, struct rule *taken)
{
    static struct peaks peaks;
    static char shapes[1024];
    char shape[SHAPE_MAX];
    const struct rule rule = { .budget = budget, .target = 0.02, .deadline = 30 };
    *shapes = '\0';
    cr_assert(peaks_plan(&peaks, &made.options, &rule, &made.plan, &made.err), "%s", made.err.message);
    for (unsigned i = 0; i < peaks.plan.cells; i++)
        text_join(shapes, sizeof shapes, " ", problem_shape(&peaks.plan.cell[i].problem, shape));
    *taken = peaks.rule;
    plan_free(&peaks.plan);
    return shapes;
}

Test(plan, what_is_refused_needs_no_peak)
{
    struct rule rule;
    made_plan_of(&made, "opencl:0", "--workload multiply --size 40000000");
    cr_expect(*peaks_of(1.5, &rule));
    for (unsigned i = 0; i < made.plan.cells; i++)
        fail(&made.plan.cell[i].refused, STATUS_NO_MEMORY, "too large");
    cr_expect_str_empty(peaks_of(1.5, &rule));
}

/* What they are compared with: of a run that goes through memory as far as the caches let it, and of arithmetic. */
Test(plan, peaks_are_those_that_cells_are_compared_with)
{
    static const struct {
        const char *device, *words, *has, *lacks; /* parts of shapes */
        unsigned units;
        double budget;
    } cases[] = {
        { "opencl:0", "multiply --size 40000", "triad,bytes=524288,passes=1", "passes=128", 0, 0.5 },
        { "opencl:0", "multiply --size 40000 --cold", "triad,bytes=536870912,passes=1", "bytes=524288", 0, 0.5 },
        { "opencl:0", "multiply --size 40000 --suite quick", "triad,bytes=268435456,passes=1", "bytes=536870912", 0,
          0.3 },
        { "opencl:0", "multiply --size 20000000", "triad,bytes=536870912,passes=1", "bytes=268435456", 0, 0.5 },
        { "opencl:0", "multiply,peak --size 40000000 --size kind=triad,bytes=512Mi,passes=1", "fma", "triad", 0, 0.5 },
        { "cpu", "multiply --size 40000", "triad,bytes=524288,passes=128", "bytes=16777216", 4, 0.5 },
        { "cpu", "multiply --size 40000", "fma,bytes=8388608,", "", 4, 0.5 },
        { "cpu", "multiply --size 40000", "fma,bytes=536870912,", "", 1000, 0.5 },
        { "cpu", "multiply --size 40000 --budget 100ms", "fma,bytes=8388608,", "", 4, 0.1 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rule rule;
        made_plan_of(&made, cases[i].device, text_print("--workload %s", cases[i].words).text);
        made.device[0].units = cases[i].units;
        const char *shapes = peaks_of(plan_budget(&made.options), &rule);
        cr_expect(strstr(shapes, cases[i].has), "%s: %s", cases[i].words, shapes);
        cr_expect(!*cases[i].lacks || !strstr(shapes, cases[i].lacks), "%s: %s", cases[i].words, shapes);
        cr_expect(rule.budget == cases[i].budget && rule.deadline == cases[i].budget, "%s: %g s", cases[i].words,
                  rule.budget);
    }
}

/* Bytes of the set beyond the caches, three arrays of one size: as much as an eighth of the memory, and a buffer for
 * each array, allow. */
Test(plan, the_peak_of_memory_fits_into_the_device_and_its_buffers)
{
    static const struct {
        double memory, largest_buffer;
        const char *bytes;
    } devices[] = { { 8e9, 0, "536870912" },   { 4e9, 0, "268435456" },   { 0, 1e8, "268435456" },
                    { 8e9, 1e8, "268435456" }, { 8e9, 1e9, "536870912" }, { 1e9, 1e9, "67108864" },
                    { 0, 0, "536870912" },     { 8e9, 2e8, "536870912" } };
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct rule rule;
        made_plan_of(&made, "opencl:0", "--workload multiply --size 40000000");
        made.device[0].memory = devices[i].memory;
        made.device[0].largest_buffer = devices[i].largest_buffer;
        const char *shapes = peaks_of(1.5, &rule);
        cr_expect(strstr(shapes, text_print("kind=triad,bytes=%s,", devices[i].bytes).text), "%u: no triad of %s: %s",
                  i, devices[i].bytes, shapes);
    }
}
