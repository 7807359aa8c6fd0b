#include "harness/measure/verify.h"

#include "harness/base/element.h"
#include "harness/base/parallel.h"
#include "harness/measure/random.h"
#include "harness/measure/verify_parts.h"

#include <math.h>
#include <string.h>

/* Streams of the seed that the check uses for itself, far from those of operands. verify_lines.c has one more. */
static const uint64_t sample_stream = 0x7665726966790000, guard_stream = 0x7665726966790001;

/* Quiet NaNs that no arithmetic makes: only an element that nobody wrote still holds one. */
static const uint16_t poison_f16 = 0x7ead, poison_bf16 = 0x7fed;
static const uint32_t poison_f32 = 0x7fc0dead;
static const uint64_t poison_f64 = 0x7ff8dead0000dead;

static const void *poison_of(enum dtype dtype)
{
    static const void *const poison[DTYPE_COUNT] = { &poison_f32, &poison_f64, &poison_f16, &poison_bf16, &poison_f32 };
    return poison[dtype];
}

static struct element element_read(const void *output, enum dtype dtype, int64_t index)
{
    const double value = element_at(output, dtype, index);
    const size_t bytes = dtype_bytes(dtype);
    const char *at = (const char *)output + (size_t)index * bytes;
    return (struct element){ .value = value, .poisoned = isnan(value) && memcmp(at, poison_of(dtype), bytes) == 0 };
}

/* By the exponent that its last place hangs on, which is never below that of the least normal number. */
static double next_small(double x, enum dtype dtype)
{
    const double largest = dtype == DTYPE_F16 ? 65504 : 0x1.fep127;
    const int least = dtype == DTYPE_F16 ? -13 : -125;
    int exponent = least;
    frexp(x, &exponent);
    if (x == 0 || exponent < least)
        exponent = least;
    const double place = ldexp(1, exponent - (int)dtype_bits(dtype)), next = (floor(x / place) + 1) * place;
    return next > largest ? INFINITY : next;
}

/* For f32 by its bits, since rounding and nextafterf() would be most of the time of a check. */
double verify_next(double x, enum dtype dtype)
{
    if (dtype == DTYPE_F64)
        return nextafter(x, INFINITY);
    if (dtype == DTYPE_F16 || dtype == DTYPE_BF16)
        return next_small(x, dtype);
    float above = (float)x;
    if (above > x)
        return above;
    const uint32_t bits = float_bits(above);
    return float_from_bits(bits + (bits < 0x7f800000));
}

/* One element of each of `samples` strata of equal size, so that no stretch of the output goes unlooked at; the very
 * first and last always. Increases with i. */
static int64_t check_index(const struct check *check, int64_t i)
{
    if (check->samples == check->count || i == 0)
        return i;
    if (i == check->samples - 1)
        return check->count - 1;
    int64_t each = check->count / check->samples, extra = check->count % check->samples;
    int64_t begin = each * i + (i < extra ? i : extra), room = each + (i < extra);
    return begin + (int64_t)(random_bits(check->seed, sample_stream, (uint64_t)i) % (uint64_t)room);
}

bool verify_element(const struct check *check, int64_t index, struct finding *finding)
{
    double value = NAN, bound = NAN;
    check->truth(check->context, index, &value, &bound);
    struct element found = element_read(check->output, check->dtype, index);
    double error = fabs(found.value - value);

    bool known = isfinite(value) && isfinite(bound) && bound >= 0;
    if (!known || !(error <= bound)) { /* also true of a NaN and of an infinity */
        finding->kind = known ? VALUE_WRONG : TRUTH_WRONG;
        finding->index = index;
        finding->found = found;
        finding->value = value;
        finding->bound = bound;
        return false;
    }

    double size = fabs(value);
    double noticed = verify_next(size + bound, check->dtype) - size;
    finding->checked++;
    finding->values += size;
    finding->bounds += bound;
    finding->largest_error = error > finding->largest_error ? error : finding->largest_error;
    finding->smallest_error = noticed > finding->smallest_error ? noticed : finding->smallest_error;
    return true;
}

static void check_parts(void *context, int64_t first, int64_t last)
{
    const struct check *check = context;
    for (int64_t part = first; part < last; part++) {
        int64_t i = parallel_cut(0, check->samples, 1, (unsigned)part, PARTS);
        int64_t end = parallel_cut(0, check->samples, 1, (unsigned)part + 1, PARTS);
        struct finding finding = { 0 };
        while (i < end && verify_element(check, check_index(check, i), &finding))
            i++;
        check->finding[part] = finding;
    }
}

