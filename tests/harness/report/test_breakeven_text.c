/* The words of a break-even: only for rows that are faster where the data stay and not where they are copied. */

#include "harness/report/content/answer_words.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct {
    enum verdict stays, moves;
    struct breakeven is;
    const char *says;
} cases[] = {
    { VERDICT_FASTER, VERDICT_SLOWER, { BREAKEVEN_KNOWN, 4, 3, 6 }, "from 4 uses of the same data on (3 - 6)" },
    { VERDICT_FASTER, VERDICT_EQUAL, { BREAKEVEN_KNOWN, 2, 2, 2 }, "from 2 uses of the same data on" },
    { VERDICT_FASTER, VERDICT_UNCLEAR, { BREAKEVEN_KNOWN, 1, 1, 2 }, "from 1 use of the same data on (1 - 2)" },
    { VERDICT_FASTER,
      VERDICT_SLOWER,
      { BREAKEVEN_KNOWN, 12345, 9876, 1234567 },
      "from 12,345 uses of the same data on (9,876 - 1.2e+06)" },
    { VERDICT_FASTER, VERDICT_FASTER, { BREAKEVEN_KNOWN, 1, 1, 1 }, "" },
    { VERDICT_FASTER, VERDICT_UNJUDGED, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_FASTER, VERDICT_NONE, { BREAKEVEN_NONE, NAN, NAN, NAN }, "" },
    { VERDICT_UNJUDGED, VERDICT_SLOWER, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_UNCLEAR, VERDICT_UNCLEAR, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_SLOWER, VERDICT_SLOWER, { BREAKEVEN_NEVER, NAN, NAN, NAN }, "" },
};

Test(breakeven_words, are_only_there_where_they_decide)
{
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer answer = { .use = { { .verdict = cases[i].stays }, { .verdict = cases[i].moves } },
                                 .breakeven = cases[i].is };
        cr_expect_str_eq(breakeven_words(&pool, &answer), cases[i].says, "case %u", i);
    }
    pool_release(&pool);
}
