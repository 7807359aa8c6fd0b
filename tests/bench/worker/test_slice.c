/* What a slice has of its runs: on a processor whose clock is scripted. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/slice.h"

#include <criterion/criterion.h>
#include <math.h>

/* Seconds of the next runs, after the last from the first on again. */
static struct {
    double now, run[4];
    double look; /* seconds that a look at the clock takes */
    unsigned runs, submits;
} script;

static const struct backend *whole;

static double scripted_now(struct session *session)
{
    (void)session;
    return script.now += script.look;
}

static bool submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    script.now += script.run[script.submits++ % script.runs];
    return whole->submit(task, queue, part, span, err);
}

struct scene {
    struct rig rig;
    struct backend backend;
};

static void scene_open(struct scene *scene, const double run[], unsigned runs)
{
    struct error err = { .status = STATUS_OK };
    unsigned count = 0;
    struct rig *rig = &scene->rig;
    whole = backend_find("cpu");
    scene->backend = *whole;
    scene->backend.now = scripted_now;
    scene->backend.submit = submit;
    script.now = 1;
    script.look = 0;
    script.submits = 0;
    script.runs = runs;
    for (unsigned i = 0; i < runs; i++)
        script.run[i] = run[i];
    *rig = (struct rig){ .backend = whole, .seed = 5 };
    cr_assert(whole->list("", &rig->device, 1, &count, &err), "%s", err.message);
    rig->method = method_find(workload_find("multiply"), "native");
    rig->session = whole->open(&rig->device, 1, &err);
    cr_assert(problem_parse(&rig->problem, workload_find("multiply"), DTYPE_F32, "64", &err), "%s", err.message);
    cr_assert(rig_alloc(rig, &err) && rig_prepare(rig, "", &err) && check_fill(rig, &err), "%s", err.message);
    rig->backend = &scene->backend;
}

static void scene_close(struct scene *scene)
{
    scene->rig.backend = whole;
    rig_release(&scene->rig);
    whole->close(scene->rig.session);
}

static json_int_t whole_number(const json_t *slice, const char *member)
{
    return json_integer_value(json_object_get(slice, member));
}

/* Some runs of a millisecond share a wait: the time is that of one, and all of them count. */
Test(slice, a_queued_run_has_its_part_of_the_time_that_many_take)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.001 };
    scene_open(&scene, (const double[]){ 0.001 }, 1);
    json_t *slice = slice_run(&scene.rig, SERIES_QUEUED, 0.0195, false, &pace, &err);
    cr_assert(slice, "%s", err.message);
    const json_t *wall = json_object_get(slice, "wall_ns");
    cr_expect_geq(json_array_size(wall), 2);
    for (size_t i = 0; i < json_array_size(wall); i++)
        cr_expect_float_eq((double)json_integer_value(json_array_get(wall, i)), 1e6, 2);
    const json_t *enqueue = json_object_get(slice, "enqueue_ns");
    for (size_t i = 0; i < json_array_size(wall); i++) /* this processor computes while a run is started */
        cr_expect_float_eq((double)json_integer_value(json_array_get(enqueue, i)), 1e6, 2);
    cr_expect_eq(whole_number(slice, "runs"), script.submits - whole_number(slice, "discarded"));
    cr_expect_geq(whole_number(slice, "runs"), 5 * (json_int_t)json_array_size(wall));
    json_decref(slice);
    scene_close(&scene);
}

Test(slice, a_clock_that_goes_back_ends_it)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.001 };
    scene_open(&scene, (const double[]){ 0.001, 0.001, 0.001, -0.002 }, 4);
    cr_expect_null(slice_run(&scene.rig, SERIES_RESIDENT, 0.02, false, &pace, &err));
    cr_expect_eq(err.status, STATUS_IMPOSSIBLE);
    cr_expect_str_eq(err.message, "the host's clock went back by 2.00 ms");
    scene_close(&scene);
}

