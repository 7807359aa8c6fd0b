#include "harness/measure/verify.h"

#include "harness/base/element.h"
#include "harness/base/parallel.h"
#include "harness/measure/random.h"

#include <math.h>
#include <string.h>

/* Streams of the seed for the checks themselves, different from those of operands. */
static const uint64_t sample_stream = 0x7665726966790000, guard_stream = 0x7665726966790001,
                      weight_stream = 0x7665726966790002;

/* A check is cut into this many parts whatever the number of threads, each with its own finding, so that sums and the
 * first wrong element do not depend on it. */
enum { PARTS = 64 };

/* An element of the output. */
struct element {
    double value;
    bool poisoned;
};

/* A check of single elements. */
struct check {
    const void *output;
    enum dtype dtype;
    int64_t count, samples;      /* samples == count: every element */
    const struct blocks *blocks; /* that the `count` elements are in; NULL: the whole output */
    int64_t of;                  /* elements of the output */
    uint64_t seed;
    verify_truths *truths;
    const void *context;
    struct finding *finding; /* one per part */
};

/* The result of one part, up to and including its first wrong element. */
struct finding {
    enum { ALL_RIGHT, VALUE_WRONG, TRUTH_WRONG } kind;
    int64_t checked, index; /* index: of the wrong element */
    struct element found;
    double value, bound; /* what the wrong element should have been */
    double smallest_error, largest_error;
    double values, bounds; /* sums of absolute values */
};

/* Quiet NaNs that no arithmetic makes, and the integers furthest from 0, which no sum reaches: only an element that was
 * never written still holds one. */
static const uint16_t poison_f16 = 0x7ead, poison_bf16 = 0x7fed;
static const uint32_t poison_f32 = 0x7fc0dead;
static const uint64_t poison_f64 = 0x7ff8dead0000dead;
static const int8_t poison_i8 = INT8_MIN;
static const int32_t poison_i32 = INT32_MIN;

static const void *poison_of(enum dtype dtype)
{
    static const void *const poison[DTYPE_ALL] = { &poison_f32, &poison_f64, &poison_f16, &poison_bf16,
                                                   &poison_f32, &poison_i8,  &poison_i32 };
    return poison[dtype];
}

static struct element element_read(const void *output, enum dtype dtype, int64_t index)
{
    const double value = element_at(output, dtype, index);
    const size_t bytes = dtype_bytes(dtype);
    const char *at = (const char *)output + (size_t)index * bytes;
    return (struct element){ .value = value,
                             .poisoned =
                                 (isnan(value) || dtype_is_whole(dtype)) && memcmp(at, poison_of(dtype), bytes) == 0 };
}

/* By the exponent of its last place, which is not below that of the least normal number. */
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

/* The smallest number of the dtype that is larger than x >= 0; INFINITY above the largest. For f32 by its bits, since
 * rounding and nextafterf() would take most of the time of a check. */
static double next_number(double x, enum dtype dtype)
{
    if (dtype == DTYPE_F64)
        return nextafter(x, INFINITY);
    if (dtype_is_whole(dtype))
        return floor(x) + 1;
    if (dtype == DTYPE_F16 || dtype == DTYPE_BF16)
        return next_small(x, dtype);
    float above = (float)x;
    if (above > x)
        return above;
    return float_from_bits(float_bits(above) + 1);
}

/* One random element of each of `samples` strata of equal size, and always the very first and last. Increases with i.
 */
static int64_t check_place(const struct check *check, int64_t i)
{
    if (check->samples == check->count || i == 0)
        return i;
    if (i == check->samples - 1)
        return check->count - 1;
    int64_t each = check->count / check->samples, extra = check->count % check->samples;
    int64_t begin = each * i + (i < extra ? i : extra), room = each + (i < extra);
    return begin + (int64_t)(random_bits(check->seed, sample_stream, (uint64_t)i) % (uint64_t)room);
}

