/* From how many uses on a device pays: what the first use as a whole says of it, and the words. */

#include "harness/report/content/answer_words.h"

#include <criterion/criterion.h>
#include <math.h>

static bool same(double got, double wanted)
{
    return got == wanted || (isnan(got) && isnan(wanted));
}

/* What the whole first use, transfers and all, says of what follows from its parts. */
static const struct {
    const char *what;
    double speedup[3], moves, baseline_repack; /* runs of each side */
    double copied[3];
    struct breakeven once;
} corrected[] = {
    { "no gain by the parts, a gain by the whole",
      { 1, 0.9, 1.6 },
      0.01,
      0,
      { 1.5, 1.1, 1.8 },
      { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "the parts have no interval", { 2, NAN, NAN }, 0.2, 0, { 1.5, 1.1, 1.8 }, { BREAKEVEN_KNOWN, 1, 1, 1 } },
    { "it may be what the baseline repacks",
      { 1, 0.9, 1.1 },
      0.6,
      0.7,
      { 1.5, 1.1, 1.8 },
      { BREAKEVEN_UNKNOWN, 1, 1, INFINITY } },
    { "a loss by the parts", { 0.5, 0.4, 0.6 }, 0.1, 0, { 2.3, 1.5, 3.7 }, { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN } },
    { "faster with the moves than without",
      { 1, 0.9, 1.2 },
      0.1,
      0,
      { 2.3, 1.5, 3.7 },
      { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN } },
    { "a gain by the parts at once, a loss by the whole",
      { 5, 4.9, 5.1 },
      0.1,
      0,
      { 0.8, 0.7, 0.9 },
      { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN } },
    { "the first use may pay by the parts, and does not",
      { 2, 1.5, 2.5 },
      0.9,
      0,
      { 0.8, 0.7, 0.9 },
      { BREAKEVEN_KNOWN, 2, 2, 2 } },
    { "the whole is uncertain", { 0.5, 0.4, 0.6 }, 0.1, 0, { 2, NAN, NAN }, { BREAKEVEN_NEVER, NAN, NAN, NAN } },
};

Test(breakeven, the_whole_first_use_has_the_last_word_on_it)
{
    for (unsigned i = 0; i < sizeof corrected / sizeof *corrected; i++) {
        const double *s = corrected[i].speedup, *o = corrected[i].copied, up = corrected[i].moves;
        const double repack = corrected[i].baseline_repack;
        const struct breakeven_parts parts = {
            .speedup = { .value = s[0], .low = s[1], .high = s[2] },
            .upload = { .value = up, .low = up, .high = up },
            .baseline_repack = { .value = repack, .low = repack, .high = repack },
        };
        const struct estimate copied = { .value = o[0], .low = o[1], .high = o[2] };
        struct breakeven got = breakeven_correct(breakeven_solve(&parts, FETCH_ONCE), &parts, &copied);
        const struct breakeven *wanted = &corrected[i].once;
        cr_expect(got.outcome == wanted->outcome && same(got.uses, wanted->uses) && same(got.low, wanted->low) &&
                      same(got.high, wanted->high),
                  "%s: %s %g [%g, %g]", corrected[i].what, breakeven_outcomes[got.outcome], got.uses, got.low,
                  got.high);
    }
}

/* Without and with transfers, the break-even, and its words. */
static const struct {
    enum verdict stays, moves;
    struct breakeven is;
    const char *says;
} decided[] = {
    { VERDICT_FASTER, VERDICT_SLOWER, { BREAKEVEN_KNOWN, 4, 3, 6 }, "from 4 uses of the same data on (3 - 6)" },
    { VERDICT_FASTER,
      VERDICT_SLOWER,
      { BREAKEVEN_KNOWN, 12345, 9876, 1234567 },
      "from 12,345 uses of the same data on (9,876 - 1.2e+06)" },
    { VERDICT_FASTER, VERDICT_FASTER, { BREAKEVEN_KNOWN, 1, 1, 2 }, "from the first use on" },
    { VERDICT_UNCLEAR, VERDICT_FASTER, { BREAKEVEN_UNKNOWN, NAN, 1, INFINITY }, "from the first use on" },
    { VERDICT_FASTER, VERDICT_UNCLEAR, { BREAKEVEN_KNOWN, 1, 1, 1 }, "from 1 use of the same data on (1 - 2)" },
    { VERDICT_FASTER, VERDICT_EQUAL, { BREAKEVEN_KNOWN, 1, 1, 1 }, "from 2 uses of the same data on" },
    { VERDICT_UNCLEAR, VERDICT_UNCLEAR, { BREAKEVEN_KNOWN, 1, 1, 3 }, "unclear" },
    { VERDICT_EQUAL, VERDICT_EQUAL, { BREAKEVEN_KNOWN, 30, 9, 99 }, "none (not faster even where the data stay)" },
    { VERDICT_EQUAL, VERDICT_UNCLEAR, { BREAKEVEN_KNOWN, 1, 1, 1 }, "unclear" },
    { VERDICT_SLOWER,
      VERDICT_SLOWER,
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      "none (not faster even where the data stay)" },
    { VERDICT_SLOWER, VERDICT_FASTER, { BREAKEVEN_UNTIL, 8, 6, 9 }, "up to 8 uses of the same data (6 - 9)" },
    { VERDICT_FASTER,
      VERDICT_SLOWER,
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "none (fetching the result costs more than is gained)" },
    { VERDICT_FASTER,
      VERDICT_SLOWER,
      { BREAKEVEN_UNKNOWN, NAN, 12, INFINITY },
      "unclear; not before 12 uses of the same data" },
    { VERDICT_FASTER,
      VERDICT_FASTER,
      { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN },
      "unclear: resident and copied runs contradict each other" },
    { VERDICT_FASTER, VERDICT_SLOWER, { BREAKEVEN_NONE, NAN, NAN, NAN }, "" },
};

Test(breakeven_words, agree_with_the_verdicts)
{
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof decided / sizeof *decided; i++) {
        struct answer answer = { .use = { { .verdict = decided[i].stays }, { .verdict = decided[i].moves } } };
        answer.breakeven[FETCH_ONCE] = breakeven_decide(decided[i].is, decided[i].stays, decided[i].moves);
        cr_expect_str_eq(breakeven_words(&pool, &answer, FETCH_ONCE), decided[i].says, "case %u", i);
    }
    pool_release(&pool);
}
