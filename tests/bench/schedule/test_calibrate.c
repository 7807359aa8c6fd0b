/* In which order calibration leaves the candidates of a row, and how many rows are measured together. */

#include "bench/schedule/block.h"
#include "bench/schedule/calibrate.h"
#include "tests/support/made_plan.h"

#include <math.h>

static const char *const ids[] = { "cpu", "opencl:0", NULL };
static const char *const words[] = { "--workload", "matmul", "--size", "m=8,n=8,k=8", NULL };

enum { CANDIDATES = 6 }; /* onednn, onednn-gemm, openblas, native of the CPU; portable, clblast of the other */

struct found {
    double run, repack;
    enum status status;
    bool was_passed_over;
};

struct row {
    struct found found[CANDIDATES];
    const char *order; /* of the first letters: d(nnl) g(emm) b(las) n(ative), p(ortable) c(lblast) */
};

static const struct row rows[] = {
    /* by time, repacking included */
    { { { 4, 0, 0, 0 }, { 3, 0, 0, 0 }, { 2, 0, 0, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 }, { 1, 0, 0, 0 } }, "nbgd cp" },
    { { { 1, 3, 0, 0 }, { 2, 0, 0, 0 }, { 3, 0, 0, 0 }, { 5, 0, 0, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 } }, "gbdn pc" },
    /* equal times keep the order of the table of methods */
    { { { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 } }, "dgbn pc" },
    /* with a time, without one, passed over, failed, unavailable */
    { { { NAN, 0, STATUS_UNSUPPORTED, 0 },
        { NAN, 0, STATUS_CRASHED, 0 },
        { NAN, 0, 0, true },
        { NAN, 0, 0, 0 },
        { NAN, 0, STATUS_FAILED, 0 },
        { 9, 0, 0, 0 } },
      "nbgd cp" },
};

static char letter_of(const struct cell *cell)
{
    static const char *const names[] = { "onednn", "onednn-gemm", "openblas", "native", "portable", "clblast", NULL };
    for (unsigned i = 0; names[i]; i++)
        if (strcmp(names[i], cell->method->name) == 0)
            return "dgbnpc"[i];
    return '?';
}

/* `factor` multiplies the time of the first candidate with a time in each row. */
static bool is_as_stated(const struct made_plan *made, const struct row *row, double factor, char order[])
{
    struct candidate candidate[CANDIDATES] = { { 0 } };
    bool changed = false;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        const struct found *found = &row->found[i];
        candidate[i] = (struct candidate){ .cell = &made->plan.cell[i], .run = found->run, .repack = found->repack };
        candidate[i].outcome.status = found->status;
        candidate[i].was_passed_over = found->was_passed_over;
        if (!changed && !isnan(found->run)) {
            candidate[i].run *= factor;
            changed = true;
        }
    }
    calibrate_rank(&made->listing.device[0], candidate, CANDIDATES);
    for (unsigned i = 0, used = 0; i < CANDIDATES; i++) {
        if (i > 0 && candidate[i].cell->row != candidate[i - 1].cell->row)
            order[used++] = ' ';
        order[used++] = letter_of(candidate[i].cell);
        order[used] = '\0';
    }
    return strcmp(order, row->order) == 0;
}

Test(calibrate, ranks_as_the_table_states)
{
    struct made_plan made;
    char order[CANDIDATES + 4];
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    cr_assert_eq(made.plan.cells, CANDIDATES);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(is_as_stated(&made, &rows[i], 1, order), "row %u: %s, expected %s", i, order, rows[i].order);
    made_plan_free(&made);
}

/* Planted: one candidate a hundred times as slow, or as fast. One of the two must change each order that has times. */
Test(calibrate, the_table_notices_a_wrong_time)
{
    struct made_plan made;
    char order[CANDIDATES + 4];
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    for (unsigned i = 0; i < 3; i++) {
        bool slower = is_as_stated(&made, &rows[i], 100, order), faster = is_as_stated(&made, &rows[i], 0.01, order);
        cr_expect_not(slower && faster, "row %u", i);
    }
    made_plan_free(&made);
}

Test(block, measures_together_what_fits_into_seven_tenths_of_the_memory)
{
    static const struct {
        double bytes[5];
        unsigned rows;
        double available;
        unsigned size;
    } cases[] = {
        { { 10, 10, 10 }, 3, 100, 3 }, { { 35, 35, 1 }, 3, 100, 2 }, { { 35, 36, 1 }, 3, 100, 1 },
        { { 500, 1, 1 }, 3, 100, 1 },  /* the first is measured whatever it needs: admission has let it pass */
        { { 10, 80, 10 }, 3, 100, 1 }, /* in order: a small row does not overtake a large one */
        { { 10 }, 1, 0, 1 },           { { 0 }, 0, 100, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(block_group_size(cases[i].bytes, cases[i].rows, cases[i].available), cases[i].size, "case %u", i);
        /* planted: no memory at all groups nothing */
        if (cases[i].size > 1)
            cr_expect_eq(block_group_size(cases[i].bytes, cases[i].rows, 0), 1, "case %u", i);
    }
}
