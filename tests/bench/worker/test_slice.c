/* What a slice has of its runs: on a processor whose clock is scripted. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/slice.h"
#include "tests/support/made_rig.h"

/* Seconds of the next runs, after the last from the first on again. */
static struct {
    double now, run[4];
    double look; /* seconds that a look at the clock takes */
    unsigned runs, submits;
} script;

static const struct backend *whole;

static double scripted_now(struct session *session)
{
    return script.now += script.look;
}

static bool submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    script.now += script.run[script.submits++ % script.runs];
    return true;
}

static struct {
    struct rig rig;
    struct backend backend;
    struct pace pace;
} scene;

/* Of none does nothing. */
static void scene_close(void)
{
    if (!scene.rig.session)
        return;
    scene.rig.backend = whole;
    scene.rig.device.works_in_host_memory = true;
    if (scene.rig.flush)
        flush_close(scene.rig.flush);
    rig_release(&scene.rig);
    whole->close(scene.rig.session);
    scene.rig.session = NULL;
}

TestSuite(slice, .fini = scene_close);

/* In place of the one before. A run is expected to take as long as the first. */
static void scene_open(const double run[], unsigned runs)
{
    struct error err = { .status = STATUS_OK };
    struct rig *rig = &scene.rig;
    scene_close();
    scene.pace = (struct pace){ .run = run[0] };
    whole = backend_find("cpu");
    scene.backend = *whole;
    scene.backend.now = scripted_now;
    scene.backend.submit = submit;
    script.now = 1;
    script.look = 0;
    script.submits = 0;
    script.runs = runs;
    for (unsigned i = 0; i < runs; i++)
        script.run[i] = run[i];
    *rig = (struct rig){ .backend = whole, .seed = 5 };
    rig->method = method_find(workload_find("multiply"), "native");
    made_rig(rig, "", 1, "multiply", "64");
    cr_assert(check_fill(rig, &err), "%s", err.message);
    rig->backend = &scene.backend;
}

/* Its runs are cold from now on. */
static void make_cold(void)
{
    static struct flush flush;
    struct error err = { .status = STATUS_OK };
    cr_assert(flush_open(&flush, whole, scene.rig.session, &scene.rig.device, 1 << 16, &err), "%s", err.message);
    scene.rig.flush = &flush;
}

/* A slice without a failure. Its times stay. */
static struct slice_line slice_of(enum series series, double seconds, bool with_events)
{
    static struct pool pool;
    struct error err = { .status = STATUS_OK };
    struct slice_line slice;
    fields_forget(&slice, &slice_fields);
    slice.series = series;
    cr_assert(slice_run(&scene.rig, seconds, with_events, &scene.pace, &slice, &pool, &err), "%s", err.message);
    return slice;
}

/* Some runs of a millisecond share a wait: the time is that of one, and all of them count. */
Test(slice, a_queued_run_has_its_part_of_the_time_that_many_take)
{
    scene_open((const double[]){ 0.001 }, 1);
    const struct slice_line slice = slice_of(SERIES_QUEUED, 0.0195, false);
    cr_expect_geq(slice.wall.count, 2);
    for (unsigned i = 0; i < slice.wall.count; i++) {
        cr_expect_float_eq(slice.wall.value[i], 1e-3, 2e-9);
        cr_expect_float_eq(slice.enqueue.value[i], 1e-3, 2e-9); /* this processor computes while a run is started */
    }
    cr_expect_eq(slice.runs, script.submits - slice.discarded);
    cr_expect_geq(slice.runs, 5 * slice.wall.count);
}

Test(slice, a_clock_that_goes_back_ends_it)
{
    struct error err = { .status = STATUS_OK };
    scene_open((const double[]){ 0.001, 0.001, 0.001, -0.002 }, 4);
    struct slice_line slice = { .series = SERIES_RESIDENT };
    struct pool pool = { 0 };
    cr_expect_not(slice_run(&scene.rig, 0.02, false, &scene.pace, &slice, &pool, &err));
    pool_release(&pool);
    cr_expect_eq(err.status, STATUS_IMPOSSIBLE);
    cr_expect_str_eq(err.message, "the host's clock went back by 2.00 ms");
}

