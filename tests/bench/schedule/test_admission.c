/* What is predicted from smaller problems, and what is refused before it is tried. */

#include "bench/schedule/admission.h"
#include "bench/schedule/prune.h"
#include "bench/worker/client.h"
#include "tests/support/lines.h"
#include "tests/support/made_plan.h"

#include <math.h>

static const char *const ids[] = { "cpu", "opencl:0", NULL };
static const char *const words[] = { "--workload", "matmul",
                                     "--size",     "m=256,n=256,k=256",
                                     "--size",     "m=512,n=512,k=512",
                                     "--size",     "m=1024,n=1024,k=1024",
                                     "--size",     "m=2048,n=2048,k=2048",
                                     "--budget",   "1s",
                                     "--timeout",  "30s",
                                     NULL };

static const char small[] = "m=256,n=256,k=256", middle[] = "m=512,n=512,k=512", large[] = "m=1024,n=1024,k=1024";
static const char huge[] = "m=2048,n=2048,k=2048";

/* Runs that were observed, then the cell that is asked about. Each size has 8 times the work of the one before it. */
struct row {
    struct {
        const char *method, *shape;
        double run; /* seconds; NAN: its worker died */
    } seen[4];
    const char *method, *shape;
    double predicted; /* NAN: nothing */
    enum status status;
};

static const struct row rows[] = {
    { { { NULL, NULL, 0 } }, "native", large, NAN, STATUS_OK },
    { { { "native", small, 0.2 } }, "native", middle, 1.6, STATUS_OK },
    { { { "native", small, 0.2 } }, "native", large, 12.8, STATUS_TOO_SLOW },
    /* a short run may be mostly launch overhead: it refuses nothing */
    { { { "native", small, 0.09 } }, "native", large, NAN, STATUS_OK },
    /* the best rate counts: 512 at 0.8 s is twice the rate of 256 at 0.2 s */
    { { { "native", small, 0.2 }, { "native", middle, 0.8 } }, "native", large, 6.4, STATUS_OK },
    /* one long run is enough, whatever was seen after it */
    { { { "native", middle, 0.2 }, { "native", small, 0.02 } }, "native", huge, 10.24, STATUS_TOO_SLOW },
    /* a larger problem predicts no smaller one */
    { { { "native", large, 100 } }, "native", small, NAN, STATUS_OK },
    /* another method refuses only a method that was not seen */
    { { { "openblas", small, 0.2 } }, "native", large, NAN, STATUS_TOO_SLOW },
    { { { "openblas", small, 0.2 }, { "native", small, 0.1 } }, "native", large, 6.4, STATUS_OK },
    /* three deaths end a method, two do not, and another method's deaths do not count */
    { { { "native", small, NAN }, { "native", middle, NAN }, { "native", large, NAN } },
      "native",
      small,
      NAN,
      STATUS_ABANDONED },
    { { { "native", small, NAN }, { "native", middle, NAN } }, "native", small, NAN, STATUS_OK },
    { { { "native", small, NAN }, { "native", middle, NAN }, { "native", large, NAN } },
      "openblas",
      small,
      NAN,
      STATUS_OK },
};

/* Whether the row's cell is tried, with every observed time multiplied by `factor`. */
static enum status status_of(const struct made_plan *made, const struct row *row, double factor)
{
    struct admission admission = { .options = &made->options, .listing = &made->listing };
    struct error why = { .status = STATUS_OK };
    for (unsigned i = 0; i < 4 && row->seen[i].method; i++) {
        const struct cell *cell = made_plan_cell(made, "cpu", row->seen[i].method, row->seen[i].shape);
        if (isnan(row->seen[i].run))
            admission_record_death(&admission, cell);
        else
            admission_record_run(&admission, cell, factor * row->seen[i].run);
    }
    admission_allows(&admission, made_plan_cell(made, "cpu", row->method, row->shape), 0, &why);
    admission_free(&admission);
    return why.status;
}

/* Ten budgets are 10 s: just below a cell is tried, just above it is too slow. */
Test(admission, predicts_and_refuses_as_the_table_states)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double most = 10 / rows[i].predicted;
        cr_expect_eq(status_of(&made, &rows[i], 1), rows[i].status, "row %u", i);
        if (isnan(rows[i].predicted))
            continue;
        cr_expect_eq(status_of(&made, &rows[i], 0.99 * most), STATUS_OK, "row %u", i);
        cr_expect_eq(status_of(&made, &rows[i], 1.01 * most), STATUS_TOO_SLOW, "row %u", i);
    }
    made_plan_free(&made);
}