/* The element that is compared at place i. */
static int64_t check_index(const struct check *check, int64_t i)
{
    const struct blocks *blocks = check->blocks;
    int64_t place = check_place(check, i);
    return blocks ? blocks->number[place / blocks->length] * blocks->length + place % blocks->length : place;
}

/* False when the element is wrong, or when its truth is unusable. */
static bool check_element(const struct check *check, int64_t index, double value, double bound, struct finding *finding)
{
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
    double noticed = next_number(size + bound, check->dtype) - size;
    finding->checked++;
    finding->values += size;
    finding->bounds += bound;
    finding->largest_error = error > finding->largest_error ? error : finding->largest_error;
    finding->smallest_error = noticed > finding->smallest_error ? noticed : finding->smallest_error;
    return true;
}

/* Compares the elements at places [begin, end), or up to the first wrong one. */
static struct finding check_places(const struct check *check, int64_t begin, int64_t end)
{
    const bool is_whole = check->samples == check->of; /* places are indices */
    double value[VERIFY_CHUNK], bound[VERIFY_CHUNK];
    struct finding finding = { 0 };
    for (int64_t count; begin < end; begin += count) {
        const int64_t first = check_index(check, begin), left = end - begin;
        count = !is_whole ? 1 : left < VERIFY_CHUNK ? left : VERIFY_CHUNK;
        check->truths(check->context, first, count, value, bound);
        for (int64_t i = 0; i < count; i++)
            if (!check_element(check, first + i, value[i], bound[i], &finding))
                return finding;
    }
    return finding;
}

static void check_parts(void *context, int64_t first, int64_t last)
{
    const struct check *check = context;
    for (int64_t part = first; part < last; part++)
        check->finding[part] = check_places(check, parallel_cut(0, check->samples, 1, (unsigned)part, PARTS),
                                            parallel_cut(0, check->samples, 1, (unsigned)part + 1, PARTS));
}

/* Always false: describes the wrong element. */
static bool refuse(const struct check *check, const struct finding *wrong, struct error *err)
{
    /* Enough to tell any two numbers apart. */
    static const int enough[DTYPE_ALL] = { 9, 17, 5, 4, 9, 3, 10 };
    int digits = enough[check->dtype];
    long long index = wrong->index, count = check->of;
    const struct element *found = &wrong->found;

    if (wrong->kind == TRUTH_WRONG)
        return fail_in(err, "verify", STATUS_FAILED,
                       "element %lld of %lld cannot be checked: its true value is %g with an allowed error of %g",
                       index, count, wrong->value, wrong->bound);
    if (found->poisoned)
        return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld was never written, should be %.*g", index,
                       count, digits, wrong->value);
    if (isnan(found->value))
        return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld is not a number, should be %.*g", index,
                       count, digits, wrong->value);
    return fail_in(err, "verify", STATUS_WRONG, "element %lld of %lld is %.*g, should be %.*g (allowed error %.3g)",
                   index, count, digits, found->value, digits, wrong->value, wrong->bound);
}

bool verify_elements(struct verification *out, const void *output, enum dtype dtype, int64_t of,
                     const struct blocks *blocks, int64_t sample, uint64_t seed, verify_truths *truths,
                     const void *context, struct error *err)
{
    struct finding finding[PARTS] = { 0 };
    int64_t least = sample < 2 ? 2 : sample, count = of; /* the first and the last */
    if (blocks) {                                        /* of a ragged last block only the elements that are there */
        const int64_t end = (blocks->number[blocks->count - 1] + 1) * blocks->length;
        count = blocks->count * blocks->length - (end > of ? end - of : 0);
    }
    struct check check = { .output = output,
                           .dtype = dtype,
                           .count = count,
                           .samples = least < count ? least : count,
                           .blocks = blocks,
                           .of = of,
                           .seed = seed,
                           .truths = truths,
                           .context = context,
                           .finding = finding };
    parallel_slices(check_parts, &check, 0, PARTS, check.samples < PARALLEL_LEAST ? PARTS : 1, 0);

    *out = (struct verification){ .of = of, .is_sample = check.samples < count };
    double values = 0, bounds = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        const struct finding *f = &finding[part];
        out->checked += f->checked;
        out->largest_error = fmax(out->largest_error, f->largest_error);
        out->smallest_error = fmax(out->smallest_error, f->smallest_error);
        values += f->values;
        bounds += f->bounds;
        if (f->kind != ALL_RIGHT)
            return refuse(&check, f, err);
    }
    /* If the allowed errors are as large as the values, an output of zeros would pass. */
    out->weak = bounds >= values;
    return true;
}

