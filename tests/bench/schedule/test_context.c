/* What is refused before it is tried. */

#include "bench/schedule/runner.h"
#include "tests/support/made_plan.h"

static const char small[] = "m=256,n=256,k=256";

static struct made_plan made;
static struct context context;

static void begin(void)
{
    made_plan_of(&made, "cpu opencl:0 opencl:1",
                 "--workload matmul --size m=256,n=256,k=256 --budget 1s --timeout 30s");
    context = (struct context){ .listing = made.listing };
}

static void end(void)
{
    made_plan_free(&made);
}

TestSuite(context, .init = begin, .fini = end);

/* Ten budgets are 10 s. */
Test(context, a_run_may_take_ten_budgets_and_no_more_than_the_timeout)
{
    cr_expect_float_eq(plan_deadline(&made.options), 10, 1e-12);
    made.options.timeout = 9;
    cr_expect_float_eq(plan_deadline(&made.options), 9, 1e-12);
}

/* Two do not, and neither do those of another method or on another device. */
Test(context, three_deaths_end_a_method_on_its_device)
{
    const struct cell *dying = made_plan_cell(&made, "opencl:0", "portable", small),
                      *other = made_plan_cell(&made, "opencl:0", "clblast", small),
                      *elsewhere = made_plan_cell(&made, "opencl:1", "portable", small);
    for (unsigned deaths = 0; deaths < 4; deaths++) {
        struct error why = { .status = STATUS_OK };
        cr_expect_eq(context_admits(&context, dying, &why), deaths < 3, "%u deaths", deaths);
        cr_expect_eq(why.status, deaths < 3 ? STATUS_OK : STATUS_ABANDONED);
        cr_expect(context_admits(&context, other, &(struct error){ .status = STATUS_OK }));
        cr_expect(context_admits(&context, elsewhere, &(struct error){ .status = STATUS_OK }));
        context_record_death(&context, dying);
    }
}

Test(context, gives_up_a_device_after_three_losses_and_no_other)
{
    const struct cell *card = made_plan_cell(&made, "opencl:0", "portable", small);
    const struct cell *cpu = made_plan_cell(&made, "cpu", "native", small);
    for (unsigned losses = 0; losses < 4; losses++) {
        struct error why = { .status = STATUS_OK };
        cr_expect_eq(context_admits(&context, card, &why), losses < 3, "%u losses", losses);
        cr_expect_eq(why.status, losses < 3 ? STATUS_OK : STATUS_ABANDONED);
        cr_expect(context_admits(&context, cpu, &(struct error){ .status = STATUS_OK }));
        context.losses[card->device - context.listing.device]++;
    }
}

Test(context, hands_on_the_refusal_of_the_plan)
{
    struct cell cell = *made_plan_cell(&made, "cpu", "native", small);
    struct error why = { .status = STATUS_OK };
    fail_in(&cell.refused, "plan", STATUS_UNSUPPORTED, "the reason");
    cr_expect_not(context_admits(&context, &cell, &why));
    cr_expect_eq(why.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(why.message, "the reason");
}

/* A problem larger than any host. */
Test(context, refuses_what_needs_more_memory_than_there_is)
{
    struct cell cell = *made_plan_cell(&made, "cpu", "native", small);
    struct error why = { .status = STATUS_OK };
    for (unsigned i = 0; i < 3; i++)
        cell.problem.dim[i] = 20000000;
    cr_expect_not(context_admits(&context, &cell, &why));
    cr_expect_eq(why.status, STATUS_NO_MEMORY);
}