Test(admission, gives_up_a_device_after_three_losses_and_no_other)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .options = &made.options, .listing = &made.listing };
    const struct cell *card = made_plan_cell(&made, "opencl:0", "portable", small);
    const struct cell *cpu = made_plan_cell(&made, "cpu", "native", small);
    for (unsigned losses = 0; losses < 4; losses++) {
        struct error why = { .status = STATUS_OK };
        cr_expect_eq(admission_allows(&admission, card, 0, &why), losses < 3, "%u losses", losses);
        cr_expect_eq(why.status, losses < 3 ? STATUS_OK : STATUS_ABANDONED);
        cr_expect(admission_allows(&admission, cpu, 0, &(struct error){ .status = STATUS_OK }));
        admission_record_loss(&admission, card->device);
    }
    admission_free(&admission);
    made_plan_free(&made);
}

/* At which request a worker ended, and how. */
Test(admission, counts_no_slow_check_against_a_device)
{
    static const struct {
        struct error end;
        bool counts;
    } cases[] = {
        { { STATUS_TIMEOUT, "check", "" }, false }, { { STATUS_TIMEOUT, "verify", "" }, false },
        { { STATUS_TIMEOUT, "slice", "" }, true },  { { STATUS_TIMEOUT, "open", "" }, true },
        { { STATUS_CRASHED, "check", "" }, true },  { { STATUS_FAILED, "slice", "" }, false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(client_counts_against_device(&cases[i].end), cases[i].counts, "case %u", i);
}

Test(admission, hands_on_the_refusal_of_the_plan)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .options = &made.options, .listing = &made.listing };
    struct cell cell = *made_plan_cell(&made, "cpu", "native", small);
    struct error why = { .status = STATUS_OK };
    fail_in(&cell.refused, "plan", STATUS_UNSUPPORTED, "the reason");
    cr_expect_not(admission_allows(&admission, &cell, 0, &why));
    cr_expect_eq(why.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(why.message, "the reason");
    made_plan_free(&made);
}

/* A problem larger than any host, and the memory that is free once the open workers have ended. */
Test(admission, counts_the_memory_that_workers_give_back)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .options = &made.options, .listing = &made.listing };
    struct cell cell = *made_plan_cell(&made, "cpu", "native", small);
    struct error why = { .status = STATUS_OK };
    for (unsigned i = 0; i < 3; i++)
        cell.problem.dim[i] = 20000000;
    const double needs = cell_host_bytes(&cell);
    cr_expect_not(admission_allows(&admission, &cell, needs / 2, &why));
    cr_expect_eq(why.status, STATUS_NO_MEMORY);
    cr_expect(admission_allows(&admission, &cell, needs, &why));
    made_plan_free(&made);
}

/* What is open on a card of 1 GB, as shares of it, and on another chip; then whether one more worker has room. */
Test(admission, opens_together_what_fits_into_seven_tenths_of_a_chip)
{
    static const char *const cards[] = { "cpu", "cuda:0", "opencl:0", "cuda:1", NULL };
    static const struct {
        double held[2]; /* by a worker through CUDA and by one through OpenCL; 0: it is not open */
        double elsewhere;
        bool has_room;
    } cases[] = {
        { { 0, 0 }, 0, true },     { { 0.6, 0 }, 0, true },    { { 0.69, 0 }, 0, false },
        { { 0.3, 0.3 }, 0, true }, { { 0.3, 0.4 }, 0, false }, /* two APIs, one chip */
        { { 0, 0.69 }, 0, false }, { { 0, 0 }, 0.9, true },    /* another chip, or a first worker of whatever size */
    };
    struct made_plan made;
    cr_assert(made_plan_make(&made, cards, words), "%s", made.err.message);
    struct admission admission = { .options = &made.options, .listing = &made.listing };
    struct device *card = &made.listing.device[1], *same = &made.listing.device[2], *other = &made.listing.device[3];
    strcpy(card->silicon, "pci 0000:01:00.0");
    strcpy(same->silicon, card->silicon);
    card->memory = same->memory = other->memory = 1e9;
    const struct cell *cell = made_plan_cell(&made, "cuda:0", "portable", small);
    const double operands = 3 * 256 * 256 * sizeof(float);
    cr_expect_float_eq(cell_device_bytes(cell), operands + cell_workspace(cell) + 1e9 / 32, 1);
    cr_expect_eq(cell_device_bytes(made_plan_cell(&made, "cpu", "native", small)), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double share[] = { cases[i].held[0], cases[i].held[1], cases[i].elsewhere };
        struct held held = { 0 };
        for (unsigned k = 0; k < 3; k++)
            if (share[k] > 0)
                admission_hold(&held, cell, made_plan_cell(&made, cards[1 + k], "portable", small), 1e9 * share[k]);
        cr_expect_eq(admission_has_room(&admission, &held, cell, 1e12), cases[i].has_room, "case %u", i);
    }
    struct held one = { 0 }, none = { 0 };
    admission_hold(&one, cell, made_plan_cell(&made, "opencl:0", "portable", small), NAN);
    cr_expect_float_eq(one.chip_bytes, cell_device_bytes(cell), 1, "what it holds at most");
    cr_expect_eq(one.host_bytes, cell_host_bytes(cell));
    admission_record_refusal(&admission, card);
    cr_expect(admission_has_room(&admission, &one, cell, 1e12), "one refusal may have had any cause");
    admission_record_refusal(&admission, same);
    cr_expect_not(admission_has_room(&admission, &one, cell, 1e12), "it takes one worker, through whatever API");
    cr_expect(admission_has_room(&admission, &none, cell, 1e12), "that one");
    cr_expect(admission_takes_one(&admission, same) && !admission_takes_one(&admission, other));
    made_plan_free(&made);
}

