#include "bench/worker/check.h"

#include "bench/worker/answers.h"
#include "harness/measure/random.h"

#include <math.h>

/* How far from a whole number what a fast algorithm makes of small ones may be: its sums are exact but for rounding. */
static const double fast_slack = 0.25;

/* Seeds that must differ from each other, derived from the run's own. */
enum purpose {
    PURPOSE_OPERANDS,
    PURPOSE_EXACT,
    PURPOSE_GUARD,
    PURPOSE_SAMPLE_BEFORE,
    PURPOSE_SAMPLE_AFTER,
    PURPOSE_WEIGHTS,
    PURPOSE_ANEW
};

static uint64_t seed_for(uint64_t seed, enum purpose purpose)
{
    return random_bits(seed, purpose, 0);
}

static void *elements(const struct rig *rig, void *base)
{
    return (char *)base + rig->margin;
}

/* Fills an operand on the host's side, with integers, or uniform in [-1, 1) where their range is 0. */
static const struct integers uniform = { 0, 0 };
static void fill(const struct rig *rig, unsigned i, void *base, uint64_t seed, struct integers integers)
{
    const struct operand *operand = &rig->operand[i];
    if (integers.range > 0)
        random_fill_integer(elements(rig, base), operand->dtype, 0, operand->count, seed, i, &integers);
    else
        random_fill_uniform(elements(rig, base), operand->dtype, 0, operand->count, seed, i);
}

static void poison(const struct rig *rig, unsigned i, void *base)
{
    verify_poison(elements(rig, base), rig->operand[i].dtype, rig->operand[i].count);
}

static bool put_filled(struct rig *rig, unsigned i, uint64_t seed, struct integers integers, struct error *err)
{
    void *base = rig_write(rig, i, err);
    if (!base)
        return false;
    fill(rig, i, base, seed, integers);
    return rig_put(rig, i, err);
}

static bool put_poison(struct rig *rig, unsigned i, struct error *err)
{
    void *base = rig_write(rig, i, err);
    if (!base)
        return false;
    poison(rig, i, base);
    return rig_put(rig, i, err);
}

/* Operands of a computation: inputs filled on both sides, the output poisoned on both. */
static bool load_compute(struct rig *rig, uint64_t seed, struct integers integers, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        bool input = rig->operand[i].role == ROLE_INPUT;
        if (!(input ? put_filled(rig, i, seed, integers, err) : put_poison(rig, i, err)))
            return false;
    }
    return true;
}

/* What is only moved: filled where it comes from, poisoned where it goes to. */
static bool load_transfer(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        bool upward = rig->operand[i].role == ROLE_INPUT;
        if (!(upward ? put_poison(rig, i, err) : put_filled(rig, i, seed, uniform, err)))
            return false;
        if (!rig->host[i])
            continue;
        if (upward)
            fill(rig, i, rig->host[i], seed, uniform);
        else
            poison(rig, i, rig->host[i]);
    }
    return true;
}

bool check_fill(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        if (rig->operand[i].role != ROLE_INPUT)
            continue;
        void *base = rig_write(rig, i, err);
        if (!base)
            return false;
        fill(rig, i, base, seed_for(seed, PURPOSE_OPERANDS), uniform);
        if (!rig_leave(rig, i, err))
            return false;
    }
    return true;
}

bool check_load(struct rig *rig, uint64_t seed, struct error *err)
{
    uint64_t operands = seed_for(seed, PURPOSE_OPERANDS);
    return rig_computes(rig) ? load_compute(rig, operands, uniform, err) : load_transfer(rig, operands, err);
}

/* What is only moved downwards is looked at where it arrived; the rest where it is made. */
static enum place place_of_result(const struct rig *rig)
{
    unsigned checked = answers_operand(rig);
    bool arrives = !rig_computes(rig) && rig->operand[checked].role == ROLE_OUTPUT && rig->host[checked];
    return arrives ? ON_HOST : ON_DEVICE;
}

static bool is_fast(const struct rig *rig)
{
    return rig->method && rig->method->is_fast;
}

/* Whole operands: a fast algorithm is exact only after rounding, and then only if what it
 * rounds is small. */
static struct integers integers_of(const struct rig *rig)
{
    struct integers integers = rig->problem.workload->exact(&rig->problem);
    if (is_fast(rig))
        integers.range = 1;
    return integers;
}

