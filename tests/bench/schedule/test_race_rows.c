/* Who is measured after a race, and what a contender costs that is wrong, dies, or does not fit: races on scripted
 * workers. The linker sends every request to a worker here, and asks here how much memory there is. */

#include "bench/schedule/admission.h"
#include "bench/schedule/block.h"
#include "bench/schedule/race.h"
#include "tests/support/made_plan.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { METHODS = 5, OPEN_MAX = 32 };

/* How a method behaves. Times are in seconds and get some noise. */
struct script {
    const char *method;
    double run, repack;   /* repack 0: none */
    double compile;       /* until it is ready */
    unsigned disturbed;   /* slices, the first ones, that take five times as long */
    double noise;         /* share by which a run may be longer or shorter; 0: 1 % */
    const char *fails_in; /* "open", "verify", "slice", "kernel_shape"; NULL: nothing fails */
    enum status fails_with;
    unsigned fails_from;       /* number of that request, from 0 */
    const char *kernel_shapes; /* letters, each the name of one; NULL: none */
    double shape_run[4];       /* of each kernel shape */
    const char *bad_shape;     /* the kernel shape that fails; NULL: any */
    unsigned bad_opens;        /* workers of the race, the first ones, that crash when they open */
    bool is_bad_later;         /* every worker after the first METHODS - 1 crashes when it opens */
    unsigned bad_after;        /* slices crash once so many workers have been opened; 0: never */
    const char *bad_memory;    /* kind of memory that fails to open */
    enum status beside;        /* what opening ends with while other workers are open; STATUS_OK: it opens */
};

/* The requests that a script may fail in. */
enum { SLICES = 2, KINDS = 4 };
static const char *const kinds[KINDS] = { "open", "verify", [SLICES] = "slice", "kernel_shape" };

/* A worker that is none. */
struct client {
    const struct script *script;
    unsigned shape, requests[KINDS], number; /* of the workers */
    const struct worker_setup *setup;
    bool lacks_device;
};

/* What the scripts have seen. */
static struct scene {
    struct made_plan made;
    struct context context;
    struct candidate candidate[16];
    unsigned candidates;
    char path[64];
} * scene;

static const struct script *scripts;
static double memory_available, memory_held; /* bytes; of each open worker, so many less are available */
static struct tuning_cache *cache;           /* NULL: none */
static struct {
    unsigned open, opened, most, slices;
    unsigned started; /* devices that were opened before their cells, without hurry */
    double patience;  /* seconds, with a kernel shape */
} seen;

json_t *__wrap_client_ask(struct client *client, json_t *request, double expected, struct error *err);
json_t *__wrap_client_open(struct client *client, json_t *request, double expected, struct error *err);
struct client *__wrap_client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err);
bool __wrap_client_end(struct client *client, struct error *err);
bool __wrap_client_lacks_device(const struct client *client);
double __wrap_client_cpu(const struct client *client);
double __wrap_host_memory_available(const char *root);

struct client *__wrap_client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err)
{
    (void)pinned, (void)log_fd, (void)err;
    seen.open++;
    seen.opened++;
    seen.most = seen.open > seen.most ? seen.open : seen.most;
    struct client *client = calloc(1, sizeof *client);
    client->number = seen.opened;
    client->setup = setup;
    return client;
}

bool __wrap_client_end(struct client *client, struct error *err)
{
    (void)err;
    seen.open -= client != NULL;
    free(client);
    return true;
}

bool __wrap_client_lacks_device(const struct client *client)
{
    return client && client->lacks_device;
}

double __wrap_client_cpu(const struct client *client)
{
    (void)client;
    return 0;
}

double __wrap_host_memory_available(const char *root)
{
    (void)root;
    return memory_available - seen.open * memory_held;
}

/* Within that share of the value, other in each call and always the same sequence. */
static double noisy(double value, double share)
{
    static unsigned turn;
    return value * (1 - share + 2 * share * (turn++ * 37 % 101) / 101);
}

static json_int_t noisy_ns(double seconds)
{
    return (json_int_t)(1e9 * noisy(seconds, 0.01));
}

static double run_of(const struct client *client)
{
    return client->script->kernel_shapes ? client->script->shape_run[client->shape] : client->script->run;
}

static bool goes_wrong(struct client *client, const char *what, struct error *err)
{
    const struct script *script = client->script;
    char shape[2] = { script->kernel_shapes ? script->kernel_shapes[client->shape] : '\0' };
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i], what) != 0)
            continue;
        unsigned number = client->requests[i]++;
        bool is_its = script->fails_in && strcmp(script->fails_in, what) == 0 && number >= script->fails_from &&
                      (!script->bad_shape || strcmp(script->bad_shape, shape) == 0);
        return is_its && !fail(err, script->fails_with, "scripted");
    }
    return false;
}

static void set_shape(struct client *client, const char *name)
{
    const char *at = client->script->kernel_shapes && *name ? strchr(client->script->kernel_shapes, *name) : NULL;
    client->shape = at ? (unsigned)(at - client->script->kernel_shapes) : 0;
}

static json_t *reply_to_open(struct client *client)
{
    const struct script *script = client->script;
    char name[2] = "";
    json_t *reply =
        json_pack("{s:I, s:I, s:I, s:s}", "open_ns", (json_int_t)1000, "compile_ns",
                  (json_int_t)(1e9 * script->compile), "run_ns", noisy_ns(run_of(client)), "detail", "made up");
    if (script->repack > 0)
        json_object_set_new(reply, "repack_ns", json_integer(noisy_ns(script->repack)));
    if (!script->kernel_shapes)
        return reply;
    json_t *names = json_array();
    for (const char *letter = script->kernel_shapes; *letter; letter++) {
        name[0] = *letter;
        json_array_append_new(names, json_string(name));
    }
    name[0] = script->kernel_shapes[client->shape];
    json_object_set_new(reply, "kernel_shape", json_string(name));
    json_object_set_new(reply, "kernel_shapes", names);
    return reply;
}

