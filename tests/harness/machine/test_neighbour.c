#include "harness/machine/neighbour.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>

Test(neighbour, each_look_is_on_the_next_processor_and_leaves_the_thread_where_it_may_run)
{
    cpu_set_t before, after;
    struct neighbours neighbours = neighbours_find();
    if (neighbours.processors == 0)
        cr_skip_test("a processor without multiply-adds");
    cr_assert_eq(sched_getaffinity(0, sizeof before, &before), 0);
    cr_expect_eq(neighbours.processors, (unsigned)fmin(CPU_COUNT(&before), NEIGHBOURS_MAX));
    for (unsigned i = 0; i < 2 * neighbours.processors; i++) {
        const struct neighbour_look look = neighbours_look(&neighbours);
        cr_expect_eq(look.processor, neighbours.processor[i % neighbours.processors]);
        cr_expect(CPU_ISSET(look.processor, &before));
        cr_expect(look.rate > 0, "%g", look.rate);
    }
    cr_assert_eq(sched_getaffinity(0, sizeof after, &after), 0);
    cr_expect(CPU_EQUAL(&before, &after));
}

/* Without it the chains are kept in memory, and a multiply-add takes some cycles. */
#ifdef __OPTIMIZE__
static const bool is_optimized = true;
#else
static const bool is_optimized = false;
#endif

/* Whatever disturbs: of many looks, one is by itself. A core has one to four units. */
Test(neighbour, a_core_does_one_to_four_multiply_adds_in_a_cycle)
{
    struct neighbours neighbours = neighbours_find();
    double best = 0;
    if (!is_optimized)
        cr_skip_test("built without optimization");
    if (neighbours.processors == 0)
        cr_skip_test("a processor without multiply-adds");
    for (unsigned i = 0; i < 100; i++)
        best = fmax(best, neighbours_look(&neighbours).rate);
    cr_expect(best > 0.9 && best < 4.5, "%g", best);
}
