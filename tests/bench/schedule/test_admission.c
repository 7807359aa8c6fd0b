/* What is refused before it is tried, and which workers are open together. */

#include "bench/schedule/admission.h"
#include "bench/schedule/runner.h"
#include "bench/worker/client.h"
#include "tests/support/made_plan.h"

#include <math.h>

static const char *const ids[] = { "cpu", "opencl:0", "opencl:1", NULL };
static const char *const words[] = { "--workload", "matmul", "--size", "m=256,n=256,k=256", "--budget", "1s",
                                     "--timeout",  "30s",    NULL };
static const char small[] = "m=256,n=256,k=256";

/* Ten budgets are 10 s. */
Test(admission, a_run_may_take_ten_budgets_and_no_more_than_the_timeout)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    cr_expect_float_eq(admission_deadline(&made.options), 10, 1e-12);
    made.options.timeout = 9;
    cr_expect_float_eq(admission_deadline(&made.options), 9, 1e-12);
    made_plan_free(&made);
}

/* Two do not, and neither do those of another method or on another device. */
Test(admission, three_deaths_end_a_method_on_its_device)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .listing = &made.listing };
    const struct cell *dying = made_plan_cell(&made, "opencl:0", "portable", small),
                      *other = made_plan_cell(&made, "opencl:0", "clblast", small),
                      *elsewhere = made_plan_cell(&made, "opencl:1", "portable", small);
    for (unsigned deaths = 0; deaths < 4; deaths++) {
        struct error why = { .status = STATUS_OK };
        cr_expect_eq(admission_allows(&admission, dying, 0, &why), deaths < 3, "%u deaths", deaths);
        cr_expect_eq(why.status, deaths < 3 ? STATUS_OK : STATUS_ABANDONED);
        cr_expect(admission_allows(&admission, other, 0, &(struct error){ .status = STATUS_OK }));
        cr_expect(admission_allows(&admission, elsewhere, 0, &(struct error){ .status = STATUS_OK }));
        admission_record_death(&admission, dying);
    }
    admission_free(&admission);
    made_plan_free(&made);
}

Test(admission, gives_up_a_device_after_three_losses_and_no_other)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .listing = &made.listing };
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

/* What a runner ended with, and what it costs: a death of its method, losses of its device. */
Test(admission, counts_what_a_row_cost_its_method_and_its_device)
{
    static const struct {
        enum status status;
        bool lost_worker, lacks_device;
        unsigned deaths, losses;
    } cases[] = { { STATUS_OK, false, false, 0, 0 },      { STATUS_WRONG, false, false, 0, 0 },
                  { STATUS_CRASHED, false, false, 1, 1 }, { STATUS_OK, true, false, 1, 1 },
                  { STATUS_CRASHED, true, false, 1, 2 },  { STATUS_FAILED, false, true, 0, 1 } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made_plan made;
        cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
        struct context context = { .admission = { .listing = &made.listing } };
        struct cell cell = *made_plan_cell(&made, "opencl:0", "portable", small);
        const struct runner runner = { .context = &context,
                                       .cell = &cell,
                                       .outcome.status = cases[i].status,
                                       .lost_worker = cases[i].lost_worker,
                                       .lacks_device = cases[i].lacks_device };
        runner_count_losses(&runner);
        cr_expect_eq(context.admission.deaths, cases[i].deaths, "case %u: %u", i, context.admission.deaths);
        cr_expect_eq(context.admission.losses[1], cases[i].losses, "case %u: %u", i, context.admission.losses[1]);
        admission_free(&context.admission);
        made_plan_free(&made);
    }
}

Test(admission, hands_on_the_refusal_of_the_plan)
{
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, words), "%s", made.err.message);
    struct admission admission = { .listing = &made.listing };
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
    struct admission admission = { .listing = &made.listing };
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

/* Workers on a card, each of which holds up to a third of its memory, and on another chip; then whether one more has
 * room. */