/* Every element, whole numbers and what is only moved. */
static bool compare_all(struct rig *rig, uint64_t seed, bool by_lines, struct verification *out, struct error *err)
{
    const struct question question = { .place = place_of_result(rig),
                                       .how = by_lines ? BY_LINES : EACH,
                                       .slack = is_fast(rig) ? fast_slack : 0,
                                       .seed = seed_for(seed, PURPOSE_WEIGHTS),
                                       .moved_seed = seed_for(seed, PURPOSE_OPERANDS) };
    return answers_compare(rig, &question, out, err);
}

static bool compare_sample(struct rig *rig, uint64_t seed, enum purpose purpose, enum place place,
                           struct verification *out, struct error *err)
{
    const struct question question = { .place = place,
                                       .how = SAMPLED,
                                       .slack = rig_computes(rig) ? NAN : 0,
                                       .seed = seed_for(seed, purpose),
                                       .moved_seed = seed_for(seed, PURPOSE_OPERANDS) };
    return answers_compare(rig, &question, out, err);
}

static bool run_once(struct rig *rig, double *seconds, struct error *err)
{
    struct run_times times;
    bool ok = rig_computes(rig) ? rig_compute(rig, 1, &times, err) : rig_offload(rig, false, &times, err);
    *seconds = times.whole;
    return ok;
}

static bool check_exact(struct rig *rig, uint64_t seed, struct check *check, struct error *err)
{
    const bool by_lines = rig->problem.workload->projection != NULL;
    check->name = is_fast(rig) ? "rounded" : "exact";
    bool loaded = rig_computes(rig) ? load_compute(rig, seed_for(seed, PURPOSE_EXACT), integers_of(rig), err)
                                    : check_load(rig, seed, err);
    return loaded && run_once(rig, &check->run, err) && compare_all(rig, seed, by_lines, &check->verdict, err);
}

static bool moves_in_chunks(const struct rig *rig)
{
    return problem_moves_in_parts(&rig->problem) && rig->host[answers_operand(rig)];
}

/* Where chunks are moved while others are computed the device knows nothing of the operands but what each chunk brings:
 * one that is computed too early, or brought back too early, is wrong. */
static bool check_chunks(struct rig *rig, uint64_t seed, struct check *check, struct error *err)
{
    struct run_times times;
    check->name = "in chunks";
    for (unsigned i = 0; i < rig->operands; i++) {
        if (!put_poison(rig, i, err))
            return false;
        if (rig->operand[i].role == ROLE_INPUT)
            fill(rig, i, rig->host[i], seed_for(seed, PURPOSE_EXACT), integers_of(rig));
    }
    const struct question question = { .place = ON_HOST, .how = EACH, .slack = 0 };
    bool ok = rig_offload(rig, false, &times, err) && answers_compare(rig, &question, &check->verdict, err);
    check->run = ok ? times.whole : NAN;
    return ok;
}

static bool check_random(struct rig *rig, uint64_t seed, struct check *check, struct error *err)
{
    check->name = "random";
    return check_load(rig, seed, err) && run_once(rig, &check->run, err) &&
           compare_sample(rig, seed, PURPOSE_SAMPLE_BEFORE, place_of_result(rig), &check->verdict, err);
}

static bool bands_write(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        char *base = rig_write(rig, i, err);
        if (!base)
            return false;
        verify_guard_write(base, rig->margin, seed + 2 * i);
        verify_guard_write(base + rig->margin + rig_bytes(rig, i), rig->margin, seed + 2 * i + 1);
        if (rig->operand[i].role == ROLE_INPUT)
            fill(rig, i, base, seed, integers_of(rig));
        else
            poison(rig, i, base);
        if (!rig_put(rig, i, err))
            return false;
    }
    return true;
}

/* What an input was filled with: all that is known of whether a method spoils its own operands. */
struct filling {
    uint64_t seed;
    unsigned operand;
    struct integers integers;
};

static void filled_with(const void *context, int64_t index, double *value, double *bound)
{
    const struct filling *filling = context;
    *value = (double)random_integer(filling->seed, filling->operand, (uint64_t)index, &filling->integers);
    *bound = 0;
}

static bool input_stands(const struct rig *rig, unsigned i, const char *base, uint64_t seed, struct error *err)
{
    const struct filling filling = { seed, i, integers_of(rig) };
    const struct operand *operand = &rig->operand[i];
    struct verification verdict;
    struct error wrong = { .status = STATUS_OK };
    if (operand->role != ROLE_INPUT ||
        verify_all(&verdict, base + rig->margin, operand->dtype, operand->count, filled_with, &filling, &wrong))
        return true;
    return fail(err, STATUS_WRONG, "the input %s was written to: %s", operand->name, wrong.message);
}

