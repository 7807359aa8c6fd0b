#include "harness/analysis/breakeven.h"
#include "harness/analysis/figures.h"
#include "harness/measure/random.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACTLY(x)                                                                                                     \
    {                                                                                                                  \
        x, x, x, 0, 0                                                                                                  \
    }
#define BETWEEN(x, low, high)                                                                                          \
    {                                                                                                                  \
        x, low, high, 0, 0                                                                                             \
    }
#define NO_INTERVAL(x)                                                                                                 \
    {                                                                                                                  \
        x, NAN, NAN, 0, 0                                                                                              \
    }
#define NOTHING EXACTLY(0)

/* What a device and its baseline take, as a program's author would list it; then what both models say. */
static const struct {
    const char *what;
    struct {
        struct estimate speedup, run, upload, download, repack, baseline_repack; /* all but the first in seconds */
    } is;
    struct breakeven once, always;
} cases[] = {
    { "10 over 8, and 8 over 6",
      { EXACTLY(5), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 2, 2, 2 },
      { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "the first use pays",
      { EXACTLY(5), EXACTLY(2), EXACTLY(1), EXACTLY(1), NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 1, 1, 1 },
      { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "nothing to move",
      { EXACTLY(2), EXACTLY(1), NOTHING, NOTHING, NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 1, 1, 1 },
      { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "as much as it costs is no gain yet",
      { EXACTLY(5), EXACTLY(2), EXACTLY(8), NOTHING, NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 2, 2, 2 },
      { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "very many uses",
      { EXACTLY(2), EXACTLY(0x1p-30), EXACTLY(1), NOTHING, NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 0x1p30 + 1, 0x1p30 + 1, 0x1p30 + 1 },
      { BREAKEVEN_KNOWN, 0x1p30 + 1, 0x1p30 + 1, 0x1p30 + 1 } },
    { "fetching eats the gain",
      { EXACTLY(5), EXACTLY(2), EXACTLY(8), EXACTLY(9), NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 3, 3, 3 },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "slower than the baseline",
      { EXACTLY(0.5), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "just as fast",
      { EXACTLY(1), EXACTLY(2), EXACTLY(8), NOTHING, NOTHING, NOTHING },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "the device repacks",
      { EXACTLY(5), EXACTLY(2), EXACTLY(8), EXACTLY(2), EXACTLY(20), NOTHING },
      { BREAKEVEN_KNOWN, 4, 4, 4 },
      { BREAKEVEN_KNOWN, 5, 5, 5 } },
    { "the baseline repacks",
      { EXACTLY(5), EXACTLY(2), EXACTLY(28), EXACTLY(2), NOTHING, EXACTLY(20) },
      { BREAKEVEN_KNOWN, 2, 2, 2 },
      { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "the baseline repacks more than the device moves",
      { EXACTLY(5), EXACTLY(2), EXACTLY(1), EXACTLY(1), NOTHING, EXACTLY(20) },
      { BREAKEVEN_KNOWN, 1, 1, 1 },
      { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "... and then computes faster than the device: nine uses cost as much on both",
      { EXACTLY(0.75), EXACTLY(8), EXACTLY(1), EXACTLY(1), NOTHING, EXACTLY(20) },
      { BREAKEVEN_UNTIL, 8, 8, 8 },
      { BREAKEVEN_UNTIL, 6, 6, 6 } },
    { "... so much faster that one use is too many",
      { EXACTLY(0.125), EXACTLY(80), EXACTLY(1), EXACTLY(1), NOTHING, EXACTLY(20) },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "... or perhaps not",
      { BETWEEN(0.75, 0.5, 0.99), EXACTLY(80), EXACTLY(1), EXACTLY(1), NOTHING, EXACTLY(20) },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN } },
    { "corners: 18 [16, 20] over 8 [6, 10], and 16 [15, 17] over 6 [3, 9]",
      { BETWEEN(5, 4, 6), EXACTLY(2), BETWEEN(16, 15, 17), BETWEEN(2, 1, 3), NOTHING, NOTHING },
      { BREAKEVEN_KNOWN, 3, 2, 4 },
      { BREAKEVEN_KNOWN, 3, 2, 6 } },
    { "a gain that may be none is not seen before 10 over 2",
      { BETWEEN(1.5, 0.5, 2), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_UNKNOWN, NAN, 6, INFINITY },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "no interval: what the medians say",
      { NO_INTERVAL(5), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_UNKNOWN, 2, NAN, NAN },
      { BREAKEVEN_UNKNOWN, 2, NAN, NAN } },
    { "no interval of the upload alone",
      { EXACTLY(5), EXACTLY(2), NO_INTERVAL(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_UNKNOWN, 2, NAN, NAN },
      { BREAKEVEN_UNKNOWN, 2, NAN, NAN } },
    { "surely slower, whatever it takes to move what",
      { BETWEEN(0.5, 0.4, 0.6), EXACTLY(2), NO_INTERVAL(8), NO_INTERVAL(2), NO_INTERVAL(1), NOTHING },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "surely slower, but what the baseline repacks is not known well",
      { BETWEEN(0.5, 0.4, 0.6), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NO_INTERVAL(1) },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN } },
    { "no interval, and never by the medians",
      { NO_INTERVAL(0.05), EXACTLY(2), EXACTLY(8), EXACTLY(2), NOTHING, NOTHING },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN } },
};

static bool same(double got, double wanted)
{
    return got == wanted || (isnan(got) && isnan(wanted));
}

static void expect(const char *what, enum fetch fetch, const struct breakeven *got, const struct breakeven *wanted)
{
    cr_assert(got->outcome == wanted->outcome && same(got->uses, wanted->uses) && same(got->low, wanted->low) &&
                  same(got->high, wanted->high),
              "%s, model %d: %s %g [%g, %g] instead of %s %g [%g, %g]", what, fetch, breakeven_outcomes[got->outcome],
              got->uses, got->low, got->high, breakeven_outcomes[wanted->outcome], wanted->uses, wanted->low,
              wanted->high);
}

static struct estimate over(struct estimate time, double run)
{
    return (struct estimate){ time.value / run, time.low / run, time.high / run, 0, 0 };
}

/* In runs, as they are measured. */
static struct breakeven_parts parts_of(unsigned i)
{
    double run = cases[i].is.run.value;
    return (struct breakeven_parts){
        .speedup = cases[i].is.speedup,
        .upload = over(cases[i].is.upload, run),
        .download = over(cases[i].is.download, run),
        .repack = over(cases[i].is.repack, run),
        .baseline_repack = over(cases[i].is.baseline_repack, run * cases[i].is.speedup.value),
    };
}

Test(breakeven, is_the_smallest_whole_number_of_uses_that_pays)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct breakeven_parts parts = parts_of(i);
        struct breakeven once = breakeven_solve(&parts, FETCH_ONCE), always = breakeven_solve(&parts, FETCH_EVERY_TIME);
        expect(cases[i].what, FETCH_ONCE, &once, &cases[i].once);
        expect(cases[i].what, FETCH_EVERY_TIME, &always, &cases[i].always);
    }
}

/* A generator of reproducible numbers in [0, 1). */
struct dice {
    uint64_t seed, next;
};

static double roll(struct dice *dice)
{
    return (double)(random_bits(dice->seed, 1, dice->next++) >> 11) * 0x1p-53;
}

static struct estimate random_part(struct dice *dice, double most)
{
    double value = most * roll(dice), width = 0.3 * roll(dice);
    return (struct estimate){ .value = value, .low = value * (1 - width), .high = value * (1 + width) };
}

static double within(struct dice *dice, const struct estimate *part)
{
    return part->low + (part->high - part->low) * roll(dice);
}

enum { SPEEDUP, UPLOAD, DOWNLOAD, REPACK, BASELINE_REPACK, PARTS }; /* in the order of their struct */

/* What N uses cost on the device beyond what they cost on the baseline, by the two sums themselves, for a device of
 * which one run takes 7 s. */
static double loss(const double part[PARTS], double uses, enum fetch fetch)
{
    const double run = 7, baseline_run = part[SPEEDUP] * run;
    double fetches = fetch == FETCH_ONCE ? 1 : uses;
    double device = run * (part[REPACK] + part[UPLOAD] + uses + fetches * part[DOWNLOAD]);
    return device - baseline_run * (part[BASELINE_REPACK] + uses);
}

static void expect_true_to(const struct breakeven *says, const double part[PARTS], enum fetch fetch)
{
    const double slack = 1e-9;
    for (unsigned uses = 1; uses <= 40; uses++) {
        double lost = loss(part, uses, fetch);
        bool must_pay = (says->outcome == BREAKEVEN_KNOWN && uses >= says->high) ||
                        (says->outcome == BREAKEVEN_UNTIL && uses <= says->low);
        bool must_not = says->outcome == BREAKEVEN_NEVER || (says->outcome == BREAKEVEN_UNTIL && uses > says->high) ||
                        (says->low > 0 && says->outcome != BREAKEVEN_UNTIL && uses < says->low);
        cr_assert(!must_pay || lost < slack, "%u uses lose %g where they must pay", uses, lost);
        cr_assert(!must_not || lost > -slack, "%u uses gain %g where they must not", uses, -lost);
    }
}

/* Whatever the parts are within their intervals: what is said holds, by adding up what N uses cost on both. */
Test(breakeven, an_interval_covers_all_values_of_its_parts)
{
    struct dice dice = { .seed = 7 };
    unsigned seen[BREAKEVEN_UNKNOWN + 1] = { 0 };
    for (unsigned i = 0; i < 20000; i++) {
        struct estimate drawn[PARTS];
        for (unsigned k = 0; k < PARTS; k++)
            drawn[k] = random_part(&dice, k < REPACK ? 3 : i % 2 ? 0 : 6);
        const struct breakeven_parts parts = { drawn[SPEEDUP], drawn[UPLOAD], drawn[DOWNLOAD], drawn[REPACK],
                                               drawn[BASELINE_REPACK] };
        for (enum fetch fetch = 0; fetch < FETCH_COUNT; fetch++) {
            struct breakeven says = breakeven_solve(&parts, fetch);
            seen[says.outcome]++;
            double part[PARTS];
            for (unsigned k = 0; k < PARTS; k++)
                part[k] = within(&dice, &drawn[k]);
            expect_true_to(&says, part, fetch);
        }
    }
    for (enum breakeven_outcome outcome = BREAKEVEN_KNOWN; outcome <= BREAKEVEN_UNKNOWN; outcome++)
        cr_assert_gt(seen[outcome], 100, "%s is hardly ever said", breakeven_outcomes[outcome]);
}

static struct record *two_cells(const char *more)
{
    struct record *record = record_new();
    addf(record, "{\"line\":\"journal\",\"schema\":\"bench-journal/3\"}");
    addf(record, "{\"line\":\"device\",\"id\":\"cpu\",\"key\":\"cpu\",\"backend\":\"cpu\",\"class\":\"CPU\","
                 "\"works_in_host_memory\":true}");
    addf(record, "{\"line\":\"device\",\"id\":\"gpu\",\"key\":\"gpu\",\"backend\":\"x\",\"class\":\"dGPU\"}");
    addf(record, "{\"line\":\"cell\",\"key\":\"a\",\"block\":\"one\",\"device\":\"cpu\",\"baseline\":\"a\"}");
    addf(record, "{\"line\":\"cell\",\"key\":\"b\",\"block\":\"one\",\"device\":\"gpu\",\"baseline\":\"a\"%s}", more);
    return record;
}

/* A slice of one run. */
static void add_run(struct record *record, const char *cell, unsigned turn, double ms)
{
    addf(record, "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"resident\",\"number\":%u,\"wall_ns\":[%.0f]}", cell,
         turn, ms * 1e6);
}

static void add_copied(struct record *record, const char *cell, unsigned turn, double up, double down)
{
    addf(record,
         "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"copied\",\"number\":%u,\"wall_ns\":[%.0f],"
         "\"phases\":{\"upload_ns\":[%.0f],\"download_ns\":[%.0f]}}",
         cell, turn, 1e6 * (up + down), 1e6 * up, 1e6 * down);
}

/* The same with a computation in between; 0: no such phase. */
static void add_fresh(struct record *record, const char *cell, unsigned turn, double up, double run, double down)
{
    addf(record,
         "{\"line\":\"slice\",\"cell\":\"%s\",\"series\":\"copied\",\"number\":%u,\"wall_ns\":[%.0f],"
         "\"phases\":{\"upload_ns\":[%.0f],\"compute_ns\":[%.0f],\"download_ns\":[%.0f]}}",
         cell, turn, 1e6 * (up + run + down), 1e6 * up, 1e6 * run, 1e6 * down);
}

/* What a script says the device takes, in milliseconds. */
struct script {
    double baseline, run, up, down, noise, drift;
    double memory; /* how much of its drift a round has from the one before; 0: each has its own */
};

/* About lognormal: skewed as times are. */
static double noisy(struct dice *dice, double ms, double noise)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += roll(dice);
    return ms * exp(noise * sum);
}

/* Rounds as a run takes them, on a machine that drifts by as much in each of them. */
static struct record *rounds(const struct script *script, unsigned count, uint64_t seed)
{
    struct record *record = two_cells("");
    struct dice dice = { .seed = seed };
    double slow = 1;
    for (unsigned i = 0; i < count; i++) {
        slow = pow(slow, script->memory) * noisy(&dice, 1, script->drift);
        add_run(record, "a", 3 * i + 1, slow * noisy(&dice, script->baseline, script->noise));
        add_run(record, "b", 3 * i + 2, slow * noisy(&dice, script->run, script->noise));
        add_copied(record, "b", 3 * i + 3, slow * noisy(&dice, script->up, script->noise),
                   slow * noisy(&dice, script->down, script->noise));
    }
    add_run(record, "a", 3 * count + 1, script->baseline);
    return record;
}

static struct breakeven read(const struct record *record, const char *key, enum fetch fetch)
{
    const struct cell_record *cell = record_cell(record, key);
    const struct estimate resident = record_speedup(record, cell, SERIES_RESIDENT);
    const struct estimate copied = record_speedup(record, record_copied_of(record, cell), SERIES_COPIED);
    struct breakeven_parts parts;
    if (!breakeven_parts(record, cell, &resident, &parts))
        return (struct breakeven){ BREAKEVEN_NONE, NAN, NAN, NAN };
    return breakeven_correct(breakeven_solve(&parts, fetch), &parts, &copied);
}

Test(breakeven, scripted_times_have_the_break_even_that_follows_from_them)
{
    const struct script script = { .baseline = 20, .run = 4, .up = 300, .down = 9, .noise = 0, .drift = 0 };
    struct record *record = rounds(&script, 12, 1);
    const struct breakeven once = { BREAKEVEN_KNOWN, 20, 20, 20 }, always = { BREAKEVEN_KNOWN, 43, 43, 43 };
    struct breakeven got = read(record, "b", FETCH_ONCE);
    expect("309 over 16", FETCH_ONCE, &got, &once);
    got = read(record, "b", FETCH_EVERY_TIME);
    expect("300 over 7", FETCH_EVERY_TIME, &got, &always);
    record_free(record);
}

enum { RUNS = 300 };

/* Of simulated runs of which N is known, for each model. */
struct coverage {
    unsigned known[FETCH_COUNT], covered[FETCH_COUNT];
    double width[FETCH_COUNT]; /* of those known, on average and relative to N */
};

static void simulate(const struct script *script, const double truth[FETCH_COUNT], struct coverage *out)
{
    *out = (struct coverage){ 0 };
    for (unsigned i = 0; i < RUNS; i++) {
        struct record *record = rounds(script, 26, 1000 + i);
        for (enum fetch fetch = 0; fetch < FETCH_COUNT; fetch++) {
            struct breakeven got = read(record, "b", fetch);
            if (got.outcome != BREAKEVEN_KNOWN)
                continue;
            out->known[fetch]++;
            out->covered[fetch] += got.low <= truth[fetch] && truth[fetch] <= got.high;
            out->width[fetch] += (got.high - got.low) / truth[fetch];
        }
        record_free(record);
    }
    for (enum fetch fetch = 0; fetch < FETCH_COUNT; fetch++)
        out->width[fetch] /= out->known[fetch];
}

static void expect_coverage(const struct coverage *seen, const double widest[FETCH_COUNT])
{
    for (enum fetch fetch = 0; fetch < FETCH_COUNT; fetch++) {
        unsigned known = seen->known[fetch], covered = seen->covered[fetch];
        cr_assert_gt(known, 0.8 * RUNS, "model %d: %u of %d", fetch, known, RUNS);
        cr_assert_geq(covered, 0.95 * known, "model %d: %u of %u", fetch, covered, known);
        cr_assert_lt(seen->width[fetch], widest[fetch], "model %d: %g wide", fetch, seen->width[fetch]);
    }
}

/* The interval covers N in 95 of 100 at least, and is no wider than the noise calls for. Now and then slices resemble
 * each other by chance, and nothing is claimed. */
Test(breakeven, the_interval_covers_the_truth, .timeout = 60)
{
    const struct script script = { .baseline = 20, .run = 4, .up = 300, .down = 9, .noise = 0.05, .drift = 0.05 };
    const double truth[FETCH_COUNT] = { 20, 43 }, widest[FETCH_COUNT] = { 0.25, 0.55 };
    struct coverage seen;
    simulate(&script, truth, &seen);
    expect_coverage(&seen, widest);
}

/* A machine that gets slower and faster over many rounds: times resemble their neighbours so much that their own
 * intervals are wide or not known, and what each is of a run beside it is known all the same. */
Test(breakeven, drift_of_the_machine_is_in_no_interval, .timeout = 60)
{
    const struct script script = {
        .baseline = 20, .run = 4, .up = 300, .down = 9, .noise = 0.02, .drift = 0.1, .memory = 0.95
    };
    const double truth[FETCH_COUNT] = { 20, 43 }, widest[FETCH_COUNT] = { 0.25, 0.5 };
    struct coverage seen;
    simulate(&script, truth, &seen);
    expect_coverage(&seen, widest);
}

/* Where what moves data drifts by itself, nothing takes it out, and nothing is claimed that is not so. */
Test(breakeven, drift_of_the_transfers_alone_is_in_the_interval, .timeout = 60)
{
    const double truth = 20;
    unsigned known = 0, covered = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        struct record *record = two_cells("");
        struct dice dice = { .seed = 9000 + i };
        double slow = 1;
        for (unsigned k = 0; k < 26; k++) {
            slow = pow(slow, 0.5) * noisy(&dice, 1, 0.05);
            add_run(record, "a", 3 * k + 1, noisy(&dice, 20, 0.02));
            add_run(record, "b", 3 * k + 2, noisy(&dice, 4, 0.02));
            add_copied(record, "b", 3 * k + 3, slow * 300, slow * 9);
        }
        struct breakeven got = read(record, "b", FETCH_ONCE);
        known += got.outcome == BREAKEVEN_KNOWN;
        covered += got.outcome == BREAKEVEN_KNOWN && got.low <= truth && truth <= got.high;
        record_free(record);
    }
    cr_assert_gt(known, 0.3 * RUNS, "%u of %d", known, RUNS);
    cr_assert_geq(covered, 0.95 * known, "%u of %u", covered, known);
}

/* A series that ended long before the other has no slices beside its: then the two times have to do. */
Test(breakeven, series_that_were_not_in_turn_use_their_times)
{
    struct record *record = two_cells("");
    for (unsigned i = 0; i < 12; i++) {
        add_run(record, "a", 2 * i + 1, 20);
        add_run(record, "b", 2 * i + 2, 4);
        add_copied(record, "b", 100 + i, i % 2 ? 310 : 290, 9);
    }
    struct breakeven got = read(record, "b", FETCH_ONCE);
    const struct breakeven wanted = { BREAKEVEN_KNOWN, 20, 17, 23 };
    expect("309 [275, 343] over 16", FETCH_ONCE, &got, &wanted);
    record_free(record);
}

/* Two that are equally fast on a machine that is not steady: no number of uses is claimed, but from where on there may
 * be one. */
Test(breakeven, a_gain_that_is_not_significant_is_none)
{
    const struct script script = { .baseline = 10, .run = 10, .up = 5, .down = 5, .noise = 0.01, .drift = 0.1 };
    unsigned open = 0, claimed = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct record *record = rounds(&script, 26, 5000 + i);
        struct breakeven got = read(record, "b", FETCH_ONCE);
        claimed += got.outcome == BREAKEVEN_KNOWN;
        open += got.outcome == BREAKEVEN_UNKNOWN && isinf(got.high) && got.low > 20 && isnan(got.uses);
        record_free(record);
    }
    cr_assert_leq(claimed, 5, "%u claimed", claimed);
    cr_assert_geq(open, 60, "%u open", open);
}