static json_t *reply_to_slice(const struct client *client, const char *series)
{
    seen.slices++;
    double noise = client->script->noise > 0 ? client->script->noise : 0.01;
    double slower = client->requests[SLICES] <= client->script->disturbed ? 5 : 1;
    json_int_t run = (json_int_t)(1e9 * slower * noisy(run_of(client), noise));
    json_t *reply = json_pack("{s:I, s:[I, I], s:s}", "elapsed_ns", 2 * run, "wall_ns", run, run, "series", series);
    if (strcmp(series, "offload") == 0)
        json_object_set_new(reply, "phases", json_pack("{s:[I]}", "repack_ns", noisy_ns(client->script->repack)));
    return reply;
}

json_t *__wrap_client_ask(struct client *client, json_t *request, double expected, struct error *err)
{
    (void)expected;
    char what[32], name[32], series[32];
    const char *words[] = { "do", "name", "series" };
    char *to[] = { what, name, series };
    for (unsigned i = 0; i < 3; i++) {
        const char *word = json_string_value(json_object_get(request, words[i]));
        snprintf(to[i], sizeof what, "%s", word ? word : "");
    }
    if (strcmp(what, "start") == 0) {
        json_decref(request);
        seen.started += client->setup->timeout == 30;
        return json_object();
    }
    if (strcmp(what, "open") == 0) {
        const char *method = json_string_value(json_object_get(request, "method"));
        for (client->script = scripts; strcmp(client->script->method, method) != 0; client->script++)
            cr_assert(client->script->method, "no script of %s", method);
        const char *shape = json_string_value(json_object_get(request, "kernel_shape"));
        set_shape(client, shape ? shape : "");
    }
    if (strcmp(what, "kernel_shape") == 0)
        set_shape(client, name);
    const char *memory = json_string_value(json_object_get(request, "memory"));
    bool is_bad_memory = memory && client->script->bad_memory && strcmp(client->script->bad_memory, memory) == 0;
    json_decref(request);
    if (strcmp(what, "open") == 0 && (client->number <= client->script->bad_opens || is_bad_memory ||
                                      (client->script->is_bad_later && client->number >= METHODS))) {
        fail(err, is_bad_memory ? STATUS_UNSUPPORTED : STATUS_CRASHED, "scripted");
        return NULL;
    }
    if (strcmp(what, "open") == 0 && client->script->beside && seen.open > 1) {
        client->lacks_device = client->script->beside == STATUS_FAILED;
        fail(err, client->script->beside, "others are open");
        return NULL;
    }
    if (strcmp(what, "kernel_shape") == 0)
        seen.patience = client->setup->timeout;
    if (strcmp(what, "slice") == 0 && client->script->bad_after > 0 && seen.opened >= client->script->bad_after) {
        fail(err, STATUS_CRASHED, "scripted");
        return NULL;
    }
    if (goes_wrong(client, what, err))
        return NULL;
    if (strcmp(what, "open") == 0)
        return reply_to_open(client);
    if (strcmp(what, "slice") == 0)
        return reply_to_slice(client, series);
    if (strcmp(what, "warmup") == 0)
        return json_pack("{s:I}", "wall_ns", noisy_ns(run_of(client)));
    return json_pack("{s:I}", strcmp(what, "verify") == 0 ? "run_ns" : "compile_ns", noisy_ns(run_of(client)));
}

json_t *__wrap_client_open(struct client *client, json_t *request, double expected, struct error *err)
{
    return __wrap_client_ask(client, request, expected, err);
}

static void scene_open(const char *device, const struct script list[], const char *suite, const char *option,
                       const char *argument)
{
    const char *const ids[] = { device, NULL };
    const char *const words[] = { "--workload", "matmul", "--size", "512", "--suite", suite, option, argument, NULL };
    scene = calloc(1, sizeof *scene);
    scripts = list;
    memset(&seen, 0, sizeof seen);
    snprintf(scene->path, sizeof scene->path, "/tmp/bench-race-XXXXXX");
    cr_assert(made_plan_make(&scene->made, ids, words), "%s", scene->made.err.message);
    close(mkstemp(scene->path));
    unlink(scene->path);
    struct context *context = &scene->context;
    context->options = &scene->made.options;
    context->terms = &context->usual;
    context->usual.rule = (struct rule){ .target = 0.02, .budget = 1, .deadline = 30 };
    if (scene->made.options.threads > 0)
        scene->made.host.worker_threads = scene->made.options.threads;
    context->setup = (struct worker_setup){ .timeout = 30, .wake_fd = -1, .host = &scene->made.host };
    context->usual.admission = (struct admission){ .options = &scene->made.options, .listing = &scene->made.listing };
    context->usual.baseline = &scene->made.listing.device[0];
    if (cache)
        context->tuning_cache = *cache;
    context->tuning_left = context_tuning_budget(context->options);
    cr_assert(run_log_open(&context->run_log, scene->path, &scene->made.err), "%s", scene->made.err.message);
    scene->candidates = scene->made.plan.cells;
    for (unsigned i = 0; i < scene->candidates; i++)
        scene->candidate[i] = (struct candidate){ .cell = &scene->made.plan.cell[i] };
    context->tuning_planned = race_seconds(context, scene->made.plan.cell, scene->candidates);
}

/* Races the methods of a device. */
static void race_on(const char *device, const struct script list[], const char *suite, const char *option,
                    const char *argument)
{
    scene_open(device, list, suite, option, argument);
    race_rows(&scene->context, scene->candidate, scene->candidates);
    cr_expect_eq(seen.open, 0, "%u workers were left", seen.open);
}

static void race_with(const struct script list[], const char *suite, const char *option, const char *argument)
{
    race_on("cpu", list, suite, option, argument);
}

static void race_scripts(const struct script list[], const char *suite)
{
    race_with(list, suite, NULL, NULL);
}

