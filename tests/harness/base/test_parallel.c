#include "harness/base/parallel.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each element once: counts[i] is raised by whoever is given i. */
static void raise_counts(void *context, int64_t begin, int64_t end)
{
    unsigned char *counts = context;
    for (int64_t i = begin; i < end; i++)
        counts[i]++;
}

Test(parallel, gives_each_element_to_one_thread_exactly_once)
{
    static const int64_t sizes[] = { 0, 1, 2, 15, 16, 17, 1000, 99991 };
    static const int64_t grains[] = { 1, 16, 4096 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
            for (unsigned threads = 0; threads < 5; threads++) {
                unsigned char *counts = calloc((size_t)sizes[s] + 1, 1);
                parallel_slices(raise_counts, counts, 0, sizes[s], grains[g], threads);
                for (int64_t i = 0; i < sizes[s]; i++)
                    cr_assert_eq(counts[i], 1, "element %lld of %lld, grain %lld", (long long)i, (long long)sizes[s],
                                 (long long)grains[g]);
                cr_assert_eq(counts[sizes[s]], 0, "past the end");
                free(counts);
            }
        }
    }
}

Test(parallel, works_on_a_range_that_does_not_start_at_zero)
{
    unsigned char counts[100] = { 0 };
    parallel_slices(raise_counts, counts, 30, 71, 8, 3);
    for (int64_t i = 0; i < 100; i++)
        cr_assert_eq(counts[i], i >= 30 && i < 71);
}

Test(parallel, cuts_at_multiples_of_the_grain_and_evenly)
{
    enum { BEGIN = 7, GRAIN = 16, END = BEGIN + 100 * GRAIN - 3 };
    for (unsigned parts = 1; parts < 9; parts++) {
        cr_assert_eq(parallel_cut(BEGIN, END, GRAIN, 0, parts), BEGIN);
        cr_assert_eq(parallel_cut(BEGIN, END, GRAIN, parts, parts), END);
        for (unsigned part = 0; part < parts; part++) {
            int64_t from = parallel_cut(BEGIN, END, GRAIN, part, parts);
            int64_t grains = (parallel_cut(BEGIN, END, GRAIN, part + 1, parts) - from + GRAIN - 1) / GRAIN;
            cr_assert_eq((from - BEGIN) % GRAIN, 0);
            cr_assert(grains == 100 / parts || grains == 100 / parts + 1, "%lld grains of 100 in %u parts",
                      (long long)grains, parts);
        }
    }
}

Test(parallel, leaves_parts_empty_rather_than_cut_a_grain)
{
    cr_assert_eq(parallel_cut(0, 20, 16, 1, 4), 16);
    cr_assert_eq(parallel_cut(0, 20, 16, 2, 4), 20);
    cr_assert_eq(parallel_cut(0, 20, 16, 3, 4), 20);
}

Test(parallel, does_not_overflow_on_the_largest_range)
{
    int64_t half = parallel_cut(0, INT64_MAX, 16, 1, 2);
    cr_assert_eq(half, (INT64_C(1) << 62));
}

/* Processors that each thread of a team may use. */
static void count_processors(void *context, int64_t begin, int64_t end)
{
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    for (int64_t i = begin; i < end; i++)
        ((int *)context)[i] = CPU_COUNT(&own);
}

/* Threads inherit what the caller may use when they start. Libraries are told how many there are. */
Test(parallel, threads_that_share_a_processor_are_observed)
{
    cpu_set_t all, some;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        cr_skip_test("the processors are not known");
    CPU_ZERO(&some);
    for (int id = 0; id < CPU_SETSIZE && CPU_COUNT(&some) < 2; id++) {
        if (!CPU_ISSET(id, &all))
            continue;
        CPU_SET(id, &some);
        const unsigned processors = (unsigned)CPU_COUNT(&some);
        const pid_t child = fork();
        if (child == 0) {
            const bool is_bound = sched_setaffinity(0, sizeof some, &some) == 0;
            const bool is_right = is_bound && parallel_observe(2) == processors && parallel_threads() == processors;
            _exit(is_right && parallel_observe(1) == 1 ? 0 : 1);
        }
        int status = 0;
        cr_assert(child > 0 && waitpid(child, &status, 0) == child);
        cr_expect_eq(status, 0, "of %u processors", processors);
    }
}

Test(parallel, threads_keep_their_processors_when_the_caller_is_restricted)
{
    cpu_set_t all, one;
    int processors[2] = { 0 }, first = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2 || parallel_threads() < 2)
        cr_skip_test("one processor, or one thread");
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    parallel_begin(0);
    cr_assert(sched_setaffinity(0, sizeof one, &one) == 0);
    parallel_slices(count_processors, processors, 0, 2, 1, 0);
    cr_expect_eq(processors[0], 1, "the caller has one");
    cr_expect_eq(processors[1], CPU_COUNT(&all), "its thread has %d of %d", processors[1], CPU_COUNT(&all));
}
