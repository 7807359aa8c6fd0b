/* What a rig does around the runs that it times: inputs that the host has freshly written, and results that are checked
 * against inputs which nothing under test can change. On the CPU, in whose memory a test can plant faults. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/slice.h"
#include "bench/worker/telemetry.h"
#include "harness/base/clock.h"
#include "harness/base/parallel.h"
#include "tests/support/made_rig.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Few enough elements that a sampled check compares all, and a number that leaves a part of a page. */
enum { SEED = 5, ELEMENTS = 50001 };

/* Of the latest rig: what went wrong, and how long its latest runs took. */
static struct error why;
static struct run_times times;
static struct check check[CHECKS_MAX];
static unsigned checks;

/* The rig of a test. Its backend is `whole`, of which a test may replace functions once the rig is made. */
static struct rig rig_here, *const rig = &rig_here;
static const struct backend *whole;
static struct backend doubled;

static void rig_end(void)
{
    if (!rig->session)
        return;
    rig->backend = whole;
    rig_release(rig);
    whole->close(rig->session);
    rig->session = NULL;
}

TestSuite(rig, .fini = rig_end);

/* In place of the rig before, one without a session. */
static void rig_new(const char *backend, enum memory memory, const char *workload)
{
    rig_end();
    why = (struct error){ .status = STATUS_OK };
    whole = backend_find(backend);
    doubled = *whole;
    *rig = (struct rig){ .backend = &doubled, .seed = SEED, .memory = memory };
    rig->method = method_find(workload_find(workload), "native");
}

static void rig_make(const char *workload, const char *shape)
{
    rig_new("cpu", MEMORY_PAGEABLE, workload);
    made_rig(rig, "", 2, workload, shape);
}

static void card_make(const char *workload, const char *shape)
{
    rig_new("fake", MEMORY_PINNED, workload);
    made_rig_of_card(rig, workload, shape);
}

/* The memory of an operand, which the CPU's buffer is. */
static void *memory_of(unsigned operand)
{
    void *memory = rig_host_side(rig, operand, MAP_UPDATE, &why);
    cr_assert(memory && rig_end_access(rig, operand, &why), "%s", why.message);
    return memory;
}

/* The page that is watched, and how often something wrote to it. */
static struct {
    char *page;
    volatile sig_atomic_t writes;
    const struct flush *flush;     /* NULL: caches stay as they are */
    volatile sig_atomic_t flushed; /* how often caches were emptied before the first write */
} watched;

static void note_write(int number, siginfo_t *what, void *context)
{
    char *at = what->si_addr;
    if (at < watched.page || at >= watched.page + getpagesize())
        _exit(3); /* a fault of the program's own */
    if (watched.writes++ == 0 && watched.flush)
        watched.flushed = (sig_atomic_t)watched.flush->count;
    mprotect(watched.page, (size_t)getpagesize(), PROT_READ | PROT_WRITE);
}

/* Whether a run writes to the page of an operand that holds its element `index`. */
static bool is_written(unsigned operand, int64_t index, bool copies)
{
    uintptr_t at = (uintptr_t)((float *)memory_of(operand) + index), page = (uintptr_t)getpagesize();
    watched.page = (char *)memory_of(operand) + at / page * page - (uintptr_t)memory_of(operand);
    watched.writes = 0;
    cr_assert_eq(mprotect(watched.page, page, PROT_READ), 0);
    bool ok = copies ? rig_run_copied(rig, false, &times, &why) : rig_run_resident(rig, 1, &times, &why);
    cr_assert(ok, "%s", why.message);
    mprotect(watched.page, page, PROT_READ | PROT_WRITE);
    return watched.writes > 0;
}

