#include "harness/base/clock.h"
#include "harness/machine/host.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>

/* Time, as this test has it: it passes by being read, 0.1 ms each time, or 2 ms in `late` readings out of `every`. That
 * makes each stretch look like so many Hz: it is 10000 times 64 additions between two readings. */
static const double fast = 640000 / 1e-4, slow = 640000 / 2e-3;
static unsigned readings, late, every = 1;

double __wrap_clock_wall(void);
double __wrap_clock_wall(void)
{
    static double now = 1000;
    now += readings++ % every < late ? 2e-3 : 1e-4;
    return now;
}

static void need_chain(void)
{
    if (isnan(host_sample_clock(0)))
        cr_skip_test("no chain of additions is written for this kind of processor");
}

TestSuite(host_clock, .init = need_chain);

static void expect_clock(double hertz, double wanted)
{
    cr_expect(fabs(hertz / wanted - 1) < 1e-6, "%g Hz, should be %g", hertz, wanted);
}

/* Nothing interferes; one late stretch in ten; a lasting slowdown, which changes the median. */
Test(host_clock, the_best_is_measured_and_the_median_sampled)
{
    static const unsigned late_of_ten[] = { 0, 1, 8 };
    every = 10;
    for (unsigned i = 0; i < 3; i++) {
        late = late_of_ten[i];
        expect_clock(host_measure_clock(0.5), fast);
        expect_clock(host_sample_clock(0.5), late < 5 ? fast : slow);
    }
}

/* Four thousand stretches, of which some hundreds are kept. */
Test(host_clock, a_long_sample_uses_its_latest_stretches)
{
    late = 3000;
    every = 1000000;
    expect_clock(host_sample_clock(7), fast);
}

Test(host_clock, the_shortest_sample_has_a_result)
{
    expect_clock(host_sample_clock(0), fast);
}

/* Readings come in pairs around a stretch, and one more at each turn to see whether the limit is reached. */
static unsigned readings_to_wake(double limit)
{
    unsigned before = readings;
    host_wake_clock(limit);
    return readings - before;
}

Test(host_clock, a_core_that_is_awake_is_checked_twice)
{
    unsigned two_looks = 1 + 2 * (1 + 5 * 2);
    cr_expect(readings_to_wake(1) == two_looks, "%u readings", readings);
}

/* Twenty slow stretches, then fast ones. */
Test(host_clock, a_core_that_wakes_is_waited_for)
{
    every = UINT_MAX;
    late = readings + 16; /* the first look, and the beginning of the second */
    unsigned took = readings_to_wake(1);
    cr_expect(took == 1 + 3 * (1 + 5 * 2), "%u readings", took);
    expect_clock(host_sample_clock(0), fast);
}

Test(host_clock, waiting_for_a_core_that_never_settles_is_limited)
{
    cr_expect(readings_to_wake(0) <= 2);
}