static void scene_close(void)
{
    admission_free(&scene->context.usual.admission);
    run_log_free(&scene->context.run_log);
    made_plan_free(&scene->made);
    unlink(scene->path);
    free(scene);
}

static const char *winner(enum race_kind kind)
{
    race_order(scene->context.usual.baseline, scene->candidate, scene->candidates, kind);
    return scene->candidate[0].cell->method->name;
}

/* "onednn measured, openblas tied, ..." of a race. */
static const char *ends(enum measures purpose)
{
    static char text[400];
    const struct block_record *block = &scene->context.run_log.record->block[0];
    const struct race_record *race = record_race_of(block, "cpu", scripts[0].method, "pageable", purpose);
    text[0] = '\0';
    for (unsigned i = 0; race && i < race->contenders; i++) {
        const struct contender_record *one = &race->contender[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s%s %s", i > 0 ? ", " : "", one->method,
                 *one->kernel_shape ? " " : "", one->kernel_shape, race_end_name(one->end));
    }
    return text;
}

static const struct contender_record *contender_named(const char *method, const char *kernel_shape)
{
    const struct race_record *race = &scene->context.run_log.record->block[0].race[0];
    for (unsigned i = 0; i < race->contenders; i++)
        if (strcmp(race->contender[i].method, method) == 0 &&
            strcmp(race->contender[i].kernel_shape, kernel_shape) == 0)
            return &race->contender[i];
    cr_assert_fail("no contender %s %s", method, kernel_shape);
    return NULL;
}

