#include "bench/check.h"

#include "harness/random.h"

#include <math.h>

/* Elements of a large output that the sampled checks look at. */
enum { SAMPLE = 1 << 16 };

/* Seeds that must differ from each other, derived from the run's own. */
enum purpose { PURPOSE_OPERANDS, PURPOSE_EXACT, PURPOSE_GUARD, PURPOSE_SAMPLE_BEFORE, PURPOSE_SAMPLE_AFTER };

static uint64_t seed_for(uint64_t seed, enum purpose purpose)
{
    return random_bits(seed, purpose, 0);
}

static void *elements(const struct rig *rig, void *base)
{
    return (char *)base + rig->margin;
}

/* Fills an operand on the host's side, uniform in [-1, 1) or with integers up to `range`. */
static void fill(const struct rig *rig, unsigned i, void *base, uint64_t seed, int64_t range)
{
    const struct operand *operand = &rig->operand[i];
    if (range)
        random_fill_integer(elements(rig, base), operand->dtype, 0, operand->count, seed, i, range);
    else
        random_fill_uniform(elements(rig, base), operand->dtype, 0, operand->count, seed, i);
}

static void poison(const struct rig *rig, unsigned i, void *base)
{
    verify_poison(elements(rig, base), rig->operand[i].dtype, rig->operand[i].count);
}

static bool put_filled(struct rig *rig, unsigned i, uint64_t seed, int64_t range, struct error *err)
{
    void *base = rig_write(rig, i, err);
    if (!base)
        return false;
    fill(rig, i, base, seed, range);
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
static bool load_compute(struct rig *rig, uint64_t seed, int64_t range, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        bool input = rig->operand[i].role == ROLE_INPUT;
        if (!(input ? put_filled(rig, i, seed, range, err) : put_poison(rig, i, err)))
            return false;
    }
    return true;
}

/* What is only moved: filled where it comes from, poisoned where it goes to. */
static bool load_transfer(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        bool upward = rig->operand[i].role == ROLE_INPUT;
        if (!(upward ? put_poison(rig, i, err) : put_filled(rig, i, seed, 0, err)))
            return false;
        if (!rig->host[i])
            continue;
        if (upward)
            fill(rig, i, rig->host[i], seed, 0);
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
        fill(rig, i, base, seed_for(seed, PURPOSE_OPERANDS), 0);
        if (!rig_leave(rig, i, err))
            return false;
    }
    return true;
}

bool check_load(struct rig *rig, uint64_t seed, struct error *err)
{
    uint64_t operands = seed_for(seed, PURPOSE_OPERANDS);
    return rig_computes(rig) ? load_compute(rig, operands, 0, err) : load_transfer(rig, operands, err);
}

/* What the truth of one element is computed from. */
struct truth {
    const struct rig *rig;
    const void *operand[OPERANDS_MAX];
    uint64_t seed; /* of data that is only moved */
    unsigned moved;
    bool exact;
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    *bound = 0;
    if (rig_computes(truth->rig))
        truth->rig->problem.workload->expect(&truth->rig->problem, truth->operand, index, value, bound);
    else
        *value = random_uniform(truth->seed, truth->moved, index);
    if (truth->exact)
        *bound = 0;
}

/* Inputs on the host's side. */
static bool truth_open(struct rig *rig, struct truth *truth, struct error *err)
{
    truth->rig = rig;
    for (unsigned i = 0; i < rig->operands; i++) {
        void *base = rig->host[i];
        if (!base && rig->operand[i].role == ROLE_INPUT && !(base = rig_take(rig, i, err)))
            return false;
        truth->operand[i] = base ? elements(rig, base) : NULL;
    }
    return true;
}

static bool truth_close(struct rig *rig, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++)
        if (!rig_leave(rig, i, err))
            return false;
    return true;
}

/* The operand that is checked: the output, or the only one there is. */
static unsigned checked_operand(const struct rig *rig)
{
    for (unsigned i = 0; i < rig->operands; i++)
        if (rig->operand[i].role == ROLE_OUTPUT)
            return i;
    return 0;
}

/* Where the result is looked at: on the device, or where downloading has put it. */
enum place { ON_DEVICE, ON_HOST };

/* What is to be compared, and how. */
struct question {
    enum place place;
    int64_t sample; /* elements to look at; 0 for all, which also means exactly */
    uint64_t seed;  /* of the sample */
};