Test(rig, all_of_the_inputs_is_written_before_a_copied_and_nothing_before_other_runs)
{
    const struct sigaction action = { .sa_sigaction = note_write, .sa_flags = SA_SIGINFO };
    rig_make("multiply", "50001");
    cr_assert(check_fill(rig, &why), "%s", why.message);
    sigaction(SIGSEGV, &action, NULL);
    for (unsigned input = 0; input < 2; input++)
        for (int64_t index = 0; index < ELEMENTS; index += 1000) {
            cr_expect(is_written(input, index, true), "input %u, element %d", input, (int)index);
            cr_expect_not(is_written(input, index, false), "input %u, element %d", input, (int)index);
        }
    cr_expect(is_written(0, ELEMENTS - 1, true), "the last part of a page");
    cr_expect(is_written(2, 0, false), "the check of pages sees the result being written");
}

Test(rig, writing_inputs_anew_leaves_them_as_they_are_and_is_not_timed)
{
    static float before[ELEMENTS];
    rig_make("multiply", "50001");
    cr_assert(check_fill(rig, &why), "%s", why.message);
    memcpy(before, memory_of(1), sizeof before);
    double start = rig_now(rig);
    cr_assert(rig_run_copied(rig, true, &times, &why), "%s", why.message);
    double took = rig_now(rig) - start;
    cr_expect_eq(memcmp(before, memory_of(1), sizeof before), 0);
    cr_expect(times.phase[STEP_COMPUTE] > 0 && isnan(times.phase[STEP_UPLOAD]) && isnan(times.phase[STEP_DOWNLOAD]));
    cr_expect_gt(rig->renewing.seconds, 0);
    cr_expect_leq(times.phase[STEP_COMPUTE] + rig->renewing.seconds, took);
}

Test(rig, caches_are_emptied_after_the_inputs_are_written)
{
    struct flush flush;
    const struct sigaction action = { .sa_sigaction = note_write, .sa_flags = SA_SIGINFO };
    rig_make("multiply", "50001");
    cr_assert(check_fill(rig, &why) && flush_open(&flush, rig->backend, rig->session, &rig->device, 1 << 20, &why),
              "%s", why.message);
    rig->flush = &flush;
    watched.flush = &flush;
    sigaction(SIGSEGV, &action, NULL);
    for (unsigned run = 0; run < 3; run++) {
        cr_expect(is_written(0, 0, true));
        cr_expect_eq((unsigned)watched.flushed, run, "emptied %d times before the inputs of run %u",
                     (int)watched.flushed, run);
        cr_expect_eq(flush.count, run + 1);
    }
    rig->flush = NULL;
    flush_close(&flush);
}

/* Processor time is exact, so what is told of a slice and what writing took must add up to at most that of the process.
 * Both of its threads write at the same time. */
Test(rig, a_slice_leaves_out_the_time_in_which_inputs_were_written)
{
    enum { THREADS = 2 };
    struct pace pace = { .run = 0.005 };
    rig_make("multiply", "4000037");
    cr_assert(check_fill(rig, &why), "%s", why.message);
    const double before = clock_cpu();
    struct slice_line slice = { .series = SERIES_COPIED };
    struct pool pool = { 0 };
    const bool is_run = slice_run(rig, 0.2, false, &pace, &slice, &pool, &why);
    const double all = clock_cpu() - before;
    cr_assert(is_run, "%s", why.message);
    const double own = slice.cpu, writing = slice.renewing;
    cr_expect(rig->renewing.cpu > 0.1 * all && rig->renewing.cpu < all, "%g of %g s", rig->renewing.cpu, all);
    cr_expect(own > 0 && own + 0.99 * rig->renewing.cpu <= all, "%g and %g of %g s", own, rig->renewing.cpu, all);
    cr_expect(THREADS * writing > 0.9 * rig->renewing.cpu, "%g s writing, of %g s by two threads", writing,
              rig->renewing.cpu);
    pool_release(&pool);
}

Test(rig, a_kernel_shape_that_the_method_does_not_have_is_refused)
{
    rig_make("multiply", "50001");
    cr_expect_not(rig_prepare(rig, "16x32", &why));
    cr_expect_eq(why.status, STATUS_UNSUPPORTED);
    cr_expect_str_eq(why.message, "multiply has no kernel shape '16x32' here");
}