static bool bands_read(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        char *base = rig_take(rig, i, err);
        if (!base)
            return false;
        bool stand = verify_guard_read(base, rig->margin, seed + 2 * i, rig->operand[i].name, err) &&
                     verify_guard_read(base + rig->margin + rig_bytes(rig, i), rig->margin, seed + 2 * i + 1,
                                       rig->operand[i].name, err) &&
                     input_stands(rig, i, base, seed, err);
        if (!rig_leave(rig, i, stand ? err : NULL) || !stand)
            return false;
    }
    return true;
}

/* A small problem of the same kind, each operand in the middle of a larger buffer: does anything write beside it, or to
 * an input? */
static bool check_guard(const struct rig *rig, uint64_t seed, struct check *check, struct error *err)
{
    check->name = "guard";
    struct rig small = { .backend = rig->backend,
                         .device = rig->device,
                         .session = rig->session,
                         .method = rig->method,
                         .memory = rig->memory,
                         .margin = GUARD_BYTES };
    const struct workload *workload = rig->problem.workload;
    uint64_t bands = seed_for(seed, PURPOSE_GUARD);
    struct run_times times;
    bool ok = problem_parse(&small.problem, workload, rig->problem.dtype, workload->small, err);
    if (ok && workload->liken)
        workload->liken(&small.problem, &rig->problem);
    ok = ok && rig_alloc(&small, err) && rig_prepare(&small, err) && bands_write(&small, bands, err) &&
         rig_compute(&small, 1, &times, err) && compare_all(&small, seed, false, &check->verdict, err) &&
         bands_read(&small, bands, err);
    check->run = ok ? times.whole : NAN;
    rig_release(&small);
    return ok;
}

/* So that the check after timing sees what the timed runs wrote, not what an earlier check did. */
static bool forget_result(struct rig *rig, uint64_t seed, struct error *err)
{
    if (!rig_computes(rig))
        return check_load(rig, seed, err);
    return put_poison(rig, answers_operand(rig), err);
}

/* The same with other data to start from: a device that has kept an earlier result is right once more, but only about
 * what it was asked then. */
static bool ask_anew(struct rig *rig, uint64_t seed, struct error *err)
{
    if (!rig_computes(rig))
        return check_load(rig, seed, err);
    unsigned first = 0;
    while (first < rig->operands && rig->operand[first].role != ROLE_INPUT)
        first++;
    if (first < rig->operands && !put_filled(rig, first, seed_for(seed, PURPOSE_OPERANDS), uniform, err))
        return false;
    return put_poison(rig, answers_operand(rig), err);
}

bool check_before(struct rig *rig, uint64_t seed, struct check out[CHECKS_MAX], unsigned *count, struct error *err)
{
    *count = 0;
    if (rig_computes(rig) && rig->problem.workload->small && !check_guard(rig, seed, &out[(*count)++], err))
        return false;
    if (!check_exact(rig, seed, &out[(*count)++], err))
        return false;
    if (moves_in_chunks(rig) && !check_chunks(rig, seed, &out[(*count)++], err))
        return false;
    if (rig_computes(rig) && !check_random(rig, seed, &out[(*count)++], err))
        return false;
    return forget_result(rig, seed, err);
}

bool check_after(struct rig *rig, uint64_t seed, bool offloaded, struct check out[CHECKS_MAX], unsigned *count,
                 struct error *err)
{
    const enum purpose purpose = PURPOSE_SAMPLE_AFTER;
    struct check *check = out;
    *count = 0;
    if (offloaded && rig_computes(rig) && rig_brings(rig, answers_operand(rig))) {
        *check = (struct check){ .name = "brought back", .run = NAN };
        if (!compare_sample(rig, seed, purpose, ON_HOST, &check->verdict, err))
            return false;
        check++;
    }
    *check = (struct check){ .name = "left behind", .run = NAN };
    if (!compare_sample(rig, seed, purpose, place_of_result(rig), &check->verdict, err))
        return false;
    *++check = (struct check){ .name = "once more", .run = NAN };
    const uint64_t anew = seed_for(seed, PURPOSE_ANEW);
    if (!ask_anew(rig, anew, err) || !run_once(rig, &check->run, err) ||
        !compare_sample(rig, anew, purpose, place_of_result(rig), &check->verdict, err))
        return false;
    *count = (unsigned)(check - out) + 1;
    return true;
}