static const struct {
    const char *what;
    struct script script[METHODS];
    const char *compute, *transfers; /* ends; NULL: there is no such race */
} rows[] = {
    { "the fastest is measured",
      { { "onednn", .run = 0.004 },
        { "onednn-gemm", .run = 0.003 },
        { "openblas", .run = 0.002 },
        { "native", .run = 0.01 } },
      "onednn slower, onednn-gemm slower, openblas measured, native slower",
      NULL },
    { "of a tie the first of the table",
      { { "onednn", .run = 0.0025 },
        { "onednn-gemm", .run = 0.00201 },
        { "openblas", .run = 0.002 },
        { "native", .run = 0.004 } },
      "onednn slower, onednn-gemm measured, openblas tied, native slower",
      NULL },
    { "data that stay and data that move have a winner each",
      { { "onednn", .run = 0.001, .repack = 0.002 },
        { "onednn-gemm", .run = 0.002 },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.008 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower" },
    { "a contender that ties in both races is measured for both",
      { { "onednn", .run = 0.002, .repack = 0.002 },
        { "onednn-gemm", .run = 0.00201 },
        { "openblas", .run = 0.004 },
        { "native", .run = 0.008 } },
      "onednn tied, onednn-gemm measured, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower" },
    { "what is wrong, dies, hangs or is refused costs itself",
      { { "onednn", .run = 0.001, .fails_in = "verify", .fails_with = STATUS_WRONG },
        { "onednn-gemm", .run = 0.001, .fails_in = "slice", .fails_with = STATUS_CRASHED, .fails_from = 2 },
        { "openblas", .run = 0.001, .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "native", .run = 0.004 } },
      "onednn failed, onednn-gemm failed, openblas passed-over, native measured",
      NULL },
    { "a run many times as long as the fastest is out without a round",
      { { "onednn", .run = 0.1 }, { "onednn-gemm", .run = 0.9 }, { "openblas", .run = 0.2 }, { "native", .run = 30 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      NULL },
    { "kernel shapes race, and a bad one costs itself",
      { { "onednn", .run = 0.002 },
        { "onednn-gemm", .run = 0.003 },
        { "openblas", .run = 0.003 },
        { "native", .run = 0.001, .kernel_shapes = "abcd", .shape_run = { 0.004, 0.001, 0.001, 0.002 },
          .fails_in = "verify", .fails_with = STATUS_CRASHED, .bad_shape = "b" } },
      "onednn slower, onednn-gemm slower, openblas slower, native a slower, native b failed, native c measured, "
      "native d slower",
      NULL },
    { "of long runs, of which a race has few rounds, repacking is no disturbance",
      { { "onednn", .run = 0.6, .repack = 0.6 },
        { "onednn-gemm", .run = 1.5 },
        { "openblas", .run = 1.8 },
        { "native", .run = 2 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn measured, onednn-gemm slower, openblas slower, native slower" },
    { "a run many times as long as the fastest may win where the fastest repacks",
      { { "onednn", .run = 0.1, .repack = 1 },
        { "onednn-gemm", .run = 0.45 },
        { "openblas", .run = 0.6 },
        { "native", .run = 30 } },
      "onednn measured, onednn-gemm slower, openblas slower, native slower",
      "onednn slower, onednn-gemm measured, openblas slower, native slower" },
};

Test(race_rows, ends_as_the_table_states)
{
    memory_available = 1e12;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        race_scripts(rows[i].script, "standard");
        cr_expect_str_eq(ends(MEASURES_COMPUTE), rows[i].compute, "%s: %s", rows[i].what, ends(MEASURES_COMPUTE));
        cr_expect_str_eq(ends(MEASURES_TRANSFERS), rows[i].transfers ? rows[i].transfers : "", "%s: %s", rows[i].what,
                         ends(MEASURES_TRANSFERS));
        for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
            const char *text = rows[i].transfers && kind == RACE_TRANSFERS ? rows[i].transfers : rows[i].compute;
            const char *method = winner(kind), *at = strstr(text, " measured");
            while (at > text && at[-1] != ',' && at > text)
                at--;
            cr_expect(strstr(at > text ? at + 1 : at, method) != NULL, "%s: %s", rows[i].what, method);
        }
        scene_close();
    }
}

/* Planted: the same table with the first method a hundred times as fast. */
Test(race_rows, the_table_notices_a_wrong_time)
{
    memory_available = 1e12;
    for (unsigned i = 0; i < 4; i++) {
        struct script changed[METHODS];
        memcpy(changed, rows[i].script, sizeof changed);
        changed[3].run /= 100;
        race_scripts(changed, "standard");
        cr_expect_str_neq(ends(MEASURES_COMPUTE), rows[i].compute, "%s", rows[i].what);
        scene_close();
    }
}

Test(race_rows, the_kernel_shape_of_the_winner_is_measured)
{
    memory_available = 1e12;
    race_scripts(rows[6].script, "standard");
    race_order(scene->context.usual.baseline, scene->candidate, scene->candidates, RACE_COMPUTE);
    cr_expect_str_eq(scene->candidate[0].kernel_shape[RACE_COMPUTE], "c");
    cr_expect_eq(contender_named("native", "b")->outcome.status, STATUS_CRASHED);
    cr_expect_eq(scene->candidate[0].outcome.status, STATUS_OK);
    scene_close();
}

/* With memory for some at a time the others race against the leader, in heats, and the choice is the same. */
Test(race_rows, without_memory_for_all_there_are_heats)
{
    for (unsigned i = 0; i < 4; i++) {
        memory_available = 1e12;
        race_scripts(rows[i].script, "standard");
        cr_expect_eq(seen.most, 4);
        double largest = 0;
        for (unsigned k = 0; k < scene->candidates; k++)
            largest = fmax(largest, cell_host_bytes(scene->candidate[k].cell));
        memory_available = 1.1 * largest;
        scene_close();
        race_scripts(rows[i].script, "standard");
        cr_expect_str_eq(ends(MEASURES_COMPUTE), rows[i].compute, "%s: %s", rows[i].what, ends(MEASURES_COMPUTE));
        cr_expect(seen.most == 2 || seen.most == 3, "some and the leaders, not %u", seen.most);
        scene_close();
    }
}

/* One has no memory beside others, or the device takes one worker at a time. */
Test(race_rows, what_is_refused_beside_others_races_without_them)
{
    static const struct script crowded[METHODS] = {
        { "onednn", .run = 0.003 },
        { "onednn-gemm", .run = 0.002 },
        { "openblas", .run = 0.001, .beside = STATUS_NO_MEMORY },
        { "native", .run = 0.01 },
    };
    static const struct script exclusive[METHODS] = {
        { "onednn", .run = 0.003, .beside = STATUS_FAILED },
        { "onednn-gemm", .run = 0.001, .beside = STATUS_FAILED },
        { "openblas", .run = 0.002, .beside = STATUS_FAILED },
        { "native", .run = 0.01, .beside = STATUS_FAILED },
    };
    memory_available = 1e12;
    race_scripts(crowded, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn slower, onednn-gemm slower, openblas measured, native slower");
    cr_expect_not(admission_takes_one(&scene->context.usual.admission, scene->context.usual.baseline));
    scene_close();
    race_scripts(exclusive, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn slower, onednn-gemm measured, openblas slower, native slower");
    cr_expect(admission_takes_one(&scene->context.usual.admission, scene->context.usual.baseline));
    cr_expect_eq(seen.opened, 4 + 2, "%u: two tries are enough to know", seen.opened);
    cr_expect_float_eq(contender_named("openblas", "")->ratio, 0.5, 0.05);
    scene_close();
}

Test(race_rows, what_the_plan_refuses_is_not_tried_without_others)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.003 },
                                                   { "onednn-gemm", .run = 0.002 },
                                                   { "openblas", .run = 0.001 },
                                                   { "native", .run = 0.01 } };
    memory_available = 1e12;
    scene_open("cpu", script, "standard", NULL, NULL);
    for (unsigned i = 0; i < scene->candidates; i++)
        if (strcmp(scene->made.plan.cell[i].method->name, "openblas") == 0)
            fail(&scene->made.plan.cell[i].refused, STATUS_NO_MEMORY, "too large");
    race_rows(&scene->context, scene->candidate, scene->candidates);
    cr_expect_eq(contender_named("openblas", "")->outcome.status, STATUS_NO_MEMORY);
    cr_expect_eq(seen.opened, 3);
    scene_close();
}

/* A large library that loads slowly is waited for; what would stand in for it is not. */
Test(race_rows, what_loads_for_long_is_not_passed_over_in_a_quick_run)
{
    static const struct script script[] = { { "portable", .run = 0.002 },
                                            { "cublas", .run = 0.001, .compile = 7 },
                                            { .method = NULL } };
    memory_available = 1e12;
    race_on("cuda:0", script, "quick", NULL, NULL);
    cr_expect_eq(scene->candidate[0].rank[RACE_COMPUTE], 0);
    cr_expect_str_eq(scene->candidate[0].cell->method->name, "cublas");
    cr_expect_eq(seen.started, 1, "the device of what is in a hurry is opened before");
    scene_close();
}

Test(race_rows, what_compiles_for_long_is_passed_over_in_a_quick_run)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.001, .compile = 7 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.01 } };
    memory_available = 1e12;
    race_scripts(script, "quick");
    cr_expect_str_eq(winner(RACE_COMPUTE), "openblas");
    cr_expect_str_eq(contender_named("onednn", "")->outcome.message, "passed over: not ready within 2 s");
    cr_expect(scene->candidate[3].was_passed_over && scene->candidate[3].outcome.status == STATUS_OK);
    scene_close();
    race_scripts(script, "standard");
    cr_expect_str_eq(winner(RACE_COMPUTE), "onednn");
    scene_close();
}

/* Each kernel shape that is tried costs half a second of the quick suite's budget. */
Test(race_rows, kernel_shapes_are_tried_as_the_budget_allows_and_methods_always)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.003, .compile = 1 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.003 },
                                                   { "native", .run = 0.01, .compile = 40, .kernel_shapes = "ab",
                                                     .shape_run = { 0.002, 0.001 } } };
    memory_available = 1e12;
    race_scripts(script, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE),
                     "onednn slower, onednn-gemm slower, openblas slower, native a slower, native b measured");
    scene_close();
    struct script slow[METHODS];
    memcpy(slow, script, sizeof slow);
    slow[3].compile = 100;
    race_scripts(slow, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE),
                     "onednn slower, onednn-gemm slower, openblas slower, native a measured, native b passed-over");
    cr_expect_str_eq(contender_named("native", "b")->outcome.message, "not tried: the time for tuning was spent");
    cr_expect_eq(scene->context.tuning_left, 0);
    scene_close();
}