/* A rig after the checks before timing, and a check of the result of one more run. */
static void rig_check(const char *workload, const char *shape)
{
    rig_make(workload, shape);
    cr_assert(check_before(rig, check, &checks, &why) && check_forget(rig, &why), "%s", why.message);
}

static enum status verdict(bool runs)
{
    why = (struct error){ .status = STATUS_OK };
    cr_assert(!runs || rig_run_resident(rig, 1, &times, &why), "%s", why.message);
    check_latest(rig, false, INFINITY, check, &why);
    return why.status;
}

/* Between the checks before timing and a timed run one element of an input changes. */
Test(rig, an_input_that_changed_is_found_by_the_result)
{
    static const char *const problems[][2] = { { "multiply", "50001" },
                                               { "matmul", "m=40,n=30,k=20" },
                                               { "conv", "n=2,c=3,h=20,w=20,k=4,r=3,s=3,stride=1,pad=1" } };
    for (unsigned i = 0; i < sizeof problems / sizeof *problems; i++)
        for (unsigned input = 0; input < 2; input++) {
            rig_check(problems[i][0], problems[i][1]);
            cr_expect_eq(verdict(true), STATUS_OK, "%s: %s", problems[i][0], why.message);
            ((float *)memory_of(input))[rig->operand[input].count / 2] += 1;
            cr_expect_eq(verdict(true), STATUS_WRONG, "%s, input %u", problems[i][0], input);
        }
}

/* Of one operand, at most ten elements, one at a time. */
static void spoil_elements(unsigned output)
{
    const int64_t count = rig->operand[output].count;
    for (int64_t element = 0; element < count; element += element == 0 ? 777 : count / 9) {
        char start[64];
        snprintf(start, sizeof start, "element %lld of %lld is ", (long long)element, (long long)count);
        ((unsigned char *)memory_of(output))[4 * element + 3] ^= 0x40;
        cr_assert_eq(verdict(false), STATUS_WRONG, "%s, element %lld", rig->operand[output].name, (long long)element);
        cr_assert(strstr(why.message, start), "%s", why.message);
        ((unsigned char *)memory_of(output))[4 * element + 3] ^= 0x40;
    }
}

/* Far more elements than are compared one by one before the timing, where each takes 4000 multiply-adds; and several
 * outputs. */
Test(rig, one_wrong_byte_of_a_timed_run_is_found_wherever_it_is)
{
    static const char *const problems[][2] = { { "multiply", "1000001" },
                                               { "matmul", "m=100,n=101,k=4000" },
                                               { "train", "batch=67,in=53,hidden=131" } };
    for (unsigned i = 0; i < sizeof problems / sizeof *problems; i++) {
        rig_check(problems[i][0], problems[i][1]);
        cr_assert_eq(verdict(true), STATUS_OK, "%s", why.message);
        for (unsigned output = 0; output < rig->operands; output++)
            if (rig->operand[output].role == ROLE_OUTPUT)
                spoil_elements(output);
        cr_assert_eq(verdict(false), STATUS_OK, "%s", why.message);
    }
}

/* The backend of the CPU, after whose runs a large loss has this factor. */
static float factor;

static bool submit_and_spoil_the_loss(struct task *task, unsigned queue, unsigned part, struct span *span,
                                      struct error *err)
{
    if (!whole->submit(task, queue, part, span, err))
        return false;
    float *loss = memory_of(rig->operands - 1);
    *loss *= *loss > 0x1p23F ? factor : 1;
    return true;
}

/* The sum of so many squares of whole numbers is no multiple of 1/2 in f32; all weights are exact. */
Test(rig, a_loss_that_is_too_large_to_be_exact_is_compared_by_its_error_bound)
{
    static const struct {
        float factor;
        enum status status;
    } cases[] = { { 1 + 0x1p-20F, STATUS_OK }, { 1.001F, STATUS_WRONG }, { 0.999F, STATUS_WRONG } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig_make("train", "batch=600,in=100,hidden=1500");
        factor = cases[i].factor;
        doubled.submit = submit_and_spoil_the_loss;
        check_before(rig, check, &checks, &why);
        cr_expect_eq(why.status, cases[i].status, "%g: %s", (double)factor, why.message);
        cr_expect(why.status == STATUS_OK || strncmp(why.message, "loss: ", 6) == 0, "%s", why.message);
    }
}