/* What workers that are open hold of the host's memory, and what is still available, in shares of what a further one
 * needs. */
Test(admission, opens_together_what_fits_into_seven_tenths_of_the_host)
{
    static const struct {
        double held[3], available;
        bool has_room;
    } cases[] = {
        { { 0 }, 1.5, true },       { { 0 }, 1.4, false },       { { 1 }, 1.9, true }, { { 1 }, 1.8, false },
        { { 1, 1, 1 }, 2.8, true }, { { 1, 1, 1 }, 2.6, false }, { { 9 }, 5.4, true }, { { 9 }, 0, false },
    };
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .options = &made.options, .listing = &made.listing };
    const struct cell *cell = made_plan_cell(&made, "cpu", "native", small);
    double needs = cell_host_bytes(cell);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct held held = { .workers = 3 };
        for (unsigned k = 0; k < 3; k++)
            held.host_bytes += needs * cases[i].held[k];
        cr_expect_eq(admission_has_room(&admission, &held, cell, needs * cases[i].available), cases[i].has_room,
                     "case %u", i);
    }
    made_plan_free(&made);
}

/* Whether a sweep still tries CLBlast at 256, where a race at the same work had two kernel shapes of it that took so
 * many times as long as the fastest, and as many seconds to get ready. */
static bool is_tried(double one, double other, double ready)
{
    struct made_plan made;
    struct record *record = record_new();
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    add(record, "{\"line\":\"cell\",\"key\":\"c\",\"block\":\"b\",\"device\":\"opencl:0\",\"flops\":33554432}");
    addf(record,
         "{\"line\":\"race\",\"block\":\"b\",\"device\":\"opencl:0\",\"memory\":\"pinned\",\"for\":\"resident\","
         "\"contenders\":[{\"method\":\"portable\",\"wall_ns\":1000000,\"first_ns\":300000000},"
         "{\"method\":\"clblast\",\"kernel_shape\":\"a\",\"wall_ns\":%.0f,\"first_ns\":%.0f},"
         "{\"method\":\"clblast\",\"kernel_shape\":\"b\",\"wall_ns\":%.0f,\"first_ns\":%.0f}]}",
         1e6 * one, 1e9 * ready, 1e6 * other, 1e9 * ready);
    prune_methods(&made.plan, record);
    const enum status status = made_plan_cell(&made, "opencl:0", "clblast", small)->refused.status;
    cr_expect(status == STATUS_OK || status == STATUS_TOO_SLOW);
    cr_expect_eq(made_plan_cell(&made, "opencl:0", "portable", small)->refused.status, STATUS_OK);
    record_free(record);
    made_plan_free(&made);
    return status == STATUS_OK;
}

/* 1.25 times is noise. */
Test(admission, a_sweep_leaves_out_a_method_that_lost_with_its_best_kernel_shape)
{
    cr_expect_not(is_tried(20, 2, 1.5));
    cr_expect_not(is_tried(2, 20, 1.5));
    cr_expect(is_tried(20, 1.1, 1.5));
    cr_expect(is_tried(1.1, 20, 1.5));
    cr_expect(is_tried(20, 20, 0.5), "it is cheap to try");
}
