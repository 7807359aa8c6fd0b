#include "harness/report/content/breakeven_text.h"
#include "harness/report/content/verdict.h"
#include "harness/report/formats/prose.h"
#include "tests/support/made_metrics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    struct made_cell cells[CELLS_MAX];
    const char *says;
} cases[] = {
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(92, 90, 94), THREE(0.61, 0.6, 0.62)) },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 92 times as fast as the CPU (cpu native) [90, "
      "94]; with "
      "every transfer counted (pinned) it is 0.61 times as fast [0.60, 0.62]." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(92, 90, 94), THREE(2, 1.9, 2.1)) },
      "The GPU cuda:0 (portable) is worth it even with every transfer counted: for data that stays there it is 92 "
      "times as fast "
      "as "
      "the CPU (cpu native) [90, 94]; with every transfer counted (pinned) it is 2.0 times as fast [1.9, 2.1]." },
    { { CPU, ON("opencl:0", "opencl", CLASS_IGPU, "mapped", THREE(0.5, 0.49, 0.51), THREE(0.4, 0.39, 0.41)) },
      "The GPU opencl:0 (portable) is not worth it here: for data that stays there it is 0.50 times as fast as the CPU "
      "(cpu "
      "native) [0.49, 0.51]; with every transfer counted (mapped) it is 0.40 times as fast [0.39, 0.41]." },
    { { CPU, ON("opencl:0", "opencl", CLASS_IGPU, "mapped", THREE(1.01, 0.98, 1.04), THREE(0.4, 0.39, 0.41)) },
      "The GPU opencl:0 (portable) brings no gain that could be shown: for data that stays there no difference from "
      "the CPU (cpu "
      "native) could be shown (1.01 times as fast [0.98, 1.04]); with every transfer counted (mapped) it is 0.40 "
      "times as fast [0.39, 0.41]." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(1.2, NAN, NAN), NO) },
      "Too few rounds to judge whether the GPU cuda:0 (portable) is worth it (--budget gives more): for data that "
      "stays "
      "there it is 1.2 times as "
      "fast as the "
      "CPU (cpu native) (interval unknown); with every transfer counted it is unknown." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(1.01, 0.98, 1.04), THREE(2, 1.9, 2.1)) },
      "The GPU cuda:0 (portable) is worth it with every transfer counted: for data that stays there no difference from "
      "the CPU (cpu native) could be shown (1.01 times as fast [0.98, 1.04]); with every transfer counted (pinned) it "
      "is 2.0 times as fast [1.9, 2.1]." },
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(0.5, 0.49, 0.51), THREE(0.4, 0.39, 0.41)) },
      "opencl:0 portable (CPU through OpenCL) computes 0.50 times as fast as the baseline (cpu native) [0.49, 0.51]; "
      "with every transfer counted (mapped) it is 0.40 times as fast [0.39, 0.41]." },
    /* A figure by itself is no loss, however low it is. */
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(0.05, NAN, NAN), THREE(0.04, NAN, NAN)) },
      "Too few rounds to judge whether the GPU cuda:0 (portable) is worth it (--budget gives more): for data that "
      "stays there it is 0.050 times as fast as the CPU (cpu native) (interval unknown); with every transfer counted "
      "(pinned) it is 0.040 times as fast (interval unknown)." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(0.4, NAN, NAN), THREE(0.04, NAN, NAN)) },
      "Too few rounds to judge whether the GPU cuda:0 (portable) is worth it (--budget gives more): for data that "
      "stays "
      "there it is 0.40 times as "
      "fast as the CPU (cpu native) (interval unknown); with every transfer counted (pinned) it is 0.040 times as "
      "fast "
      "(interval unknown)." },
    /* The interval's side of 1 survives any rounding. */
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(0.97, 0.94, 0.9996), THREE(0.9, 0.8, 1.0004)) },
      "The GPU cuda:0 (portable) brings no gain that could be shown: for data that stays there it is 0.9700 times as "
      "fast as the "
      "CPU "
      "(cpu native) [0.9400, 0.9996]; with every transfer counted (pinned) no difference could be shown (0.9000 times "
      "as fast [0.8000, 1.0004])." },
    /* Both figures are of one row: the one whose offload is best. */
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pageable", THREE(10, 9, 11), THREE(0.2, 0.1, 0.3)),
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(9, 8, 10), THREE(0.6, 0.5, 0.7)) },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 9.0 times as fast as the CPU (cpu native) "
      "[8.0, 10.0]; with every "
      "transfer counted (pinned) it is 0.60 times as fast [0.50, 0.70]." },
    /* One sentence for each GPU, none for a CPU beside them. */
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(2, 1.9, 2.1), NO),
        ON("a", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO),
        ON("b", "x", CLASS_ACCELERATOR, "pinned", THREE(2, 1.9, 2.1), NO) },
      "The GPU a (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) [1.9, "
      "2.1]; with "
      "every transfer counted it is unknown.\n"
      "The accelerator b (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) "
      "[1.9, "
      "2.1]; with every transfer counted it is unknown." },
    /* A CPU through an API is a CPU. */
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(1.03, 1.01, 1.05), NO) },
      "opencl:0 portable (CPU through OpenCL) computes 1.03 times as fast as the baseline (cpu native) [1.01, 1.05]." },
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(1.01, 0.98, 1.05), NO),
        ON("opencl:1", "opencl", CLASS_CPU, "mapped", THREE(0.3, NAN, NAN), NO) },
      "opencl:0 portable (CPU through OpenCL): no difference from the baseline (cpu native) could be shown (1.01 times "
      "as fast [0.98, "
      "1.05]); "
      "opencl:1 portable (CPU through OpenCL): too few rounds to judge (--budget gives more); it looked 0.30 times as "
      "fast as "
      "the baseline (cpu native)." },
    /* An interval from a loss by half to a gain by half allows no conclusion, and is no small difference. */
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(0.9, 0.4, 1.7), THREE(0.9, 0.5, 1.7)) },
      "opencl:0 portable (CPU through OpenCL): too disturbed to judge (a larger --budget may help); it looked 0.90 "
      "times as fast "
      "as the baseline (cpu native) [0.40, 1.70]; with every transfer counted (mapped) no difference could be shown "
      "(0.90 "
      "times as fast [0.50, 1.70])." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(0.9, 0.4, 1.7), THREE(0.9, NAN, NAN)) },
      "Too disturbed to judge whether the GPU cuda:0 (portable) is worth it (a larger --budget may help): for data "
      "that stays there no difference from the CPU (cpu native) could be shown (0.90 times as fast [0.40, 1.70]); with "
      "every transfer counted (pinned) it is 0.90 times as fast (interval unknown)." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(9, 2, 17), THREE(2, NAN, NAN)) },
      "The GPU cuda:0 (portable) is worth it for data that stays there: at least 2.0 times as fast as the CPU (cpu "
      "native) "
      "[2.0, "
      "17.0]; with every transfer counted (pinned) too few rounds to judge; it looked 2.0 times as fast." },
    { { CPU,
        { "cpu", "openblas", "pageable", "cpu", CLASS_CPU, OTHER, THREE(2, 1.9, 2.1), NO, STATUS_OK, false, 0,
          VERIFIED } },
      "cpu openblas computes 2.0 times as fast as the baseline (cpu native) [1.9, 2.1]." },
    /* Within 2 % it is as fast, on whichever side of 1. */
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(0.991, 0.988, 0.994), THREE(0.9, 0.89, 0.91)) },
      "opencl:0 portable (CPU through OpenCL): as fast as the baseline (cpu native), to within 2 % (0.991 times as "
      "fast "
      "[0.988, 0.994]); with every transfer counted (mapped) it is 0.90 times as fast [0.89, 0.91]." },
    { { CPU, ON("g", "cuda", CLASS_DGPU, "pinned", THREE(1.01, 1.005, 1.015), THREE(0.4, 0.39, 0.41)) },
      "The GPU g (portable) brings no gain of more than 2 %: for data that stays there it is as fast as the CPU (cpu "
      "native), to within 2 % (1.010 times as fast [1.005, 1.015]); with every transfer counted (pinned) it is 0.40 "
      "times as fast [0.39, 0.41]." },
    /* The baseline need not be a CPU. */
    { { { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, BASELINE, NO, NO, STATUS_OK, false, 0, VERIFIED },
        ON("cuda:1", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO) },
      "The GPU cuda:1 (portable) is worth it for data that stays there: 2.0 times as fast as the baseline (cuda:0 "
      "portable) "
      "[1.9, 2.1]; with every transfer counted it is unknown." },
    /* Nothing is claimed from what failed or is not finished. */
    { { CPU,
        { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, OTHER, THREE(92, 90, 94), NO, STATUS_WRONG, false, 0,
          VERIFIED } },
      "The GPU cuda:0 was not compared: wrong." },
    { { CPU,
        { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, OTHER, THREE(92, 90, 94), NO, STATUS_OK, true, 0,
          VERIFIED } },
      "The GPU cuda:0 was not compared: not finished." },
    { { CPU,
        { "opencl:0", "portable", "pinned", "opencl", CLASS_CPU, OTHER, THREE(92, 90, 94), NO, STATUS_CRASHED, false, 0,
          VERIFIED } },
      "Nothing could be compared with the baseline (cpu native)." },
    { { { "cpu", "native", "pageable", "cpu", CLASS_CPU, BASELINE, NO, NO, STATUS_WRONG, false, 0, VERIFIED },
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", NO, NO) },
      "The baseline (cpu native) gave nothing to compare with: wrong." },
    { { CPU }, "Only the baseline (cpu native) was measured, so nothing is compared." },
    { { ON("cuda:0", "cuda", CLASS_DGPU, "pinned", NO, NO) }, "There is no baseline, so nothing is compared." },
    { { { "cpu", "native", "pageable", "cpu", CLASS_CPU, BASELINE, NO, NO, STATUS_FAILED, false, 0, VERIFIED } },
      "Nothing was measured here." },
    /* Nor from what was not verified. */
    { { CPU,
        { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, OTHER, THREE(92, 90, 94), NO, STATUS_OK, false, 0,
          NEVER } },
      "The GPU cuda:0 was not compared: not verified." },
    { { CPU,
        { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, OTHER, THREE(92, 90, 94), NO, STATUS_OK, false, 0,
          ONCE } },
      "The GPU cuda:0 was not compared: not verified after it was timed." },
    { { CPU,
        { "cuda:0", "portable", "pinned", "cuda", CLASS_DGPU, OTHER, THREE(92, 90, 94), NO, STATUS_OK, false, 0,
          WEAKLY } },
      "The GPU cuda:0 was not compared: verified by a check that proves nothing." },
    { { { "cpu", "native", "pageable", "cpu", CLASS_CPU, BASELINE, NO, NO, STATUS_OK, false, 0, NEVER },
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO) },
      "The baseline (cpu native) gave nothing to compare with: not verified." },
    /* Failures of cells other than the best are reported. */
    { { CPU,
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO),
        { "cuda:0", "x", "pageable", "cuda", CLASS_DGPU, OTHER, NO, NO, STATUS_WRONG, false, 0, VERIFIED } },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) "
      "[1.9, 2.1]; "
      "with "
      "every transfer counted it is unknown; one of its cells is wrong." },
    { { CPU,
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO),
        { "cuda:0", "x", "pageable", "cuda", CLASS_DGPU, OTHER, NO, NO, STATUS_CRASHED, false, 0, VERIFIED },
        { "cuda:0", "y", "pageable", "cuda", CLASS_DGPU, OTHER, NO, NO, STATUS_TIMEOUT, false, 0, VERIFIED },
        { "cuda:0", "z", "pageable", "cuda", CLASS_DGPU, OTHER, THREE(9, 8, 10), NO, STATUS_OK, false, 0, NEVER } },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) "
      "[1.9, 2.1]; "
      "with "
      "every transfer counted it is unknown; 2 of its cells failed; one of its cells was not verified." },
    { { CPU,
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO),
        { "cuda:0", "x", "pageable", "cuda", CLASS_DGPU, OTHER, NO, NO, STATUS_NO_MEMORY, false, 0, VERIFIED } },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) "
      "[1.9, 2.1]; "
      "with "
      "every transfer counted it is unknown." },
    { { CPU,
        ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(2, 1.9, 2.1), NO),
        { "opencl:0", "x", "mapped", "opencl", CLASS_CPU, OTHER, NO, NO, STATUS_WRONG, false, 0, VERIFIED } },
      "opencl:0 portable (CPU through OpenCL) computes 2.0 times as fast as the baseline (cpu native) [1.9, 2.1], one "
      "of its cells is wrong." },
    /* What is sure goes first: a known interval, then the higher low end. */
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(9, NAN, NAN), NO),
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(3, 1.5, 9), NO),
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1), NO),
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(10, NAN, NAN), NO) },
      "The GPU cuda:0 (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu native) "
      "[1.9, 2.1]; "
      "with "
      "every transfer counted it is unknown." },
    { { CPU, ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(9, NAN, NAN), NO),
        ON("cuda:0", "cuda", CLASS_DGPU, "pinned", THREE(10, NAN, NAN), NO) },
      "Too few rounds to judge whether the GPU cuda:0 (portable) is worth it (--budget gives more): for data that "
      "stays "
      "there it is 10 times as "
      "fast as the "
      "CPU (cpu native) (interval unknown); with every transfer counted it is unknown." },
    /* An interval with ends far apart is no better for its low end, and claims no more than the end next to 1. */
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "pinned", THREE(1.7, 1.1, 40.5), THREE(1.6, 1.1, 40.1)),
        ON("opencl:0", "opencl", CLASS_CPU, "pageable", THREE(0.9, 0.89, 0.91), THREE(0.9, 0.89, 0.91)) },
      "opencl:0 portable (CPU through OpenCL) computes 0.90 times as fast as the baseline (cpu native) [0.89, 0.91]; "
      "with every transfer counted (pageable) it is 0.90 times as fast [0.89, 0.91]." },
    { { CPU, ON("opencl:0", "opencl", CLASS_CPU, "pinned", THREE(0.2, 0.02, 0.5), THREE(2.3, 1.3, 8.2)) },
      "opencl:0 portable (CPU through OpenCL) computes at most 0.50 times as fast as the baseline (cpu native) [0.02, "
      "0.50]; with every transfer counted (pinned) it is at least 1.3 times as fast [1.3, 8.2]." },
    /* Workloads that only move data. */
    { { { "opencl:0", "", "pageable", "opencl", CLASS_CPU, MOVES, NO, NO, STATUS_OK, false, 5e9, VERIFIED },
        { "opencl:0", "", "mapped-copy", "opencl", CLASS_CPU, MOVES, NO, NO, STATUS_OK, false, 12.3e9, VERIFIED },
        { "cuda:0", "", "pinned", "cuda", CLASS_DGPU, MOVES, NO, NO, STATUS_OK, false, 25e9, VERIFIED },
        { "cuda:1", "", "pinned", "cuda", CLASS_DGPU, MOVES, NO, NO, STATUS_CRASHED, false, 99e9, VERIFIED } },
      "Fastest transfer: opencl:0 12.3 GB/s (mapped-copy), cuda:0 25.0 GB/s (pinned)." },
    { { { "cuda:0", "", "pageable", "cuda", CLASS_DGPU, MOVES, NO, NO, STATUS_OK, false, 25e9, VERIFIED },
        { "cuda:0", "", "pinned", "cuda", CLASS_DGPU, MOVES, NO, NO, STATUS_OK, false, 25e9, VERIFIED } },
      "Fastest transfer: cuda:0 25.0 GB/s (pageable, though not clearly)." },
    { { { "opencl:0", "", "mapped", "opencl", CLASS_CPU, MOVES, NO, NO, STATUS_OK, false, NAN, VERIFIED } },
      "No bandwidth was measured and verified." },
};

