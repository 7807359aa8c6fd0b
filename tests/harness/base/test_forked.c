#include "harness/base/forked.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>

struct reply {
    int before, after;
};

static int touched;

static void double_it(const void *context, void *reply)
{
    struct reply *out = reply;
    touched = 1;
    out->before = 2 * *(const int *)context;
    out->after = out->before;
}

static void crash_halfway(const void *context, void *reply)
{
    struct reply *out = reply;
    out->before = *(const int *)context;
    signal(SIGABRT, SIG_DFL); /* Criterion's handler would report a failed test */
    abort();
}

Test(forked, a_function_runs_in_another_process_and_its_reply_comes_back)
{
    struct reply reply;
    cr_assert(forked_call(double_it, &(int){ 21 }, &reply, sizeof reply));
    cr_expect_eq(reply.after, 42);
    cr_expect_eq(touched, 0, "nothing has happened in this one");
}

Test(forked, a_crash_costs_only_what_was_not_yet_written)
{
    struct reply reply = { 1, 1 };
    cr_assert(forked_call(crash_halfway, &(int){ 7 }, &reply, sizeof reply));
    cr_expect_eq(reply.before, 7);
    cr_expect_eq(reply.after, 0);
}

Test(forked, it_works_where_the_end_of_children_is_ignored)
{
    struct reply reply;
    signal(SIGCHLD, SIG_IGN);
    cr_assert(forked_call(double_it, &(int){ 4 }, &reply, sizeof reply));
    cr_expect_eq(reply.after, 8);
}
