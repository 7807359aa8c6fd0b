#include "harness/base/process.h"

#include <criterion/criterion.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in a process of its own, as each test does. */
Test(process, the_lowest_limit_of_the_address_space_counts_with_its_option)
{
    static const struct {
        double space, data, least; /* bytes, with room for the maps of a sanitizer; INFINITY: no limit */
        char option;
    } cases[] = { { INFINITY, INFINITY, INFINITY, '-' },
                  { INFINITY, 0x1p46, 0x1p46, 'd' },
                  { 0x1p47, 0x1p46, 0x1p46, 'd' },
                  { 0x1p45, 0x1p46, 0x1p45, 'v' } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int kinds[] = { RLIMIT_AS, RLIMIT_DATA };
        const double bytes[] = { cases[i].space, cases[i].data };
        char option = '-';
        for (unsigned k = 0; k < 2; k++) {
            struct rlimit limit;
            cr_assert(getrlimit(kinds[k], &limit) == 0);
            limit.rlim_cur = isfinite(bytes[k]) ? (rlim_t)bytes[k] : RLIM_INFINITY;
            if (limit.rlim_cur > limit.rlim_max || setrlimit(kinds[k], &limit) != 0)
                cr_skip_test("a lower limit is set here");
        }
        cr_expect_eq(process_address_limit(&option), cases[i].least, "case %u", i);
        cr_expect_eq(option, cases[i].option, "case %u: %c", i, option);
    }
    cr_expect(setrlimit(RLIMIT_CPU, &(struct rlimit){ 1000, RLIM_INFINITY }) == 0 && process_cpu_limit() == 1000);
}

/* A child that computes, and one that only waits. */
Test(process, the_time_of_children_counts_once_they_have_ended)
{
    const double before = process_family_cpu();
    const pid_t child = fork();
    if (child == 0) {
        const double from = process_family_cpu();
        for (volatile unsigned steps = 0; process_family_cpu() - from < 0.1;) /* in user space */
            for (unsigned i = 0; i < 1000000; i++)
                steps = steps + i;
        _exit(0);
    }
    cr_assert(waitpid(child, NULL, 0) == child);
    const double used = process_family_cpu() - before;
    cr_expect(used >= 0.08 && used < 10, "%g s", used);
}