/* Ten thousand runs of a microsecond: every tenth is kept. */
Test(slice, of_very_many_runs_a_thousand_are_kept)
{
    scene_open((const double[]){ 1e-6 }, 1);
    const struct slice_line slice = slice_of(SERIES_RESIDENT, 0.01, false);
    const unsigned kept = slice.wall.count;
    cr_expect(kept > 950 && kept <= 1001, "%u", kept);
    cr_expect_geq(slice.runs, 9900);
    /* and of ten waits, each for a thousand of them, the waits are counted */
    cr_expect_geq(slice_of(SERIES_QUEUED, 0.01, false).wall.count, 9);
}

/* However long one is: as a whole, and by phase. */
Test(slice, a_copied_slice_has_a_run_of_each_kind)
{
    scene_open((const double[]){ 0.5 }, 1);
    const struct slice_line slice = slice_of(SERIES_COPIED, 0.05, false);
    cr_expect_eq(slice.wall.count, 1);
    cr_expect_eq(slice.phases.of[PHASE_COMPUTE].count, 1);
    cr_expect_eq(slice.runs, 2);
    cr_expect_float_eq(slice.elapsed, 1, 1e-9);
}

/* Three runs a slice: two of one kind, one of the other. */
Test(slice, every_other_copied_slice_begins_with_the_other_kind)
{
    scene_open((const double[]){ 0.01 }, 1);
    for (unsigned i = 0; i < 4; i++) {
        const struct slice_line slice = slice_of(SERIES_COPIED, 0.04, false);
        cr_expect_eq(slice.runs, 3);
        cr_expect_eq(slice.wall.count, i % 2 ? 2 : 1, "slice %u", i);
        cr_expect_eq(slice.phases.of[PHASE_COMPUTE].count, i % 2 ? 1 : 2, "slice %u", i);
    }
}

/* A second run would be no nearer to the length. By phase, too, in every fourth slice. */
Test(slice, a_run_that_fills_a_slice_is_its_only_one)
{
    for (enum use use = 0; use < USES; use++) {
        scene_open((const double[]){ 0.04 }, 1);
        for (unsigned i = 0; i < 8; i++) {
            const struct slice_line slice = slice_of(use_series[use], 0.035, false);
            cr_expect_eq(slice.runs, use == USE_COPIED && i % 4 == 0 ? 2 : 1, "slice %u", i);
            cr_expect_eq(slice.wall.count, 1, "slice %u", i);
        }
    }
}

Test(slice, only_the_first_slice_of_a_series_without_a_pause_discards_runs)
{
    static const enum series series[] = { SERIES_RESIDENT, SERIES_SUSTAINED };
    for (unsigned k = 0; k < 2; k++) {
        scene_open((const double[]){ 0.001 }, 1);
        for (unsigned i = 0; i < 3; i++) {
            const struct slice_line slice = slice_of(series[k], 0.01, false);
            cr_expect_eq(slice.discarded > 0, k == 0 || i == 0, "slice %u", i);
        }
    }
}

/* After the first of eight timed runs, counted over all slices. Later runs may have time stamps again. */
Test(slice, one_of_eight_timed_runs_is_followed_by_one_for_the_clock_of_the_device)
{
    scene_open((const double[]){ 0.01 }, 1);
    scene.rig.device.works_in_host_memory = false;
    for (unsigned i = 0; i < 17; i++) {
        const struct slice_line slice = slice_of(SERIES_RESIDENT, 0.01, true);
        cr_expect_eq(slice.wall.count, 1, "slice %u", i);
        cr_expect_eq(slice.event_wall.count, i % 8 == 0 ? 1 : 0, "slice %u", i);
        cr_expect_eq(slice.event.count, i % 8 == 0 ? 1 : 0, "slice %u", i);
        cr_expect_not(scene.rig.is_without_events);
    }
}

/* What came before a slice is not counted again. */
Test(slice, each_slice_has_its_own_flushes)
{
    double flushed = 0;
    scene_open((const double[]){ 0.001 }, 1);
    make_cold();
    for (unsigned i = 0; i < 3; i++) {
        const struct slice_line slice = slice_of(SERIES_RESIDENT, 0.005, false);
        cr_expect_eq(slice.flushes, slice.runs + slice.discarded, "slice %u", i);
        flushed += slice.flush;
    }
    cr_expect_float_eq(flushed, scene.rig.flush->seconds, 4e-9);
}

