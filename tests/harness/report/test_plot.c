/* Pictures: what there is to see of which journal. program/html.sh reads pages with their pictures, also of hostile
 * texts, with a parser of XML. */

#include "harness/journal/results.h"
#include "harness/report/plots/drawing.h"
#include "harness/report/plots/plot.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char standard[] = REAL_JOURNALS "/standard.jsonl";
static const char sweep[] = REAL_JOURNALS "/sweep-multiply.jsonl";

/* What a test drew, and of which runs; it is released after the test. */
static struct drawn {
    struct result run[2];
    struct pool pool;
    struct pictures pictures;
} drawn[16];
static unsigned drawings;

static void release_drawn(void)
{
    for (; drawings > 0; drawings--) {
        result_release(&drawn[drawings - 1].run[0]);
        result_release(&drawn[drawings - 1].run[1]);
        pool_release(&drawn[drawings - 1].pool);
    }
}

TestSuite(plot, .fini = release_drawn);

static const struct pictures *draw(const struct result run[], unsigned runs)
{
    struct answer_set answers[2];
    struct drawn *of = &drawn[drawings++];
    *of = (struct drawn){ .pictures = { .pool = &of->pool } };
    for (unsigned i = 0; i < runs; i++) {
        of->run[i] = run[i];
        cr_assert(answer_set_read(&answers[i], run[i].record));
    }
    plot_runs(&of->pictures, &(struct results){ of->run, runs }, answers);
    cr_assert_not(of->pool.is_short);
    for (unsigned i = 0; i < runs; i++)
        answer_set_release(&answers[i]);
    return &of->pictures;
}

static struct result run_of(const char *path)
{
    struct result run;
    struct error err = { .status = STATUS_OK };
    cr_assert(result_read(&run, path, &err), "%s", err.message);
    return run;
}

static const struct pictures *draw_file(const char *path)
{
    return draw((struct result[]){ run_of(path) }, 1);
}

/* Of a record of made-up lines, which it takes. */
static const struct pictures *draw_made(struct record *record)
{
    return draw(&(struct result){ .path = "", .record = record }, 1);
}

static const struct picture *find(const struct pictures *pictures, const char *name)
{
    for (unsigned i = 0; i < pictures->count; i++)
        if (strcmp(pictures->picture[i].name, name) == 0)
            return &pictures->picture[i];
    cr_assert_fail("there is no picture '%s'", name);
    return NULL;
}

/* What is drawn with a class that the style does not have is black. */
static void check_classes(const struct picture *picture, const char *svg)
{
    static const char mark[] = "class=\"c";
    for (const char *at = svg; (at = strstr(at, mark)); at++) {
        char class[16], rule[32];
        if (sscanf(at + strlen(mark), "%*u %15[a-z]", class) != 1)
            continue;
        snprintf(rule, sizeof rule, ".picture .%s {", class);
        cr_assert(strstr(svg, rule), "%s: no style for %s", picture->name, class);
    }
}

static void check_svg(const struct picture *picture)
{
    cr_assert(!strstr(picture->svg, "nan") && !strstr(picture->wide, "nan"), "%s", picture->name);
    check_classes(picture, picture->svg);
    check_classes(picture, picture->wide);
}

Test(plot, a_run_has_its_four_kinds_of_picture)
{
    const struct pictures *pictures = draw_file(standard);
    static const char *const names[] = { "speed-up", "visits", "times", "roofline-f32" };
    cr_assert_eq(pictures->count, 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_str_eq(pictures->picture[i].name, names[i]);
        cr_assert_gt(strlen(pictures->picture[i].caption), 80);
        check_svg(&pictures->picture[i]);
    }
}

Test(plot, texts_of_the_journal_are_in_the_picture)
{
    const struct pictures *pictures = draw_file(standard);
    cr_assert(strstr(find(pictures, "times")->svg, ">OpenCL portable<"));
    cr_assert(strstr(find(pictures, "times")->svg, ">convert<"));
    cr_assert(strstr(find(pictures, "speed-up")->svg, ">matmul 2048<"));
    cr_assert(strstr(find(pictures, "roofline-f32")->svg, ">opencl:0 434 GFLOP/s, "));
    cr_assert(strstr(find(pictures, "roofline-f32")->svg, ">matmul 2048<"));
}

