#include "tests/support/scripted_workers.h"

#include "harness/base/clock.h"
#include "harness/measure/random.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The requests that a script may fail in. */
enum { SLICES = 2, KINDS = 6 };

/* Slices of a choice that stays open to its end: the first ones, and the rounds. */
enum { CHOOSING = 2 + RACE_ROUNDS_MAX };
static const char *const kinds[KINDS] = { "open", "verify", [SLICES] = "slice", "kernel_shape", "warmup", "naive" };

/* A worker that is none. */
struct client {
    const struct script *script;
    const char *method;
    unsigned shape, requests[KINDS], number; /* of the workers */
    double size;                             /* of a side of the matrices */
};

struct workers_seen seen;
struct scene *scene;
struct tuning_cache *cache;
double memory_available = 1e12, others_use = 0;
static struct script scripts[12];

bool __wrap_client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                       struct error *err);
struct client *__wrap_client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err);
bool __wrap_client_end(struct client *client, struct error *err);
const char *__wrap_client_last_line(const struct client *client);
double __wrap_client_cpu(const struct client *client);
double __wrap_host_memory_available(const char *root);
double __wrap_host_busy(const char *root);

struct client *__wrap_client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err)
{
    seen.open++;
    seen.opened++;
    seen.most = seen.open > seen.most ? seen.open : seen.most;
    struct client *client = calloc(1, sizeof *client);
    client->number = seen.opened;
    return client;
}

bool __wrap_client_end(struct client *client, struct error *err)
{
    seen.open -= client != NULL;
    free(client);
    return true;
}

const char *__wrap_client_last_line(const struct client *client)
{
    return "printed last";
}

double __wrap_client_cpu(const struct client *client)
{
    return 10 * seen.requests;
}

double __wrap_host_memory_available(const char *root)
{
    return memory_available;
}

double __wrap_host_busy(const char *root)
{
    return others_use * clock_wall() + runners_cpu(&scene->context);
}

static uint64_t noise_turn;

/* Within that share of the value, other in each call and the same sequence in each scene. */
static double noisy(double value, double share)
{
    return value * (1 + share * random_uniform(DTYPE_F64, 1, 0, noise_turn++));
}

static double noisy_run(double seconds)
{
    return noisy(seconds, 0.01);
}

static double grown(const struct client *client, double seconds)
{
    return seconds * pow(client->size / 512, 3);
}

static bool is_late(const struct client *client)
{
    return client->script->late > 0 && client->requests[SLICES] > CHOOSING;
}

static double run_of(const struct client *client)
{
    const struct script *script = client->script;
    const double base = script->shapes ? script->takes[client->shape] : script->run;
    return (is_late(client) ? script->late : 1) * (script->begins[client->shape] + grown(client, base));
}

static char shape_of(const struct client *client)
{
    return client->script->shapes ? client->script->shapes[client->shape] : '\0';
}

static bool goes_wrong(struct client *client, const char *what, struct error *err)
{
    const struct script *script = client->script;
    const char shape[2] = { shape_of(client) };
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i], what) != 0)
            continue;
        unsigned number = client->requests[i]++;
        bool is_its = script->fails && strcmp(script->fails, what) == 0 && number >= script->from &&
                      !(script->recovers && count_requests(client->method, "open", NULL) > 1) &&
                      (!script->bad_shape || strcmp(script->bad_shape, shape) == 0);
        return is_its && !fail_in(err, what, status_parse(script->with), "scripted");
    }
    return false;
}

static void set_shape(struct client *client, const char *name)
{
    const char *at = client->script->shapes && *name ? strchr(client->script->shapes, *name) : NULL;
    client->shape = at ? (unsigned)(at - client->script->shapes) : 0;
}

static const char *letter_text(struct pool *pool, char letter)
{
    return pool_copy(pool, (const char[]){ letter, '\0' });
}