void verify_weights(uint64_t weight[], int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++)
        weight[i] = random_bits(seed, weight_stream, (uint64_t)i) | 1;
}

/* Lines that are summed side by side, so that memory is read contiguously whatever the stride between the elements of a
 * line; their sums stay in the first-level cache. */
enum { BLOCK = 1024 };

/* A check by weighted sums. */
struct audit {
    const void *output;
    enum dtype dtype;
    const struct weighted_lines *lines;
    int64_t blocks; /* in each of lines->outer */
    verify_sums *sums;
    verify_truths *truths;
    const void *context;
    struct tally *tally; /* one per part */
};

/* The result of one part, up to and including its first wrong line. */
struct tally {
    bool is_wrong;
    int64_t place;                 /* of the wrong line */
    double largest, largest_error; /* absolute values, of elements and of their distance from a whole number */
};

/* The nearest whole number, and the distance to it. A value too large to be an exact result, or a NaN, becomes 0 at a
 * large distance, so that no conversion is undefined. */
static inline int64_t whole_number(double value, double slack, double *distance)
{
    double known = fabs(value) <= 0x1p53 ? value : 0;
    int64_t whole = (int64_t)(known + copysign(slack, known));
    *distance = fabs(value - (double)whole);
    return whole;
}

static double scale_of(const struct weighted_lines *lines)
{
    return lines->scale > 0 ? lines->scale : 1;
}

/* Sums `count` lines side by side, starting at element `first`. False if any element is too far from a whole number. */
static bool lines_add(const struct audit *audit, int64_t first, int64_t count, uint64_t sum[], struct tally *tally)
{
    const struct weighted_lines *lines = audit->lines;
    const enum dtype dtype = audit->dtype;
    const void *output = audit->output;
    const double slack = lines->slack, scale = scale_of(lines);
    double largest = tally->largest, largest_error = 0;
    bool all_whole = true;
    for (int64_t l = 0; l < lines->length; l++) {
        const uint64_t weight = lines->weight[l];
        const int64_t start = first + l * lines->inner;
        for (int64_t i = 0; i < count; i++) {
            double value = element_at(output, dtype, start + i), distance;
            sum[i] += weight * (uint64_t)whole_number(scale * value, slack, &distance);
            all_whole &= distance <= slack;
            largest = fabs(value) > largest ? fabs(value) : largest;
            largest_error = distance > largest_error ? distance : largest_error;
        }
    }
    tally->largest = largest;
    tally->largest_error = fmax(tally->largest_error, largest_error / scale);
    return all_whole;
}

static bool line_is_whole(const struct audit *audit, int64_t first)
{
    const struct weighted_lines *lines = audit->lines;
    double distance = 0;
    for (int64_t l = 0; l < lines->length && distance <= lines->slack; l++)
        whole_number(scale_of(lines) * element_at(audit->output, audit->dtype, first + l * lines->inner), lines->slack,
                     &distance);
    return distance <= lines->slack;
}

static void audit_block(const struct audit *audit, int64_t block, struct tally *tally)
{
    const struct weighted_lines *lines = audit->lines;
    int64_t outer = block / audit->blocks, begin = block % audit->blocks * BLOCK;
    int64_t count = lines->inner - begin < BLOCK ? lines->inner - begin : BLOCK;
    int64_t place = outer * lines->inner + begin, first = outer * lines->length * lines->inner + begin;
    uint64_t sum[BLOCK] = { 0 }, wanted[BLOCK];
    bool all_whole = lines_add(audit, first, count, sum, tally);
    audit->sums(audit->context, place, place + count, wanted);
    for (int64_t i = 0; i < count && !tally->is_wrong; i++) {
        tally->is_wrong = sum[i] != wanted[i] || !(all_whole || line_is_whole(audit, first + i));
        tally->place = place + i;
    }
}