Test(plot, a_sweep_has_a_picture_for_each_curve)
{
    const struct pictures *pictures = draw_file(sweep);
    cr_assert_eq(pictures->count, 1);
    check_svg(find(pictures, "sweep-1"));
    cr_assert(strstr(find(pictures, "sweep-1")->title, "multiply f32 by size on opencl:0"));
    cr_assert(strstr(find(pictures, "sweep-1")->svg, ">10 uses<"));
    cr_assert(strstr(find(pictures, "sweep-1")->svg, "class=\"c2 join\""), "the marks of a use are not joined");
}

Test(plot, each_of_several_runs_has_its_pictures)
{
    const struct result run[] = { run_of(standard), run_of(REAL_JOURNALS "/standard-old.jsonl") };
    const struct pictures *pictures = draw(run, 2);
    cr_assert_str_eq(find(pictures, "speed-up-A")->title, "Speed-up, run A");
    find(pictures, "speed-up-B");
}

/* --- made-up journals -------------------------------------------------------------------------------------------- */

static void put_named_device(struct record *record, const char *id, const char *name, const char *class)
{
    add_line(record,
             json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "line", "device", "id", id, "key", id, "name", name,
                       "backend", "fake", "class", class, "works_in_host_memory", strcmp(class, "CPU") == 0));
}

static void put_device(struct record *record, const char *id, const char *class)
{
    put_named_device(record, id, id, class);
}

static void put_cell(struct record *record, const char *key, const char *device, const char *block, const char *word,
                     const char *baseline, double flops)
{
    add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f}", "line", "cell", "key",
                               key, "block", block, "device", device, "workload", word, "dtype", "f32", "shape", word,
                               "method", word, "memory", word, "baseline", baseline, "flops", flops, "bytes", 1e6));
}

/* So many rounds of the baseline and another cell, that one `speedup` times as fast, and moved for half its time. */
static void put_rounds(struct record *record, const char *baseline, const char *cell, double speedup, unsigned rounds)
{
    static double at = 1e9;
    static unsigned turn;
    for (unsigned i = 0; i < rounds; i++) {
        double own = 1e7 / speedup * (1 + 0.01 * (i * 7 % 11));
        addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'at_ns':%.0f,'wall_ns':[%.0f]}",
             baseline, turn++, at += 1e8, 1e7 * (1 + 0.01 * (i * 5 % 11)));
        addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'at_ns':%.0f,'wall_ns':[%.0f]}", cell,
             turn++, at += 1e8, own);
        addf(record,
             "{'line':'slice','cell':'%s','series':'copied','number':%u,'at_ns':%.0f,'wall_ns':[%.0f],'phases':{'"
             "upload_ns':[%.0f],'compute_ns':[%.0f]}}",
             cell, turn++, at += 1e8, 2 * own, own, own);
    }
}

static void put_outcome(struct record *record, const char *cell)
{
    addf(record, "{'line':'verify','cell':'%s','pass':'before','checks':[{'checked':1}]}", cell);
    addf(record, "{'line':'outcome','cell':'%s','status':'ok'}", cell);
}

static struct record *pair(const char *word, double speedup)
{
    struct record *record = record_new();
    put_device(record, "cpu", "CPU");
    put_named_device(record, "gpu", word, "dGPU");
    put_cell(record, "a", "cpu", "block", word, "a", 1e9);
    put_cell(record, "b", "gpu", "block", word, "a", 1e9);
    put_rounds(record, "a", "b", speedup, 30);
    put_outcome(record, "a");
    put_outcome(record, "b");
    return record;
}

/* A problem in a type on the CPU and on a GPU, with nanoseconds of a run on each. */
static void put_typed(struct record *record, const char *dtype, double cpu, double gpu)
{
    for (unsigned i = 0; i < 2; i++) {
        char key[16];
        snprintf(key, sizeof key, "%s-%s", dtype, i ? "gpu" : "cpu");
        addf(record,
             "{'line':'cell','key':'%s','block':'%s','device':'%s','workload':'w','dtype':'%s','shape':'n=9','method':'"
             "portable','memory':'m','baseline':'%s-cpu','flops':1e9,'bytes':1e6}",
             key, dtype, i ? "gpu" : "cpu", dtype, dtype);
        for (unsigned k = 0; k < 48; k++)
            if (i || k % 2 == 0)
                addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", key,
                     k % 2 ? "copied" : "resident", 2 * k + i, (i ? gpu : cpu) * (1 + k % 2) * (1 + 1e-4 * (k % 5)));
        put_outcome(record, key);
    }
}