static void reply_to_open(const struct client *client, struct reply *reply)
{
    const struct script *script = client->script;
    struct first *first = &reply->first;
    first->open = 1e-6;
    first->filling = 3;
    first->compile = script->compile;
    first->run = noisy_run(run_of(client));
    first->detail = "made up";
    first->counts_energy = script->reading > 0;
    first->reading = script->reading > 0 ? script->reading : NAN;
    if (script->repack > 0)
        first->repack = noisy_run(grown(client, script->repack));
    if (!script->shapes)
        return;
    const unsigned count = (unsigned)strlen(script->shapes);
    first->kernel_shape = letter_text(&reply->pool, shape_of(client));
    first->kernel_shapes = (struct labels){ pool_take(&reply->pool, count * sizeof(const char *)), count };
    for (unsigned i = 0; i < count; i++)
        first->kernel_shapes.label[i] = letter_text(&reply->pool, script->shapes[i]);
}

static void two_times(struct reply *reply, struct samples *samples, double seconds)
{
    *samples = (struct samples){ pool_take(&reply->pool, 2 * sizeof seconds), 2 };
    samples->value[0] = samples->value[1] = seconds;
}

static void reply_to_slice(const struct client *client, const struct request *request, struct reply *reply)
{
    const double usual = client->script->noise > 0 ? client->script->noise : 0.003;
    const double noise = is_late(client) ? 1e-5 : usual;
    const double slower = client->requests[SLICES] <= client->script->disturbed ? 5 : 1;
    const double run = slower * noisy(run_of(client), noise);
    const double repack = noisy_run(grown(client, client->script->repack)), moved = run / 8;
    const bool moves = request->series == SERIES_COPIED;
    const double whole = moves ? run + repack + moved : run;
    struct slice_line *slice = &reply->slice;
    slice->series = request->series;
    slice->elapsed = 2 * whole;
    slice->runs = 2;
    slice->probes = request->watch ? client->script->reading : NAN;
    two_times(reply, &slice->wall, whole);
    if (!moves || !request->phased)
        return;
    two_times(reply, &slice->phases.of[PHASE_COMPUTE], run);
    two_times(reply, &slice->phases.of[PHASE_REPACK], repack);
    two_times(reply, &slice->phases.of[PHASE_UPLOAD], moved);
}

static void note_request(const struct client *client, const struct request *request)
{
    cr_assert_lt(seen.requests, sizeof seen.request / sizeof *seen.request, "the run does not end");
    struct request_seen *one = &seen.request[seen.requests++];
    *one = (struct request_seen){ .worker = client->number,
                                  .method = client->method,
                                  .kernel_shape = shape_of(client),
                                  .size = client->size,
                                  .open = seen.open,
                                  .is_phased = request->phased,
                                  .is_watched = request->watch };
    seen.metered += request->kind == ASK_METER ? request->seconds + longest_energy_step : 0;
    const char *detail = request_has_series(request)         ? series_names[request->series]
                         : request->kind == ASK_VERIFY       ? when_names[request->pass]
                         : request->kind == ASK_KERNEL_SHAPE ? request->kernel_shape
                                                             : "";
    snprintf(one->what, sizeof one->what, "%s", request_forms[request->kind].name);
    snprintf(one->detail, sizeof one->detail, "%s", detail);
}

static void read_open(struct client *client, const struct request *request)
{
    for (client->script = scripts;; client->script++) {
        const char *method = client->script->method;
        cr_assert(method, "no script of %s on %s", request->method, request->device->id);
        if ((strcmp(method, "*") == 0 || strcmp(method, request->method) == 0) &&
            (!client->script->dtype || strcmp(client->script->dtype, request->dtype) == 0) &&
            (!client->script->memory || strcmp(client->script->memory, request->memory) == 0) &&
            (!client->script->device || strcmp(client->script->device, request->device->id) == 0))
            break;
    }
    client->method = request->method;
    cr_assert_eq(sscanf(request->shape, "m=%lf", &client->size), 1, "%s", request->shape);
    set_shape(client, request->kernel_shape);
}