/* Seconds for each run: the time for tuning allows one round, and the ratio decides. */
Test(race_rows, long_runs_race_once)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 6 }, { "onednn-gemm", .run = 9 }, { "openblas", .run = 7 }, { "native", .run = 8 }
    };
    memory_available = 1e12;
    race_scripts(script, "quick");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn measured, onednn-gemm slower, openblas slower, native slower");
    cr_expect_eq(scene->context.run_log.record->block[0].race[0].rounds, 1);
    cr_expect_eq(seen.slices, 4);
    scene_close();
}

/* The time for the race is over before the disturbance is: the race waits for the end of it. */
Test(race_rows, a_method_that_was_disturbed_is_measured_if_it_is_the_fastest)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.15 },
                                                   { "onednn-gemm", .run = 0.15 },
                                                   { "openblas", .run = 0.1, .disturbed = 10 },
                                                   { "native", .run = 0.15 } };
    memory_available = 1e12;
    race_scripts(script, "quick");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn slower, onednn-gemm slower, openblas measured, native slower");
    cr_expect_leq(scene->context.run_log.record->block[0].race[0].rounds, 10 + 4);
    scene_close();
}

Test(race_rows, an_interrupt_ends_the_race_and_blames_nobody)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.003 },
                                                   { "onednn-gemm", .run = 0.003, .fails_in = "slice",
                                                     .fails_with = STATUS_ABANDONED, .fails_from = 1 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.01 } };
    memory_available = 1e12;
    race_scripts(script, "standard");
    cr_expect(scene->context.interrupted);
    cr_expect_leq(seen.slices, 5);
    for (unsigned i = 0; i < scene->candidates; i++)
        cr_expect_eq(scene->candidate[i].outcome.status, STATUS_OK);
    scene_close();
}

Test(race_rows, of_a_tie_no_one_is_chosen_that_was_over_one_percent_slower)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.002 * 1.014 },
                                                   { "onednn-gemm", .run = 0.01 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.01 } };
    memory_available = 1e12;
    race_scripts(script, "standard");
    const struct race_record *race = &scene->context.run_log.record->block[0].race[0];
    for (unsigned i = 0; i < race->contenders; i++)
        if (race->contender[i].end == RACE_MEASURED)
            cr_expect_geq(race->contender[i].ratio, 0.99, "%s", race->contender[i].method);
    cr_expect_str_eq(winner(RACE_COMPUTE), "openblas");
    scene_close();
}

/* Nothing but the names is known of a method whose first kernel shape fails. */
Test(race_rows, a_method_is_not_lost_with_its_first_kernel_shape)
{
    memory_available = 1e12;
    struct script broken[] = { { "portable", .run = 0.001, .bad_opens = 1 }, { .method = NULL } };
    race_on("opencl:0", broken, "standard", "--method", "portable");
    const struct race_record *race = &scene->context.run_log.record->block[0].race[0];
    cr_assert_geq(race->contenders, 2);
    cr_expect_eq(race->contender[0].end, RACE_FAILED);
    cr_expect(isnan(race->contender[0].first), "it never ran");
    cr_expect_str_neq(race->contender[0].kernel_shape, "");
    cr_expect_eq(scene->candidate[0].outcome.status, STATUS_OK);
    cr_expect_str_neq(scene->candidate[0].kernel_shape[RACE_COMPUTE], race->contender[0].kernel_shape);
    scene_close();
    broken[0].bad_opens = 100; /* three workers are enough */
    race_on("opencl:0", broken, "standard", "--method", "portable");
    cr_expect_eq(seen.opened, 3, "%u", seen.opened);
    cr_expect_eq(scene->candidate[0].outcome.status, STATUS_CRASHED);
    scene_close();
}

Test(race_rows, a_kernel_shape_has_as_little_time_as_a_first_run_in_a_quick_run)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.003 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.003 },
                                                   { "native", .kernel_shapes = "ab", .shape_run = { 0.002, 0.001 } } };
    memory_available = 1e12;
    race_scripts(script, "standard");
    cr_expect_eq(seen.patience, 30);
    scene_close();
    race_scripts(script, "quick");
    cr_expect_eq(seen.patience, 5);
    scene_close();
}

/* Of two kinds of memory the first cannot be opened. */
Test(race_rows, a_kind_of_memory_races_where_the_one_before_it_had_no_winner)
{
    memory_available = 1e12;
    for (unsigned bad = 0; bad < 2; bad++) {
        struct script script[] = { { "portable", .run = 0.001, .bad_memory = bad ? "pageable" : NULL },
                                   { "clblast", .run = 0.002, .bad_memory = bad ? "pageable" : NULL },
                                   { .method = NULL } };
        race_on("opencl:0", script, "standard", "--memory", "pageable,pinned");
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->blocks, 1);
        cr_expect_eq(record->block[0].races, 1 + bad, "%u races", record->block[0].races);
        for (unsigned i = 0; i < scene->candidates; i++) {
            const struct candidate *one = &scene->candidate[i];
            bool is_pageable = one->cell->memory == MEMORY_PAGEABLE,
                 is_portable = one->cell->method == scene->candidate[0].cell->method;
            if (is_portable)
                cr_expect_eq(one->outcome.status, bad && is_pageable ? STATUS_UNSUPPORTED : STATUS_OK);
        }
        scene_close();
    }
}

