#include "bench/worker/worker.h"

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/slice.h"
#include "bench/worker/telemetry.h"
#include "harness/base/child.h"
#include "harness/base/clock.h"
#include "harness/base/fields.h"
#include "harness/base/last_call.h"
#include "harness/base/parallel.h"
#include "harness/journal/journal.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"
#include "harness/machine/topology.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Seconds for one measurement of the processor's clock. */
static const double clock_chain = 0.0025;

/* At most this share of a series' time is spent on checks of its results, beside its time. A series whose check takes
 * longer is checked after every k-th slice. */
static const double check_share = 0.2;

enum { NO_RESULT = -1, EVERY_MOST = 1000000 };

/* A series of a kernel shape: its pace, and the checks of its results. */
struct paced {
    struct pace pace;
    unsigned unchecked;   /* slices since the latest check */
    unsigned every;       /* so many slices are one check apart */
    double check_seconds; /* of the latest check; 0: none yet */
    double allowed;       /* seconds that a check may take by now */
};

/* One worker: its rig, and what earlier requests have found. */
struct worker {
    struct rig rig;
    struct paced paced[KERNEL_SHAPES_MAX][SERIES_COUNT];
    /* The kernel shape whose timed run left a result there that no check has read; NO_RESULT: none. */
    int result_on_device, result_on_host;
    bool is_metered;  /* the result on the device is of a run that `meter` made: it is checked, and not counted */
    double poisoning; /* seconds to poison the output: the first check takes about twice as long */
    struct telemetry telemetry;
    struct flush flush;
    struct {
        bool is_ready;  /* the device is open, its cell is not */
        double seconds; /* that opening the device took */
        double bytes;   /* of the host that it took */
    } opened;
    unsigned computing;       /* cores of the host that compute; 0: a driver's matter */
    cpu_set_t bound, allowed; /* processors: those of the main thread, and those that the parent may use */
};

/* A series of the current kernel shape. */
static struct paced *paced_of(struct worker *worker, enum series series)
{
    return &worker->paced[worker->rig.kernel_shape][series];
}

static const struct prepared *prepared_of(const struct worker *worker)
{
    return &worker->rig.prepared[worker->rig.kernel_shape];
}

static json_t *do_list(struct worker *worker, const json_t *request, struct error *err)
{
    const struct backend *backend = backend_find(journal_text(request, "backend"));
    const char *source = journal_text(request, "source");
    if (!backend)
        return fail_null(err, STATUS_USAGE, "no such backend: '%s'", journal_text(request, "backend"));
    struct device *devices = calloc(DEVICES_MAX, sizeof *devices);
    struct error reason = { .status = STATUS_OK };
    unsigned count = 0;
    if (!devices || !backend->list(source, devices, DEVICES_MAX, &count, &reason)) {
        fail_in(err, reason.where, reason.status, "%s", reason.message);
        free(devices);
        return NULL;
    }
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, device_to_json(&devices[i]));
    free(devices);
    return json_pack("{s:o, s:s}", "devices", list, "reason", reason.message);
}

/* Reads device, problem and method from a request; a worker opens one cell only. */
static bool cell_read(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    const struct workload *workload = workload_find(journal_text(request, "workload"));
    const char *method = journal_text(request, "method");
    const enum dtype dtype = dtype_parse(journal_text(request, "dtype"));
    if (rig->session)
        return fail(err, STATUS_USAGE, "this worker has a cell already");
    rig->seed = (uint64_t)json_integer_value(json_object_get(request, "seed"));
    if (!device_from_json(&rig->device, json_object_get(request, "device"), err))
        return false;
    rig->backend = backend_find(rig->device.backend);
    if (!rig->backend)
        return fail(err, STATUS_USAGE, "no such backend: '%s'", rig->device.backend);
    if (!workload)
        return fail(err, STATUS_USAGE, "no such workload: '%s'", journal_text(request, "workload"));
    if (dtype == DTYPE_COUNT)
        return fail(err, STATUS_USAGE, "no such element type: '%s'", journal_text(request, "dtype"));
    rig->memory = memory_parse(journal_text(request, "memory"));
    if (rig->memory == MEMORY_COUNT)
        return fail(err, STATUS_USAGE, "no such memory: '%s'", journal_text(request, "memory"));
    rig->method = method_find(workload, method);
    if (*method && !rig->method)
        return fail(err, STATUS_USAGE, "%s has no method '%s'", workload->name, method);
    return problem_parse(&rig->problem, workload, dtype, journal_text(request, "shape"), err);
}

