/* What a slice has of its runs: on a processor whose clock is scripted. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/slice.h"

#include <criterion/criterion.h>
#include <math.h>

/* Seconds of the next runs, after the last from the first on again. */
static struct {
    double now, run[4];
    unsigned runs, submits;
} script;

static const struct backend *whole;

static double scripted_now(struct session *session)
{
    (void)session;
    return script.now;
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