/* Whether a worker may open as the script states. False with err. */
static bool opens(const struct script *script, const struct request *request, struct error *err)
{
    if (script->bad_memory && strcmp(script->bad_memory, request->memory) == 0)
        return fail(err, STATUS_UNSUPPORTED, "scripted");
    return script->compile <= (request->limit > 0 ? request->limit : 120) || fail(err, STATUS_TIMEOUT, "scripted");
}

bool __wrap_client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                       struct error *err)
{
    const bool is_open = request->kind == ASK_OPEN;
    *reply = reply_unknown(request->kind);
    if (request->device)
        read_open(client, request);
    if (request->kind == ASK_START)
        return !client->script->beside || seen.open == 1 ||
               fail(err, status_parse(client->script->beside), "others are open");
    if (request->kind == ASK_KERNEL_SHAPE)
        set_shape(client, request->kernel_shape);
    cr_expect(is_open || request->limit == 0, "a request has the limit of opening");
    note_request(client, request);
    if (request->kind == ASK_SLICE || request->kind == ASK_METER || request->kind == ASK_VERIFY)
        cr_expect_geq(expected,
                      (request->kind == ASK_VERIFY ? 0 : request->seconds) +
                          run_of(client) / fmax(1, client->script->late),
                      "%s of %s in %g s", request_forms[request->kind].name, client->method, expected);
    if ((is_open && !opens(client->script, request, err)) || goes_wrong(client, request_forms[request->kind].name, err))
        return false;
    if (is_open)
        reply_to_open(client, reply);
    else if (request->kind == ASK_SLICE)
        reply_to_slice(client, request, reply);
    if (is_open || request->kind == ASK_SLICE)
        return true;
    static struct check_line check = { .name = "exact", .checked = 1, .of = 1 };
    const double run = noisy_run(run_of(client));
    if (request->kind == ASK_WARMUP)
        reply->warmup = run;
    else if (request->kind == ASK_VERIFY)
        reply->verify = (struct verify_line){ .run = run, .checked_runs = NAN, .check = &check, .checks = 1 };
    else if (request->kind == ASK_KERNEL_SHAPE)
        reply->shape.compile = run;
    else if (request->kind == ASK_NAIVE)
        reply->naive.outcome.status = STATUS_OK;
    return true;
}

/* --- scenes --- */

void cache_begin(void)
{
    static struct tuning_cache own;
    scene_close();
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
    tuning_cache_open(&own, false);
    cache = &own;
}

void cache_end(void)
{
    scene_close();
    tuning_cache_close(cache);
    cache = NULL;
}

/* "repack=0.002", "takes=0.004:0.002", "fails=slice", "recovers" */
static void read_member(struct script *script, char *word)
{
    const struct {
        const char *name, **text;
        double *number;
    } members[] = { { "repack", .number = &script->repack },
                    { "compile", .number = &script->compile },
                    { "disturbed", .number = &script->disturbed },
                    { "late", .number = &script->late },
                    { "noise", .number = &script->noise },
                    { "from", .number = &script->from },
                    { "takes", .number = script->takes },
                    { "begins", .number = script->begins },
                    { "reading", .number = &script->reading },
                    { "fails", .text = &script->fails },
                    { "with", .text = &script->with },
                    { "shapes", .text = &script->shapes },
                    { "bad_shape", .text = &script->bad_shape },
                    { "bad_memory", .text = &script->bad_memory },
                    { "beside", .text = &script->beside },
                    { "device", .text = &script->device },
                    { "dtype", .text = &script->dtype },
                    { "memory", .text = &script->memory } };
    char *value = word, *name = strsep(&value, "=");
    if (!value) {
        cr_assert_str_eq(name, "recovers");
        script->recovers = true;
        return;
    }
    unsigned i = 0;
    while (strcmp(members[i].name, name) != 0)
        cr_assert_lt(++i, sizeof members / sizeof *members, "no member %s", name);
    if (members[i].text)
        *members[i].text = value;
    for (double *to = members[i].number; to && value; to++)
        *to = strtod(strsep(&value, ":"), NULL);
}