/* Seconds since *mark, which moves on to now. */
static double lap(const struct rig *rig, double *mark)
{
    double now = rig_now(rig), seconds = now - *mark;
    *mark = now;
    return seconds;
}

/* Adds memory and wait mode. If time is scripted, nothing of this machine is recorded. */
static void add_costs(struct worker *worker, json_t *first)
{
    struct rig *rig = &worker->rig;
    int node = -1;
    bool is_real = !rig->backend->now;
    double start = clock_wall() - worker->telemetry.seconds;
    json_t *memory = is_real ? telemetry_memory(&worker->telemetry, rig, worker->opened.bytes, &node) : json_null();
    const enum launch_mode mode = rig->method ? rig->method->launch_mode : LAUNCH_USUAL;
    json_object_set_new(first, "wait",
                        json_string(mode == LAUNCH_SLEEP   ? "block"
                                    : mode == LAUNCH_WAITS ? "kernels"
                                                           : rig->backend->wait));
    json_object_set_new(first, "memory_cost", memory);
    json_object_set_new(first, "memory_node", node >= 0 ? json_integer(node) : json_null());
    int device_node = host_node_of_silicon("", rig->device.silicon);
    unsigned lanes = host_link_lanes("", rig->device.silicon);
    if (device_node >= 0)
        json_object_set_new(first, "device_node", json_integer(device_node));
    if (lanes > 0)
        json_object_set_new(first, "link_lanes", json_integer(lanes));
    if (telemetry_counts_joules(&worker->telemetry))
        json_object_set_new(first, "counts_energy", json_true());
    if (is_real)
        json_object_set_new(first, "probes_ns", seconds_to_json(clock_wall() - start));
}

/* Sets up the flush of the caches before each run, if the request asks for it. Returns the reply, or NULL. */
static json_t *add_flush(struct worker *worker, const json_t *request, json_t *reply, struct error *err)
{
    struct rig *rig = &worker->rig;
    size_t bytes = (size_t)json_integer_value(json_object_get(request, "flush"));
    if (bytes == 0)
        return reply;
    json_object_set_new(reply, "flush_bytes", json_integer((json_int_t)bytes));
    rig->flush = &worker->flush;
    if (flush_open(rig->flush, rig->backend, rig->session, &rig->device, bytes, err))
        return reply;
    json_decref(reply);
    return NULL;
}

static bool session_open(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    unsigned threads = (unsigned)json_integer_value(json_object_get(request, "threads"));
    if (rig->device.works_in_host_memory && !rig->backend->now) {
        parallel_begin(threads); /* OpenMP now knows its places */
        if (!CPU_EQUAL(&worker->bound, &worker->allowed))
            sched_setaffinity(0, sizeof worker->bound, &worker->bound);
        worker->computing = threads = parallel_observe(threads);
    }
    rig->session = rig->backend->open(&rig->device, threads, err);
    return rig->session != NULL;
}

/* Page faults of this process so far; NAN if time is scripted. */
static double page_faults(const struct rig *rig)
{
    struct rusage usage;
    bool is_known = !rig->backend->now && getrusage(RUSAGE_SELF, &usage) == 0;
    return is_known ? (double)(usage.ru_minflt + usage.ru_majflt) : NAN;
}

/* Fills the inputs and copies them to the device: a naive program starts its clock after that. */
static bool put_inputs(struct worker *worker, struct error *err)
{
    struct rig *rig = &worker->rig;
    bool ok = rig_alloc_inputs(rig, err) && check_fill(rig, err);
    for (unsigned i = 0; ok && i < rig->operands; i++)
        ok = rig->operand[i].role != ROLE_INPUT || rig_write_operand(rig, i, err);
    return ok;
}

/* Reads the first and last elements of the result, as printing a long array does. */
static bool fetch_ends(struct rig *rig, struct error *err)
{
    enum { SHOWN = 3 };
    double seen[SHOWN];
    for (unsigned i = 0; i < rig->operands; i++) {
        size_t all = rig_bytes(rig, i), some = SHOWN * dtype_bytes(rig->operand[i].dtype);
        if (rig->operand[i].role != ROLE_OUTPUT || all < some)
            continue;
        if (!rig_fetch(rig, i, 0, some, seen, err) || !rig_fetch(rig, i, all - some, some, seen, err))
            return false;
    }
    return true;
}