Test(admission, opens_together_what_fits_into_seven_tenths_of_a_chip)
{
    static const char *const cards[] = { "cpu", "cuda:0", "opencl:0", "cuda:1", NULL };
    static const struct {
        unsigned workers[3]; /* through CUDA, through OpenCL, and elsewhere */
        bool has_room;
    } cases[] = {
        { { 0, 0, 0 }, true },  { { 1, 0, 0 }, true }, { { 2, 0, 0 }, false },
        { { 1, 1, 0 }, false }, /* two APIs, one chip */
        { { 0, 2, 0 }, false }, { { 0, 0, 9 }, true }, { { 1, 0, 9 }, true },
    };
    struct made_plan made;
    cr_assert(made_plan_make(&made, cards, words), "%s", made.err.message);
    struct device *card = &made.listing.device[1], *same = &made.listing.device[2], *other = &made.listing.device[3];
    strcpy(card->silicon, "pci 0000:01:00.0");
    strcpy(same->silicon, card->silicon);
    const struct cell *cell = made_plan_cell(&made, "cuda:0", "portable", small);
    const double operands = 3 * 256 * 256 * sizeof(float);
    card->memory = same->memory = other->memory = 1e9;
    cr_expect_float_eq(cell_device_bytes(cell), operands + cell_workspace(cell) + 1e9 / 32, 1);
    cr_expect_eq(cell_device_bytes(made_plan_cell(&made, "cpu", "native", small)), 0);
    /* With the context, a 32nd of the memory, that is a third. */
    card->memory = same->memory = other->memory = (operands + cell_workspace(cell)) / (1 / 3.0 - 1 / 32.0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct held held = { 0 };
        unsigned workers = 0;
        for (unsigned k = 0; k < 3; k++)
            for (unsigned n = 0; n < cases[i].workers[k]; n++, workers++)
                admission_hold(&held, cell, made_plan_cell(&made, cards[1 + k], "portable", small));
        cr_expect_eq(held.workers, workers);
        cr_expect_eq(held.on_chip, cases[i].workers[0] + cases[i].workers[1]);
        cr_expect_float_eq(held.host_bytes, workers * cell_host_bytes(cell), 1);
        cr_expect_eq(admission_has_room(&held, cell, 1e12), cases[i].has_room, "case %u", i);
    }
    /* A first worker, of whatever size. */
    card->memory = 1;
    cr_expect(admission_has_room(&(struct held){ .workers = 1 }, cell, 1e12));
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
    const struct cell *cell = made_plan_cell(&made, "cpu", "native", small);
    double needs = cell_host_bytes(cell);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct held held = { .workers = 3 };
        for (unsigned k = 0; k < 3; k++)
            held.host_bytes += needs * cases[i].held[k];
        cr_expect_eq(admission_has_room(&held, cell, needs * cases[i].available), cases[i].has_room, "case %u", i);
    }
    made_plan_free(&made);
}

/* Three problems of other sizes than that of the next worker, two of them on its chip. */
Test(admission, what_workers_hold_is_that_of_their_own_problems)
{
    static const char *const two[] = {
        "--workload",        "matmul", "--size", "m=256,n=256,k=256", "--size", "m=512,n=512,k=512", "--size",
        "m=128,n=128,k=128", NULL
    };
    struct made_plan made;
    cr_assert(made_plan_make(&made, ids, two), "%s", made.err.message);
    struct device *card = &made.listing.device[1], *other = &made.listing.device[2];
    strcpy(card->silicon, "pci 0000:01:00.0");
    strcpy(other->silicon, "pci 0000:02:00.0");
    const struct cell *next = made_plan_cell(&made, "opencl:0", "portable", small),
                      *open[] = { made_plan_cell(&made, "opencl:0", "portable", "m=512,n=512,k=512"),
                                  made_plan_cell(&made, "opencl:1", "portable", "m=512,n=512,k=512"),
                                  made_plan_cell(&made, "opencl:0", "portable", "m=128,n=128,k=128") };
    struct held held = { 0 };
    for (unsigned i = 0; i < 3; i++)
        admission_hold(&held, next, open[i]);
    cr_expect_eq(held.workers, 3);
    cr_expect_eq(held.on_chip, 2);
    cr_expect_float_eq(held.host_bytes, cell_host_bytes(open[0]) + cell_host_bytes(open[1]) + cell_host_bytes(open[2]),
                       1);
    cr_expect_float_eq(held.chip_bytes, cell_device_bytes(open[0]) + cell_device_bytes(open[2]), 1);
    made_plan_free(&made);
}