Test(breakeven, repacking_of_the_baseline_is_subtracted)
{
    const struct script script = { .baseline = 20, .run = 4, .up = 300, .down = 9 };
    struct record *record = rounds(&script, 12, 1);
    for (unsigned i = 0; i < 12; i++)
        addf(record,
             "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"copied\",\"number\":%u,\"wall_ns\":[120000000],"
             "\"phases\":{\"repack_ns\":[100000000]}}",
             100 + i);
    struct breakeven got = read(record, "b", FETCH_ONCE);
    const struct breakeven wanted = { BREAKEVEN_KNOWN, 14, 14, 14 };
    expect("209 over 16", FETCH_ONCE, &got, &wanted);
    record_free(record);
}

/* The first run is slower on data that were just written, on either side. As a whole 40 ms against 27.2: the device
 * pays at the first use. Later runs take 20 and 25 ms: 3 uses take 80 and 77.2 ms, 4 take 100 and 102.2. */
Test(breakeven, a_first_run_on_fresh_data_counts_as_measured)
{
    struct record *record = two_cells("");
    for (unsigned i = 0; i < 12; i++) {
        add_run(record, "a", 4 * i + 1, 20);
        add_fresh(record, "a", 4 * i + 2, 0, 40, 0);
        add_run(record, "b", 4 * i + 3, 25);
        add_fresh(record, "b", 4 * i + 4, 0.1, 27, 0.1);
    }
    const struct breakeven wanted = { BREAKEVEN_UNTIL, 3, 3, 3 };
    struct breakeven got = read(record, "b", FETCH_ONCE);
    expect("12.8 over 5, and the first", FETCH_ONCE, &got, &wanted);
    record_free(record);
}