/* Data that stay and data that move have a winner each. One of them fails once it is to be measured. */
Test(race_rows, of_two_winners_one_is_measured_for_both_when_the_other_fails)
{
    memory_available = 1e12;
    for (unsigned bad = 0; bad < 3; bad++) {
        struct script script[METHODS];
        memcpy(script, rows[2].script, sizeof script);
        if (bad < 2)
            script[bad].is_bad_later = true;
        scene_open("cpu", script, "standard", NULL, NULL);
        cr_assert(block_measure(&scene->context, scene->made.plan.cell, scene->candidates, &scene->made.err));
        cr_expect_eq(seen.open, 0, "%u workers were left", seen.open);
        const struct record *record = scene->context.run_log.record;
        cr_assert_eq(record->cells, 2, "%u cells", record->cells);
        for (unsigned i = 0; i < 2; i++) {
            const struct cell_record *cell = record->cell[i];
            enum measures planned = i == 0 ? MEASURES_COMPUTE : MEASURES_TRANSFERS;
            cr_expect_str_eq(cell->method, script[i].method);
            cr_expect_eq(cell->outcome.status, bad == i ? STATUS_CRASHED : STATUS_OK, "%s", cell->outcome.message);
            cr_expect_eq(cell->measures, bad < 2 && bad != i ? MEASURES_BOTH : planned, "%u %u", bad, i);
            cr_expect_str_eq(cell->baseline, record->cell[bad == 0]->key, "%u %u", bad, i);
            cr_expect_str_eq(cell->baseline_offload, record->cell[bad != 1]->key, "%u %u", bad, i);
        }
        scene_close();
    }
}

/* With the baseline open there is no memory for the second row. It is measured once the baseline has ended. */
Test(race_rows, a_row_is_not_refused_for_memory_that_the_baseline_holds)
{
    static const struct script script[] = { { "portable", .run = 0.001 },
                                            { "clblast", .run = 0.002 },
                                            { .method = NULL } };
    double largest = 0;
    memory_available = 1e12;
    scene_open("opencl:0", script, "standard", "--memory", "pageable,pinned");
    for (unsigned i = 0; i < scene->candidates; i++)
        largest = fmax(largest, cell_host_bytes(scene->candidate[i].cell));
    memory_available = 1.5 * largest;
    memory_held = largest;
    cr_assert(block_measure(&scene->context, scene->made.plan.cell, scene->candidates, &scene->made.err));
    memory_held = 0;
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 2, "%u cells", record->cells);
    for (unsigned i = 0; i < 2; i++)
        cr_expect_eq(record->cell[i]->outcome.status, STATUS_OK, "%s", record->cell[i]->outcome.message);
    scene_close();
}

/* The cells of the scene once more, as another problem. */
static struct block *open_another(struct cell cell[])
{
    memcpy(cell, scene->made.plan.cell, scene->candidates * sizeof *cell);
    for (unsigned i = 0; i < scene->candidates; i++) {
        strcat(cell[i].key, " again");
        strcat(cell[i].block, " again");
    }
    return block_open(&scene->context, cell, scene->candidates, &scene->made.err);
}

/* Workers hold more than was expected: of the second problem one row of three has no room beside the first. */
Test(race_rows, a_row_without_room_beside_another_problem_is_measured_in_rounds_with_its_own)
{
    static const struct script script[] = { { "portable", .run = 0.001 },
                                            { "clblast", .run = 0.002 },
                                            { .method = NULL } };
    static struct cell again[sizeof scene->candidate / sizeof *scene->candidate];
    double each = INFINITY; /* bytes of a row that portable computes */
    memory_available = 1e12;
    scene_open("opencl:0", script, "standard", "--memory", "pageable,pinned,mapped");
    struct block *one = block_open(&scene->context, scene->made.plan.cell, scene->candidates, &scene->made.err),
                 *other = open_another(again);
    cr_assert(one && other, "%s", scene->made.err.message);
    for (unsigned i = 0; i < scene->candidates; i++)
        each = fmin(each, cell_host_bytes(scene->candidate[i].cell));
    memory_available = 10.2 * each;
    memory_held = 1.4 * each;
    cr_assert(block_begin(one));
    cr_expect(block_has_room(other));
    cr_expect_not(block_begin(other));
    cr_expect_eq(seen.open, 5, "%u workers are open", seen.open);
    while (block_pass(one))
        continue;
    block_end(one);
    cr_expect_eq(seen.open, 2, "%u workers are open", seen.open);
    block_end(other);
    memory_held = 0;
    cr_expect_eq(seen.open, 0, "%u workers were left", seen.open);
    const struct record *record = scene->context.run_log.record;
    cr_assert_eq(record->cells, 6, "%u cells", record->cells);
    for (unsigned i = 0; i < 6; i++)
        cr_expect_eq(record->cell[i]->outcome.status, STATUS_OK, "%s", record->cell[i]->outcome.message);
    const struct track *early = &record->cell[4]->track[SERIES_RESIDENT],
                       *late = &record->cell[5]->track[SERIES_RESIDENT];
    cr_assert(early->slices > 0 && late->slices > 0);
    cr_expect_lt(late->slice[0].number, early->slice[1].number, "they are not measured in rounds");
    scene_close();
}

Test(race_rows, a_row_is_lost_when_no_method_is_left)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 1, .fails_in = "open", .fails_with = STATUS_UNSUPPORTED },
        { "onednn-gemm", .run = 1, .fails_in = "verify", .fails_with = STATUS_CRASHED },
        { "openblas", .run = 1, .fails_in = "verify", .fails_with = STATUS_WRONG },
        { "native", .run = 1, .fails_in = "open", .fails_with = STATUS_TIMEOUT }
    };
    memory_available = 1e12;
    race_scripts(script, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn passed-over, onednn-gemm failed, openblas failed, native failed");
    cr_expect_eq(scene->candidate[0].outcome.status, STATUS_CRASHED, "the first that failed is the row");
    cr_expect_eq(scene->context.usual.admission.losses[0], 1);
    scene_close();
}