Test(verdict, says_what_the_figures_allow)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made_metrics made;
        struct pool pool = { 0 };
        unsigned count = make_metrics(&made, cases[i].cells);
        const char *all = verdict_text(&pool, &made, count);
        cr_expect_str_eq(all, cases[i].says, "case %u:\n%s\ninstead of\n%s", i, all, cases[i].says);
        pool_release(&pool);
    }
}

/* What one cell of a verdict says of its ceiling; then how the sentence goes on behind the interval. */
static const struct {
    struct made_cell cell;
    enum bound own, baselines, offload;
    const char *says;
} reasons[] = {
    { ON("g", "cuda", CLASS_DGPU, "pinned", THREE(9, 8, 10), THREE(0.6, 0.5, 0.7)), BOUND_MEMORY, BOUND_MEMORY,
      BOUND_TRANSFER,
      " [8.0, 10.0], bound by memory at 91 % of its ceiling; with every transfer counted (pinned) it is 0.60 times as "
      "fast "
      "[0.50, 0.70], bound by transfer." },
    { ON("g", "cuda", CLASS_DGPU, "pinned", THREE(0.6, 0.5, 0.7), THREE(0.6, 0.5, 0.7)), BOUND_MEMORY, BOUND_COMPUTE,
      BOUND_COMPUTE,
      " [0.50, 0.70], which is bound by compute at 97 % of its ceiling; with every transfer counted (pinned) it is "
      "0.60 "
      "times as fast [0.50, 0.70]." },
    { ON("g", "cuda", CLASS_DGPU, "pinned", THREE(1, 0.9, 1.1), THREE(0.6, 0.5, 0.7)), BOUND_MEMORY, BOUND_MEMORY,
      BOUND_UNKNOWN,
      " [0.9, 1.1]), both bound by memory; with every transfer counted (pinned) it is 0.60 times as fast [0.50, "
      "0.70]." },
    { ON("g", "cuda", CLASS_DGPU, "pinned", THREE(1, 0.9, 1.1), THREE(0.6, 0.5, 0.7)), BOUND_MEMORY, BOUND_COMPUTE,
      BOUND_UNKNOWN, " [0.9, 1.1]); with every transfer counted (pinned) it is 0.60 times as fast [0.50, 0.70]." },
    { ON("g", "cuda", CLASS_DGPU, "pinned", THREE(9, 8, 10), THREE(0.6, 0.5, 0.7)), BOUND_LAUNCH, BOUND_MEMORY,
      BOUND_LAUNCH,
      " [8.0, 10.0], bound by launch; with every transfer counted (pinned) it is 0.60 times as fast [0.50, 0.70]." },
    { ON("o", "opencl", CLASS_CPU, "mapped", THREE(9, 8, 10), NO), BOUND_MEMORY, BOUND_MEMORY, BOUND_UNKNOWN,
      " [8.0, 10.0], bound by memory at 91 % of its ceiling." },
    { ON("o", "opencl", CLASS_CPU, "mapped", THREE(0.6, 0.5, 0.7), NO), BOUND_MEMORY, BOUND_UNKNOWN, BOUND_UNKNOWN,
      " [0.50, 0.70]." },
};