/* The bits of every `step`-th element change, within the error bound. */
static void round_otherwise(unsigned operand, int64_t step)
{
    for (int64_t i = 0; i < rig->operand[operand].count; i += step)
        ((uint32_t *)memory_of(operand))[i] ^= 1;
}

/* Rounded in another way, it becomes the result that later ones are compared with. */
Test(rig, another_rounding_is_no_wrong_result)
{
    rig_check("matmul", "m=40,n=30,k=2000");
    cr_assert_eq(verdict(true), STATUS_OK, "%s", why.message);
    round_otherwise(2, 7);
    cr_expect_eq(verdict(false), STATUS_OK, "%s", why.message);
    cr_expect_eq(verdict(true), STATUS_OK, "%s", why.message);
}

/* A check of one more run after that. */
static void check_rounded(int64_t step, double seconds)
{
    round_otherwise(2, step);
    cr_assert(check_latest(rig, false, seconds, check, &why), "%s", why.message);
}

/* 10,100 elements of 27,000 multiply-adds each are more than one check compares. */
Test(rig, a_result_of_which_too_much_has_changed_is_not_checked_whole)
{
    rig_check("matmul", "m=100,n=101,k=27000");
    cr_assert_eq(verdict(true), STATUS_OK, "%s", why.message);
    check_rounded(10000, INFINITY);
    cr_expect(!check->verification.is_sample && check->verification.checked < 2000, "two blocks have changed");
    cr_expect(check->verification.differs);
    check_rounded(7, INFINITY);
    cr_expect(check->verification.is_sample && check->verification.checked < rig->operand[2].count);
    const int64_t most = check->verification.checked;
    check_rounded(7, (double)(most / 4) * rig->known.compare_seconds[2]);
    cr_expect(check->verification.is_sample && llabs(check->verification.checked - most / 4) < 10,
              "as many as take so long");
    check_rounded(7, 0);
    cr_expect(check->verification.is_sample && check->verification.checked == (1 << 24) / 27000,
              "never fewer than of a first result");
    cr_assert(check_latest(rig, false, INFINITY, check, &why), "%s", why.message);
    cr_expect_not(check->verification.is_sample, "nothing has changed since");
    cr_expect_not(check->verification.differs);
}

/* The same, whose second submit fails, and the same that counts the submits with a span. */
static unsigned submits, finishes, spans;

static bool submit_and_count(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    spans += span != NULL;
    const bool ok = whole->submit(task, queue, part, span, err);
    if (span)
        *span = (struct span){ 5, 7 };
    return ok;
}

/* A run alone and on one queue: of several in a row, or on two queues, the times of a part would pass for those of all.
 */
Test(rig, the_device_times_a_run_that_is_alone_and_on_one_queue)
{
    static const struct {
        const char *workload, *shape;
        unsigned repeat;
        bool is_without_events, is_timed;
    } rows[] = { { "multiply", "n=50001", 1, false, true },
                 { "multiply", "n=50001", 3, false, false },
                 { "multiply", "n=50001", 1, true, false },
                 { "overlap", "n=50001,chunks=8,queues=1", 1, false, true },
                 { "overlap", "n=50001,chunks=8,queues=2", 1, false, false },
                 { "launch", "n=1", 1, false, false } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig_make(rows[i].workload, rows[i].shape);
        doubled.submit = submit_and_count;
        rig->is_without_events = rows[i].is_without_events;
        spans = 0;
        cr_assert(rig_run_resident(rig, rows[i].repeat, &times, &why), "row %u: %s", i, why.message);
        cr_expect_eq(spans > 0, rows[i].is_timed, "row %u: %u spans", i, spans);
        cr_expect(rows[i].is_timed ? times.event == 2 : isnan(times.event), "row %u: %g", i, times.event);
        cr_expect(times.enqueue >= 0 && times.enqueue <= times.whole, "%g of %g s", times.enqueue, times.whole);
    }
}

