/* What a rig does around the runs that it times: inputs that the host has freshly written, and results that are checked
 * against inputs which nothing under test can change. On the CPU, in whose memory a test can plant faults. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/rig.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Few enough elements that a sampled check compares all, and a number that leaves a part of a page. */
enum { SEED = 5, ELEMENTS = 50001 };

static void rig_make(struct rig *rig, const char *workload, const char *shape)
{
    struct error err = { .status = STATUS_OK };
    unsigned count = 0;
    *rig = (struct rig){ .backend = backend_find("cpu") };
    cr_assert(rig->backend->list("", &rig->device, 1, &count, &err), "%s", err.message);
    rig->method = method_find(workload_find(workload), "native");
    rig->session = rig->backend->open(&rig->device, 2, &err);
    cr_assert(rig->session, "%s", err.message);
    cr_assert(problem_parse(&rig->problem, workload_find(workload), DTYPE_F32, shape, &err), "%s", err.message);
    cr_assert(rig_alloc(rig, &err) && rig_prepare(rig, "", &err), "%s", err.message);
}

static void rig_end(struct rig *rig)
{
    rig_release(rig);
    rig->backend->close(rig->session);
}

/* The memory of an operand, which the CPU's buffer is. */
static void *memory_of(struct rig *rig, unsigned operand)
{
    struct error err = { .status = STATUS_OK };
    void *memory = rig_host_side(rig, operand, MAP_UPDATE, &err);
    cr_assert(memory && rig_end_access(rig, operand, &err), "%s", err.message);
    return memory;
}

/* The page that is watched, and how often something wrote to it. */
static struct {
    char *page;
    volatile sig_atomic_t writes;
} watched;

static void note_write(int number, siginfo_t *what, void *context)
{
    (void)number, (void)context;
    char *at = what->si_addr;
    if (at < watched.page || at >= watched.page + getpagesize())
        _exit(3); /* a fault of the program's own */
    watched.writes++;
    mprotect(watched.page, (size_t)getpagesize(), PROT_READ | PROT_WRITE);
}

/* Whether a run writes to the page of an operand that holds its element `index`. */
static bool is_written(struct rig *rig, unsigned operand, int64_t index, bool offloads)
{
    struct error err = { .status = STATUS_OK };
    struct run_times times;
    uintptr_t at = (uintptr_t)((float *)memory_of(rig, operand) + index), page = (uintptr_t)getpagesize();
    watched.page = (char *)memory_of(rig, operand) + at / page * page - (uintptr_t)memory_of(rig, operand);
    watched.writes = 0;
    cr_assert_eq(mprotect(watched.page, page, PROT_READ), 0);
    bool ok = offloads ? rig_offload(rig, false, &times, &err) : rig_compute(rig, 1, &times, &err);
    cr_assert(ok, "%s", err.message);
    mprotect(watched.page, page, PROT_READ | PROT_WRITE);
    return watched.writes > 0;
}

Test(rig, all_of_the_inputs_is_written_before_an_offload_and_nothing_before_other_runs)
{
    struct rig rig;
    struct error err = { .status = STATUS_OK };
    const struct sigaction action = { .sa_sigaction = note_write, .sa_flags = SA_SIGINFO };
    rig_make(&rig, "multiply", "50001");
    cr_assert(check_fill(&rig, SEED, &err), "%s", err.message);
    sigaction(SIGSEGV, &action, NULL);
    for (unsigned input = 0; input < 2; input++)
        for (int64_t index = 0; index < ELEMENTS; index += 1000) {
            cr_expect(is_written(&rig, input, index, true), "input %u, element %d", input, (int)index);
            cr_expect_not(is_written(&rig, input, index, false), "input %u, element %d", input, (int)index);
        }
    cr_expect(is_written(&rig, 0, ELEMENTS - 1, true), "the last part of a page");
    cr_expect(is_written(&rig, 2, 0, false), "the check of pages sees the result being written");
    rig_end(&rig);
}

Test(rig, writing_inputs_anew_leaves_them_as_they_are_and_is_not_timed)
{
    struct rig rig;
    struct error err = { .status = STATUS_OK };
    struct run_times times;
    static float before[ELEMENTS];
    rig_make(&rig, "multiply", "50001");
    cr_assert(check_fill(&rig, SEED, &err), "%s", err.message);
    memcpy(before, memory_of(&rig, 1), sizeof before);
    double start = rig_now(&rig);
    cr_assert(rig_offload(&rig, true, &times, &err), "%s", err.message);
    double took = rig_now(&rig) - start;
    cr_expect_eq(memcmp(before, memory_of(&rig, 1), sizeof before), 0);
    cr_expect(times.phase[STEP_COMPUTE] > 0 && isnan(times.phase[STEP_UPLOAD]) && isnan(times.phase[STEP_DOWNLOAD]));
    cr_expect_gt(rig.renewing.seconds, 0);
    cr_expect_leq(times.phase[STEP_COMPUTE] + rig.renewing.seconds, took);
    rig_end(&rig);
}

Test(rig, a_kernel_shape_that_the_method_does_not_have_is_refused)
{
    struct rig rig;
    struct error err = { .status = STATUS_OK };
    rig_make(&rig, "multiply", "50001");
    cr_expect_not(rig_prepare(&rig, "16x32", &err));
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(err.message, "multiply has no kernel shape '16x32' here");
    rig_end(&rig);
}

/* Checks before timing, a timed run, checks after it; in between one element of an input changes. */
static enum status verdict_on(const char *workload, const char *shape, bool spoils, unsigned input)
{
    struct rig rig;
    struct error err = { .status = STATUS_OK };
    struct check check[CHECKS_MAX];
    struct run_times times;
    unsigned count;
    rig_make(&rig, workload, shape);
    cr_assert(check_before(&rig, SEED, check, &count, &err), "%s", err.message);
    if (spoils)
        ((float *)memory_of(&rig, input))[rig.operand[input].count / 2] += 1;
    cr_assert(rig_compute(&rig, 1, &times, &err), "%s", err.message);
    check_after(&rig, SEED, false, check, &count, &err);
    rig_end(&rig);
    return err.status;
}

Test(rig, an_input_that_changed_is_found_by_the_result)
{
    static const char *const problems[][2] = { { "multiply", "50001" },
                                               { "matmul", "m=40,n=30,k=20" },
                                               { "conv", "n=2,c=3,h=20,w=20,k=4,r=3,s=3,stride=1,pad=1" } };
    for (unsigned i = 0; i < sizeof problems / sizeof *problems; i++) {
        cr_expect_eq(verdict_on(problems[i][0], problems[i][1], false, 0), STATUS_OK, "%s", problems[i][0]);
        for (unsigned input = 0; input < 2; input++)
            cr_expect_eq(verdict_on(problems[i][0], problems[i][1], true, input), STATUS_WRONG, "%s, input %u",
                         problems[i][0], input);
    }
}