/* A look at the clock takes 10 us, and so does each renewing of the inputs at least. */
Test(slice, each_slice_has_its_own_time_of_renewing_inputs)
{
    double renewed = 0, runs = 0;
    scene_open((const double[]){ 0.001 }, 1);
    script.look = 1e-5;
    for (unsigned i = 0; i < 3; i++) {
        const struct slice_line slice = slice_of(SERIES_COPIED, 0.005, false);
        renewed += slice.renewing;
        runs += slice.runs + slice.discarded;
    }
    cr_expect_float_eq(renewed, scene.rig.renewing.seconds, 4e-9);
    cr_expect_geq(scene.rig.renewing.seconds, 0.99e-5 * runs);
}

/* Runs that are discarded: until one is no faster than the one before, for a quarter of the slice, and on a card, which
 * may have slept, for 50 ms, which are no part of the slice. None where a run fills the slice, within 5 %; one if runs
 * are cold. */
Test(slice, discards_runs_until_the_device_is_awake)
{
    static const struct {
        double pace, seconds, run[4];
        bool is_card, is_cold;
        unsigned discarded, runs;
    } rows[] = {
        { 0.010, 0.010, { 0.010, 0.010, 0.010, 0.010 }, false, false, 0, 1 },
        { 0.0096, 0.010, { 0.0096, 0.0096, 0.0096, 0.0096 }, false, false, 0, 1 },
        { 0.009, 0.010, { 0.009, 0.009, 0.009, 0.009 }, false, false, 1, 1 },
        { 0.020, 0.010, { 0.020, 0.020, 0.020, 0.020 }, false, false, 0, 1 },
        { 0.020, 0.010, { 0.020, 0.020, 0.020, 0.020 }, true, false, 2, 1 },
        { 0.060, 0.010, { 0.060, 0.060, 0.060, 0.060 }, true, false, 0, 1 },
        { 0.001, 0.010, { 0.030, 0.001, 0.001, 0.001 }, true, false, 3, 2 },
        { 0.001, 0.010, { 0.030, 0.001, 0.001, 0.001 }, false, false, 1, 1 },
        { 0.004, 0.100, { 0.004, 0.003, 0.002, 0.001 }, false, false, 5, 34 },
        { 0.004, 0.010, { 0.004, 0.003, 0.002, 0.001 }, true, true, 1, 4 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_open(rows[i].run, 4);
        scene.pace.run = rows[i].pace;
        if (rows[i].is_cold)
            make_cold();
        scene.rig.device.works_in_host_memory = !rows[i].is_card;
        const struct slice_line slice = slice_of(SERIES_RESIDENT, rows[i].seconds, false);
        cr_expect_eq(slice.discarded, rows[i].discarded, "row %u: %u", i, slice.discarded);
        cr_expect_eq(slice.runs, rows[i].runs, "row %u: %g runs", i, slice.runs);
    }
}

/* Two windows of two runs at least, of which the second agrees with the first; on until two agree; for a second. */
Test(slice, warms_up_until_two_windows_agree)
{
    static const struct {
        double run[4];
        unsigned runs;
        double fastest; /* of the last window */
    } rows[] = { { { 0.1, 0.1, 0.1, 0.1 }, 4, 0.1 },          { { 0.1, 0.1, 0.098, 0.098 }, 4, 0.098 },
                 { { 0.2, 0.2, 0.1, 0.1 }, 6, 0.2 },          { { 0.6, 0.6, 0.3, 0.3 }, 4, 0.3 },
                 { { 0.03, 0.03, 0.03, 0.03 }, 4, 0.03 },     { { 2, 2, 2, 2 }, 1 + 1, 2 },
                 { { 0.003, 0.001, 0.002, 0.001 }, 0, 0.001 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { .status = STATUS_OK };
        double run;
        scene_open(rows[i].run, 4);
        cr_assert(slice_warmup(&scene.rig, SERIES_RESIDENT, &run, &err), "%s", err.message);
        cr_expect(rows[i].runs == 0 || script.submits == rows[i].runs, "row %u: %u runs", i, script.submits);
        cr_expect_float_eq(run, rows[i].fastest, 1e-9, "row %u: %g s", i, run);
    }
}