static bool submit_once(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    finishes = 0;
    return ++submits == 1 ? whole->submit(task, queue, part, span, err) : fail(err, STATUS_FAILED, "refused");
}

static bool finish_and_count(struct session *session, unsigned queue, struct error *err)
{
    finishes++;
    return whole->finish(session, queue, err);
}

/* What was submitted fills a span that ends with the call. */
Test(rig, a_run_that_is_refused_in_its_middle_is_waited_for)
{
    rig_make("multiply", "n=50001");
    cr_expect(rig->queues == 1 && rig->parts == 1);
    doubled.submit = submit_once;
    doubled.finish = finish_and_count;
    cr_expect_not(rig_run_resident(rig, 2, &times, &why));
    cr_expect_str_eq(why.message, "refused");
    cr_expect_eq(submits, 2);
    cr_expect_gt(finishes, 0);
}

static bool fail_to_finish(struct session *session, unsigned queue, struct error *err)
{
    finishes |= 1u << queue;
    return fail(err, STATUS_FAILED, "queue %u", queue);
}

/* Memory is released next, under what another queue still does. */
Test(rig, every_queue_is_waited_for_if_one_fails)
{
    rig_make("overlap", "n=100000,chunks=8,queues=2");
    cr_expect(rig->queues == 2 && rig->parts == 8, "as its steps name");
    doubled.finish = fail_to_finish;
    finishes = 0;
    cr_expect_not(rig_end_access(rig, 0, &why));
    cr_expect_eq(finishes, 3, "%x", finishes);
    cr_expect_str_eq(why.message, "queue 0");
}

/* A board whose counter moves by a joule for each run: at once, or when a step of so many seconds ends. A reading takes
 * 5 ms. Its clock is held down for a third of the time. The package has a counter, too, in a file of microjoules. */
static struct {
    double step, stepped, joules; /* when the latest step was */
    int package;
    unsigned disturbed; /* runs with time stamps, or whose inputs may be written before */
} board;

static bool submit_a_joule(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    dprintf(board.package, "%u000000\n", ++submits);
    lseek(board.package, 0, SEEK_SET);
    board.disturbed += !rig->keeps_inputs || !rig->is_without_events;
    if (clock_wall() >= board.stepped + board.step) {
        board.stepped = clock_wall();
        board.joules = submits;
    }
    return whole->submit(task, queue, part, span, err);
}

static unsigned unmaps;

static bool count_unmap(struct session *session, struct buffer *buffer, struct error *err)
{
    unmaps++;
    return true;
}

static struct buffer *alloc_mapped(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    return whole->alloc(session, bytes, MEMORY_PAGEABLE, err);
}

/* To be uploaded there is to be unmapped, two inputs here; the output is mapped and unmapped, too. */
Test(rig, copied_runs_that_keep_their_inputs_upload_them_in_mapped_memory)
{
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        rig_make("multiply", "n=100");
        doubled.unmap = count_unmap;
        doubled.alloc = alloc_mapped;
        rig_release(rig);
        rig->device.works_in_host_memory = false; /* from now on it is one that maps */
        rig->memory = MEMORY_MAPPED;
        cr_assert(rig_alloc(rig, &why) && rig_prepare(rig, "", &why), "%s", why.message);
        rig->keeps_inputs = keeps;
        unmaps = 0;
        cr_assert(rig_run_copied(rig, false, &times, &why), "%s", why.message);
        cr_expect_eq(unmaps, 3, "keeps %u: %u", keeps, unmaps);
    }
}

static double read_slowly(struct watch *watch)
{
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    return board.joules;
}

static void read_third(struct watch *watch, struct held *out)
{
    out->of[REASON_POWER_CAP] = clock_wall() / 3;
}

