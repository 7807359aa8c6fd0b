#include "harness/base/clock.h"
#include "harness/machine/host.h"
#include "harness/measure/stats.h"

#include <math.h>

/* 64 dependent additions per iteration: one cycle each on every known processor. Both operands are registers, since
 * newer Intel cores (Golden Cove) eliminate additions of constants. */
enum { ADDITIONS = 64 };
#if defined __x86_64__
static void add_chain(long iterations)
{
    unsigned long sum = 0, one = 1;
    for (long i = 0; i < iterations; i++)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
}
#else
static void add_chain(long iterations)
{
    unsigned long sum = 0, one = 1;
    for (long i = 0; i < iterations; i++)
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
}
#endif

double host_cycle(long cycles)
{
    const long iterations = cycles / ADDITIONS;
    const double start = clock_wall();
    add_chain(iterations);
    const double took = clock_wall() - start;
    return took > 0 ? took / (double)(ADDITIONS * iterations) : NAN;
}

/* Hz of one short stretch, about 0.2 ms; NAN if it took no time. */
static double stretch_run(void)
{
    return 1 / host_cycle(640000);
}

enum { STRETCHES_MIN = 3, STRETCHES_KEPT = 512 };

/* The best one: a hypervisor or other programs can only make a stretch look slower. */
double host_measure_clock(double seconds)
{
    double best = NAN, begin = clock_wall();
    for (unsigned i = 0; i < STRETCHES_MIN || clock_wall() - begin < seconds; i++)
        best = fmax(best, stretch_run()); /* fmax ignores a NAN */
    return best;
}

/* An idle processor starts slowly and reaches its clock within some milliseconds. */
void host_wake_clock(double limit)
{
    enum { STRETCHES = 5 };
    static const double rising = 1.02;
    double before = 0, begin = clock_wall();
    while (clock_wall() - begin < limit) {
        double hertz[STRETCHES];
        for (unsigned i = 0; i < STRETCHES; i++)
            hertz[i] = stretch_run();
        double now = stats_median(hertz, STRETCHES);
        if (!(now > rising * before))
            return;
        before = now;
    }
}

/* The median of the latest ones, which ignores a single interruption but not a lasting effect. */
double host_sample_clock(double seconds)
{
    double hertz[STRETCHES_KEPT], begin = clock_wall();
    unsigned count = 0;
    for (; count < STRETCHES_MIN || clock_wall() - begin < seconds; count++)
        hertz[count % STRETCHES_KEPT] = stretch_run();
    return stats_median(hertz, count < STRETCHES_KEPT ? count : STRETCHES_KEPT);
}