static bool compare(struct rig *rig, uint64_t seed, const struct question *question, struct verdict *out,
                    struct error *err)
{
    unsigned checked = checked_operand(rig);
    const struct operand *operand = &rig->operand[checked];
    struct truth truth = { .seed = seed_for(seed, PURPOSE_OPERANDS), .moved = checked, .exact = question->sample == 0 };
    if (!truth_open(rig, &truth, err))
        return false;
    void *base = question->place == ON_HOST ? rig->host[checked] : rig_take(rig, checked, err);
    if (!base)
        return false;
    const void *result = elements(rig, base);
    bool right = question->sample ? verify_sample(out, result, operand->dtype, operand->count, question->sample,
                                                  question->seed, truth_of, &truth, err)
                                  : verify_all(out, result, operand->dtype, operand->count, truth_of, &truth, err);
    return truth_close(rig, right ? err : NULL) && right;
}

/* What is only moved downwards is looked at where it arrived; the rest where it is made. */
static enum place place_of_result(const struct rig *rig)
{
    unsigned checked = checked_operand(rig);
    bool arrives = !rig_computes(rig) && rig->operand[checked].role == ROLE_OUTPUT && rig->host[checked];
    return arrives ? ON_HOST : ON_DEVICE;
}

static bool compare_all(struct rig *rig, uint64_t seed, struct verdict *out, struct error *err)
{
    const struct question question = { place_of_result(rig), 0, 0 };
    return compare(rig, seed, &question, out, err);
}

static bool compare_sample(struct rig *rig, uint64_t seed, enum purpose purpose, enum place place, struct verdict *out,
                           struct error *err)
{
    const struct question question = { place, SAMPLE, seed_for(seed, purpose) };
    return compare(rig, seed, &question, out, err);
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
    check->name = "exact";
    int64_t range = rig_computes(rig) ? rig->problem.workload->exact_range(&rig->problem) : 0;
    bool loaded =
        rig_computes(rig) ? load_compute(rig, seed_for(seed, PURPOSE_EXACT), range, err) : check_load(rig, seed, err);
    return loaded && run_once(rig, &check->run, err) && compare_all(rig, seed, &check->verdict, err);
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
            fill(rig, i, base, seed, rig->problem.workload->exact_range(&rig->problem));
        else
            poison(rig, i, base);
        if (!rig_put(rig, i, err))
            return false;
    }
    return true;
}

static bool bands_read(struct rig *rig, uint64_t seed, struct error *err)
{
    for (unsigned i = 0; i < rig->operands; i++) {
        char *base = rig_take(rig, i, err);
        if (!base)
            return false;
        bool stand = verify_guard_read(base, rig->margin, seed + 2 * i, rig->operand[i].name, err) &&
                     verify_guard_read(base + rig->margin + rig_bytes(rig, i), rig->margin, seed + 2 * i + 1,
                                       rig->operand[i].name, err);
        if (!rig_leave(rig, i, stand ? err : NULL) || !stand)
            return false;
    }
    return true;
}

/* A small problem of the same kind, each operand in the middle of a larger buffer: does anything write beside it? */
static bool check_guard(const struct rig *rig, uint64_t seed, struct check *check, struct error *err)
{
    check->name = "guard";
    struct rig small = { .backend = rig->backend,
                         .device = rig->device,
                         .session = rig->session,
                         .variant = rig->variant,
                         .memory = rig->memory,
                         .margin = GUARD_BYTES };
    const struct workload *workload = rig->problem.workload;
    uint64_t bands = seed_for(seed, PURPOSE_GUARD);
    struct run_times times;
    bool ok = problem_parse(&small.problem, workload, rig->problem.dtype, workload->small, err) &&
              rig_alloc(&small, err) && rig_prepare(&small, err) && bands_write(&small, bands, err) &&
              rig_compute(&small, 1, &times, err) && compare_all(&small, seed, &check->verdict, err) &&
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
    return put_poison(rig, checked_operand(rig), err);
}

bool check_before(struct rig *rig, uint64_t seed, struct check out[CHECKS_MAX], unsigned *count, struct error *err)
{
    *count = 0;
    if (rig_computes(rig) && rig->problem.workload->small && !check_guard(rig, seed, &out[(*count)++], err))
        return false;
    if (!check_exact(rig, seed, &out[(*count)++], err))
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
    if (offloaded && rig_computes(rig) && rig->host[checked_operand(rig)]) {
        *check = (struct check){ .name = "brought back", .run = NAN };
        if (!compare_sample(rig, seed, purpose, ON_HOST, &check->verdict, err))
            return false;
        check++;
    }
    *check = (struct check){ .name = "left behind", .run = NAN };
    if (!compare_sample(rig, seed, purpose, place_of_result(rig), &check->verdict, err))
        return false;
    *++check = (struct check){ .name = "once more", .run = NAN };
    if (!forget_result(rig, seed, err) || !run_once(rig, &check->run, err) ||
        !compare_sample(rig, seed, purpose, place_of_result(rig), &check->verdict, err))
        return false;
    *count = (unsigned)(check - out) + 1;
    return true;
}