static void set_bound(struct cell_metrics *metrics, enum bound bound, double share)
{
    metrics->roof.bound = bound;
    metrics->bound = bound == BOUND_UNKNOWN ? NULL : bound_names[bound];
    metrics->share = share;
}

Test(verdict, says_how_good_the_winner_is_and_why)
{
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        struct made_cell cells[CELLS_MAX] = { CPU, reasons[i].cell };
        struct made_metrics made;
        struct pool pool = { 0 };
        unsigned count = make_metrics(&made, cells);
        set_bound(&made.metrics[0], reasons[i].baselines, 0.97);
        set_bound(&made.metrics[1], reasons[i].own, 0.91);
        made.metrics[1].roof.offload_bound = reasons[i].offload;
        const char *sentence = verdict_text(&pool, &made, count);
        size_t length = strlen(sentence), end = strlen(reasons[i].says);
        cr_expect(length > end && strcmp(sentence + length - end, reasons[i].says) == 0, "case %u:\n%s\nends not\n%s",
                  i, sentence, reasons[i].says);
        pool_release(&pool);
    }
}

Test(verdict, no_fast_algorithm_is_at_so_much_of_a_ceiling_that_counts_what_it_leaves_out)
{
    struct made_cell cells[CELLS_MAX] = { CPU, ON("o", "opencl", CLASS_CPU, "mapped", THREE(0.6, 0.5, 0.7), NO) };
    struct made_metrics made;
    struct pool pool = { 0 };
    unsigned count = make_metrics(&made, cells);
    set_bound(&made.metrics[0], BOUND_COMPUTE, 1.7);
    struct cell_record fast = *made.metrics[0].cell;
    fast.is_fast = true;
    made.metrics[0].cell = made.metrics[1].baseline = made.metrics[0].baseline = &fast;
    const char *sentence = verdict_text(&pool, &made, count);
    cr_expect(strstr(sentence, "which is bound by compute."), "%s", sentence);
    pool_release(&pool);
}

