#include "harness/base/element.h"
#include "harness/base/parallel.h"
#include "harness/measure/random.h"
#include "harness/measure/verify_parts.h"

#include <math.h>

static const uint64_t weight_stream = 0x7665726966790002;

void verify_weights(uint64_t weight[], int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++)
        weight[i] = random_bits(seed, weight_stream, (uint64_t)i) | 1;
}

/* Lines that are summed up side by side, so that memory is read in stretches whatever lies between the elements of one;
 * their sums stay in the first cache. */
enum { BLOCK = 1024 };

/* What a check by weighted sums asks. */
struct audit {
    const void *output;
    enum dtype dtype;
    const struct lines *lines;
    int64_t blocks; /* in each of lines->outer */
    verify_sums *sums;
    verify_truth *truth;
    const void *context;
    struct tally *tally; /* one per part */
};

/* What one part found, up to and including its first wrong line. */
struct tally {
    bool is_wrong;
    int64_t place;                 /* of the wrong line */
    double largest, largest_error; /* absolute values, of elements and of their distance from a whole number */
};

/* The whole number that an element stands for, and how far it is from it. What is too large to be an exact result, or
 * not a number, becomes 0 and is far away: no conversion is undefined. */
static inline int64_t whole_number(double value, double slack, double *distance)
{
    double known = fabs(value) <= 0x1p53 ? value : 0;
    int64_t whole = (int64_t)(known + copysign(slack, known));
    *distance = fabs(value - (double)whole);
    return whole;
}

/* Adds up `count` lines side by side, the first element of the first at `first`. False if any element of them is too
 * far from a whole number. */
static bool lines_add(const struct audit *audit, int64_t first, int64_t count, uint64_t sum[], struct tally *tally)
{
    const struct lines *lines = audit->lines;
    const enum dtype dtype = audit->dtype;
    const void *output = audit->output;
    const double slack = lines->slack;
    double largest = tally->largest, largest_error = 0;
    bool all_whole = true;
    for (int64_t l = 0; l < lines->length; l++) {
        const uint64_t weight = lines->weight[l];
        const int64_t start = first + l * lines->inner;
        for (int64_t i = 0; i < count; i++) {
            double value = element_at(output, dtype, start + i), distance;
            sum[i] += weight * (uint64_t)whole_number(value, slack, &distance);
            all_whole &= distance <= slack;
            largest = fabs(value) > largest ? fabs(value) : largest;
            largest_error = distance > largest_error ? distance : largest_error;
        }
    }
    tally->largest = largest;
    tally->largest_error = fmax(tally->largest_error, largest_error);
    return all_whole;
}

static bool line_is_whole(const struct audit *audit, int64_t first)
{
    const struct lines *lines = audit->lines;
    double distance = 0;
    for (int64_t l = 0; l < lines->length && distance <= lines->slack; l++)
        whole_number(element_at(audit->output, audit->dtype, first + l * lines->inner), lines->slack, &distance);
    return distance <= lines->slack;
}

static void audit_block(const struct audit *audit, int64_t block, struct tally *tally)
{
    const struct lines *lines = audit->lines;
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

/* The truth of whole numbers, whatever bounds it has of its own. */
static void truth_within_slack(const void *context, int64_t index, double *value, double *bound)
{
    const struct audit *audit = context;
    audit->truth(audit->context, index, value, bound);
    *bound = audit->lines->slack;
}

/* Always false: the sentence about the first wrong element of a wrong line. */
static bool audit_fail(const struct audit *audit, int64_t place, struct error *err)
{
    const struct lines *lines = audit->lines;
    const struct check check = { .output = audit->output,
                                 .dtype = audit->dtype,
                                 .count = lines->outer * lines->length * lines->inner,
                                 .truth = truth_within_slack,
                                 .context = audit };
    int64_t first = place / lines->inner * lines->length * lines->inner + place % lines->inner;
    struct finding finding = { 0 };
    for (int64_t l = 0; l < lines->length; l++)
        if (!verify_element(&check, first + l * lines->inner, &finding))
            return verify_refuse(&check, &finding, err);
    return fail_in(err, "verify", STATUS_FAILED,
                   "the sum of the line from element %lld on is wrong, but none of its %lld elements is",
                   (long long)first, (long long)lines->length);
}

bool verify_lines(struct verdict *out, const void *output, enum dtype dtype, const struct lines *lines,
                  verify_sums *sums, verify_truth *truth, const void *context, struct error *err)
{
    struct tally tally[PARTS] = { 0 };
    struct audit audit = { .output = output,
                           .dtype = dtype,
                           .lines = lines,
                           .blocks = (lines->inner + BLOCK - 1) / BLOCK,
                           .sums = sums,
                           .truth = truth,
                           .context = context,
                           .tally = tally };
    int64_t count = lines->outer * lines->length * lines->inner;
    parallel_slices(audit_parts, &audit, 0, PARTS, count < PARALLEL_LEAST ? PARTS : 1, 0);

    *out = (struct verdict){ .checked = count, .of = count };
    double largest = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        if (tally[part].is_wrong)
            return audit_fail(&audit, tally[part].place, err);
        largest = fmax(largest, tally[part].largest);
        out->largest_error = fmax(out->largest_error, tally[part].largest_error);
    }
    out->smallest_error = verify_next(largest + lines->slack, dtype) - largest;
    out->weak = largest <= lines->slack; /* zeros would pass: they are what is wanted */
    return true;
}