/* c = a * b; print(c). Compiling is timed apart: a library is compiled already. */
static json_t *do_naive(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    rig->is_naive = true;
    if (!cell_read(worker, request, err) || !session_open(worker, request, err) || !put_inputs(worker, err))
        return NULL;
    double before = page_faults(rig), mark = rig_now(rig);
    if (!rig_alloc_results(rig, err))
        return NULL;
    double alloc = lap(rig, &mark), paused = page_faults(rig);
    if (!rig_prepare(rig, "", err))
        return NULL;
    double compile = lap(rig, &mark), resumed = page_faults(rig);
    mark = rig_now(rig);
    if (!rig_run_unwaited(rig, err))
        return NULL;
    double run = lap(rig, &mark);
    if (!fetch_ends(rig, err))
        return NULL;
    double fetch = lap(rig, &mark), faults = paused - before + page_faults(rig) - resumed;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "alloc_ns", seconds_to_json(alloc), "compile_ns",
                     seconds_to_json(compile), "run_ns", seconds_to_json(run), "fetch_ns", seconds_to_json(fetch),
                     "faults", number_to_json(faults));
}

/* Adds the name of the prepared kernel shape, and those of all where there is a choice. */
static void add_kernel_shapes(const struct rig *rig, json_t *reply)
{
    json_object_set_new(reply, "kernel_shape", json_string(rig->kernel_shapes[rig->kernel_shape]));
    if (rig->kernel_shape_count < 2)
        return;
    json_t *names = json_array();
    for (unsigned i = 0; i < rig->kernel_shape_count; i++)
        json_array_append_new(names, json_string(rig->kernel_shapes[i]));
    json_object_set_new(reply, "kernel_shapes", names);
}

/* Opens the device for a cell. */
static bool open_device(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    if (!cell_read(worker, request, err))
        return false;
    int node = host_node_of_silicon("", rig->device.silicon);
    if (node >= 0) { /* all cores write the inputs, the device's own socket copies them */
        hwloc_topology_t topology = topology_open();
        topology_prefer_node(topology, node);
        parallel_begin(0);
        topology_stay_on_node(topology, node);
        topology_close(topology);
    }
    double bare = host_process_bytes(""), started = clock_wall();
    if (!session_open(worker, request, err))
        return false;
    worker->opened.seconds = rig->backend->now ? rig_now(rig) : clock_wall() - started;
    worker->opened.bytes = host_process_bytes("") - bare;
    telemetry_open(&worker->telemetry, rig);
    return worker->opened.is_ready = true;
}

static json_t *do_start(struct worker *worker, const json_t *request, struct error *err)
{
    return open_device(worker, request, err) ? json_object() : NULL;
}

/* A thread that a library started itself has inherited the one place of the main thread. */
static void widen(void *context, const char *root, const char *path)
{
    const struct worker *worker = context;
    const pid_t thread = (pid_t)strtol(strrchr(path, '/') + 1, NULL, 10);
    cpu_set_t own;
    if (thread != getpid() && sched_getaffinity(thread, sizeof own, &own) == 0 && CPU_EQUAL(&own, &worker->bound))
        sched_setaffinity(thread, sizeof worker->allowed, &worker->allowed);
}