Test(verdict, what_contradicts_itself_is_not_judged_by)
{
    const struct breakeven contradicted = { BREAKEVEN_CONTRADICTED, NAN, NAN, NAN };
    struct made_cell cells[CELLS_MAX] = { CPU, ON("g", "cuda", CLASS_DGPU, "pinned", THREE(0.5, 0.4, 0.6),
                                                  THREE(2.3, 1.5, 3.7)) };
    struct made_metrics made;
    unsigned count = make_metrics(&made, cells);
    made.metrics[1].breakeven[FETCH_ONCE] = contradicted;
    struct pool pool = { 0 };
    const char *sentence = verdict_text(&pool, &made, count);
    cr_expect_str_eq(
        sentence,
        "It is not clear whether the GPU g (portable) is worth it (repeat with a larger --budget): for data "
        "that stays there it is 0.50 times as fast as the CPU (cpu native) [0.40, 0.60]; with every "
        "transfer counted (pinned) it is 2.3 times as fast [1.5, 3.7], and the two contradict each "
        "other.",
        "%s", sentence);
    pool_release(&pool);
}

static void expect_breakeven_text(const struct made_metrics *made, unsigned count, const char *says)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct pool pool = { .block = NULL };
    struct lines lines = { .lines = 0 };
    breakeven_text_append(&pool, &lines, made->metrics, count);
    for (unsigned i = 0; i < lines.lines; i++)
        prose_fit("", lines.line[i].text, 0, out);
    cr_expect_not(pool.is_short);
    pool_release(&pool);
    fclose(out);
    cr_expect_str_eq(text, says, "%s", text);
    free(text);
}