static const struct race_record *race_for(enum measures purpose)
{
    return record_race_of(&scene->context.run_log.record->block[0], "cpu", scripts[0].method, "pageable", purpose);
}

/* onednn-gemm and openblas are within 5 %, native answers wrongly. */
static const struct script usual[METHODS] = {
    { "onednn", .run = 0.004 },
    { "onednn-gemm", .run = 0.00206 },
    { "openblas", .run = 0.002 },
    { "native", .run = 0.001, .fails_in = "verify", .fails_with = STATUS_WRONG },
};

/* One worker more in each heat. The second method leads, and crashes when the third has come. */
Test(race_rows, a_leader_that_crashes_in_a_later_heat_leaves_what_it_tied_with)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.00201 },
                                                   { "onednn-gemm", .run = 0.002, .bad_after = 3 },
                                                   { "openblas", .run = 0.004 },
                                                   { "native", .run = 0.004 } };
    memory_available = 1e12;
    double largest = 0;
    race_scripts(usual, "standard");
    for (unsigned k = 0; k < scene->candidates; k++)
        largest = fmax(largest, cell_host_bytes(scene->candidate[k].cell));
    scene_close();
    memory_available = 1.1 * largest;
    race_scripts(script, "standard");
    cr_expect_str_eq(winner(RACE_COMPUTE), "onednn");
    cr_expect_eq(contender_named("onednn-gemm", "")->outcome.status, STATUS_CRASHED);
    scene_close();
}

/* An empty memory of races, which no file is read into. */
static void cache_begin(struct tuning_cache *out)
{
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    tuning_cache_open(out, false);
    cache = out;
}

static void cache_open(struct tuning_cache *out)
{
    cache_begin(out);
    memory_available = 1e12;
    race_scripts(usual, "standard");
    cr_expect_eq(seen.opened, 4);
    cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, "tuned");
    cr_expect_str_eq(winner(RACE_COMPUTE), "openblas");
    scene_close();
}

static void cache_close(void)
{
    tuning_cache_close(cache);
    cache = NULL;
}

Test(race_rows, those_that_an_earlier_run_left_race_alone)
{
    struct tuning_cache own;
    cache_open(&own);
    race_scripts(usual, "quick");
    cr_expect_eq(seen.opened, 2, "%u workers", seen.opened);
    cr_expect_str_eq(winner(RACE_COMPUTE), "openblas");
    cr_expect_eq(contender_named("onednn", "")->end, RACE_PASSED_OVER);
    cr_expect_eq(contender_named("native", "")->end, RACE_PASSED_OVER);
    cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, "remembered");
    cr_expect_eq(strlen(race_for(MEASURES_COMPUTE)->since), strlen("2026-11-22"));
    cr_expect_str_eq(contender_named("onednn", "")->outcome.message, "slower in an earlier race");
    cr_expect_str_eq(contender_named("native", "")->outcome.message, "failed in an earlier race");
    scene_close();
    cache_close();
}

/* The fastest on data that stay is the slowest on data that move, and races again all the same. */
Test(race_rows, the_fastest_of_each_use_is_remembered)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.001, .repack = 0.006 },
                                                   { "onednn-gemm", .run = 0.008 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.008 } };
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    for (unsigned i = 0; i < 2; i++) {
        race_scripts(script, "standard");
        cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, i == 0 ? "tuned" : "remembered");
        cr_expect_str_eq(winner(RACE_COMPUTE), "onednn");
        cr_expect_str_eq(winner(RACE_TRANSFERS), "openblas");
        scene_close();
    }
    cache_close();
}

/* It is not opened for that. */
Test(race_rows, the_only_one_that_an_earlier_run_left_is_measured_without_a_race)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.004 },
                                                   { "onednn-gemm", .run = 0.004 },
                                                   { "openblas", .run = 0.004 },
                                                   { "native", .run = 0.001, .kernel_shapes = "ab",
                                                     .shape_run = { 0.004, 0.001 } } };
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    race_scripts(script, "standard");
    cr_expect_str_eq(winner(RACE_COMPUTE), "native");
    scene_close();
    race_scripts(script, "standard");
    cr_expect_eq(seen.opened, 0);
    for (enum race_kind kind = 0; kind < RACE_KINDS; kind++) {
        cr_expect_str_eq(winner(kind), "native");
        cr_expect_str_eq(scene->candidate[0].kernel_shape[kind], "b");
    }
    cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, "remembered");
    cr_expect_eq(contender_named("native", "b")->end, RACE_MEASURED);
    scene_close();
    cache_close();
}

/* Another size has the kernel shapes in another order. */
Test(race_rows, all_kernel_shapes_that_an_earlier_run_left_race_in_whatever_order_they_are)
{
    static const char *const orders[] = { "abc", "bac", "bca", "cab", "cba" };
    static const double run_of_letter[] = { 0.00202, 0.002, 0.005 };
    struct script script[METHODS] = { { "onednn", .run = 0.008 },
                                      { "onednn-gemm", .run = 0.008 },
                                      { "openblas", .run = 0.008 },
                                      { "native", .run = 0.002 } };
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        script[3].kernel_shapes = orders[i];
        for (unsigned k = 0; k < 3; k++)
            script[3].shape_run[k] = run_of_letter[orders[i][k] - 'a'];
        race_scripts(script, "standard");
        cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, i == 0 ? "tuned" : "remembered");
        cr_expect_gt(contender_named("native", "a")->rounds, 0, "%s: %s", orders[i], ends(MEASURES_COMPUTE));
        cr_expect_gt(contender_named("native", "b")->rounds, 0, "%s: %s", orders[i], ends(MEASURES_COMPUTE));
        cr_expect_eq(strstr(ends(MEASURES_COMPUTE), "native c") != NULL, i == 0, "%s", orders[i]);
        scene_close();
    }
    cache_close();
}