/* A fresh process up to its first result, each part timed apart: devices defer different parts of allocation. */
static json_t *do_open(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    if (!worker->opened.is_ready && !open_device(worker, request, err))
        return NULL;
    worker->opened.is_ready = false;
    double mark = rig_now(rig);
    if (!rig_alloc(rig, err))
        return NULL;
    double alloc = lap(rig, &mark);
    if (!rig_prepare(rig, journal_text(request, "kernel_shape"), err))
        return NULL;
    double compile = rig_computes(rig) ? lap(rig, &mark) : NAN;
    if (!check_fill(rig, err))
        return NULL;
    double filling = lap(rig, &mark);
    struct run_times times;
    bool in_place = rig->device.works_in_host_memory && !rig->repacks;
    if (!(in_place ? rig_run_resident(rig, 1, &times, err) : rig_run_copied(rig, true, &times, err)))
        return NULL;
    if (worker->computing > 0 && sched_getaffinity(0, sizeof worker->bound, &worker->bound) == 0)
        host_each("", "/proc/self/task/*", widen, worker);
    rig->known.has_operands = in_place || rig->moves; /* what moves nothing starts without contents */
    paced_of(worker, SERIES_RESIDENT)->pace.run =
        times.phase[STEP_COMPUTE]; /* for a slice without a warm-up before it */
    double map;
    if (!rig_map_page(rig, &map, err))
        return NULL;
    json_t *reply = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "open_ns", seconds_to_json(worker->opened.seconds),
        "alloc_ns", seconds_to_json(alloc), "compile_ns", seconds_to_json(compile), "filling_ns",
        seconds_to_json(filling), "upload_ns", seconds_to_json(times.phase[STEP_UPLOAD]), "repack_ns",
        seconds_to_json(times.phase[STEP_REPACK]), "run_ns", seconds_to_json(times.phase[STEP_COMPUTE]), "download_ns",
        seconds_to_json(times.phase[STEP_DOWNLOAD]), "map_ns", seconds_to_json(map), "detail",
        prepared_of(worker)->detail);
    if (worker->computing > 0)
        json_object_update_new(reply, json_pack("{s:O, s:i}", "cores_planned", json_object_get(request, "threads"),
                                                "cores_computing", (int)worker->computing));
    add_kernel_shapes(rig, reply);
    add_costs(worker, reply);
    return add_flush(worker, request, reply, err);
}

static json_t *do_kernel_shape(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    double mark = rig_now(rig);
    if (!rig_use_kernel_shape(rig, journal_text(request, "name"), err))
        return NULL;
    return json_pack("{s:o, s:s}", "compile_ns", seconds_to_json(lap(rig, &mark)), "detail",
                     prepared_of(worker)->detail);
}

static json_t *check_to_json(const struct check *check)
{
    const struct verification *verification = &check->verification;
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:b}", "name", check->name, "checked", (json_int_t)verification->checked,
                  "of", (json_int_t)verification->of, "smallest_error", number_to_json(verification->smallest_error),
                  "largest_error", number_to_json(verification->largest_error), "weak", verification->weak);
    if (verification->differs)
        json_object_set_new(json, "differs", json_true());
    return json;
}

/* Poisons the output; no result is left to check then. */
static bool forget_results(struct worker *worker, struct error *err)
{
    double start = rig_now(&worker->rig);
    worker->result_on_device = worker->result_on_host = NO_RESULT;
    bool ok = check_forget(&worker->rig, err);
    worker->poisoning = rig_now(&worker->rig) - start;
    return ok;
}

/* What timed runs left, the host's copy first: to read the device's overwrites it. Then one more run on new data: a
 * device that hands out a former result again would be right otherwise. The first `timed` checks are of timed runs. */
static bool verify_after(struct worker *worker, struct check check[CHECKS_MAX], unsigned *count, unsigned *timed,
                         struct error *err)
{
    struct rig *rig = &worker->rig;
    const int current = (int)rig->kernel_shape;
    const bool on_device = worker->result_on_device == current, on_host = worker->result_on_host == current;
    worker->result_on_device = worker->result_on_host = NO_RESULT;
    *timed = on_host + (on_device && !worker->is_metered);
    return (!on_host || check_latest(rig, true, INFINITY, &check[(*count)++], err)) &&
           (!on_device || check_latest(rig, false, INFINITY, &check[(*count)++], err)) &&
           check_once_more(rig, &check[(*count)++], err);
}

static json_t *do_verify(struct worker *worker, const json_t *request, struct error *err)
{
    struct check check[CHECKS_MAX] = { { 0 } };
    unsigned count = 0, timed = 0;
    bool before = strcmp(journal_text(request, "pass"), "before") == 0;
    if (!(before ? check_before(&worker->rig, check, &count, err) && forget_results(worker, err)
                 : verify_after(worker, check, &count, &timed, err)))
        return NULL;
    json_t *checks = json_array();
    int whole = 0;
    for (unsigned i = 0; i < count; i++) {
        json_array_append_new(checks, check_to_json(&check[i]));
        whole += i < timed && !check[i].verification.is_sample;
    }
    json_t *reply =
        json_pack("{s:o, s:o}", "checks", checks, "run_ns", seconds_to_json(count > 0 ? check[count - 1].run : NAN));
    if (!before)
        json_object_set_new(reply, "checked_runs", json_integer(whole));
    return reply;
}