Test(verdict, a_disturbed_offload_has_no_figure)
{
    struct made_cell cells[CELLS_MAX] = { CPU, ON("g", "cuda", CLASS_DGPU, "pinned", THREE(2, 1.9, 2.1),
                                                  THREE(9, 8.9, 9.1)) };
    struct made_metrics made;
    unsigned count = make_metrics(&made, cells);
    made.metrics[1].is_offload_disturbed = true;
    struct pool pool = { 0 };
    made.metrics[1].breakeven[FETCH_ONCE] = made.metrics[1].breakeven[FETCH_EVERY_TIME] =
        (struct breakeven){ BREAKEVEN_UNKNOWN, NAN, NAN, NAN };
    expect_breakeven_text(&made, count,
                          "g was too disturbed to judge from how many uses on it pays (a larger --budget may help).\n");
    const char *sentence = verdict_text(&pool, &made, count);
    cr_expect_str_eq(sentence,
                     "The GPU g (portable) is worth it for data that stays there: 2.0 times as fast as the CPU (cpu "
                     "native) [1.9, 2.1]; with every transfer counted (pinned) it was too disturbed to judge.",
                     "%s", sentence);
    pool_release(&pool);
}

Test(breakeven_text, cells_that_say_the_same_share_a_sentence)
{
    const struct breakeven never = { BREAKEVEN_NEVER, NAN, NAN, NAN }, first = { BREAKEVEN_KNOWN, 1, 1, 1 };
    struct made_cell cells[CELLS_MAX] = {
        CPU,
        ON("a", "x", CLASS_DGPU, "pinned", NO, NO),
        ON("b", "x", CLASS_DGPU, "pinned", NO, NO),
        ON("b", "x", CLASS_DGPU, "mapped", NO, NO),
        ON("c", "x", CLASS_CPU, "mapped", NO, NO),
    };
    struct made_metrics made;
    unsigned count = make_metrics(&made, cells);
    for (unsigned i = 1; i < count; i++)
        made.metrics[i].breakeven[FETCH_ONCE] = made.metrics[i].breakeven[FETCH_EVERY_TIME] = i == 3 ? first : never;
    expect_breakeven_text(
        &made, count,
        "a, b pinned and c never pay, however often the same data are used.\n"
        "b mapped pays from the first use of the same data, whether the result is fetched once or at every\n"
        "  use.\n");
}