Test(race_rows, all_race_where_nothing_may_be_taken_from_an_earlier_run)
{
    static const char *const options[][2] = { { "--method", "onednn,onednn-gemm,openblas,native" },
                                              { "--dtype", "f64" },
                                              { "--cold", NULL },
                                              { "--threads", "7" } };
    struct tuning_cache own;
    cache_open(&own);
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        race_with(usual, "standard", options[i][0], options[i][1]);
        cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, "tuned", "%s", options[i][0]);
        cr_expect_geq(seen.opened, 2, "%s", options[i][0]);
        scene_close();
    }
    cache_close();
}

Test(race_rows, all_race_when_none_is_left_of_those_that_an_earlier_run_left)
{
    struct tuning_cache own;
    struct script broken[METHODS];
    cache_open(&own);
    memcpy(broken, usual, sizeof broken);
    for (unsigned i = 1; i < 3; i++) {
        broken[i].fails_in = "open";
        broken[i].fails_with = STATUS_FAILED;
    }
    race_scripts(broken, "standard");
    cr_expect_str_eq(ends(MEASURES_COMPUTE), "onednn measured, onednn-gemm failed, openblas failed, native failed");
    cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, "tuned");
    scene_close();
    cache_close();
}

/* Races twice with an empty memory of races. Returns where the second choice comes from. */
static const char *origin_of_second(const struct script script[])
{
    static char origin[16];
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    race_scripts(script, "standard");
    scene_close();
    race_scripts(script, "standard");
    snprintf(origin, sizeof origin, "%s", race_for(MEASURES_COMPUTE)->origin);
    cache_close();
    return origin;
}

Test(race_rows, a_race_that_was_decided_is_remembered_whatever_was_hopeless_or_refused)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.9 },
                                                   { "onednn-gemm", .run = 0.002 },
                                                   { "openblas", .run = 0.001, .fails_in = "open",
                                                     .fails_with = STATUS_UNSUPPORTED },
                                                   { "native", .run = 0.002 } };
    cr_expect_str_eq(origin_of_second(script), "remembered");
    cr_expect_eq(seen.opened, 2, "%u workers", seen.opened);
    cr_expect_str_eq(contender_named("onednn", "")->outcome.message, "slower in an earlier race");
    scene_close();
}

Test(race_rows, what_is_too_noisy_to_tell_is_remembered)
{
    struct script script[METHODS] = { { "onednn", .run = 0.008 },
                                      { "onednn-gemm", .run = 0.0027, .noise = 0.9 },
                                      { "openblas", .run = 0.002 },
                                      { "native", .run = 0.008 } };
    for (unsigned i = 0; i < 2; i++) {
        cr_expect_str_eq(origin_of_second(script), "remembered");
        cr_expect_eq(seen.opened, i == 0 ? 2 : 0, "%u workers", seen.opened);
        scene_close();
        script[1].noise = 0.01;
    }
}

Test(race_rows, a_race_of_too_few_rounds_is_not_remembered)
{
    static const struct script script[METHODS] = {
        { "onednn", .run = 6 }, { "onednn-gemm", .run = 9 }, { "openblas", .run = 7 }, { "native", .run = 8 }
    };
    cr_expect_str_eq(origin_of_second(script), "tuned");
    cr_expect_eq(seen.opened, 4);
    scene_close();
}

/* The first run compiles for so long that two kernel shapes are left; one of them fails in the second. */
Test(race_rows, only_what_there_was_no_time_for_is_tried_later)
{
    struct script script[METHODS] = { { "onednn", .run = 0.003 },
                                      { "onednn-gemm", .run = 0.003 },
                                      { "openblas", .run = 0.003 },
                                      { "native", .compile = 100, .kernel_shapes = "abc",
                                        .shape_run = { 0.002, 0.001, 0.001 }, .fails_in = "verify",
                                        .fails_with = STATUS_WRONG, .bad_shape = "b" } };
    static const char *const expected[] = {
        "onednn slower, onednn-gemm slower, openblas slower, native a measured, native b passed-over, "
        "native c passed-over",
        "onednn passed-over, onednn-gemm passed-over, openblas passed-over, native a slower, native b failed, "
        "native c measured",
        "onednn passed-over, onednn-gemm passed-over, openblas passed-over, native c measured",
    };
    static const char *const origins[] = { "tuned", "tuned", "remembered" };
    static const unsigned opened[] = { 4, 1, 0 };
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    for (unsigned i = 0; i < 3; i++) {
        race_scripts(script, "standard");
        cr_expect_str_eq(ends(MEASURES_COMPUTE), expected[i], "%u: %s", i, ends(MEASURES_COMPUTE));
        cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, origins[i], "%u", i);
        cr_expect_eq(seen.opened, opened[i], "%u: %u workers", i, seen.opened);
        scene_close();
        script[3].compile = 0;
    }
    cache_close();
}

/* In a quick run a method is not ready in time. What a long run left is measured in a quick one too. */
Test(race_rows, a_longer_run_tries_what_a_quick_one_had_no_time_for)
{
    static const struct script script[METHODS] = { { "onednn", .run = 0.001, .compile = 7 },
                                                   { "onednn-gemm", .run = 0.003 },
                                                   { "openblas", .run = 0.002 },
                                                   { "native", .run = 0.01 } };
    struct tuning_cache own;
    cache_begin(&own);
    memory_available = 1e12;
    static const char *const suites[] = { "quick", "quick", "standard", "standard", "quick" };
    static const char *const origins[] = { "tuned", "remembered", "tuned", "remembered", "remembered" };
    for (unsigned i = 0; i < 5; i++) {
        race_scripts(script, suites[i]);
        cr_expect_str_eq(race_for(MEASURES_COMPUTE)->origin, origins[i], "%u", i);
        cr_expect_str_eq(winner(RACE_COMPUTE), i >= 2 ? "onednn" : "openblas", "%u", i);
        if (i == 2)
            cr_expect_eq(seen.opened, 2, "the winner and what was left, not %u", seen.opened);
        scene_close();
    }
    cache_close();
}
