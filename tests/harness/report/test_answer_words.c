/* The words of answers: reasons, verdicts, the answer to each question, break-even. */

#include "harness/report/content/answer_words.h"
#include "harness/report/content/table.h"
#include "tests/support/golden.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(answer_words, .fini = release_kept);

/* As of a cell that was measured with transfers alone. */
Test(answer_words, a_share_that_is_unknown_is_left_out_of_the_reasons)
{
    unsigned peaks = 0;
    for (unsigned i = 0; i < MACHINES; i++) {
        struct record *record = read_golden(GOLDEN, machines[i]);
        struct answer_set set;
        cr_assert(answer_set_read(&set, record));
        for (unsigned block = 0; block < record->blocks; block++)
            for (unsigned k = 0; set.figures[block] && k < record->block[block].cells; k++)
                set.figures[block][k].roof.share = NAN;
        for (unsigned k = 0; k < set.answers; k++)
            for (enum use use = 0; use < USES; use++) {
                const char *why = why_words(&set.pool, &set, &set.answer[k], use);
                const char *rest = strstr(why, " peak ");
                cr_expect_null(strstr(why, "nan"), "%s", why);
                cr_expect(!rest || !strchr(rest, ';'), "%s", why);
                peaks += rest != NULL;
            }
        answer_set_release(&set);
    }
    cr_expect_gt(peaks, 5, "%u reasons name peaks", peaks);
}

/* What is changed of an answer whose two sides are limited by computing: a GPU, the faster one, and a CPU. */
struct side {
    double peak, share, rate; /* FLOP/s that are shown, the share of the measured ones, FLOP/s above them or 0 */
    bool is_fast, has_no_interval;
};

static void change(struct answer_set *set, const struct figures *side, const struct side *to)
{
    for (unsigned block = 0; block < set->record->blocks; block++)
        for (unsigned i = 0; set->figures[block] && i < set->record->block[block].cells; i++) {
            struct figures *figures = &set->figures[block][i];
            if (figures != side)
                continue;
            record_cell(set->record, figures->cell->key)->is_fast = to->is_fast;
            figures->roof.share = to->share;
            figures->roof.is_exceeded = to->rate > 0;
            figures->roof.flops.wall = to->rate > 0 ? 0.8 * to->peak : to->peak;
            figures->roof.flops.half_width = to->has_no_interval ? NAN : 0.01;
            figures->rate = to->rate;
        }
}