static void audit_parts(void *context, int64_t first, int64_t last)
{
    const struct audit *audit = context;
    const int64_t blocks = audit->lines->outer * audit->blocks;
    for (int64_t part = first; part < last; part++) {
        int64_t block = parallel_cut(0, blocks, 1, (unsigned)part, PARTS);
        int64_t end = parallel_cut(0, blocks, 1, (unsigned)part + 1, PARTS);
        struct tally tally = { 0 };
        while (block < end && !tally.is_wrong)
            audit_block(audit, block++, &tally);
        audit->tally[part] = tally;
    }
}

/* Always false: describes the first wrong element of a wrong line. */
static bool audit_fail(const struct audit *audit, int64_t place, struct error *err)
{
    const struct weighted_lines *lines = audit->lines;
    const struct check check = { .output = audit->output,
                                 .dtype = audit->dtype,
                                 .of = lines->outer * lines->length * lines->inner };
    int64_t first = place / lines->inner * lines->length * lines->inner + place % lines->inner;
    struct finding finding = { 0 };
    for (int64_t l = 0; l < lines->length; l++) {
        const int64_t index = first + l * lines->inner;
        double value = NAN, bound = NAN;
        audit->truths(audit->context, index, 1, &value, &bound);
        if (!check_element(&check, index, value, lines->slack / scale_of(lines), &finding))
            return refuse(&check, &finding, err);
    }
    return fail_in(err, "verify", STATUS_FAILED,
                   "the sum of the line from element %lld on is wrong, but none of its %lld elements is",
                   (long long)first, (long long)lines->length);
}

bool verify_projection(struct verification *out, const void *output, enum dtype dtype,
                       const struct weighted_lines *lines, verify_sums *sums, verify_truths *truths,
                       const void *context, struct error *err)
{
    struct tally tally[PARTS] = { 0 };
    struct audit audit = { .output = output,
                           .dtype = dtype,
                           .lines = lines,
                           .blocks = (lines->inner + BLOCK - 1) / BLOCK,
                           .sums = sums,
                           .truths = truths,
                           .context = context,
                           .tally = tally };
    int64_t count = lines->outer * lines->length * lines->inner;
    parallel_slices(audit_parts, &audit, 0, PARTS, count < PARALLEL_LEAST ? PARTS : 1, 0);

    *out = (struct verification){ .checked = count, .of = count };
    double largest = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        if (tally[part].is_wrong)
            return audit_fail(&audit, tally[part].place, err);
        largest = fmax(largest, tally[part].largest);
        out->largest_error = fmax(out->largest_error, tally[part].largest_error);
    }
    const double slack = lines->slack / scale_of(lines);
    out->smallest_error = next_number(largest + slack, dtype) - largest;
    out->weak = largest <= slack; /* an output of zeros would pass */
    return true;
}

/* Copied as bits: on its way through a floating-point register a NaN may lose its payload. */
struct poisoning {
    char *output;
    const void *poison;
    size_t bytes;
};

/* One element, then again and again what is there already, as long as that is in the nearest cache. */
static void poison_slice(void *context, int64_t begin, int64_t end)
{
    const struct poisoning *to = context;
    const size_t all = (size_t)(end - begin) * to->bytes, most = 4096;
    char *at = to->output + (size_t)begin * to->bytes;
    memcpy(at, to->poison, to->bytes);
    for (size_t done = to->bytes, count; done < all; done += count) {
        count = done < most ? done : most;
        count = count < all - done ? count : all - done;
        memcpy(at + done, at, count);
    }
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