Test(slice, a_warm_run_is_the_fastest_of_its_window)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    unsigned runs;
    double run;
    scene_open(&scene, (const double[]){ 0.003, 0.001, 0.002 }, 3);
    cr_assert(slice_warmup(&scene.rig, SERIES_RESIDENT, &runs, &run, &err), "%s", err.message);
    cr_expect_float_eq(run, 0.001, 1e-9, "%g", run);
    cr_expect_eq(runs, script.submits);
    scene_close(&scene);
}

/* Ten thousand runs of a microsecond: every tenth is kept. */
Test(slice, of_very_many_runs_a_thousand_are_kept)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 1e-6 };
    scene_open(&scene, (const double[]){ 1e-6 }, 1);
    json_t *slice = slice_run(&scene.rig, SERIES_RESIDENT, 0.01, false, &pace, &err);
    cr_assert(slice, "%s", err.message);
    const size_t kept = json_array_size(json_object_get(slice, "wall_ns"));
    cr_expect(kept > 950 && kept <= 1001, "%zu", kept);
    cr_expect_geq(whole_number(slice, "runs"), 9900);
    json_decref(slice);
    scene_close(&scene);
}

/* However long one is: as a whole, and by phase. */
Test(slice, a_copied_slice_has_a_run_of_each_kind)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.5 };
    scene_open(&scene, (const double[]){ 0.5 }, 1);
    json_t *slice = slice_run(&scene.rig, SERIES_COPIED, 0.05, false, &pace, &err);
    cr_assert(slice, "%s", err.message);
    cr_expect_eq(json_array_size(json_object_get(slice, "wall_ns")), 1);
    cr_expect_eq(json_array_size(json_object_get(json_object_get(slice, "phases"), "compute_ns")), 1);
    cr_expect_eq(whole_number(slice, "runs"), 2);
    cr_expect_eq(whole_number(slice, "elapsed_ns"), 1000000000);
    json_decref(slice);
    scene_close(&scene);
}

/* Of ten waits, each for a thousand runs of a microsecond. */
Test(slice, of_runs_that_share_a_wait_the_waits_are_counted)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 1e-6 };
    scene_open(&scene, (const double[]){ 1e-6 }, 1);
    json_t *slice = slice_run(&scene.rig, SERIES_QUEUED, 0.01, false, &pace, &err);
    cr_assert(slice, "%s", err.message);
    cr_expect_geq(json_array_size(json_object_get(slice, "wall_ns")), 9);
    json_decref(slice);
    scene_close(&scene);
}

/* Three runs a slice: two of one kind, one of the other. */
Test(slice, every_other_copied_slice_begins_with_the_other_kind)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.01 };
    scene_open(&scene, (const double[]){ 0.01 }, 1);
    for (unsigned i = 0; i < 4; i++) {
        json_t *slice = slice_run(&scene.rig, SERIES_COPIED, 0.04, false, &pace, &err);
        cr_assert(slice, "%s", err.message);
        cr_expect_eq(whole_number(slice, "runs"), 3);
        cr_expect_eq(json_array_size(json_object_get(slice, "wall_ns")), i % 2 ? 2 : 1, "slice %u", i);
        cr_expect_eq(json_array_size(json_object_get(json_object_get(slice, "phases"), "compute_ns")), i % 2 ? 1 : 2,
                     "slice %u", i);
        json_decref(slice);
    }
    scene_close(&scene);
}

/* A second run would be no nearer to the length. By phase, too, in every fourth slice. */
Test(slice, a_run_that_fills_a_slice_is_its_only_one)
{
    for (enum use use = 0; use < USES; use++) {
        struct scene scene;
        struct error err = { .status = STATUS_OK };
        struct pace pace = { .run = 0.04 };
        scene_open(&scene, (const double[]){ 0.04 }, 1);
        for (unsigned i = 0; i < 8; i++) {
            json_t *slice = slice_run(&scene.rig, use_series[use], 0.035, false, &pace, &err);
            cr_assert(slice, "%s", err.message);
            cr_expect_eq(whole_number(slice, "runs"), use == USE_COPIED && i % 4 == 0 ? 2 : 1, "slice %u", i);
            cr_expect_eq(json_array_size(json_object_get(slice, "wall_ns")), 1, "slice %u", i);
            json_decref(slice);
        }
        scene_close(&scene);
    }
}

