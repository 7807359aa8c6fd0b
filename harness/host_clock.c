#include "harness/clock.h"
#include "harness/host.h"

#include <math.h>

/* 64 additions an iteration, each waiting for the one before: one cycle each on every processor we know. Both operands
 * are registers, since newer Intel cores (Golden Cove) fold additions of constants away before they execute. Where we
 * have no such chain, ADDITIONS is 0. */
#if defined __x86_64__
enum { ADDITIONS = 64 };
static void add_chain(long iterations)
{
    unsigned long sum = 0, one = 1;
    for (long i = 0; i < iterations; i++)
        __asm__ volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
}
#elif defined __aarch64__
enum { ADDITIONS = 64 };
static void add_chain(long iterations)
{
    unsigned long sum = 0, one = 1;
    for (long i = 0; i < iterations; i++)
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
}
#else
enum { ADDITIONS = 0 };
static void add_chain(long iterations)
{
    (void)iterations;
}
#endif

/* Best of short stretches: a hypervisor or a neighbour can only make one look slower than it was. */
double host_measure_clock(double seconds)
{
    enum { ITERATIONS = 10000, STRETCHES_MIN = 3 }; /* about 0.2 ms each */
    double best = 0, begin = clock_wall();
    if (ADDITIONS == 0)
        return NAN;
    for (unsigned i = 0; i < STRETCHES_MIN || clock_wall() - begin < seconds; i++) {
        double start = clock_wall();
        add_chain(ITERATIONS);
        double took = clock_wall() - start;
        if (took > 0)
            best = fmax(best, (double)ADDITIONS * ITERATIONS / took);
    }
    return best > 0 ? best : NAN;
}