Test(rig, the_meter_has_the_energy_of_a_run)
{
    static const struct monitor counts = { .joules = read_slowly, .held = read_third };
    static const struct {
        enum series series;
        double step, seconds, error;
        bool is_known;
    } cases[] = { { SERIES_RESIDENT, 0, 0.5, 0.1, true },
                  { SERIES_COPIED, 0, 0.5, 0.1, true },
                  { SERIES_RESIDENT, 0.1, 1.2, 0.15, true },
                  { SERIES_RESIDENT, 0, 0.1, 0, false } };
    struct telemetry telemetry = { .monitor = &counts,
                                   .energy = { .counters = 1,
                                               .counter[0] = { .range = INFINITY, .path = "/tmp/bench-J-XXXXXX" } } };
    board.package = mkstemp(telemetry.energy.counter[0].path);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct meter meter;
        submits = 0;
        fields_forget(&meter, &meter_fields);
        rig_make("multiply", "n=100");
        doubled.submit = submit_a_joule;
        board.step = cases[i].step;
        telemetry.watch = cases[i].is_known ? (struct watch *)&board : NULL;
        cr_expect(telemetry_counts_joules(&telemetry));
        cr_assert(telemetry_meter(&telemetry, rig, cases[i].series, cases[i].seconds, &meter, &why), "%s", why.message);
        cr_expect(meter.runs >= 1 && meter.seconds >= cases[i].seconds, "case %u", i);
        cr_expect_eq(submits > meter.runs + 1, cases[i].is_known, "case %u: %u runs, %g of them with energy", i,
                     submits, meter.runs); /* the board's counter shows what was before it late */
        cr_expect(board.disturbed == 0 && !rig->keeps_inputs && !rig->is_without_events, "case %u", i);
        const double joules = meter.energy.of[ENERGY_GPU], held = meter.held.of[REASON_POWER_CAP];
        cr_expect_eq(meter.energy.of[ENERGY_PACKAGE], meter.runs, "case %u", i);
        cr_expect(isnan(meter.energy.of[ENERGY_DRAM]) && isnan(meter.held.of[REASON_HEAT]));
        if (cases[i].is_known) {
            cr_expect(fabs(joules / meter.runs - 1) <= cases[i].error, "case %u: %g J, %g runs", i, joules, meter.runs);
            cr_expect(fabs(3 * held / meter.seconds - 1) < 0.1, "case %u: %g of %g s", i, held, meter.seconds);
            cr_expect(meter.probes >= 0.01, "case %u: %g s", i, meter.probes);
            cr_expect_float_eq(meter.error, (0.1 + meter.probes) / meter.seconds, 1e-9, "case %u: %g", i, meter.error);
        } else
            cr_expect(isnan(joules) && isnan(held) && isnan(meter.error));
    }
    unlink(telemetry.energy.counter[0].path);
    close(board.package);
}

/* How many chunks of the result come back before they are computed. */
static unsigned early_chunks;

static bool download_early(struct session *session, unsigned queue, void *to, struct buffer *from, size_t offset,
                           size_t bytes, struct error *err)
{
    const char *result = rig->host[2];
    bool is_chunk =
        result && (char *)to >= result && (char *)to < result + rig_bytes(rig, 2) && bytes < rig_bytes(rig, 2);
    if (!whole->download(session, queue, to, from, offset, bytes, err) ||
        (is_chunk && early_chunks > 0 && !whole->finish(session, queue, err)))
        return false;
    if (is_chunk && early_chunks > 0) {
        early_chunks--;
        verify_poison(to, DTYPE_F32, (int64_t)(bytes / sizeof(float)));
    }
    return true;
}

static double seven(struct watch *watch)
{
    return 7;
}

