/* What suite standard adds for a GPU with fast matrix units: on scripted workers. */

#include "bench/commands/supplement.h"
#include "harness/base/text.h"
#include "tests/support/scripted_workers.h"

#include <stdlib.h>

TestSuite(supplement, .fini = scene_close);

/* Seconds at 512: at 4096 it is 512 times as much. 1e-5 are 27 TFLOP/s, 2e-5 13 TFLOP/s, which is slow. */
#define OTHERS ", openblas 0.002, onednn 0.003, onednn-gemm 0.004, native 0.005, portable 0.001"

static const char fast_gpu[] = "cublas 1e-5, cublaslt 2e-5" OTHERS, slow_gpu[] = "cublas 2e-5, cublaslt 4e-5" OTHERS;

/* What was measured beside the suite: "cpu f32 m=8192,n=8192,k=8192; cuda:0 ...", each row once. */
static char added[600];
static unsigned left_out; /* notes that say so */
static double planned;    /* seconds for all, of which 1000 were planned before */

static void list_added(void)
{
    const struct record *record = scene->context.run_log.record;
    added[0] = '\0';
    for (unsigned i = record->block[0].cells; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        char row[120];
        snprintf(row, sizeof row, "%s %s %s", cell->device_id, cell->dtype, cell->shape);
        cr_expect_eq(cell->outcome.status, STATUS_OK, "%s: %s", row, cell->outcome.message);
        if (!strstr(added, row))
            text_join(added, sizeof added, "; ", row);
    }
}

/* Changes the devices. */
typedef void changing(struct listing *listing);

static const char standard[] = "{\"suite\": \"standard\", \"size\": []}";

/* As if the journal said these options of the run, of which `whole` are the others. */
static void begin_as(const char *said, struct options *whole)
{
    *whole = scene->made.options;
    whole->workload[0] = whole->size[0] = NULL;
    scene->context.options = whole;
    json_t *head = json_object();
    json_object_set_new(head, "options", json_loads(said, 0, NULL));
    scene->context.run_log.record->head = head;
}

/* What a run of matmul at a size adds. */
static const char *measure_as(const char *said, const char *devices, const char *scripts, unsigned size,
                              changing *change, timetable_join *join)
{
    struct timetable timetable;
    struct supplement *supplement = calloc(1, sizeof *supplement);
    struct options whole;
    scene_open(devices, scripts, text_print("--size %u", size).text);
    begin_as(said, &whole);
    scene->context.progress.planned = 1000;
    if (change)
        change(&scene->context.listing);
    supplement->timetable = &timetable;
    scene_measure_with(join, supplement, &timetable);
    list_added();
    planned = scene->context.progress.planned;
    left_out = 0;
    const struct record *record = scene->context.run_log.record;
    for (unsigned i = 0; i < record->notes; i++)
        left_out += strstr(record->note[i], "--time would not allow for it: matmul 8192") != NULL;
    supplement_free(supplement);
    free(supplement);
    return added;
}

static const char *measure(const char *devices, const char *scripts, unsigned size, changing *change)
{
    return measure_as(standard, devices, scripts, size, change, supplement_join);
}

static const char one_gpu[] = "cpu cuda:0";

static void first_lacks_bf16(struct listing *listing)
{
    listing->device[1].computes[DTYPE_BF16] = false;
}

static void second_lacks_bf16(struct listing *listing)
{
    listing->device[2].computes[DTYPE_BF16] = false;
}