static void expect_none(const struct record *record, const char *cell, const char *what)
{
    for (enum fetch fetch = 0; fetch < FETCH_COUNT; fetch++) {
        struct breakeven got = read(record, cell, fetch);
        cr_assert(got.outcome == BREAKEVEN_NONE && isnan(got.uses) && isnan(got.low) && isnan(got.high), "%s: %s", what,
                  breakeven_outcomes[got.outcome]);
    }
}

/* A CPU and a device with a cell for data that stay, a and b, and one for data that move, c and d: runs of 20 and 4 ms
 * that stay; 30 ms, and 300 up, 50 in between and 9 down. */
static struct record *four_cells(void)
{
    struct record *record = two_cells(",\"measures\":\"resident\",\"baseline_copied\":\"c\"");
    addf(record, "{\"line\":\"cell\",\"key\":\"c\",\"block\":\"one\",\"device\":\"cpu\",\"baseline\":\"a\","
                 "\"baseline_copied\":\"c\",\"measures\":\"copied\"}");
    addf(record, "{\"line\":\"cell\",\"key\":\"d\",\"block\":\"one\",\"device\":\"gpu\",\"baseline\":\"a\","
                 "\"baseline_copied\":\"c\",\"measures\":\"copied\"}");
    for (unsigned i = 0; i < 12; i++) {
        add_run(record, "a", 4 * i + 1, 20);
        add_run(record, "b", 4 * i + 2, 4);
        addf(record,
             "{\"line\":\"slice\",\"cell\":\"c\",\"series\":\"copied\",\"number\":%u,\"wall_ns\":[30000000],"
             "\"phases\":{\"compute_ns\":[30000000]}}",
             4 * i + 3);
        add_copied(record, "d", 4 * i + 4, 300, 9);
    }
    return record;
}