bool verify_refuse(const struct check *check, const struct finding *wrong, struct error *err)
{
    /* Enough to tell any two numbers apart. */
    static const int enough[DTYPE_COUNT] = { 9, 17, 5, 4, 9 };
    int digits = enough[check->dtype];
    long long index = wrong->index, count = check->count;
    const struct element *found = &wrong->found;

    if (wrong->kind == TRUTH_WRONG)
        return fail_in(err, "verify", STATUS_FAILED,
                       "element %lld of %lld cannot be checked: its truth is %g with an allowed error of %g", index,
                       count, wrong->value, wrong->bound);
    if (found->poisoned)
        return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld was never written, should be %.*g", index,
                       count, digits, wrong->value);
    if (isnan(found->value))
        return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld is not a number, should be %.*g", index,
                       count, digits, wrong->value);
    return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld is %.*g, should be %.*g (allowed error %.3g)",
                   index, count, digits, found->value, digits, wrong->value, wrong->bound);
}

static bool check_run(struct verdict *out, struct check *check, struct error *err)
{
    struct finding finding[PARTS] = { 0 };
    check->finding = finding;
    parallel_slices(check_parts, check, 0, PARTS, check->samples < PARALLEL_LEAST ? PARTS : 1, 0);

    *out = (struct verdict){ .of = check->count };
    double values = 0, bounds = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        const struct finding *f = &finding[part];
        out->checked += f->checked;
        out->largest_error = fmax(out->largest_error, f->largest_error);
        out->smallest_error = fmax(out->smallest_error, f->smallest_error);
        values += f->values;
        bounds += f->bounds;
        if (f->kind != ALL_RIGHT)
            return verify_refuse(check, f, err);
    }
    /* An output of zeros is on average wrong by as much as the values are large. */
    out->weak = bounds >= values;
    return true;
}

bool verify_all(struct verdict *out, const void *output, enum dtype dtype, int64_t count, verify_truth *truth,
                const void *context, struct error *err)
{
    struct check check = {
        .output = output, .dtype = dtype, .count = count, .samples = count, .truth = truth, .context = context
    };
    return check_run(out, &check, err);
}

bool verify_sample(struct verdict *out, const void *output, enum dtype dtype, int64_t count, int64_t sample,
                   uint64_t seed, verify_truth *truth, const void *context, struct error *err)
{
    int64_t least = sample < 2 ? 2 : sample; /* the first and the last */
    struct check check = { .output = output,
                           .dtype = dtype,
                           .count = count,
                           .samples = least < count ? least : count,
                           .seed = seed,
                           .truth = truth,
                           .context = context };
    return check_run(out, &check, err);
}

/* Copied as bits: on its way through a floating-point register a NaN may lose its payload. */
struct poisoning {
    char *output;
    const void *poison;
    size_t bytes;
};

static inline void poison_elements(const struct poisoning *to, size_t bytes, int64_t begin, int64_t end)
{
    for (char *at = to->output + (size_t)begin * bytes; begin < end; begin++, at += bytes)
        memcpy(at, to->poison, bytes);
}

/* Of a size that the compiler knows. */
static void poison_slice(void *context, int64_t begin, int64_t end)
{
    const struct poisoning *to = context;
    if (to->bytes == 2)
        poison_elements(to, 2, begin, end);
    else
        poison_elements(to, to->bytes == 4 ? 4 : 8, begin, end);
}

void verify_poison(void *output, enum dtype dtype, int64_t count)
{
    struct poisoning to = { output, poison_of(dtype), dtype_bytes(dtype) };
    parallel_slices(poison_slice, &to, 0, count, PARALLEL_LEAST, 0);
}

static unsigned char guard_byte(uint64_t seed, size_t index)
{
    return (unsigned char)(random_bits(seed, guard_stream, index / 8) >> (index % 8 * 8));
}

void verify_guard_write(void *band, size_t bytes, uint64_t seed)
{
    unsigned char *to = band;
    for (size_t i = 0; i < bytes; i++)
        to[i] = guard_byte(seed, i);
}

bool verify_guard_read(const void *band, size_t bytes, uint64_t seed, const char *name, struct error *err)
{
    const unsigned char *from = band;
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] != guard_byte(seed, i))
            return fail_in(err, "verify", STATUS_WRONG, "%s was written to: byte %zu of %zu is 0x%02x, was 0x%02x",
                           name, i, bytes, from[i], guard_byte(seed, i));
    }
    return true;
}
