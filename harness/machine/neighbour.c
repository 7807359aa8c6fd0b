#include "harness/machine/neighbour.h"

#include "harness/base/clock.h"
#include "harness/base/processors.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdbool.h>

enum { TRIES = 4, CYCLES = 12800, STEPS = 1200 };

/* Keeps a number in a register between two steps, so that the compiler neither vectorizes nor removes them. */
#if defined(__x86_64__)
#define IN_REGISTER(x)   __asm__ volatile("" : "+x"(x));
#define HAS_MULTIPLY_ADD __attribute__((target("fma")))
static bool can_look(void)
{
    return __builtin_cpu_supports("fma");
}
#else
#define IN_REGISTER(x) __asm__ volatile("" : "+w"(x));
#define HAS_MULTIPLY_ADD
static bool can_look(void)
{
    return true;
}
#endif

/* Ten chains: enough to keep two units busy that take five cycles. */
#define CHAINS(DO) DO(a) DO(b) DO(c) DO(d) DO(e) DO(f) DO(g) DO(h) DO(i) DO(j)
#define STEP(x)    x = __builtin_fma(x, by, plus);

/* Seconds of one of many multiply-adds that do not wait for each other. */
HAS_MULTIPLY_ADD static double time_multiply_add(void)
{
    double a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1, by = 1.0000001, plus = 1e-9;
    IN_REGISTER(by)
    IN_REGISTER(plus)
    const double start = clock_wall();
    for (int step = 0; step < STEPS; step++) {
        CHAINS(STEP)
        CHAINS(IN_REGISTER)
    }
    return (clock_wall() - start) / (10 * STEPS);
}

struct neighbours neighbours_find(void)
{
    struct neighbours neighbours = { .processors = 0 };
    struct processors allowed;
    if (!can_look() || !processors_read(&allowed))
        return neighbours;
    const unsigned count = processors_count(&allowed), wanted = count < NEIGHBOURS_MAX ? count : NEIGHBOURS_MAX;
    for (unsigned cpu = 0, seen = 0; cpu < PROCESSORS_MAX; cpu++)
        if (processors_have(&allowed, cpu) && seen++ * wanted / count == neighbours.processors)
            neighbours.processor[neighbours.processors++] = cpu;
    return neighbours;
}

/* An interrupt makes a chain longer, so the fastest counts; a neighbour may come and go, so all multiply-adds do. */
struct neighbour_look neighbours_look(struct neighbours *neighbours)
{
    struct neighbour_look look = { .processor = neighbours->processor[neighbours->next], .rate = NAN };
    const struct processors one = processors_one(look.processor);
    struct processors before;
    neighbours->next = (neighbours->next + 1) % neighbours->processors;
    if (!processors_read(&before) || !processors_use(&one))
        return look;
    double cycle = INFINITY, multiply_add = 0;
    for (int i = 0; i < TRIES; i++) {
        cycle = fmin(cycle, host_cycle(CYCLES));
        multiply_add += time_multiply_add() / TRIES;
    }
    processors_use(&before);
    look.rate = cycle / multiply_add;
    return look;
}
