#include "bench/worker/check.h"

#include "bench/worker/truth.h"
#include "harness/measure/random.h"

#include <math.h>

/* How far off a whole number the result of a fast algorithm may be: its sums are exact but for rounding. */
static const double fast_slack = 0.25;

/* Each purpose has a seed of its own, derived from the run's. */
enum purpose { PURPOSE_OPERANDS, PURPOSE_EXACT, PURPOSE_GUARD, PURPOSE_SAMPLE, PURPOSE_WEIGHTS, PURPOSE_NEW_INPUT };

static uint64_t seed_for(const struct rig *rig, enum purpose purpose)
{
    return random_bits(rig->seed, purpose, 0);
}

static const struct content poison = { .is_poison = true };

/* Nothing is known of a right result any more. */
static void forget_known(struct rig *rig)
{
    for (unsigned i = 0; i < rig->operands; i++)
        fingerprint_forget(&rig->known.result[i]);
}

/* Fills an operand on the host's side, and the guard bands beside it. What is known of the result holds for the former
 * contents only. */
static void fill(struct rig *rig, unsigned i, void *base, const struct content *content)
{
    const struct operand *operand = &rig->operand[i];
    char *elements = (char *)base + rig->margin;
    verify_guard_write(base, rig->margin, rig->seed + 2 * i);
    verify_guard_write(elements + rig_bytes(rig, i), rig->margin, rig->seed + 2 * i + 1);
    if (content->is_poison) {
        verify_poison(elements, operand->dtype, operand->count);
        return;
    }
    if (content->seed != rig->known.content[i].seed)
        forget_known(rig);
    content_fill(rig, i, elements, rig->known.content[i] = *content);
}

/* Fills an operand, on the host and on the device. */
static bool load_operand(struct rig *rig, unsigned i, const struct content *content, struct error *err)
{
    void *base = rig_host_side(rig, i, MAP_WRITE, err);
    if (!base)
        return false;
    fill(rig, i, base, content);
    return rig_write_operand(rig, i, err);
}

/* Fills the inputs of a computation and poisons its output, on the host and on the device. */
static bool load_compute(struct rig *rig, const struct content *inputs, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++)
        if (!load_operand(rig, i, rig->operand[i].role == ROLE_INPUT ? inputs : &poison, err))
            return false;
    return true;
}

bool check_fill(struct rig *rig, struct error *err)
{
    const struct content content = { .seed = seed_for(rig, PURPOSE_OPERANDS) };
    for (unsigned i = 0; i < rig->operands; i++) {
        if (rig->operand[i].role != ROLE_INPUT)
            continue;
        void *base = rig_host_side(rig, i, MAP_WRITE, err);
        if (!base)
            return false;
        fill(rig, i, base, &content);
        /* Beside others that move, as weights do. Without any transfer only the time of the first run counts. */
        const bool stays = rig->moves && !(rig->moves & 1u << i);
        if (stays && !rig_write_operand(rig, i, err))
            return false;
        if (rig->device.works_in_host_memory && !rig_end_access(rig, i, err))
            return false;
    }
    return true;
}

/* Fills the side that a run reads with random numbers, and poisons the side that it writes. Those of PURPOSE_OPERANDS
 * are timed. */
static bool load(struct rig *rig, enum purpose purpose, struct error *err)
{
    const struct content content = { .seed = seed_for(rig, purpose) };
    const bool computes = rig_computes(rig);
    bool ok = !computes || load_compute(rig, &content, err);
    for (unsigned i = 0; ok && i < rig->operands && !computes; i++) {
        const bool is_upload = rig->operand[i].role == ROLE_INPUT;
        ok = load_operand(rig, i, is_upload ? &poison : &content, err);
        void *base = ok && is_upload ? rig_host_side(rig, i, MAP_WRITE, err) : rig->host[i];
        ok = ok && (base || !is_upload);
        if (ok && base)
            fill(rig, i, base, is_upload ? &content : &poison);
    }
    rig->known.has_operands = ok && purpose == PURPOSE_OPERANDS;
    return ok;
}

/* A download is read where it arrives, any other result on the device. */
static enum place place_of_result(const struct rig *rig)
{
    const unsigned checked = compared_next(rig, 0);
    bool arrives = !rig_computes(rig) && rig->operand[checked].role == ROLE_OUTPUT && rig->host[checked];
    return arrives ? ON_HOST : ON_DEVICE;
}

static bool is_fast(const struct rig *rig)
{
    return rig->method && rig->method->is_fast;
}

/* Whole numbers of which the result is exact. That of a fast algorithm is exact after rounding, if they are small. */
static struct content whole_content(const struct rig *rig, enum purpose purpose)
{
    struct content content = { .seed = seed_for(rig, purpose),
                               .integers = rig->problem.workload->exact(&rig->problem) };
    if (is_fast(rig))
        content.integers.range = 1;
    return content;
}