static void read_scripts(const char *from)
{
    static char text[1024];
    char *rest = text;
    memset(scripts, 0, sizeof scripts);
    cr_assert_lt(strlen(from), sizeof text);
    strcpy(text, from);
    for (struct script *script = scripts; rest; script++) {
        char *words = strsep(&rest, ",");
        cr_assert_lt((size_t)(script + 1 - scripts), sizeof scripts / sizeof *scripts);
        words += *words == ' ';
        script->method = strsep(&words, " ");
        script->run = words && isdigit(*words) ? strtod(strsep(&words, " "), NULL) : 0;
        while (words)
            read_member(script, strsep(&words, " "));
    }
}

struct script *script_of(const char *method)
{
    struct script *script = scripts;
    while (script->method && strcmp(script->method, method) != 0)
        script++;
    cr_assert(script->method, "no script of %s", method);
    return script;
}

static void open_context(struct context *context)
{
    struct made_plan *made = &scene->made;
    context->options = &made->options;
    context->plan = &made->plan;
    context->plans = 1;
    context->listing = made->listing;
    context->started = clock_wall();
    context->rule = (struct rule){ .visits = 12, .target = 0.02, .budget = 1, .deadline = 30 };
    context->baseline = &made->listing.device[0];
    context->setup = (struct worker_setup){ .timeout = 30, .host = &made->host };
    made->host.allowed_cores = 2;
    if (made->options.threads > 0)
        made->host.worker_threads = made->options.threads;
    if (cache)
        context->tuning_cache = *cache;
    if (cache && made->options.retune)
        json_object_clear(cache->found);
    if (!cache)
        context->tuning_cache = (struct tuning_cache){ .found = json_object(), .own = json_object() };
    progress_start(&context->progress, true, 0, NAN);
    cr_assert(run_log_open(&context->run_log, scene->path, &context->interrupted, &made->err), "%s", made->err.message);
}

void scene_open(const char *devices, const char *scripts_of_methods, const char *words)
{
    char all[512];
    snprintf(all, sizeof all, "--workload matmul%s%s%s%s", strstr(words, "--size") ? "" : " --size 512",
             strstr(words, "--suite") ? "" : " --suite standard", *words ? " " : "", words);
    scene_close();
    scene = calloc(1, sizeof *scene);
    noise_turn = 0;
    memset(&seen, 0, sizeof seen);
    read_scripts(scripts_of_methods);
    made_plan_of(&scene->made, devices, all);
    scene->tree = tree_make(NULL);
    snprintf(scene->path, sizeof scene->path, "%s/journal", scene->tree.root);
    open_context(&scene->context);
}

void scene_measure_with(timetable_join *join, void *with, struct timetable *timetable)
{
    struct context *context = &scene->context;
    struct error *err = &scene->made.err;
    *timetable = (struct timetable){ .context = context, .rule = &context->rule, .compared = context->baseline };
    cr_assert(timetable_add_plan(timetable, &scene->made.plan, err));
    cr_assert(timetable_cut(timetable, err));
    cr_expect(timetable_run(timetable, join, with, err));
    timetable_free(timetable);
    cr_expect_eq(seen.open, 0, "%u workers were left", seen.open);
    cr_expect_null(context->open);
    cr_expect_eq(context->run_log.fault.status, STATUS_OK, "%s", context->run_log.fault.message);
}

const struct record *scene_measure(void)
{
    struct timetable timetable;
    scene_measure_with(NULL, NULL, &timetable);
    return scene->context.run_log.record;
}

const struct record *scene_run(const char *devices, const char *scripts_of_methods, const char *words)
{
    scene_open(devices, scripts_of_methods, words);
    return scene_measure();
}

