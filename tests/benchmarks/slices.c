#include "harness/base/clock.h"
#include "harness/measure/stats.h"
#include "tests/support/method_run.h"

#include <stdio.h>

/* Runs a method_run on request, for a program that measures something else in turn with it.
 *
 *   slices WORKLOAD VARIANT SHAPE
 *
 * It says how the method_run runs, in one line; then, for every line on stdin, which is a number of seconds, it runs
 * the method_run for as long and says how long a run took, the median, once without and once with bringing operands
 * into the method_run's layout and back. */

enum { RUNS_MAX = 10000 };

static double slice(struct method_run *method_run, bool (*run)(struct method_run *), double seconds)
{
    static double taken[RUNS_MAX];
    unsigned runs = 0;
    bool ok = run(method_run);
    double start = clock_wall(), last = start;
    while (ok && (runs == 0 || last - start < seconds) && runs < RUNS_MAX) {
        ok = run(method_run);
        double now = clock_wall();
        taken[runs++] = now - last;
        last = now;
    }
    return ok ? stats_median(taken, runs) : -1;
}

int main(int argc, char *argv[])
{
    struct method_run method_run;
    if (argc != 4) {
        fprintf(stderr, "usage: slices WORKLOAD VARIANT SHAPE\n");
        return 2;
    }
    if (!workload_find(argv[1]) || !method_find(workload_find(argv[1]), argv[2])) {
        fprintf(stderr, "there is no %s by %s\n", argv[1], argv[2]);
        return 2;
    }
    if (!method_run_open(&method_run, argv[1], argv[2], argv[3], NULL)) {
        fprintf(stderr, "%s\n", method_run.err.message);
        method_run_close(&method_run);
        return 1;
    }
    bool ok = method_run_whole(&method_run);
    printf("%s\n", method_run.detail);
    fflush(stdout);
    double seconds;
    while (ok && scanf("%lf", &seconds) == 1) {
        double resident = slice(&method_run, method_run_once, seconds),
               whole = slice(&method_run, method_run_whole, seconds);
        ok = resident > 0 && whole > 0;
        printf("%.9g %.9g\n", resident, whole);
        fflush(stdout);
    }
    method_run_close(&method_run);
    return ok ? 0 : 1;
}