/* A result of whole numbers. The weights of lines are others for other numbers. */
static bool compare_whole(struct rig *rig, const struct content *whole, enum compared how, struct verification *out,
                          struct error *err)
{
    const struct compare_options options = { place_of_result(rig), how, .slack = is_fast(rig) ? fast_slack : 0,
                                             .seed = random_bits(whole->seed, PURPOSE_WEIGHTS, 0) };
    return truth_compare(rig, &options, out, err);
}

/* What has changed since the latest right result. */
static bool recheck(struct rig *rig, enum place place, double seconds, struct verification *out, struct error *err)
{
    const struct compare_options options = { place, CHANGES, .slack = rig_computes(rig) ? NAN : 0, .seconds = seconds,
                                             .seed = seed_for(rig, PURPOSE_SAMPLE) };
    return truth_compare(rig, &options, out, err);
}

static bool run_once(struct rig *rig, double *seconds, struct error *err)
{
    struct run_times times;
    bool ok = rig_computes(rig) ? rig_run_resident(rig, 1, &times, err) : rig_run_copied(rig, false, &times, err);
    *seconds = times.whole;
    return ok;
}

/* A run on whole numbers, every element by weighted sums where the workload has them. */
static bool check_whole(struct rig *rig, enum purpose purpose, enum compared without_projection, struct check *check,
                        struct error *err)
{
    const struct content whole = whole_content(rig, purpose);
    const enum compared how = rig->problem.workload->projection ? BY_LINES : without_projection;
    check->name = is_fast(rig) ? "rounded" : "exact";
    return load_compute(rig, &whole, err) && run_once(rig, &check->run, err) &&
           compare_whole(rig, &whole, how, &check->verification, err);
}

/* A run on the operands that are there; its result is poisoned. Of a transfer every bit counts. */
static bool check_run(struct rig *rig, const char *name, struct check *check, struct error *err)
{
    check->name = name;
    return run_once(rig, &check->run, err) && recheck(rig, place_of_result(rig), INFINITY, &check->verification, err);
}

/* Chunks move while others are computed. The device has poison until a chunk arrives, so that a chunk which is computed
 * or brought back too early is wrong. */
static bool check_chunks(struct rig *rig, struct check *check, struct error *err)
{
    const struct content content = whole_content(rig, PURPOSE_EXACT);
    struct run_times times;
    check->name = "in chunks";
    for (unsigned i = 0; i < rig->operands; i++) {
        if (!load_operand(rig, i, &poison, err))
            return false;
        if (rig->operand[i].role == ROLE_INPUT)
            fill(rig, i, rig->host[i], &content);
    }
    const struct compare_options options = { .place = ON_HOST, .how = EACH, .slack = 0 };
    bool ok = rig_run_copied(rig, false, &times, err) && truth_compare(rig, &options, &check->verification, err);
    check->run = ok ? times.whole : NAN;
    return ok;
}

/* The content of one input, to see whether a method wrote to it. */
struct filled {
    uint64_t seed;
    unsigned number; /* of the operand */
    struct integers integers;
};

static void filled_with(const void *context, int64_t first, int64_t count, double value[], double bound[])
{
    const struct filled *filled = context;
    for (int64_t i = 0; i < count; i++) {
        value[i] = (double)random_integer(filled->seed, filled->number, (uint64_t)(first + i), &filled->integers);
        bound[i] = 0;
    }
}

/* The guard bands, and what the inputs hold between them. */
static bool bands_read(struct rig *rig, const struct content *inputs, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        const struct operand *operand = &rig->operand[i];
        const char *name = operand->name;
        const struct filled filled = { inputs->seed, i, problem_integers(&rig->problem, i, &inputs->integers) };
        struct verification verification;
        struct error wrong = { .status = STATUS_OK };
        char *base = rig_read_operand(rig, i, err);
        if (!base)
            return false;
        bool ok =
            verify_guard_read(base, rig->margin, rig->seed + 2 * i, name, err) &&
            verify_guard_read(base + rig->margin + rig_bytes(rig, i), rig->margin, rig->seed + 2 * i + 1, name, err);
        if (ok && operand->role == ROLE_INPUT &&
            !verify_elements(&verification, base + rig->margin, operand->dtype, operand->count, NULL, operand->count, 0,
                             filled_with, &filled, &wrong))
            ok = fail(err, STATUS_WRONG, "the input %s was written to: %s", name, wrong.message);
        if (!rig_end_access(rig, i, ok ? err : NULL) || !ok)
            return false;
    }
    return true;
}