Test(breakeven_text, the_fair_kind_of_memory_is_named_where_it_is_shared)
{
    struct made_cell cells[CELLS_MAX] = {
        CPU,
        ON("a", "x", CLASS_IGPU, "pageable", NO, NO),
        ON("a", "x", CLASS_IGPU, "mapped", NO, NO),
        ON("b", "x", CLASS_IGPU, "mapped", NO, NO),
        ON("a", "x", CLASS_IGPU, "mapped", NO, NO),
    };
    struct made_metrics made;
    unsigned count = make_metrics(&made, cells);
    expect_breakeven_text(&made, count, "");
    for (unsigned i = 0; i < count; i++)
        made.device[i].shares_host_memory = true; /* the CPU too, which maps nothing */
    expect_breakeven_text(&made, count, "a shares the host's memory: mapped is the fair kind.\n");
    made.metrics[2].measured = made.metrics[4].measured = false;
    expect_breakeven_text(&made, count, "");
}

Test(verdict, names_of_any_length_are_whole_in_a_sentence)
{
    char method[4096];
    memset(method, 'm', sizeof method);
    method[sizeof method - 1] = '\0';
    struct made_cell cells[CELLS_MAX] = { CPU,
                                          ON("g", "x", CLASS_DGPU, method, THREE(2, 1.9, 2.1), THREE(2, 1.9, 2.1)) };
    cells[0].method = method;
    struct made_metrics made;
    struct pool pool = { 0 };
    unsigned count = make_metrics(&made, cells);
    const char *at = strstr(verdict_text(&pool, &made, count), method);
    cr_expect(at && strlen(at) > sizeof method);
    pool_release(&pool);
}