/* In bytes: three arrays of 50001 numbers, and what a driver says. */
Test(rig, the_memory_of_a_cell_is_told_by_what_holds_it)
{
    static const struct monitor memory = { .own_memory = seven };
    const struct telemetry telemetry = { .monitor = &memory, .watch = (struct watch *)&board, .opened = 3 };
    const double operands = 3 * sizeof(float) * ELEMENTS;
    for (unsigned shares = 0; shares < 2; shares++) {
        int node;
        card_make("multiply", "50001");
        rig->device.shares_host_memory = shares;
        rig->repacks = 1u << 2;
        const struct memory_cost cost = telemetry_memory(&telemetry, rig, 5, &node);
        cr_expect_eq(cost.context_host, 5);
        cr_expect_eq(cost.context_device, 3);
        cr_expect_eq(cost.held_device, 7);
        cr_expect_eq(cost.device_operands, operands, "%g", cost.device_operands);
        cr_expect_eq(cost.host_operands, operands, "%g", cost.host_operands);
        cr_expect_eq(cost.held_twice, shares ? operands : 0, "%g", cost.held_twice);
        cr_expect_eq(cost.repacked, operands / 3, "%g", cost.repacked);
        rig->repacks = 0;
        rig_make("multiply", "50001"); /* the CPU's buffers are the host's memory, and are held once */
        rig->device.shares_host_memory = shares;
        const struct memory_cost own = telemetry_memory(&telemetry, rig, 5, &node);
        cr_expect(own.device_operands == operands && own.host_operands == 0 && own.held_twice == 0 && node == -1);
    }
}

/* Later the device has the right result of the run before, and a chunk that comes back too early is right all the same.
 */
Test(rig, a_chunk_that_comes_back_before_it_is_computed_is_found)
{
    for (unsigned chunks = 0; chunks < 2; chunks++) {
        card_make("overlap", "n=50001,chunks=8");
        doubled.download = download_early;
        early_chunks = chunks;
        cr_expect_eq(check_before(rig, check, &checks, &why), chunks == 0, "%s", why.message);
        cr_expect_eq(why.status, chunks ? STATUS_WRONG : STATUS_OK);
        cr_expect_eq(early_chunks, 0);
    }
}

/* Who writes the operand's array before it is moved: so many threads, 0 for all; NOBODY where it is not written. */
enum { NOBODY = 99 };
static struct {
    const void *array;
    unsigned threads;
} writing;

unsigned __real_parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                                unsigned threads);
unsigned __wrap_parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                                unsigned threads);
unsigned __wrap_parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                                unsigned threads)
{
    if (writing.array && context == writing.array)
        writing.threads = threads;
    return __real_parallel_slices(body, context, begin, end, grain, threads);
}

Test(rig, what_a_copy_moves_is_written_before_as_its_direction_says)
{
    static const struct {
        const char *shape;
        unsigned threads;
    } rows[] = { { "bytes=4096,direction=up", 0 }, { "bytes=4096,direction=down", NOBODY } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        card_make("transfer", rows[i].shape);
        writing.array = rig->host[0];
        writing.threads = NOBODY;
        cr_assert(rig_run_copied(rig, false, &times, &why), "%s", why.message);
        cr_expect_eq(writing.threads, rows[i].threads, "%s: %u threads", rows[i].shape, writing.threads);
    }
}

/* The batch goes up before each step, and the weights stay. */
Test(rig, what_stays_on_the_device_is_not_written_before_copied_runs)
{
    static const unsigned threads[] = { 0, 0, NOBODY, NOBODY }; /* X, Y, W1, W2 */
    for (unsigned input = 0; input < 4; input++) {
        card_make("train", "batch=67,in=53,hidden=131");
        cr_assert(check_fill(rig, &why), "%s", why.message);
        writing.array = memory_of(input);
        writing.threads = NOBODY;
        cr_assert(rig_run_copied(rig, false, &times, &why), "%s", why.message);
        cr_expect_eq(writing.threads, threads[input], "%s: %u", rig->operand[input].name, writing.threads);
        writing.array = NULL;
    }
}

/* Twice if the host has written the data since they were last moved. */
static bool upload_again_if_written(struct session *session, unsigned queue, struct buffer *to, size_t offset,
                                    const void *from, size_t bytes, struct error *err)
{
    const bool is_written = writing.threads != NOBODY;
    writing.threads = NOBODY;
    return (!is_written || whole->upload(session, queue, to, offset, from, bytes, err)) &&
           whole->upload(session, queue, to, offset, from, bytes, err);
}

