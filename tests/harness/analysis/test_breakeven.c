#include "harness/analysis/figures.h"
#include "harness/analysis/verdict.h"
#include "harness/measure/random.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(breakeven, .fini = release_kept);

#define EXACTLY(x)                                                                                                     \
    {                                                                                                                  \
        x, x, x, 9                                                                                                     \
    }
#define BETWEEN(x, low, high)                                                                                          \
    {                                                                                                                  \
        x, low, high, 9                                                                                                \
    }
#define NO_INTERVAL(x)                                                                                                 \
    {                                                                                                                  \
        x, NAN, NAN, 3                                                                                                 \
    }
#define NOTHING                                                                                                        \
    {                                                                                                                  \
        NAN, NAN, NAN, 0                                                                                               \
    }

/* Both speed-ups, and how many times as long as a later use the baseline's first one takes. */
static const struct {
    const char *what;
    struct estimate resident, copied;
    double first;
    struct breakeven is;
} cases[] = {
    { "10 ms against 2, and 12 with the copies: 1 + 2 / 8",
      EXACTLY(5),
      EXACTLY(10.0 / 12),
      1,
      { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "10 ms against 2, and 20 with the copies: 1 + 10 / 8",
      EXACTLY(5),
      EXACTLY(0.5),
      1,
      { BREAKEVEN_KNOWN, 3, 3, 3 } },
    { "as much as it costs is no gain yet: 1 + 1 / 0.5", EXACTLY(2), EXACTLY(0.5), 1, { BREAKEVEN_KNOWN, 4, 4, 4 } },
    { "the first use pays", EXACTLY(5), EXACTLY(2), 1, { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "very many uses", EXACTLY(2), EXACTLY(0x1p-30), 1, { BREAKEVEN_KNOWN, 0x1p31, 0x1p31, 0x1p31 } },
    { "the baseline's first use takes three times as long", EXACTLY(5), EXACTLY(0.5), 3, { BREAKEVEN_KNOWN, 5, 5, 5 } },
    { "corners: 1 + 1 / 0.8, from 1 + 0.667 / 0.833 to 1 + 1.5 / 0.75",
      BETWEEN(5, 4, 6),
      BETWEEN(0.5, 0.4, 0.6),
      1,
      { BREAKEVEN_KNOWN, 3, 2, 4 } },
    { "copied it may be as fast or not", EXACTLY(5), BETWEEN(0.9, 0.8, 1.2), 1, { BREAKEVEN_KNOWN, 2, 1, 2 } },
    { "copied it is equal", EXACTLY(5), BETWEEN(1, 0.96, 1.04), 1, { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "surely slower", EXACTLY(0.5), EXACTLY(0.2), 1, { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "equal, but surely not faster", BETWEEN(0.97, 0.96, 1), EXACTLY(0.2), 1, { BREAKEVEN_NEVER, NAN, NAN, NAN } },
    { "equal, and perhaps a little faster",
      BETWEEN(1, 0.96, 1.04),
      EXACTLY(0.2),
      1,
      { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "perhaps faster", BETWEEN(1.1, 0.9, 1.3), EXACTLY(0.2), 1, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "slower, but copied it may pay", EXACTLY(0.9), BETWEEN(1, 0.9, 1.1), 1, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "slower, and faster when copied", EXACTLY(0.8), EXACTLY(1.5), 2, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "resident is not judged", NO_INTERVAL(5), EXACTLY(0.5), 1, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "copied is not judged", EXACTLY(5), NO_INTERVAL(0.5), 1, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "slower, and copied is not judged", EXACTLY(0.5), NO_INTERVAL(0.2), 1, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "the time of the baseline's first use is unknown",
      EXACTLY(5),
      EXACTLY(0.5),
      NAN,
      { BREAKEVEN_UNCLEAR, NAN, NAN, NAN } },
    { "nothing copied", EXACTLY(5), NOTHING, 1, { BREAKEVEN_NONE, NAN, NAN, NAN } },
    { "nothing resident", NOTHING, EXACTLY(5), 1, { BREAKEVEN_NONE, NAN, NAN, NAN } },
};

static bool same(double got, double wanted)
{
    return got == wanted || (isnan(got) && isnan(wanted));
}

static void expect(const char *what, const struct breakeven *got, const struct breakeven *wanted)
{
    cr_expect(got->outcome == wanted->outcome && same(got->uses, wanted->uses) && same(got->low, wanted->low) &&
                  same(got->high, wanted->high),
              "%s: %s %g [%g, %g] instead of %s %g [%g, %g]", what, breakeven_outcomes[got->outcome], got->uses,
              got->low, got->high, breakeven_outcomes[wanted->outcome], wanted->uses, wanted->low, wanted->high);
}

Test(breakeven, is_the_smallest_whole_number_of_uses_that_pays)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct breakeven got = breakeven_solve(&cases[i].resident, &cases[i].copied, cases[i].first);
        expect(cases[i].what, &got, &cases[i].is);
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

static struct estimate random_speedup(struct dice *dice)
{
    double value = exp(3 * roll(dice) - 1.5), width = 0.3 * roll(dice);
    return (struct estimate){ value, value * (1 - width), value * (1 + width), 9 };
}

static double within(struct dice *dice, const struct estimate *part)
{
    return part->low + (part->high - part->low) * roll(dice);
}

/* Whatever the speed-ups are within their intervals: what is said holds, by adding up what N uses take on a baseline
 * with a run of 7 s, and on the device. */
Test(breakeven, an_interval_covers_all_values_of_its_parts)
{
    struct dice dice = { .seed = 7 };
    unsigned seen[BREAKEVEN_COUNT] = { 0 };
    for (unsigned i = 0; i < 20000; i++) {
        const struct estimate resident = random_speedup(&dice), copied = random_speedup(&dice);
        const double first = i % 2 ? 1 : 1 + 3 * roll(&dice);
        const struct breakeven says = breakeven_solve(&resident, &copied, first);
        const double again = 7 / within(&dice, &resident), once = 7 * first / within(&dice, &copied);
        seen[says.outcome]++;
        for (unsigned uses = 1; uses <= 40; uses++) {
            double lost = once + (uses - 1) * again - 7 * (first + uses - 1);
            bool must_pay = says.outcome == BREAKEVEN_KNOWN && uses >= says.high && says.high > 1;
            bool must_not = says.outcome == BREAKEVEN_NEVER || (says.outcome == BREAKEVEN_KNOWN && uses < says.low);
            bool is_equal = verdict_of(&copied) == VERDICT_EQUAL; /* that is not called a gain, whatever it is */
            cr_assert(!must_pay || lost < 1e-9, "%u uses lose %g where they must pay", uses, lost);
            cr_assert(!must_not || is_equal || lost > -1e-9, "%u uses gain %g where they must not", uses, -lost);
        }
    }
    for (enum breakeven_outcome outcome = BREAKEVEN_KNOWN; outcome < BREAKEVEN_COUNT; outcome++)
        cr_assert_gt(seen[outcome], 100, "%s is hardly ever said", breakeven_outcomes[outcome]);
}

static struct record *two_cells(const char *more)
{
    struct record *record = new_record();
    addf(record, "{'line':'journal','schema':'bench-journal/3'}");
    addf(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU','works_in_host_memory':true}");
    addf(record, "{'line':'device','id':'gpu','key':'gpu','backend':'x','class':'dGPU'}");
    addf(record, "{'line':'cell','key':'a','block':'one','device':'cpu','baseline':'a'}");
    addf(record, "{'line':'cell','key':'b','block':'one','device':'gpu','baseline':'a'%s}", more);
    return record;
}

/* A slice of one run. */
static void add_run(struct record *record, const char *cell, const char *series, unsigned turn, double ms)
{
    addf(record, "{'line':'slice','cell':'%s','series':'%s','number':%u,'wall_ns':[%.0f]}", cell, series, turn,
         ms * 1e6);
}

/* What a script says a run takes, in milliseconds: of the baseline, of the device, and there with all copies. */
struct script {
    double baseline, run, copied, noise, drift;
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
        add_run(record, "a", "resident", 3 * i + 1, slow * noisy(&dice, script->baseline, script->noise));
        add_run(record, "b", "resident", 3 * i + 2, slow * noisy(&dice, script->run, script->noise));
        add_run(record, "b", "copied", 3 * i + 3, slow * noisy(&dice, script->copied, script->noise));
    }
    add_run(record, "a", "resident", 3 * count + 1, script->baseline);
    return record;
}

static struct breakeven read(const struct record *record, const char *key)
{
    struct figures metrics;
    figures_read_cell(&metrics, record, record_cell(record, key));
    return metrics.breakeven;
}

static void expect_of(struct record *record, const char *cell, const char *what, double uses)
{
    const struct breakeven wanted = { isnan(uses) ? BREAKEVEN_NONE : BREAKEVEN_KNOWN, uses, uses, uses };
    struct breakeven got = read(record, cell);
    expect(what, &got, &wanted);
}

Test(breakeven, scripted_times_have_the_break_even_that_follows_from_them)
{
    const struct script script = { .baseline = 20, .run = 4, .copied = 313 };
    struct record *record = rounds(&script, 12, 1);
    expect_of(record, "b", "309 over 16", 20);
}

enum { RUNS = 300 };

/* Of simulated runs: the interval covers N in 95 of 100 at least, and is no wider than the noise calls for. Now and
 * then slices resemble each other by chance, and nothing is claimed. */
static void expect_coverage(const struct script *script, double truth, double widest)
{
    unsigned known = 0, covered = 0;
    double width = 0;
    for (unsigned i = 0; i < RUNS; i++) {
        struct record *record = rounds(script, 26, 1000 + i);
        struct breakeven got = read(record, "b");
        if (got.outcome != BREAKEVEN_KNOWN)
            continue;
        known++;
        covered += got.low <= truth && truth <= got.high;
        width += (got.high - got.low) / truth;
    }
    cr_assert_gt(known, 0.8 * RUNS, "%u of %d", known, RUNS);
    cr_assert_geq(covered, 0.95 * known, "%u of %u", covered, known);
    cr_assert_lt(width / known, widest, "%g wide", width / known);
}

Test(breakeven, the_interval_covers_the_truth, .timeout = 60)
{
    const struct script script = { .baseline = 20, .run = 4, .copied = 313, .noise = 0.05, .drift = 0.05 };
    expect_coverage(&script, 20, 0.3);
}

/* A machine that gets slower and faster over many rounds: times resemble their neighbours so much that their own
 * intervals are wide or not known, and what each is of a run beside it is known all the same. */
Test(breakeven, drift_of_the_machine_is_in_no_interval, .timeout = 60)
{
    const struct script script = {
        .baseline = 20, .run = 4, .copied = 313, .noise = 0.02, .drift = 0.1, .memory = 0.95
    };
    expect_coverage(&script, 20, 0.3);
}

/* Two that are equally fast on a machine that is not steady: no number of uses is claimed. */
Test(breakeven, a_gain_that_is_not_significant_is_none)
{
    const struct script script = { .baseline = 10, .run = 10, .copied = 20, .noise = 0.01, .drift = 0.1 };
    unsigned claimed = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct record *record = rounds(&script, 26, 5000 + i);
        claimed += read(record, "b").outcome == BREAKEVEN_KNOWN;
    }
    cr_assert_leq(claimed, 5, "%u claimed", claimed);
}

/* 120 ms once and 20 then, against 313 and 4. */
Test(breakeven, what_the_baseline_repacks_is_in_its_first_use)
{
    struct record *record = two_cells("");
    for (unsigned i = 0; i < 12; i++) {
        add_run(record, "a", "resident", 4 * i + 1, 20);
        add_run(record, "a", "copied", 4 * i + 2, 120);
        add_run(record, "b", "resident", 4 * i + 3, 4);
        add_run(record, "b", "copied", 4 * i + 4, 313);
    }
    expect_of(record, "b", "1 + 193 / 16", 14);
}

/* A CPU and a device with a cell for data that stay, a and b, and one for data that move, c and d: runs of 20 and 4 ms
 * that stay, of 30 and 350 with all copies. */
static struct record *four_cells(unsigned passes)
{
    struct record *record = two_cells(",\"measures\":\"resident\",\"baseline_copied\":\"c\"");
    addf(record, "{'line':'cell','key':'c','block':'one','device':'cpu','baseline':'a','baseline_copied':'c','measures'"
                 ":'copied'}");
    addf(record, "{'line':'cell','key':'d','block':'one','device':'gpu','baseline':'a','baseline_copied':'c','measures'"
                 ":'copied'}");
    for (unsigned i = 0; i < 12; i++) {
        add_run(record, "a", "resident", 4 * i + 1, 20);
        add_run(record, "b", "resident", 4 * i + 2, 4);
        add_run(record, "c", "copied", 4 * i + 3, 30);
        add_run(record, "d", "copied", 4 * i + 4, 350);
    }
    for (unsigned pass = 0; pass < passes; pass++)
        addf(record, "{'line':'verify','cell':'d','checks':[{'checked':1}]}");
    addf(record, "{'line':'outcome','cell':'d','status':'ok'}");
    return record;
}

Test(breakeven, each_use_may_have_a_cell_of_its_own)
{
    struct record *record = four_cells(2);
    expect_of(record, "b", "1 + 320 / 16, which is no gain yet", 22);
    expect_of(record, "d", "the cell that moves", NAN);
    record = four_cells(0);
    expect_of(record, "b", "the answer of the cell that moves was not verified", NAN);
}

Test(breakeven, there_is_none_where_it_is_not_applicable)
{
    const struct script script = { .baseline = 20, .run = 4, .copied = 313 };
    struct record *record = rounds(&script, 8, 1);
    expect_of(record, "a", "the baseline itself", NAN);
    addf(record, "{'line':'outcome','cell':'b','status':'wrong','reason':'element 7'}");
    expect_of(record, "b", "a wrong answer", NAN);

    record = two_cells("");
    for (unsigned i = 0; i < 8; i++)
        add_run(record, i % 2 ? "b" : "a", "resident", i + 1, 10);
    expect_of(record, "b", "nothing moved", NAN);

    record = two_cells("");
    for (unsigned i = 0; i < 8; i++)
        add_run(record, i % 2 ? "b" : "a", "copied", i + 1, 20);
    expect_of(record, "b", "nothing computed", NAN);

    record = two_cells(",\"roof\":\"bandwidth\"");
    for (unsigned i = 0; i < 8; i++) {
        add_run(record, i % 2 ? "b" : "a", "resident", 2 * i + 1, 10);
        add_run(record, "b", "copied", 2 * i + 2, 20);
    }
    expect_of(record, "b", "a peak", NAN);
}