/* SERIES_COUNT: unknown, which `answer` refuses. */
static enum series series_of(const json_t *request)
{
    return series_parse(journal_text(request, "series"));
}

static json_t *do_warmup(struct worker *worker, const json_t *request, struct error *err)
{
    const enum series series = series_of(request);
    unsigned runs;
    double run;
    if (!slice_warmup(&worker->rig, series, &runs, &run, err))
        return NULL;
    paced_of(worker, series)->pace.run = run;
    return json_pack("{s:i, s:o}", "runs", (int)runs, "wall_ns", seconds_to_json(run));
}

/* Counts a slice of so many seconds, and plans how often and for how long its results may be checked. */
static void plan_check(const struct worker *worker, struct paced *paced, double elapsed)
{
    const double check = paced->check_seconds > 0 ? paced->check_seconds : 2 * worker->poisoning;
    paced->every = (unsigned)fmin(EVERY_MOST, fmax(1, ceil(check / (check_share * elapsed))));
    paced->allowed = check_share * elapsed * ++paced->unchecked;
}

static json_t *do_slice(struct worker *worker, const json_t *request, struct error *err)
{
    const enum series series = series_of(request);
    struct telemetry_reading from, to;
    struct paced *paced = paced_of(worker, series);
    paced->pace.is_phased = json_is_true(json_object_get(request, "phased"));
    double seconds = seconds_from_json(json_object_get(request, "ns"));
    telemetry_read(&worker->telemetry, &from);
    json_t *slice =
        slice_run(&worker->rig, series, seconds, json_is_true(json_object_get(request, "events")), &paced->pace, err);
    telemetry_read(&worker->telemetry, &to);
    worker->result_on_device = (int)worker->rig.kernel_shape;
    worker->is_metered = false;
    if (series == SERIES_COPIED && check_brings_back(&worker->rig))
        worker->result_on_host = worker->result_on_device;
    if (!slice)
        return NULL;
    bool only_runs = !worker->rig.flush && !json_object_get(slice, "renewing_ns");
    telemetry_report(&worker->telemetry, &from, &to, only_runs, slice);
    plan_check(worker, paced, seconds_from_json(json_object_get(slice, "elapsed_ns")));
    /* A sustained series is not interrupted; the parent has its last result checked. */
    if (paced->unchecked >= paced->every && series != SERIES_SUSTAINED)
        json_object_set_new(slice, "check_due", json_true());
    return slice;
}

static json_t *do_check(struct worker *worker, const json_t *request, struct error *err)
{
    const enum series series = series_of(request);
    struct paced *paced = paced_of(worker, series);
    struct rig *rig = &worker->rig;
    struct check check;
    double start = rig_now(rig);
    const double compared = fmax(0, paced->allowed - 2 * worker->poisoning);
    if (!check_latest(rig, series == SERIES_COPIED && check_brings_back(rig), compared, &check, err) ||
        !forget_results(worker, err))
        return NULL;
    paced->check_seconds = rig_now(rig) - start;
    paced->unchecked = 0;
    json_t *reply = json_pack("{s:o}", "check_ns", seconds_to_json(paced->check_seconds));
    if (series != SERIES_SUSTAINED)
        json_object_set_new(reply, "check_every", json_integer(paced->every));
    if (check.verification.is_sample)
        json_object_set_new(reply, "check_sample", json_integer(check.verification.checked));
    if (check.verification.differs)
        json_object_set_new(reply, "check_differs", json_true());
    return reply;
}

static json_t *do_meter(struct worker *worker, const json_t *request, struct error *err)
{
    double seconds = seconds_from_json(json_object_get(request, "ns"));
    worker->result_on_device = (int)worker->rig.kernel_shape;
    worker->is_metered = true;
    return telemetry_meter(&worker->telemetry, &worker->rig, seconds, paced_of(worker, SERIES_RESIDENT)->pace.run, err);
}

static json_t *do_state(struct worker *worker, const json_t *request, struct error *err)
{
    struct host_state state;
    json_t *gpu = telemetry_state(&worker->telemetry);
    host_state_read(&state, "", clock_chain);
    json_t *json = fields_to_json(&state, &host_state_fields);
    json_object_set_new(json, "gpu", gpu); /* NULL sets nothing */
    return json;
}

