#include "harness/base/clock.h"
#include "harness/measure/stats.h"
#include "tests/benchmarks/method.h"

#include <stdio.h>

/* Runs a method whenever it is told to, for a program that measures something else in turn with it.
 *
 *   slices WORKLOAD VARIANT SHAPE
 *
 * It says how the method runs, in one line; then, for every line on stdin, which is a number of seconds, it runs the
 * method for as long and says how long a run took, the median, once without and once with bringing operands into the
 * method's layout and back. */

enum { RUNS_MAX = 10000 };

static double slice(struct method *method, bool (*run)(struct method *), double seconds)
{
    static double taken[RUNS_MAX];
    unsigned runs = 0;
    bool ok = run(method);
    double start = clock_wall(), last = start;
    while (ok && (runs == 0 || last - start < seconds) && runs < RUNS_MAX) {
        ok = run(method);
        double now = clock_wall();
        taken[runs++] = now - last;
        last = now;
    }
    return ok ? stats_median(taken, runs) : -1;
}

int main(int argc, char *argv[])
{
    struct method method;
    struct error err = { .status = STATUS_OK };
    if (argc != 4) {
        fprintf(stderr, "usage: slices WORKLOAD VARIANT SHAPE\n");
        return 2;
    }
    if (!workload_find(argv[1]) || !variant_find(workload_find(argv[1]), argv[2])) {
        fprintf(stderr, "there is no %s by %s\n", argv[1], argv[2]);
        return 2;
    }
    if (!method_open(&method, argv[1], argv[2], argv[3], &err)) {
        fprintf(stderr, "%s\n", err.message);
        method_close(&method);
        return 1;
    }
    bool ok = method_run_whole(&method);
    printf("%s\n", method.detail);
    fflush(stdout);
    double seconds;
    while (ok && scanf("%lf", &seconds) == 1) {
        double resident = slice(&method, method_run, seconds), whole = slice(&method, method_run_whole, seconds);
        ok = resident > 0 && whole > 0;
        printf("%.9g %.9g\n", resident, whole);
        fflush(stdout);
    }
    method_close(&method);
    return ok ? 0 : 1;
}
