#include "bench/worker/worker.h"

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/request.h"
#include "bench/worker/slice.h"
#include "bench/worker/telemetry.h"
#include "harness/base/child.h"
#include "harness/base/clock.h"
#include "harness/base/last_call.h"
#include "harness/base/parallel.h"
#include "harness/base/process.h"
#include "harness/base/processors.h"
#include "harness/machine/host.h"
#include "harness/machine/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    bool is_metered;        /* the result on the device is of a run that `meter` made: it is checked, and not counted */
    bool is_metered_copied; /* so is that on the host */
    double poisoning;       /* seconds to poison the output: the first check takes about twice as long */
    struct telemetry telemetry;
    struct flush flush;
    struct {
        double seconds; /* that opening the device took */
        double bytes;   /* of the host that it took */
    } opened;
    unsigned computing;               /* cores of the host that compute; 0: a driver's matter */
    struct processors bound, allowed; /* processors: those of the main thread, and those that the parent may use */
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

static bool do_list(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    const struct backend *backend = backend_find(request->backend);
    if (!backend)
        return fail(err, STATUS_USAGE, "no such backend: '%s'", request->backend);
    struct device *devices = pool_take(&reply->pool, DEVICES_MAX * sizeof *devices);
    struct error reason = { .status = STATUS_OK };
    unsigned count = 0;
    if (!devices || !backend->list(request->source, devices, DEVICES_MAX, &count, &reason))
        return fail_in(err, reason.where, reason.status, "%s", reason.message);
    reply->listed.devices = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(reply->listed.devices, device_to_json(&devices[i]));
    reply->listed.reason = pool_copy(&reply->pool, reason.message);
    return true;
}

/* Takes device, problem and method from a request. */
static bool cell_read(struct worker *worker, const struct request *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    const struct workload *workload = workload_find(request->workload);
    const enum dtype dtype = dtype_parse(request->dtype);
    rig->seed = request->seed;
    rig->device = *request->device;
    rig->backend = backend_find(rig->device.backend);
    rig->memory = memory_parse(request->memory);
    rig->method = workload ? method_find(workload, request->method) : NULL;
    if (!rig->backend || !workload || dtype == DTYPE_COUNT || rig->memory == MEMORY_COUNT ||
        (*request->method && !rig->method))
        return fail(err, STATUS_USAGE, "no such cell: %s %s %s %s %s", rig->device.backend, request->workload,
                    request->dtype, request->method, request->memory);
    return problem_parse(&rig->problem, workload, dtype, request->shape, err);
}

/* Seconds since *mark, which moves on to now. */
static double lap(const struct rig *rig, double *mark)
{
    double now = rig_now(rig), seconds = now - *mark;
    *mark = now;
    return seconds;
}

/* Adds memory and wait mode. If time is scripted, nothing of this machine is recorded. */
static void add_costs(struct worker *worker, struct first *first)
{
    struct rig *rig = &worker->rig;
    const bool is_real = !rig->backend->now;
    const double start = clock_wall() - worker->telemetry.seconds;
    const enum launch_mode mode = rig->method ? rig->method->launch_mode : LAUNCH_USUAL;
    const unsigned lanes = host_link_lanes("", rig->device.silicon);
    if (is_real)
        first->memory_cost = telemetry_memory(&worker->telemetry, rig, worker->opened.bytes, &first->memory_node);
    first->wait = mode == LAUNCH_SLEEP ? "block" : rig->backend->wait;
    first->device_node = host_node_of_silicon("", rig->device.silicon);
    first->link_lanes = lanes > 0 ? lanes : NAN;
    first->counts_energy = telemetry_counts_joules(&worker->telemetry);
    first->reading = worker->telemetry.reading;
    first->probes = is_real ? clock_wall() - start : NAN;
}

static bool session_open(struct worker *worker, const struct request *request, struct error *err)
{
    struct rig *rig = &worker->rig;
    unsigned threads = request->threads;
    if (rig->device.works_in_host_memory && !rig->backend->now) {
        parallel_begin(threads); /* OpenMP now knows its places */
        if (!processors_equal(&worker->bound, &worker->allowed))
            processors_use(&worker->bound);
        worker->computing = threads = parallel_observe(threads);
    }
    rig->session = rig->backend->open(&rig->device, threads, err);
    return rig->session != NULL;
}

/* Page faults of this process so far; NAN if time is scripted. */
static double page_faults(const struct rig *rig)
{
    return rig->backend->now ? NAN : process_page_faults();
}