Test(slice, only_the_first_slice_of_a_series_without_a_pause_discards_runs)
{
    static const enum series series[] = { SERIES_RESIDENT, SERIES_SUSTAINED };
    for (unsigned k = 0; k < 2; k++) {
        struct scene scene;
        struct error err = { .status = STATUS_OK };
        struct pace pace = { .run = 0.001 };
        scene_open(&scene, (const double[]){ 0.001 }, 1);
        for (unsigned i = 0; i < 3; i++) {
            json_t *slice = slice_run(&scene.rig, series[k], 0.01, false, &pace, &err);
            cr_assert(slice, "%s", err.message);
            cr_expect_eq(whole_number(slice, "discarded") > 0, k == 0 || i == 0, "slice %u", i);
            json_decref(slice);
        }
        scene_close(&scene);
    }
}

/* After the first of eight timed runs, counted over all slices. Later runs may have time stamps again. */
Test(slice, one_of_eight_timed_runs_is_followed_by_one_for_the_clock_of_the_device)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.01 };
    scene_open(&scene, (const double[]){ 0.01 }, 1);
    scene.rig.device.works_in_host_memory = false;
    for (unsigned i = 0; i < 17; i++) {
        json_t *slice = slice_run(&scene.rig, SERIES_RESIDENT, 0.01, true, &pace, &err);
        cr_assert(slice, "%s", err.message);
        cr_expect_eq(json_array_size(json_object_get(slice, "wall_ns")), 1, "slice %u", i);
        cr_expect_eq(json_array_size(json_object_get(slice, "event_wall_ns")), i % 8 == 0 ? 1 : 0, "slice %u", i);
        cr_expect_eq(json_array_size(json_object_get(slice, "event_ns")), i % 8 == 0 ? 1 : 0, "slice %u", i);
        cr_expect_not(scene.rig.is_without_events);
        json_decref(slice);
    }
    scene.rig.device.works_in_host_memory = true;
    scene_close(&scene);
}

/* What came before a slice is not counted again. */
Test(slice, each_slice_has_its_own_flushes)
{
    struct scene scene;
    struct flush flush;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.001 };
    json_int_t flushed = 0;
    scene_open(&scene, (const double[]){ 0.001 }, 1);
    cr_assert(flush_open(&flush, whole, scene.rig.session, &scene.rig.device, 1 << 16, &err), "%s", err.message);
    scene.rig.flush = &flush;
    for (unsigned i = 0; i < 3; i++) {
        json_t *slice = slice_run(&scene.rig, SERIES_RESIDENT, 0.005, false, &pace, &err);
        cr_assert(slice, "%s", err.message);
        cr_expect_eq(whole_number(slice, "flushes"), whole_number(slice, "runs") + whole_number(slice, "discarded"),
                     "slice %u", i);
        flushed += whole_number(slice, "flush_ns");
        json_decref(slice);
    }
    cr_expect_float_eq((double)flushed, 1e9 * flush.seconds, 4);
    scene.rig.flush = NULL;
    flush_close(&flush);
    scene_close(&scene);
}

/* A look at the clock takes 10 us, and so does each renewing of the inputs at least. */
Test(slice, each_slice_has_its_own_time_of_renewing_inputs)
{
    struct scene scene;
    struct error err = { .status = STATUS_OK };
    struct pace pace = { .run = 0.001 };
    json_int_t renewed = 0, runs = 0;
    scene_open(&scene, (const double[]){ 0.001 }, 1);
    script.look = 1e-5;
    for (unsigned i = 0; i < 3; i++) {
        json_t *slice = slice_run(&scene.rig, SERIES_COPIED, 0.005, false, &pace, &err);
        cr_assert(slice, "%s", err.message);
        renewed += whole_number(slice, "renewing_ns");
        runs += whole_number(slice, "runs") + whole_number(slice, "discarded");
        json_decref(slice);
    }
    cr_expect_float_eq((double)renewed, 1e9 * scene.rig.renewing.seconds, 4);
    cr_expect_geq(scene.rig.renewing.seconds, 0.99e-5 * (double)runs);
    scene_close(&scene);
}