/* By a request of its own, so that the parent learns how it ended. */
static json_t *do_close(struct worker *worker, const json_t *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    telemetry_close(&worker->telemetry);
    rig_release(rig);
    flush_close(&worker->flush);
    if (rig->session)
        rig->backend->close(rig->session);
    *worker = (struct worker){ .result_on_device = NO_RESULT, .result_on_host = NO_RESULT };
    return json_object();
}

struct request_kind {
    const char *name;
    json_t *(*answer)(struct worker *worker, const json_t *request, struct error *err);
    bool needs_device, has_series;
};

static const struct request_kind requests[] = {
    { "list", do_list, false, false },
    { "start", do_start, false, false },
    { "open", do_open, false, false },
    { "naive", do_naive, false, false },
    { "verify", do_verify, true, false },
    { "state", do_state, true, false },
    { "warmup", do_warmup, true, true },
    { "slice", do_slice, true, true },
    { "check", do_check, true, true },
    { "meter", do_meter, true, false },
    { "kernel_shape", do_kernel_shape, true, false },
    { "close", do_close, false, false },
};

/* Rejects a reply during which the clock was stepped: none of its times is valid. The other clock of the host shows the
 * step, and so does the parent's waiting time. */
static json_t *reject_stepped_clock(json_t *payload, const struct clock_pair *before, struct error *err)
{
    const struct clock_pair after = clock_both();
    if (!payload)
        return NULL;
    json_object_set_new(payload, "took_ns", seconds_to_json(after.raw - before->raw));
    if (clock_agrees(before, &after, err))
        return payload;
    json_decref(payload);
    return NULL;
}

static json_t *answer(struct worker *worker, const json_t *request, struct error *err)
{
    const char *name = journal_text(request, "do");
    for (unsigned i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (strcmp(requests[i].name, name) != 0)
            continue;
        if (requests[i].needs_device && !worker->rig.session)
            return fail_null(err, STATUS_USAGE, "'%s' before 'open'", name);
        if (requests[i].has_series && series_of(request) == SERIES_COUNT)
            return fail_null(err, STATUS_USAGE, "no such series: '%s'", journal_text(request, "series"));
        return requests[i].answer(worker, request, err);
    }
    return fail_null(err, STATUS_USAGE, "no such request: '%s'", name);
}

static bool reply(FILE *to, const struct worker *worker, json_t *payload, const struct error *err)
{
    json_t *line = payload ? payload : json_object();
    json_object_set_new(line, "ok", json_boolean(payload != NULL));
    if (!payload) {
        json_object_set_new(line, "status", json_string(status_names[err->status]));
        json_object_set_new(line, "where", json_string(err->where));
        json_object_set_new(line, "message", json_string(err->message));
        json_object_set_new(line, "has_device", json_boolean(worker->rig.session != NULL));
    }
    bool ok = json_dumpf(line, to, JSON_COMPACT) == 0 && putc('\n', to) != EOF && fflush(to) == 0;
    json_decref(line);
    return ok;
}

int worker_serve(int argc, char *const argv[])
{
    FILE *replies = fdopen(REPLY_FD, "w");
    fcntl(REPLY_FD, F_SETFD, FD_CLOEXEC); /* child processes of a driver must not keep the pipe open */
    if (argc != 1 || !replies || !child_follow(strtol(argv[0], NULL, 10)))
        return 2;
    struct worker worker = { .result_on_device = NO_RESULT, .result_on_host = NO_RESULT };
    /* Loading libgomp has bound this thread to its place, which another OpenMP would take for all that there is. */
    if (sched_getaffinity(0, sizeof worker.bound, &worker.bound) == 0 &&
        sched_getaffinity(getppid(), sizeof worker.allowed, &worker.allowed) == 0)
        sched_setaffinity(0, sizeof worker.allowed, &worker.allowed);
    char *line = NULL;
    size_t room = 0;
    bool is_connected = true;
    while (is_connected && getline(&line, &room, stdin) > 0) {
        struct error err = { .status = STATUS_OK };
        json_t *request = json_loads(line, 0, NULL), *payload = NULL;
        const struct clock_pair before = clock_both();
        last_call_begin(""); /* none of this request yet */
        if (request)
            payload = reject_stepped_clock(answer(&worker, request, &err), &before, &err);
        else
            fail(&err, STATUS_USAGE, "the request is not JSON");
        is_connected = reply(replies, &worker, payload, &err);
        json_decref(request);
    }
    free(line);
    json_decref(do_close(&worker, NULL, NULL));
    fclose(replies);
    return 0;
}