Test(plot, a_time_of_the_baselines_f32_is_labelled_so)
{
    struct record *record = record_new();
    put_device(record, "cpu", "CPU");
    put_device(record, "gpu", "dGPU");
    put_typed(record, "f32", 1e7, 5e6);
    put_typed(record, "f16", 5e7, 2e7);
    const struct pictures *pictures = draw_made(record);
    const char *svg = find(pictures, "times")->svg;
    cr_expect(strstr(svg, ">CPU portable<") && strstr(svg, ">CPU in f32<"), "%s", svg);
    cr_expect_null(strstr(svg, ">50.0 ms<"), "%s", svg);
}

static void draw_nothing(struct drawing *drawing, const void *data)
{
    drawing->height = 10;
}

Test(plot, title_and_caption_are_escaped_for_readers_of_screens)
{
    struct pool pool = { 0 };
    struct pictures pictures = { .pool = &pool };
    drawing_add(&pictures, &(struct picture){ .name = "a", .title = "a & \"b\"", .caption = "c < d" }, draw_nothing,
                NULL);
    cr_assert_eq(pictures.count, 1);
    cr_expect(strstr(pictures.picture[0].svg, "aria-label=\"a &amp; &quot;b&quot;. c &lt; d\""), "%s",
              pictures.picture[0].svg);
    pool_release(&pool);
}

Test(plot, a_scale_of_ratios_has_ticks_besides_one)
{
    static const double ends[][2] = { { 0.3, 2.1 },  { 0.45, 3.5 }, { 0.45, 40 }, { 0.02, 2.2 },
                                      { 0.46, 2.1 }, { 0.91, 1.1 }, { 0.8, 1.3 }, { 0.4, 1.8 } };
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        double tick[TICKS_MAX];
        const struct axis axis = { .from = ends[i][0], .to = ends[i][1], .length = 160 };
        unsigned ticks = axis_ticks(&axis, tick);
        cr_expect(ticks >= 2 && ticks <= 12, "%g to %g: %u ticks", ends[i][0], ends[i][1], ticks);
    }
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

/* The vertical lines of the first strip of visits. */
static unsigned lines_of_strip(const char *svg)
{
    unsigned count = 0;
    for (const char *at = strstr(svg, "visit\" d=\"M"); at && *(at += strcspn(at, "V/")) == 'V'; at++)
        count++;
    return count;
}

/* An interval is a line with one across each of its ends; visits are a vertical line each, on a shaded interval. */
Test(plot, a_row_has_its_intervals_and_its_visits_at_both_widths)
{
    static const struct {
        const char *name, *what;
        unsigned count;
    } rows[] = {
        { "speed-up", "class=\"c0 line\"", 1 }, { "speed-up", "class=\"c1 line\"", 1 },
        { "speed-up", "visit\"", 0 },           { "speed-up", ">GPU a problem of some length (gpu)<", 1 },
        { "speed-up", ">2.00\u00d7<", 1 },      { "visits", "class=\"c0 visit\"", 1 },
        { "visits", " visit\" d=\"M", 2 },      { "visits", "class=\"c0 shade\"", 1 },
        { "visits", "class=\"c1 shade\"", 1 },  { "visits", "line\"", 0 },
    };
    const struct pictures *pictures = draw_made(pair("a problem of some length", 2));
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct picture *picture = find(pictures, rows[i].name);
        cr_expect_eq(count_of(picture->svg, rows[i].what), rows[i].count, "%s: %s", rows[i].name, rows[i].what);
        cr_expect_eq(count_of(picture->wide, rows[i].what), rows[i].count, "wide %s: %s", rows[i].name, rows[i].what);
    }
    cr_expect_eq(lines_of_strip(find(pictures, "visits")->svg), 30);
    cr_expect_eq(lines_of_strip(find(pictures, "visits")->wide), 30);
}

Test(plot, what_has_no_interval_is_hollow)
{
    struct record *record = record_new();
    put_device(record, "cpu", "CPU");
    put_device(record, "gpu", "dGPU");
    put_cell(record, "a", "cpu", "block", "w", "a", 1e9);
    put_cell(record, "b", "gpu", "block", "w", "a", 1e9);
    put_rounds(record, "a", "b", 2, 3);
    put_outcome(record, "a");
    put_outcome(record, "b");
    const struct pictures *hollow = draw_made(record), *full = draw_made(pair("w", 2));
    cr_assert(strstr(find(hollow, "speed-up")->svg, "class=\"c0 hollow\""));
    cr_assert_null(strstr(find(full, "speed-up")->svg, "class=\"c0 hollow\""));
}