Test(breakeven, runs_are_of_the_cells_that_compute_and_transfers_of_those_that_move)
{
    struct record *record = four_cells();
    const struct breakeven once = { BREAKEVEN_KNOWN, 20, 20, 20 };
    struct breakeven got = read(record, "b", FETCH_ONCE);
    expect("309 over 16", FETCH_ONCE, &got, &once);
    expect_none(record, "d", "the cell that moves");
    const struct cell_record *computing = record_cell(record, "b"), *moving = record_cell(record, "d");
    cr_expect_float_eq(record_speedup(record, computing, SERIES_RESIDENT).value, 5, 1e-9);
    cr_expect(isnan(record_speedup(record, computing, SERIES_COPIED).value));
    cr_expect(isnan(record_speedup(record, moving, SERIES_RESIDENT).value));
    cr_expect_float_eq(record_speedup(record, moving, SERIES_COPIED).value, 30.0 / 309, 1e-9);
    record_free(record);
}

/* The method that computes repacks otherwise than the one that moves: only its first repacking is known, so that there
 * is no interval. */
Test(breakeven, each_method_repacks_in_its_own_way)
{
    struct record *record = four_cells();
    addf(record, "{\"line\":\"first\",\"cell\":\"b\",\"repack_ns\":32000000}");
    struct breakeven got = read(record, "b", FETCH_ONCE);
    cr_expect_float_eq(got.uses, 22, 0, "341 over 16: %g", got.uses);
    cr_expect(isnan(got.high), "%g", got.high);
    record_free(record);
}