/* A small problem of the same kind, each operand between guard bands: shows writes beside an operand or to an input. */
static bool check_guard(const struct rig *rig, struct check *check, struct error *err)
{
    check->name = "guard";
    struct rig small = { .backend = rig->backend,
                         .device = rig->device,
                         .session = rig->session,
                         .method = rig->method,
                         .memory = rig->memory,
                         .seed = rig->seed,
                         .margin = GUARD_BYTES };
    const struct workload *workload = rig->problem.workload;
    struct run_times times;
    if (!problem_parse(&small.problem, workload, rig->problem.dtype, workload->small, err))
        return false;
    if (workload->set_kind)
        workload->set_kind(&small.problem, &rig->problem);
    const struct content inputs = whole_content(&small, PURPOSE_GUARD);
    /* A library names other algorithms for another problem. */
    const char *shape = method_is_library(rig->method) ? "" : rig->kernel_shapes[rig->kernel_shape];
    bool ok = rig_alloc(&small, err) && rig_prepare(&small, shape, err) && load_compute(&small, &inputs, err) &&
              rig_run_resident(&small, 1, &times, err) &&
              compare_whole(&small, &inputs, EACH, &check->verification, err) && bands_read(&small, &inputs, err);
    check->run = ok ? times.whole : NAN;
    rig_release(&small);
    return ok;
}

bool check_forget(struct rig *rig, struct error *err)
{
    if (!rig_computes(rig))
        return load(rig, PURPOSE_OPERANDS, err);
    for (unsigned i = compared_next(rig, 0); i < rig->operands; i = compared_next(rig, i + 1))
        if (!load_operand(rig, i, &poison, err))
            return false;
    return true;
}

/* Whether a right result of the operands that are there is known, which another kernel shape must have, too. */
static bool is_known(const struct rig *rig)
{
    return rig->known.result[compared_next(rig, 0)].sum && rig_computes(rig) && !rig->problem.workload->projection;
}

static bool check_all(struct rig *rig, struct check out[CHECKS_MAX], unsigned *count, struct error *err)
{
    *count = 0;
    if (!rig_computes(rig))
        return load(rig, PURPOSE_OPERANDS, err) && check_run(rig, "exact", &out[(*count)++], err);
    if (rig->problem.workload->small && !check_guard(rig, &out[(*count)++], err))
        return false;
    const bool moves_in_chunks = problem_moves_in_parts(&rig->problem) && rig->host[compared_next(rig, 0)];
    /* Where every element of the timed operands can be compared, whole numbers would show nothing more. */
    if ((is_known(rig) || truth_is_cheap(rig)) && !moves_in_chunks)
        return (rig->known.has_operands ? check_forget(rig, err) : load(rig, PURPOSE_OPERANDS, err)) &&
               check_run(rig, "random", &out[(*count)++], err);
    return check_whole(rig, PURPOSE_EXACT, EACH, &out[(*count)++], err) &&
           (!moves_in_chunks || check_chunks(rig, &out[(*count)++], err)) && load(rig, PURPOSE_OPERANDS, err) &&
           check_run(rig, "random", &out[(*count)++], err);
}

/* A kernel shape that failed may have left anything behind: the next one gets new operands. One that was wrong on the
 * operands of an earlier one gets them, too, because that may have written to its inputs. */
bool check_before(struct rig *rig, struct check out[CHECKS_MAX], unsigned *count, struct error *err)
{
    const bool had_others = is_known(rig);
    if (check_all(rig, out, count, err))
        return true;
    forget_known(rig);
    rig->known.has_operands = false;
    if (had_others && err->status == STATUS_WRONG) {
        *err = (struct error){ .status = STATUS_OK };
        return check_before(rig, out, count, err);
    }
    return false;
}

bool check_brings_back(const struct rig *rig)
{
    bool any = false;
    for (unsigned i = 0; i < rig->operands; i++) {
        const unsigned bit = 1u << i;
        any |= rig->operand[i].role == ROLE_OUTPUT && rig->moves & bit && (rig->host[i] || rig->repacks & bit);
    }
    return any && rig_computes(rig);
}

bool check_latest(struct rig *rig, bool brought_back, double seconds, struct check *out, struct error *err)
{
    out->name = brought_back ? "brought back" : "left behind";
    return recheck(rig, brought_back ? ON_HOST : place_of_result(rig), seconds, &out->verification, err);
}

bool check_once_more(struct rig *rig, struct check *out, struct error *err)
{
    const struct compare_options options = { place_of_result(rig), SAMPLE, .slack = 0,
                                             .seed = seed_for(rig, PURPOSE_NEW_INPUT) };
    const bool ok = rig_computes(rig) ? check_whole(rig, PURPOSE_NEW_INPUT, SAMPLE, out, err)
                                      : load(rig, PURPOSE_NEW_INPUT, err) && run_once(rig, &out->run, err) &&
                                            truth_compare(rig, &options, &out->verification, err);
    out->name = "once more";
    return ok;
}
