/* What a library costs by way of the CPU backend: each method_run against the same library called by hand in a plain
 * loop, in alternating slices. The ratio of a round compares a slice of the backend with the mean of its two
 * neighbours, so that what the machine does meanwhile happens to both. By hand a training step is its five products
 * alone. It prints, and asserts nothing but that the
 * answers are right: speed on a shared machine is no matter for a test.
 *
 * bench_libraries [PART]... measures only cases whose "workload method shape" holds one of the parts. */

#include "bench/backends/registry.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "harness/measure/random.h"
#include "harness/measure/sampler.h"
#include "harness/measure/stats.h"
#include "kernels/train_products.h"
#include "tests/benchmarks/bare.h"
#include "tests/support/method_run.h"
#include "tests/support/one_truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 400, RUNS_MAX = 1000, SEED = 1, SAMPLE = 200 };
static const double slice_seconds = 0.075, wanted = 0.98;
static const struct rule rule = { .target = 0.01, .budget = 15 };

static const struct {
    const struct bare *bare;
    const char *shape;
} cases[] = {
    { &bare_onednn_matmul, "m=1024,n=1024,k=1024" },
    { &bare_onednn_matmul, "m=2048,n=2048,k=2048" },
    { &bare_onednn_matmul, "m=4096,n=4096,k=4096" },
    { &bare_onednn_gemm, "m=1024,n=1024,k=1024" },
    { &bare_onednn_gemm, "m=2048,n=2048,k=2048" },
    { &bare_onednn_gemm, "m=4096,n=4096,k=4096" },
    { &bare_onednn_conv, "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
    { &bare_onednn_conv, "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
    { &bare_onednn_winograd, "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
    { &bare_onednn_winograd, "n=32,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1" },
    { &bare_openblas_matmul, "m=1024,n=1024,k=1024" },
    { &bare_openblas_matmul, "m=2048,n=2048,k=2048" },
    { &bare_onednn_conv, "n=32,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2" },
    { &bare_openblas_train, "batch=32" },
    { &bare_openblas_train, "batch=256" },
    { &bare_openblas_train, "batch=4096" },
    { &bare_onednn_train, "batch=32" },
    { &bare_onednn_train, "batch=256" },
    { &bare_onednn_train, "batch=4096" },
};

float *bare_operand(size_t bytes)
{
    const size_t huge = (size_t)2 << 20;
    float *at = aligned_alloc(bytes < huge ? 4096 : huge, (bytes + huge - 1) / huge * huge);
    if (at)
        random_fill(at, DTYPE_F32, 0, (int64_t)(bytes / sizeof *at), SEED, 0, NULL);
    return at;
}

bool bare_products(const struct problem *problem, float *array[], struct error *err)
{
    for (unsigned i = 0; i < TRAIN_PRODUCTS; i++) {
        const struct train_product *p = &train_products[i];
        const int64_t m = problem->dim[p->m], n = problem->dim[p->n], k = problem->dim[p->k];
        const struct {
            unsigned array;
            int64_t elements;
        } needed[] = { { p->a, m * k }, { p->b, k * n }, { p->c, m * n } };
        for (unsigned j = 0; j < 3; j++)
            if (!array[needed[j].array] &&
                !(array[needed[j].array] = bare_operand((size_t)needed[j].elements * sizeof(float))))
                return fail(err, STATUS_NO_MEMORY, "no memory for the operands");
    }
    return true;
}

/* --- right, then fast --- */

struct truth {
    const struct method_run *method_run;
    const void *operand[OPERANDS_MAX + 1]; /* and intermediate results, after the last */
    int64_t first;                         /* of the output that is checked, among the elements of all */
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    const struct method_run *method_run = truth->method_run;
    method_run->problem.workload->expect(&method_run->problem,
                                         method_sums(method_run->method, method_run->problem.dtype), truth->operand,
                                         truth->first + index, value, bound);
    *bound *= method_run->method->is_fast ? FAST_BOUND_FACTOR : 1;
}

static bool outputs_are_right(const struct method_run *method_run, struct truth *truth, struct error *err)
{
    struct verification verdict;
    for (unsigned i = 0; i < method_run->operands; i++) {
        const int64_t count = method_run->operand[i].count;
        if (method_run->operand[i].role != ROLE_OUTPUT)
            continue;
        if (!verify_sample(&verdict, method_run->view[i], DTYPE_F32, count, NULL, SAMPLE, SEED, truth_of, truth, err))
            return false;
        truth->first += count;
    }
    return true;
}

static bool is_right(struct method_run *method_run, struct error *err)
{
    const struct problem *problem = &method_run->problem;
    const struct sums sums = method_sums(method_run->method, problem->dtype);
    struct truth truth = { .method_run = method_run };
    double *intermediate = NULL;
    for (unsigned i = 0; i < method_run->operands; i++) {
        truth.operand[i] = method_run->view[i];
        if (method_run->operand[i].role == ROLE_OUTPUT)
            verify_poison(method_run->view[i], DTYPE_F32, method_run->operand[i].count);
    }
    if (problem->workload->intermediate) {
        truth.operand[method_run->operands] = intermediate = malloc((size_t)problem_intermediate_bytes(problem));
        if (!intermediate)
            return fail(err, STATUS_NO_MEMORY, "no memory for the truth");
        problem->workload->intermediate(problem, sums, truth.operand, intermediate);
    }
    bool ok = method_run_whole(method_run) ? outputs_are_right(method_run, &truth, err)
                                           : fail(err, STATUS_FAILED, "it did not run");
    free(intermediate);
    return ok;
}

/* What is run in a slice: the method_run, or the library by hand. */
struct side {
    struct method_run *method_run;
    const struct bare *bare;
    void *state;
};

static bool side_run(const struct side *side)
{
    return side->bare ? side->bare->run(side->state) : method_run_once(side->method_run);
}

/* Median run of a slice that begins with two runs that do not count; NAN when one failed. */
static double slice_measure(const struct side *side)
{
    static double run[RUNS_MAX];
    unsigned runs = 0;
    bool ok = side_run(side) && side_run(side);
    double start = clock_wall(), last = start;
    while (ok && (runs == 0 || last - start < slice_seconds) && runs < RUNS_MAX) {
        ok = side_run(side);
        double now = clock_wall();
        run[runs++] = now - last;
        last = now;
    }
    return ok ? stats_median(run, runs) : NAN;
}

static struct estimate ratio_measure(const struct side *method_run, const struct side *bare, double *seconds)
{
    static double ratio[ROUNDS_MAX], own[ROUNDS_MAX];
    unsigned rounds = 0;
    double spent = 0, last = 0, before = slice_measure(bare);
    do {
        double start = clock_wall();
        own[rounds] = slice_measure(method_run);
        double after = slice_measure(bare);
        ratio[rounds] = (before + after) / 2 / own[rounds];
        before = after;
        last = clock_wall() - start;
        spent += last;
        rounds++;
    } while (rounds < ROUNDS_MAX && sampler_decide(&rule, 0, ratio, rounds, spent, last) == STOP_NOT_YET);
    *seconds = stats_median(own, rounds);
    return stats_estimate(ratio, rounds);
}

/* Median of a few whole runs, repacking included. */
static double whole_measure(struct method_run *method_run)
{
    enum { RUNS = 9 };
    double seconds[RUNS];
    for (unsigned i = 0; i < RUNS; i++) {
        double start = clock_wall();
        seconds[i] = method_run_whole(method_run) ? clock_wall() - start : NAN;
    }
    return stats_median(seconds, RUNS);
}

static void print(const struct method_run *method_run, const struct estimate *ratio, double seconds, double whole)
{
    char shape[SHAPE_MAX];
    double flops = method_run->problem.workload->flops(&method_run->problem);
    printf("%s %s %s\n    %s\n", method_run->problem.workload->name, method_run->method->name,
           problem_shape(&method_run->problem, shape), method_run->detail);
    printf("    %.1f GFLOP/s, %.1f with repacking; %.3f [%.3f, %.3f] of the library by hand in %u rounds, wanted: at "
           "least %g\n",
           flops / seconds * 1e-9, flops / whole * 1e-9, ratio->value, ratio->low, ratio->high, ratio->samples, wanted);
    fflush(stdout);
}

/* False when an answer is wrong. What cannot be had here is said, and left out. */
static bool case_measure(const struct bare *bare, const char *shape)
{
    struct method_run method_run = { .session = NULL };
    struct side with = { .method_run = &method_run }, by_hand = { .bare = bare };
    if (method_run_open(&method_run, bare->workload, bare->method, shape, NULL) &&
        is_right(&method_run, &method_run.err) && (by_hand.state = bare->open(&method_run.problem, &method_run.err))) {
        double seconds, whole = whole_measure(&method_run);
        struct estimate ratio = ratio_measure(&with, &by_hand, &seconds);
        print(&method_run, &ratio, seconds, whole);
    } else {
        printf("%s %s %s\n    left out: %s\n", bare->workload, bare->method, shape, method_run.err.message);
    }
    if (by_hand.state)
        bare->close(by_hand.state);
    method_run_close(&method_run);
    return method_run.err.status != STATUS_WRONG && method_run.err.status != STATUS_FAILED;
}

static bool is_asked_for(const struct bare *bare, const char *shape, int parts, char *part[])
{
    char text[256];
    snprintf(text, sizeof text, "%s %s %s", bare->workload, bare->method, shape);
    for (int i = 0; i < parts; i++)
        if (strstr(text, part[i]))
            return true;
    return parts == 0;
}

int main(int argc, char *argv[])
{
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_asked_for(cases[i].bare, cases[i].shape, argc - 1, argv + 1))
            ok &= case_measure(cases[i].bare, cases[i].shape);
    return ok ? 0 : 1;
}