/* Every fast one of several, in one half type: that of the first of them. */
Test(supplement, a_fast_gpu_is_measured_at_8192_and_in_its_half_type_beside_the_cpu)
{
    static const char second_is_fast[] = "cublas 1e-5 device=cuda:1, cublas 2e-5, cublaslt 4e-5" OTHERS,
                      first_is_slow[] = "cublas 2e-5 device=cuda:0, cublas 1e-5, cublaslt 4e-5" OTHERS;
    static const struct {
        const char *devices, *scripts;
        changing *change;
        const char *added;
    } cases[] = {
        { "cpu cuda:0", fast_gpu, NULL,
          "cpu f32 m=8192,n=8192,k=8192; cuda:0 f32 m=8192,n=8192,k=8192; "
          "cpu bf16 m=4096,n=4096,k=4096; cuda:0 bf16 m=4096,n=4096,k=4096" },
        { "cpu cuda:0", fast_gpu, first_lacks_bf16,
          "cpu f32 m=8192,n=8192,k=8192; cuda:0 f32 m=8192,n=8192,k=8192; "
          "cpu f16 m=4096,n=4096,k=4096; cuda:0 f16 m=4096,n=4096,k=4096" },
        { "cpu cuda:0 cuda:1", second_is_fast, NULL,
          "cpu f32 m=8192,n=8192,k=8192; cuda:1 f32 m=8192,n=8192,k=8192; "
          "cpu bf16 m=4096,n=4096,k=4096; cuda:1 bf16 m=4096,n=4096,k=4096" },
        { "cpu cuda:0 cuda:1 cuda:2", first_is_slow, NULL,
          "cpu f32 m=8192,n=8192,k=8192; cuda:1 f32 m=8192,n=8192,k=8192; cuda:2 f32 m=8192,n=8192,k=8192; "
          "cpu bf16 m=4096,n=4096,k=4096; cuda:1 bf16 m=4096,n=4096,k=4096; cuda:2 bf16 m=4096,n=4096,k=4096" },
        { "cpu cuda:0 cuda:1 cuda:2", first_is_slow, second_lacks_bf16,
          "cpu f32 m=8192,n=8192,k=8192; cuda:1 f32 m=8192,n=8192,k=8192; cuda:2 f32 m=8192,n=8192,k=8192; "
          "cpu f16 m=4096,n=4096,k=4096; cuda:1 f16 m=4096,n=4096,k=4096; cuda:2 f16 m=4096,n=4096,k=4096" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        measure(cases[i].devices, cases[i].scripts, 4096, cases[i].change);
        cr_expect_str_eq(added, cases[i].added, "case %u: %s", i, added);
        cr_expect_gt(planned, 1000, "case %u", i);
    }
}

Test(supplement, a_slow_gpu_has_none_and_the_speed_at_another_size_does_not_count)
{
    cr_expect_str_empty(measure(one_gpu, slow_gpu, 4096, NULL), "%s", added);
    cr_expect_str_empty(measure(one_gpu, fast_gpu, 2048, NULL), "%s", added);
}

Test(supplement, options_that_narrow_the_suite_leave_it_out)
{
    static const char *const narrower[] = { "{\"suite\": \"quick\"}",
                                            "{\"suite\": \"standard\", \"workload\": [\"matmul\"]}",
                                            "{\"suite\": \"standard\", \"size\": [\"4096\"]}",
                                            "{\"suite\": \"standard\", \"method\": [\"all\"]}",
                                            "{\"suite\": \"standard\", \"dtype\": [\"f32\"]}",
                                            "{\"suite\": \"standard\", \"memory\": [\"pinned\"]}" };
    for (unsigned i = 0; i < sizeof narrower / sizeof *narrower; i++)
        cr_expect_str_empty(measure_as(narrower[i], one_gpu, fast_gpu, 4096, NULL, supplement_join), "%s: %s",
                            narrower[i], added);
}

/* The time is over once the rotation has begun. */
static void has_a_day(struct listing *listing)
{
    ((struct options *)(uintptr_t)scene->context.options)->time = 86400;
}

static bool join_late(void *with, struct error *err)
{
    ((struct supplement *)with)->timetable->context->started -= 1e6;
    return supplement_join(with, err);
}

Test(supplement, without_time_it_is_left_out_by_name_once)
{
    cr_expect_str_empty(measure_as(standard, one_gpu, fast_gpu, 4096, has_a_day, join_late), "%s", added);
    cr_expect_eq(left_out, 1);
    measure_as(standard, one_gpu, slow_gpu, 4096, has_a_day, join_late);
    cr_expect_eq(left_out, 0);
}

/* Where a device takes one process, or memory is short, its problems are rotations of their own. */
static bool one_process;
static double more;       /* that is free while the first problem is open, as a part of what this holds; 0: plenty */
static unsigned together; /* problems */

static bool join_and_look(void *with, struct error *err)
{
    const struct timetable *timetable = ((struct supplement *)with)->timetable;
    if (timetable->blocks == 1 && more > 0)
        memory_available = more * timetable->block[0]->entry.needs.kept[0];
    const bool ok = supplement_join(with, err);
    together = timetable->blocks > together ? timetable->blocks : together;
    return ok;
}

static void takes_one_process(struct listing *listing)
{
    listing->device[1].takes_one_process = one_process;
}

Test(supplement, its_problems_join_the_rotation_that_showed_a_fast_gpu_where_there_is_room)
{
    static const struct {
        bool one_process;
        double more;
        unsigned together; /* of a short memory only one of them joins, and only as what is held counts once */
    } cases[] = { { false, 0, 1 + SUPPLEMENTS }, { true, 0, 1 }, { false, 2.25, 2 }, { false, 1.25, 1 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_process = cases[i].one_process;
        more = cases[i].more;
        together = 0;
        measure_as(standard, one_gpu, fast_gpu, 4096, takes_one_process, join_and_look);
        memory_available = 1e12;
        cr_expect_eq(together, cases[i].together, "case %u: %u together", i, together);
        cr_expect(strstr(added, "cuda:0 f32 m=8192") && strstr(added, "cuda:0 bf16 m=4096"), "%s", added);
        cr_expect(!one_process || seen.most == 4, "the CPU's methods are beside each other: %u", seen.most);
    }
}

/* The interrupt comes in the visits of the first of its problems. */
Test(supplement, a_resumed_run_goes_on_with_it)
{
    struct options whole;
    struct timetable timetable;
    struct supplement *supplement = calloc(1, sizeof *supplement);
    scene_open(one_gpu, "cublas 1e-5 fails=slice with=abandoned from=14, cublaslt 2e-5" OTHERS, "--size 4096");
    begin_as(standard, &whole);
    for (unsigned run = 0; run < 2; run++) {
        *supplement = (struct supplement){ .timetable = &timetable };
        scene_measure_with(supplement_join, supplement, &timetable);
        supplement_free(supplement);
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->blocks, 1 + SUPPLEMENTS);
        for (unsigned i = 0; i < record->blocks; i++)
            cr_expect_eq(record->block[i].is_done, run == 1, "%s", record->block[i].name);
        script_of("cublas")->fails = NULL;
        scene_resume();
    }
    free(supplement);
}