Test(rig, a_slice_of_uploads_ends_with_one_of_data_that_were_not_written_again)
{
    static const struct {
        const char *workload, *shape;
        bool is_slower; /* the upload of what was written */
        double ratio;   /* of a timed run to the last one; 0: there is none */
    } rows[] = { { "transfer", "bytes=4Mi,direction=up", false, 1 },
                 { "transfer", "bytes=4Mi,direction=up", true, 2 },
                 { "transfer", "bytes=4Mi,direction=down", true, 0 },
                 { "multiply", "50001", true, 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        card_make(rows[i].workload, rows[i].shape);
        doubled.upload = rows[i].is_slower ? upload_again_if_written : whole->upload;
        writing.array = rig->host[0];
        writing.threads = NOBODY;
        struct pace pace = { .run = 0.001 };
        struct pool pool = { 0 };
        struct slice_line slice = { .series = SERIES_COPIED, .kept = NAN };
        cr_assert(slice_run(rig, 0.005, false, &pace, &slice, &pool, &why), "%s", why.message);
        const double ratio = slice.wall.value[0] / slice.kept;
        cr_expect(rows[i].ratio > 0 ? fabs(ratio - rows[i].ratio) < 0.01 : isnan(slice.kept), "row %u: %g", i, ratio);
        cr_expect_not(rig->keeps_inputs);
        pool_release(&pool);
    }
}

Test(rig, a_run_that_wrote_nothing_is_found)
{
    rig_check("multiply", "50001");
    cr_expect_eq(verdict(false), STATUS_WRONG);
    cr_expect(strstr(why.message, "element 0 of 50001 was never written"), "%s", why.message);
}

/* Another kernel shape may add up in another order; so may another run of the same one, and that is what is told. */
Test(rig, bits_differ_from_run_to_run_of_one_kernel_shape_only)
{
    rig_check("matmul", "m=40,n=30,k=2000");
    cr_assert_eq(verdict(true), STATUS_OK, "%s", why.message);
    rig->known.result_shape++;
    check_rounded(7, INFINITY);
    cr_expect_not(check->verification.differs, "the result before was of another kernel shape");
    check_rounded(7, INFINITY);
    cr_expect(check->verification.differs);
}

Test(rig, bits_that_differ_in_any_output_are_told)
{
    rig_check("train", "batch=67,in=53,hidden=131");
    cr_assert_eq(verdict(true), STATUS_OK, "%s", why.message);
    unsigned outputs = 0;
    for (unsigned i = 0; i < rig->operands; i++) {
        if (rig->operand[i].role != ROLE_OUTPUT || rig->operand[i].count < 2)
            continue;
        outputs++;
        round_otherwise(i, 1000);
        cr_assert(check_latest(rig, false, INFINITY, check, &why), "%s", why.message);
        cr_expect(check->verification.differs, "%s", rig->operand[i].name);
        cr_assert(check_latest(rig, false, INFINITY, check, &why), "%s", why.message);
        cr_expect_not(check->verification.differs, "%s", rig->operand[i].name);
    }
    cr_expect_eq(outputs, 2, "%u outputs", outputs);
}

/* Operands of its own are for the first kernel shape; the others compute on what is there. */
Test(rig, another_kernel_shape_is_checked_on_the_operands_that_are_there)
{
    rig_check("multiply", "50001");
    const float kept = ((float *)memory_of(0))[7];
    cr_assert(check_before(rig, check, &checks, &why), "%s", why.message);
    cr_expect(checks == 2 && strcmp(check[0].name, "guard") == 0 && strcmp(check[1].name, "random") == 0);
    cr_expect_eq(check[1].verification.checked, ELEMENTS);
    ((float *)memory_of(0))[7] += 1;
    cr_assert(check_before(rig, check, &checks, &why), "an earlier one wrote to an input: %s", why.message);
    cr_expect(checks == 2 && why.status == STATUS_OK, "the checks are those on new operands");
    cr_expect_eq(((float *)memory_of(0))[7], kept);
}