/* Loops that ran at so many GFLOP/s and GB/s. */
static void put_peaks(struct record *record, const char *device)
{
    static const char *const roofs[] = { "flops", "bandwidth" };
    for (unsigned i = 0; i < 2; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s %s", roofs[i], device);
        add_line(record, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b, s:s}",
                                   "line", "cell", "key", key, "block", key, "device", device, "workload", "peak",
                                   "dtype", "f32", "shape", key, "method", "v", "memory", "m", "baseline", "", "flops",
                                   i == 0 ? 1e9 : 0, "bytes", 1e9, "held", 4e9, "ceiling", 1, "roof", roofs[i]));
        for (unsigned k = 0; k < 7; k++)
            addf(record, "{'line':'slice','cell':'%s','series':'resident','number':%u,'at_ns':%u,'wall_ns':[10000000]}",
                 key, k, 1000 + k);
        put_outcome(record, key);
    }
}

/* Two problems, each by a CPU and `gpus` other devices. */
static struct record *crowd(unsigned gpus)
{
    struct record *record = record_new();
    put_device(record, "cpu", "CPU");
    put_peaks(record, "cpu");
    for (unsigned i = 0; i < gpus; i++) {
        char id[16];
        snprintf(id, sizeof id, "gpu:%u", i);
        put_device(record, id, "dGPU");
        put_peaks(record, id);
    }
    for (unsigned problem = 0; problem < 2; problem++) {
        const char *base = problem ? "a1" : "a0", *block = problem ? "second" : "first";
        put_cell(record, base, "cpu", block, "w", base, 1e9);
        for (unsigned i = 0; i < gpus; i++) {
            char own[16], id[16];
            snprintf(id, sizeof id, "gpu:%u", i);
            snprintf(own, sizeof own, "b%u.%u", problem, i);
            put_cell(record, own, id, block, "w", base, 1e9);
            put_rounds(record, base, own, 2, 7);
            put_outcome(record, own);
        }
        put_outcome(record, base);
    }
    return record;
}

/* Its answer was not verified: it is neither a point nor a peak. */
Test(plot, what_supports_no_claim_raises_no_roof)
{
    struct record *record = crowd(1);
    put_cell(record, "c", "gpu:0", "first", "w", "a0", 1e12);
    put_rounds(record, "a0", "c", 2, 7);
    addf(record, "{'line':'outcome','cell':'c','status':'ok'}");
    const struct pictures *wanted = draw_made(crowd(1)), *pictures = draw_made(record);
    cr_expect_str_eq(find(pictures, "roofline-f32")->svg, find(wanted, "roofline-f32")->svg);
}

/* Whichever method of a device was measured first: the fastest is the point of its problem. */
static const struct pictures *two_methods(double first, double second)
{
    struct record *record = crowd(0);
    put_device(record, "gpu:0", "dGPU");
    put_peaks(record, "gpu:0");
    const double speedup[] = { first, second };
    for (unsigned i = 0; i < 2; i++) {
        const char *key = i ? "d" : "c";
        put_cell(record, key, "gpu:0", "first", "w", "a0", 1e8); /* far below the peak, which stays where it is */
        put_rounds(record, "a0", key, speedup[i], 7);
        put_outcome(record, key);
    }
    return draw_made(record);
}

Test(plot, the_fastest_method_is_the_point_of_its_problem)
{
    const struct pictures *rising = two_methods(3, 5), *falling = two_methods(5, 3), *slower = two_methods(3, 4);
    cr_expect_str_eq(find(rising, "roofline-f32")->svg, find(falling, "roofline-f32")->svg);
    cr_expect_str_neq(find(rising, "roofline-f32")->svg, find(slower, "roofline-f32")->svg);
}

Test(plot, devices_beyond_the_number_of_styles_are_left_out)
{
    const char *svg = find(draw_made(crowd(8)), "roofline-f32")->svg;
    cr_expect(strstr(svg, ">gpu:4 189 GFLOP/s") && !strstr(svg, "gpu:5"), "%s", svg);
}