Test(answer_words, computing_is_explained_by_peaks_and_by_how_much_of_them_is_reached)
{
    static const struct {
        struct side gpu, cpu;
        enum verdict verdict;
        const char *words;
    } cases[] = {
        { { 1e13, 0.5, 0, false, false },
          { 1e12, 0.25, 0, false, false },
          VERDICT_FASTER,
          "GPU peak 10x CPU peak; GPU reaches 50 % of its peak, CPU 25 %" },
        { { 1e13, 0.5, 0, false, false },
          { 1e12, 0.25, 0, false, false },
          VERDICT_EQUAL,
          "GPU reaches 50 % of its peak, CPU 25 %" },
        { { 2e12, 0.9, 0, false, false },
          { 1e12, 0.1, 0, false, false },
          VERDICT_FASTER,
          "GPU reaches 90 % of its peak, CPU 10 %" },
        { { 1e13, 1, 1e13, false, false },
          { 1e12, 0.25, 0, false, false },
          VERDICT_FASTER,
          "GPU peak 10x CPU peak; GPU reaches 100 % of its peak, CPU 25 %" },
        { { 1e13, 0.5, 0, false, true }, { 1e12, 0.25, 0, false, false }, VERDICT_FASTER, "" },
        { { 1e13, 0.5, 0, false, false }, { 1e12, 0.25, 0, false, true }, VERDICT_FASTER, "" },
        { { 1e13, 0.5, 0, true, false }, { 1e12, 0.25, 0, false, false }, VERDICT_FASTER, "" },
        { { 1e13, 0.5, 0, true, false }, { 1e12, 0.25, 0, true, false }, VERDICT_FASTER, "" },
        { { 1e13, 0.5, 0, false, false },
          { 1e12, 0.25, 0, true, false },
          VERDICT_FASTER,
          "GPU peak 10x CPU peak, CPU uses onednn" },
        { { 1e12, 0.9, 0, false, false }, { 1e13, 0.01, 0, true, false }, VERDICT_FASTER, "" },
        { { 1e13, 0.05, 0, false, false },
          { 1e12, 0.9, 0, false, false },
          VERDICT_SLOWER,
          "CPU reaches 90 % of its peak, GPU 5 %" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = read_golden(GOLDEN, "made-h200");
        struct answer_set set;
        cr_assert(answer_set_read(&set, record));
        unsigned at = 0;
        while (at < set.answers && set.answer[at].why[USE_RESIDENT] != WHY_COMPUTE)
            at++;
        cr_assert_lt(at, set.answers);
        struct answer *answer = &set.answer[at];
        change(&set, answer->row[USE_RESIDENT], &cases[i].gpu);
        change(&set, answer->baseline[USE_RESIDENT], &cases[i].cpu);
        for (unsigned k = 0; k < set.parts; k++)
            set.part[k].flops = &set.part[k] == answer->part ? cases[i].gpu.peak : cases[i].cpu.peak;
        answer->use[USE_RESIDENT].verdict = cases[i].verdict;
        const char *words = why_words(&set.pool, &set, answer, USE_RESIDENT);
        cr_expect_str_eq(words, cases[i].words, "case %u: %s", i, words);
        answer_set_release(&set);
    }
}

Test(answer_words, a_verdict_has_a_size_of_speed)
{
    static const struct {
        struct estimate speedup;
        const char *size, *field;
    } cases[] = {
        { { 2.31, 2.2, 2.4, 12 }, "2.3x faster", "2.31 (2.20 - 2.40)" },
        { { 0.83, 0.82, 0.84, 12 }, "1.2x slower", "0.83 (0.82 - 0.84)" },
        { { 1.001, 0.99, 1.01, 12 }, "equal", "1.00 (0.99 - 1.01)" },
        { { 0.9, 0.5, 1.4, 12 }, "unclear", "0.90 (0.50 - 1.40)" },
        { { 0.904869, 0.90, 0.91, 12 }, "1.1x slower", "0.90 (0.90 - 0.91)" },
        { { 15.46, 15.4, 15.5, 12 }, "15x faster", "15.5 (15.4 - 15.5)" },
        { { 0.9, NAN, NAN, 3 }, "not judged", "0.90 (not judged)" },
        { { 1.07, 1.06, 1.08, 12 }, "1.07x faster", "1.07 (1.06 - 1.08)" },
        { { 0.001, 0.0009, 0.0011, 12 }, "1000x slower", "0.0010 (0.0009 - 0.0011)" },
        { { NAN, NAN, NAN, 0 }, "not compared", "-" },
    };
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_str_eq(verdict_size(&pool, &cases[i].speedup), cases[i].size);
        cr_expect_str_eq(speedup_field(&pool, &cases[i].speedup), cases[i].field);
    }
    pool_release(&pool);
}

/* Verdicts of matmul at four sizes, and of conv at one: f faster, s slower, e equal, u unclear, n not judged, - none.
 */
