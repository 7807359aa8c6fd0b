/* From how many uses on a device pays: what the first use as a whole says of it, and the words. */

#include "harness/report/content/breakeven_text.h"

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
    double offload[3];
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
        const double *s = corrected[i].speedup, *o = corrected[i].offload, up = corrected[i].moves;
        const double repack = corrected[i].baseline_repack;
        const struct breakeven_parts parts = {
            .speedup = { .value = s[0], .low = s[1], .high = s[2] },
            .upload = { .value = up, .low = up, .high = up },
            .baseline_repack = { .value = repack, .low = repack, .high = repack },
        };
        const struct estimate offload = { .value = o[0], .low = o[1], .high = o[2] };
        struct breakeven got = breakeven_correct(breakeven_solve(&parts, FETCH_ONCE), &parts, &offload);
        const struct breakeven *wanted = &corrected[i].once;
        cr_expect(got.outcome == wanted->outcome && same(got.uses, wanted->uses) && same(got.low, wanted->low) &&
                      same(got.high, wanted->high),
                  "%s: %s %g [%g, %g]", corrected[i].what, breakeven_outcomes[got.outcome], got.uses, got.low,
                  got.high);
    }
}

/* The break-evens of one cell, and what is said of it. */
static const struct {
    struct breakeven once, always;
    const char *says;
} payoffs[] = {
    { { BREAKEVEN_KNOWN, 4, 3, 6 },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "pays from 4 [3, 6] uses of the same data when the result is fetched once, never when it is fetched at every "
      "use" },
    { { BREAKEVEN_KNOWN, 4, 4, 4 },
      { BREAKEVEN_KNOWN, 12345, 9876, 1234567 },
      "pays from 4 uses of the same data when the result is fetched once, from 12,345 [9,876, 1.2e+06] uses when it is "
      "fetched at every use" },
    { { BREAKEVEN_KNOWN, 1, 1, 1 },
      { BREAKEVEN_KNOWN, 1, 1, 1 },
      "pays from the first use of the same data, whether the result is fetched once or at every use" },
    { { BREAKEVEN_KNOWN, 1, 1, 2 },
      { BREAKEVEN_KNOWN, 1, 1, 2 },
      "pays from 1 [1, 2] uses of the same data, whether the result is fetched once or at every use" },
    { { BREAKEVEN_NEVER, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "never pays, however often the same data are used" },
    { { BREAKEVEN_UNTIL, 8, 6, 9 },
      { BREAKEVEN_UNTIL, 6, 6, 6 },
      "pays only up to 8 [6, 9] uses of the same data when the result is fetched once, only up to 6 uses when it is "
      "fetched at every use" },
    { { BREAKEVEN_UNKNOWN, NAN, 12, INFINITY },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "pays from 12 uses of the same data at the earliest, if ever, when the result is fetched once, never when it is "
      "fetched at every use" },
    { { BREAKEVEN_UNKNOWN, NAN, 2, INFINITY },
      { BREAKEVEN_UNKNOWN, NAN, 2, INFINITY },
      "pays from 2 uses of the same data at the earliest, if ever, whether the result is fetched once or at every "
      "use" },
    { { BREAKEVEN_UNKNOWN, NAN, 1, INFINITY },
      { BREAKEVEN_UNKNOWN, NAN, 1, INFINITY },
      "may never pay: no gain could be shown" },
    { { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      "ran too few rounds to judge from how many uses on it pays (--budget gives more)" },
    { { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "may pay or not: its runs with the transfers and without them contradict each other, as something disturbed "
      "them; repeat with a larger --budget" },
    { { BREAKEVEN_UNKNOWN, 1, 1, INFINITY },
      { BREAKEVEN_UNKNOWN, 1, 1, INFINITY },
      "pays at the first use of the same data, and perhaps at no later one, whether the result is fetched once or at "
      "every use" },
    { { BREAKEVEN_UNKNOWN, 4, NAN, NAN },
      { BREAKEVEN_UNKNOWN, NAN, NAN, NAN },
      "ran too few rounds to judge from how many uses on it pays (--budget gives more)" },
    { { BREAKEVEN_UNKNOWN, 1, NAN, NAN },
      { BREAKEVEN_NEVER, NAN, NAN, NAN },
      "ran too few rounds to judge from how many uses on it pays (--budget gives more); never pays when the result is "
      "fetched at every use" },
    { { BREAKEVEN_NONE, NAN, NAN, NAN }, { BREAKEVEN_NONE, NAN, NAN, NAN }, "" },
};

Test(breakeven_text, says_from_how_many_uses_in_plain_words)
{
    for (unsigned i = 0; i < sizeof payoffs / sizeof *payoffs; i++) {
        struct cell_metrics metrics = { .measured = true, .breakeven = { payoffs[i].once, payoffs[i].always } };
        struct pool pool = { 0 };
        const char *text = breakeven_text(&pool, &metrics, false);
        cr_expect_str_eq(text, payoffs[i].says, "case %u:\n%s", i, text);
        metrics.measured = false;
        cr_expect_str_eq(breakeven_text(&pool, &metrics, false), "");
        pool_release(&pool);
    }
}