Test(breakeven, there_is_none_where_it_is_not_applicable)
{
    const struct script script = { .baseline = 20, .run = 4, .up = 300, .down = 9 };
    struct record *record = rounds(&script, 8, 1);
    expect_none(record, "a", "the baseline itself");
    addf(record, "{\"line\":\"outcome\",\"cell\":\"b\",\"status\":\"wrong\",\"reason\":\"element 7\"}");
    expect_none(record, "b", "a wrong answer");
    record_free(record);

    record = two_cells("");
    for (unsigned i = 0; i < 8; i++)
        add_run(record, i % 2 ? "b" : "a", i + 1, 10);
    expect_none(record, "b", "nothing moved");
    record_free(record);

    record = two_cells("");
    for (unsigned i = 0; i < 8; i++)
        add_copied(record, i % 2 ? "b" : "a", i + 1, 10, 10);
    expect_none(record, "b", "nothing computed");
    record_free(record);

    record = two_cells(",\"roof\":\"bandwidth\"");
    for (unsigned i = 0; i < 8; i++) {
        add_run(record, i % 2 ? "b" : "a", 2 * i + 1, 10);
        add_copied(record, "b", 2 * i + 2, 10, 10);
    }
    expect_none(record, "b", "a ceiling");
    record_free(record);
}