Test(answer_words, the_answer_puts_every_size_in_the_class_of_its_verdict)
{
    static const struct {
        const char *matmul, *conv, *says;
    } cases[] = {
        { "ffff", "f", "Yes for matmul (2.0x to 5.0x by size) and conv (2.0x)." },
        { "ssee", "s", "No for matmul up to 256 (0.50x and 0.33x), matmul from 512 on (equal) and conv (0.50x)." },
        { "suff", "e",
          "Yes for matmul from 512 on (4.0x and 5.0x). No for matmul 128 (0.50x) and conv (equal). "
          "Unclear: matmul 256." },
        { "fsff", "n",
          "Yes for matmul 128, 512 and 1024 (2.0x to 5.0x by size). No for matmul 256 (0.33x). Not judged: conv." },
        { "fffs", "u", "Yes for matmul up to 512 (2.0x to 4.0x by size). No for matmul 1024 (0.20x). Unclear: conv." },
        { "-sff", "-", "Yes for matmul from 512 on (4.0x and 5.0x). No for matmul 256 (0.33x)." },
        { "sssf", "-", "Yes for matmul 1024 (5.0x). No for matmul up to 512 (0.25x to 0.50x by size)." },
        { "--ff", "s", "Yes for matmul (4.0x at 512, 5.0x at 1024). No for conv (0.50x)." },
        { "----", "-", "" },
    };
    static const char letters[] = { [VERDICT_NONE] = '-',   [VERDICT_UNJUDGED] = 'n', [VERDICT_UNCLEAR] = 'u',
                                    [VERDICT_SLOWER] = 's', [VERDICT_EQUAL] = 'e',    [VERDICT_FASTER] = 'f' };
    static const struct cell_record problem[] = { { .workload = "matmul", .dtype = "f32", .shape = "n=128" },
                                                  { .workload = "matmul", .dtype = "f32", .shape = "n=256" },
                                                  { .workload = "matmul", .dtype = "f32", .shape = "n=512" },
                                                  { .workload = "matmul", .dtype = "f32", .shape = "n=1024" },
                                                  { .workload = "conv", .dtype = "f32", .shape = "n=8" } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pool pool = { 0 };
        struct answer answer[5] = { { .problem = NULL } };
        struct answer_workload workload[] = { { 0, 4 }, { 4, 1 } };
        const struct answer_set set = { .answer = answer, .answers = 5 };
        const struct answer_part part = { .workload = workload, .workloads = 2 };
        for (unsigned k = 0; k < 5; k++) {
            const char letter = k < 4 ? cases[i].matmul[k] : *cases[i].conv;
            struct figure *use = &answer[k].use[USE_RESIDENT];
            answer[k].problem = &problem[k];
            answer[k].size = answer_size(&pool, &problem[k]);
            use->verdict = (enum verdict)((const char *)memchr(letters, letter, sizeof letters) - letters);
            use->speedup.value = letter == 's' ? 1.0 / (k % 4 + 2) : k % 4 + 2;
        }
        cr_expect_str_eq(overall_words(&pool, &set, &part, USE_RESIDENT), cases[i].says);
        cr_expect_str_eq(overall_words(&pool, &set, &part, USE_COPIED), "");
        pool_release(&pool);
    }
}

/* Only for rows that are faster where the data stay and not where they are copied. */
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
      "from 12,345 uses of the same data on (9,876 - 1,234,567)" },
    { VERDICT_FASTER, VERDICT_FASTER, { BREAKEVEN_KNOWN, 1, 1, 1 }, "" },
    { VERDICT_FASTER, VERDICT_UNJUDGED, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_FASTER, VERDICT_NONE, { BREAKEVEN_NONE, NAN, NAN, NAN }, "" },
    { VERDICT_UNJUDGED, VERDICT_SLOWER, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_UNCLEAR, VERDICT_UNCLEAR, { BREAKEVEN_UNCLEAR, NAN, NAN, NAN }, "" },
    { VERDICT_SLOWER, VERDICT_SLOWER, { BREAKEVEN_NEVER, NAN, NAN, NAN }, "" },
};

Test(answer_words, of_a_break_even_are_only_there_where_they_decide)
{
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer answer = { .use = { { .verdict = cases[i].stays }, { .verdict = cases[i].moves } },
                                 .breakeven = cases[i].is };
        cr_expect_str_eq(breakeven_words(&pool, &answer), cases[i].says, "case %u", i);
    }
    pool_release(&pool);
}