void scene_resume(void)
{
    scene->context.interrupted = false;
    for (unsigned i = 0; i < scene->made.plan.cells; i++) /* which is planned anew */
        scene->made.plan.cell[i].kernel_shape[0] = '\0';
    run_log_write_json(&scene->context.run_log, LINE_RESUME,
                       json_pack("{s:s, s:[]}", "started", "2026-01-02T03:04:05Z", "command"));
    memset(&seen, 0, sizeof seen);
}

/* A later run finds what this one set for later runs, and no more. */
static void keep_lasting(void)
{
    const char *key;
    json_t *value;
    json_object_clear(cache->found);
    json_object_foreach (cache->own, key, value)
        json_object_set(cache->found, key, json_object_get(value, "text"));
}

void scene_close(void)
{
    if (!scene)
        return;
    if (cache)
        keep_lasting();
    else
        tuning_cache_close(&scene->context.tuning_cache);
    run_log_free(&scene->context.run_log);
    made_plan_free(&scene->made);
    tree_remove(&scene->tree);
    free(scene);
    scene = NULL;
}

/* --- what was seen --- */

const struct race_record *choice_of(unsigned block, enum measures purpose)
{
    const struct block_record *of = &scene->context.run_log.record->block[block];
    for (unsigned i = 0; i < of->races; i++)
        if (of->race[i].purpose == purpose)
            return &of->race[i];
    return NULL;
}

const char *ends(enum measures purpose)
{
    static char text[600];
    const struct race_record *choice = choice_of(0, purpose);
    text[0] = '\0';
    for (unsigned i = 0; choice && i < choice->contenders; i++) {
        const struct contender_record *one = &choice->contender[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s%s %s", i > 0 ? ", " : "", one->method,
                 *one->kernel_shape ? " " : "", one->kernel_shape, race_end_names[one->end]);
    }
    return text;
}

const struct contender_record *contender_named(const char *method, const char *kernel_shape)
{
    const struct race_record *choice = choice_of(0, MEASURES_RESIDENT);
    for (unsigned i = 0; choice && i < choice->contenders; i++)
        if (strcmp(choice->contender[i].method, method) == 0 &&
            strcmp(choice->contender[i].kernel_shape, kernel_shape) == 0)
            return &choice->contender[i];
    cr_assert_fail("no contender %s %s", method, kernel_shape);
    return NULL;
}

const char *measured(unsigned block, enum measures purpose, const char *device)
{
    const struct block_record *of = &scene->context.run_log.record->block[block];
    for (unsigned i = 0; i < of->cells; i++)
        if ((of->cell[i]->measures == purpose || of->cell[i]->measures == MEASURES_BOTH) &&
            of->cell[i]->outcome.status == STATUS_OK && strcmp(of->cell[i]->device_id, device) == 0)
            return of->cell[i]->method;
    return "";
}

static bool is_such(const struct request_seen *request, const char *method, const char *what, const char *detail)
{
    return (!method || strcmp(request->method, method) == 0) && (!what || strcmp(request->what, what) == 0) &&
           (!detail || strcmp(request->detail, detail) == 0);
}

unsigned count_requests(const char *method, const char *what, const char *detail)
{
    unsigned count = 0;
    for (unsigned i = 0; i < seen.requests; i++)
        count += is_such(&seen.request[i], method, what, detail);
    return count;
}

unsigned first_request(const char *method, const char *what, const char *detail)
{
    unsigned first = 0;
    while (first < seen.requests && !is_such(&seen.request[first], method, what, detail))
        first++;
    return first;
}

bool journal_says(const char *text)
{
    char line[40000];
    bool says = false;
    fflush(NULL);
    FILE *journal = fopen(scene->path, "r");
    while (journal && !says && fgets(line, sizeof line, journal))
        says = strstr(line, text) != NULL;
    if (journal)
        fclose(journal);
    return says;
}