/* c = a * b; print(c). Compiling is timed apart: a library is compiled already. */
static bool do_naive(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    enum { SHOWN = 3 };
    struct rig *rig = &worker->rig;
    struct naive_run *naive = &reply->naive;
    double seen[SHOWN];
    rig->is_naive = true;
    if (!cell_read(worker, request, err) || !session_open(worker, request, err) || !rig_alloc_inputs(rig, err) ||
        !check_fill(rig, err))
        return false;
    for (unsigned i = 0; i < rig->operands; i++) /* a naive program starts its clock after that */
        if (rig->operand[i].role == ROLE_INPUT && !rig_write_operand(rig, i, err))
            return false;
    double before = page_faults(rig), mark = rig_now(rig);
    if (!rig_alloc_results(rig, err))
        return false;
    naive->alloc = lap(rig, &mark);
    double paused = page_faults(rig);
    if (!rig_prepare(rig, "", err))
        return false;
    naive->compile = lap(rig, &mark);
    double resumed = page_faults(rig);
    mark = rig_now(rig);
    if (!rig_run_unwaited(rig, err))
        return false;
    naive->run = lap(rig, &mark);
    /* the first and last elements, as printing a long array reads them */
    for (unsigned i = 0; i < rig->operands; i++) {
        const size_t all = rig_bytes(rig, i), some = SHOWN * dtype_bytes(rig->operand[i].dtype);
        if (rig->operand[i].role == ROLE_OUTPUT && all >= some &&
            !(rig_fetch(rig, i, 0, some, seen, err) && rig_fetch(rig, i, all - some, some, seen, err)))
            return false;
    }
    naive->fetch = lap(rig, &mark);
    naive->faults = paused - before + page_faults(rig) - resumed;
    naive->outcome.status = STATUS_OK;
    return true;
}

/* Opens the device for a cell. */
static bool do_start(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
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
    return true;
}

/* A fresh process up to its first result, each part timed apart: devices defer different parts of allocation. */
static bool do_open(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    struct rig *rig = &worker->rig;
    struct first *first = &reply->first;
    if (!rig->session && !do_start(worker, request, reply, err))
        return false;
    double mark = rig_now(rig);
    if (!rig_alloc(rig, err))
        return false;
    first->alloc = lap(rig, &mark);
    if (!rig_prepare(rig, request->kernel_shape, err))
        return false;
    if (rig_computes(rig))
        first->compile = lap(rig, &mark);
    if (!check_fill(rig, err))
        return false;
    first->filling = lap(rig, &mark);
    struct run_times times;
    bool in_place = rig->device.works_in_host_memory && !rig->repacks;
    if (!(in_place ? rig_run_resident(rig, 1, &times, err) : rig_run_copied(rig, true, &times, err)))
        return false;
    if (worker->computing > 0 && processors_read(&worker->bound)) /* a library's threads have inherited one place */
        processors_widen(&worker->bound, &worker->allowed);
    rig->known.has_operands = in_place || rig->moves; /* what moves nothing starts without contents */
    paced_of(worker, SERIES_RESIDENT)->pace.run =
        times.phase[STEP_COMPUTE]; /* for a slice without a warm-up before it */
    if (!rig_map_page(rig, &first->map, err))
        return false;
    first->open = worker->opened.seconds;
    first->upload = times.phase[STEP_UPLOAD];
    first->repack = times.phase[STEP_REPACK];
    first->run = times.phase[STEP_COMPUTE];
    first->download = times.phase[STEP_DOWNLOAD];
    first->detail = prepared_of(worker)->detail;
    first->cores_planned = worker->computing > 0 ? request->threads : NAN;
    first->cores_computing = worker->computing > 0 ? worker->computing : NAN;
    first->kernel_shape = rig->kernel_shapes[rig->kernel_shape];
    if (rig->kernel_shape_count > 1) {
        first->kernel_shapes.label = pool_take(&reply->pool, rig->kernel_shape_count * sizeof(const char *));
        first->kernel_shapes.count = first->kernel_shapes.label ? rig->kernel_shape_count : 0;
    }
    for (unsigned i = 0; i < first->kernel_shapes.count; i++)
        first->kernel_shapes.label[i] = rig->kernel_shapes[i];
    add_costs(worker, first);
    if (!(request->flush > 0))
        return true;
    first->flush_bytes = request->flush;
    rig->flush = &worker->flush;
    return flush_open(rig->flush, rig->backend, rig->session, &rig->device, (size_t)request->flush, err);
}

static bool do_kernel_shape(struct worker *worker, const struct request *request, struct reply *reply,
                            struct error *err)
{
    double mark = rig_now(&worker->rig);
    if (!rig_use_kernel_shape(&worker->rig, request->kernel_shape, err))
        return false;
    reply->shape.compile = lap(&worker->rig, &mark);
    reply->shape.detail = prepared_of(worker)->detail;
    return true;
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

static bool do_verify(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    struct check check[CHECKS_MAX] = { { 0 } };
    struct verify_line *verify = &reply->verify;
    struct rig *rig = &worker->rig;
    const int current = (int)rig->kernel_shape;
    const bool is_before = request->pass == WHEN_BEFORE;
    const bool on_device = worker->result_on_device == current, on_host = worker->result_on_host == current;
    unsigned timed = 0, *count = &verify->checks; /* the first `timed` checks are of timed runs */
    bool ok;
    verify->pass = request->pass;
    if (is_before)
        ok = check_before(rig, check, count, err) && forget_results(worker, err);
    else { /* What timed runs left, the host's copy first: to read the device's overwrites it. Then one more run on new
            * data: a device that hands out a former result again would be right otherwise. */
        worker->result_on_device = worker->result_on_host = NO_RESULT;
        timed = (on_host && !worker->is_metered_copied) + (on_device && !worker->is_metered);
        ok = (!on_host || check_latest(rig, true, INFINITY, &check[(*count)++], err)) &&
             (!on_device || check_latest(rig, false, INFINITY, &check[(*count)++], err)) &&
             check_once_more(rig, &check[(*count)++], err);
    }
    if (!ok)
        return false;
    verify->check = pool_take(&reply->pool, CHECKS_MAX * sizeof *verify->check);
    if (!verify->check)
        return fail(err, STATUS_NO_MEMORY, "no memory for %u checks", *count);
    verify->run = *count > 0 ? check[*count - 1].run : NAN;
    verify->checked_runs = is_before ? NAN : 0;
    for (unsigned i = 0; i < *count; i++) {
        const struct verification *of = &check[i].verification;
        verify->check[i] = (struct check_line){ .name = check[i].name,
                                                .checked = (double)of->checked,
                                                .of = (double)of->of,
                                                .smallest_error = of->smallest_error,
                                                .largest_error = of->largest_error,
                                                .differs = of->differs,
                                                .weak = of->weak };
        verify->checked_runs += i < timed && !of->is_sample;
    }
    return true;
}

static bool do_warmup(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    if (!slice_warmup(&worker->rig, request->series, &reply->warmup, err))
        return false;
    paced_of(worker, request->series)->pace.run = reply->warmup;
    return true;
}

static bool do_slice(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    struct slice_line *slice = &reply->slice;
    struct paced *paced = paced_of(worker, request->series);
    paced->pace.is_phased = request->phased;
    slice->series = request->series;
    const bool ok = slice_run(&worker->rig, request->seconds, request->events, &paced->pace, slice, &reply->pool, err);
    if (request->watch && worker->telemetry.watch) {
        const double start = clock_wall();
        slice->gpu.after = telemetry_read(&worker->telemetry, false);
        slice->probes = clock_wall() - start;
    }
    worker->result_on_device = (int)worker->rig.kernel_shape;
    worker->is_metered = worker->is_metered_copied = false;
    if (request->series == SERIES_COPIED && check_brings_back(&worker->rig))
        worker->result_on_host = worker->result_on_device;
    if (!ok)
        return false;
    /* how often and for how long its results may be checked */
    const double check = paced->check_seconds > 0 ? paced->check_seconds : 2 * worker->poisoning;
    paced->every = (unsigned)fmin(EVERY_MOST, fmax(1, ceil(check / (check_share * slice->elapsed))));
    paced->allowed = check_share * slice->elapsed * ++paced->unchecked;
    /* A sustained series is not interrupted; the parent has its last result checked. */
    reply->is_due = paced->unchecked >= paced->every && request->series != SERIES_SUSTAINED;
    return true;
}

static bool do_check(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    struct paced *paced = paced_of(worker, request->series);
    struct rig *rig = &worker->rig;
    struct check check;
    double start = rig_now(rig);
    const double compared = fmax(0, paced->allowed - 2 * worker->poisoning);
    if (!check_latest(rig, request->series == SERIES_COPIED && check_brings_back(rig), compared, &check, err) ||
        !forget_results(worker, err))
        return false;
    paced->check_seconds = rig_now(rig) - start;
    paced->unchecked = 0;
    reply->check = (struct slice_check){
        .check = paced->check_seconds,
        .every = request->series != SERIES_SUSTAINED ? paced->every : NAN,
        .sample = check.verification.is_sample ? (double)check.verification.checked : NAN,
        .differs = check.verification.differs,
    };
    return true;
}

static bool do_meter(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    worker->result_on_device = (int)worker->rig.kernel_shape;
    worker->is_metered = true;
    worker->is_metered_copied = request->series == SERIES_COPIED;
    return telemetry_meter(&worker->telemetry, &worker->rig, request->series, request->seconds, &reply->meter, err);
}

static bool do_state(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    reply->state.gpu = telemetry_read(&worker->telemetry, true);
    host_state_read(&reply->state.host, "", clock_chain);
    return true;
}

/* By a request of its own, so that the parent learns how it ended. */
static bool do_close(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    struct rig *rig = &worker->rig;
    telemetry_close(&worker->telemetry);
    rig_release(rig);
    flush_close(&worker->flush);
    if (rig->session)
        rig->backend->close(rig->session);
    *worker = (struct worker){ .result_on_device = NO_RESULT, .result_on_host = NO_RESULT };
    return true;
}

static const struct {
    bool (*answer)(struct worker *worker, const struct request *request, struct reply *reply, struct error *err);
    bool needs_device;
} answers[REQUESTS] = {
    [ASK_LIST] = { do_list, false },    [ASK_START] = { do_start, false },
    [ASK_OPEN] = { do_open, false },    [ASK_NAIVE] = { do_naive, false },
    [ASK_VERIFY] = { do_verify, true }, [ASK_STATE] = { do_state, true },
    [ASK_WARMUP] = { do_warmup, true }, [ASK_SLICE] = { do_slice, true },
    [ASK_CHECK] = { do_check, true },   [ASK_METER] = { do_meter, true },
    [ASK_CLOSE] = { do_close, false },  [ASK_KERNEL_SHAPE] = { do_kernel_shape, true },
};

/* A reply during which the clock was stepped has no valid time. The other clock of the host shows the step, and so does
 * the parent's waiting time. */
static bool answer(struct worker *worker, const struct request *request, struct reply *reply, struct error *err)
{
    const struct clock_pair before = clock_both();
    if (answers[request->kind].needs_device && !worker->rig.session)
        return fail(err, STATUS_USAGE, "'%s' before 'open'", request_forms[request->kind].name);
    if (!answers[request->kind].answer(worker, request, reply, err))
        return false;
    const struct clock_pair after = clock_both();
    if (!clock_agrees(&before, &after, err))
        return false;
    reply->took = after.raw - before.raw;
    return true;
}

/* Answers a line. False where the parent is gone. */
static bool serve(struct worker *worker, const char *line, FILE *to)
{
    struct pool pool = { 0 };
    struct request request;
    struct error err = { .status = STATUS_OK };
    json_t *json = json_loads(line, 0, NULL);
    last_call_begin(""); /* none of this request yet */
    bool is_read =
        json ? request_from_json(&request, json, &pool, &err) : fail(&err, STATUS_USAGE, "the request is not JSON");
    struct reply reply = reply_unknown(is_read ? request.kind : ASK_START);
    reply.ok = is_read && answer(worker, &request, &reply, &err);
    reply.error = err;
    json_t *written = reply_to_json(&reply);
    const bool ok = json_dumpf(written, to, JSON_COMPACT) == 0 && putc('\n', to) != EOF && fflush(to) == 0;
    json_decref(written);
    json_decref(json);
    pool_release(&pool);
    pool_release(&reply.pool);
    return ok;
}

int worker_serve(int argc, char *const argv[])
{
    FILE *replies = child_replies();
    if (argc != 1 || !replies || !child_follow(argv[0]))
        return 2;
    struct worker worker = { .result_on_device = NO_RESULT, .result_on_host = NO_RESULT };
    /* Loading libgomp has bound this thread to its place, which another OpenMP would take for all that there is. */
    if (processors_read(&worker.bound) && processors_read_parent(&worker.allowed))
        processors_use(&worker.allowed);
    char *line = NULL;
    size_t room = 0;
    bool is_connected = true;
    while (is_connected && getline(&line, &room, stdin) > 0)
        is_connected = serve(&worker, line, replies);
    free(line);
    do_close(&worker, NULL, NULL, NULL);
    fclose(replies);
    return 0;
}
