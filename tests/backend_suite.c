/* One suite for every backend: what backend.h promises, asked of one device. Which one comes from the environment:
 *
 *   SUITE_BACKEND      "opencl", "cpu", ...
 *   SUITE_SOURCE       a part of the source's text, such as "pocl"; the first source when absent
 *   SUITE_EVENT_CLOCK  "yes" or "no" where it is known whether the device has a clock of its own
 *   SUITE_PLANT        set: run the kernel that writes past its end too, for a checker of kernels to find */

#include "bench/registry.h"
#include "harness/clock.h"
#include "harness/random.h"
#include "harness/verify.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 7 };

/* The device under test. */
struct bed {
    const struct backend *backend;
    struct device device;
    struct session *session;
    struct error err;
};

static struct bed bed_find(void)
{
    struct bed bed = { .err = { .status = STATUS_OK } };
    const char *name = getenv("SUITE_BACKEND"), *wanted = getenv("SUITE_SOURCE");
    bed.backend = name ? backend_find(name) : NULL;
    if (!bed.backend)
        cr_skip_test("no backend \"%s\" in this build", name ? name : "(SUITE_BACKEND is not set)");

    struct source source[SOURCES_MAX] = { { "" } };
    unsigned sources = bed.backend->sources ? bed.backend->sources(source, SOURCES_MAX, &bed.err) : 1, chosen = 0;
    while (chosen < sources && wanted && !strstr(source[chosen].text, wanted))
        chosen++;
    if (sources == 0)
        cr_skip_test("%s", bed.err.message);
    if (chosen == sources)
        cr_skip_test("none of %u sources of %s is called %s", sources, name, wanted);

    static struct device listed[DEVICES_MAX];
    unsigned count = 0;
    cr_assert(bed.backend->list(source[chosen].text, listed, DEVICES_MAX, &count, &bed.err), "%s", bed.err.message);
    if (count == 0)
        cr_skip_test("%s", bed.err.message);
    bed.device = listed[0];
    memcpy(bed.device.source, source[chosen].text, sizeof bed.device.source);
    return bed;
}

static void bed_open(struct bed *bed)
{
    bed->session = bed->backend->open(&bed->device, 0, &bed->err);
    cr_assert(bed->session, "%s: %s", bed->err.where, bed->err.message);
}

static struct bed bed_make(void)
{
    struct bed bed = bed_find();
    bed_open(&bed);
    return bed;
}

static void bed_close(struct bed *bed)
{
    bed->backend->close(bed->session);
    bed->session = NULL;
}

static bool is_mapped(const struct bed *bed, enum memory memory)
{
    return bed->device.works_in_host_memory || memory == MEMORY_MAPPED || memory == MEMORY_MAPPED_COPY;
}

/* A buffer, or NULL where the device honestly has no such memory. */
static struct buffer *buffer_make(struct bed *bed, size_t bytes, enum memory memory)
{
    if (is_mapped(bed, memory) && !bed->backend->map)
        return NULL;
    struct buffer *buffer = bed->backend->alloc(bed->session, bytes, memory, &bed->err);
    if (!buffer && bed->err.status == STATUS_UNSUPPORTED) {
        bed->err.status = STATUS_OK;
        return NULL;
    }
    cr_assert(buffer, "%zu bytes of %s memory: %s", bytes, memory_name(memory), bed->err.message);
    return buffer;
}

static struct buffer *buffer_need(struct bed *bed, size_t bytes, enum memory memory)
{
    struct buffer *buffer = buffer_make(bed, bytes, memory);
    if (!buffer)
        cr_skip_test("%s has no %s memory", bed->device.name, memory_name(memory));
    return buffer;
}

static void buffer_put(struct bed *bed, struct buffer *to, const void *from, size_t bytes, enum memory memory)
{
    const struct backend *backend = bed->backend;
    if (is_mapped(bed, memory)) {
        void *view = backend->map(bed->session, to, &bed->err);
        cr_assert(view, "%s", bed->err.message);
        memcpy(view, from, bytes);
        cr_assert(backend->unmap(bed->session, to, &bed->err), "%s", bed->err.message);
        return;
    }
    void *host = backend->host_alloc(bed->session, bytes, memory, &bed->err);
    cr_assert(host, "%s", bed->err.message);
    memcpy(host, from, bytes);
    cr_assert(backend->upload(bed->session, 0, to, host, bytes, NULL, &bed->err), "%s", bed->err.message);
    cr_assert(backend->finish(bed->session, 0, &bed->err), "%s", bed->err.message);
    backend->host_release(bed->session, host);
}

static void buffer_get(struct bed *bed, void *to, struct buffer *from, size_t bytes, enum memory memory)
{
    const struct backend *backend = bed->backend;
    if (is_mapped(bed, memory)) {
        void *view = backend->map(bed->session, from, &bed->err);
        cr_assert(view, "%s", bed->err.message);
        memcpy(to, view, bytes);
        cr_assert(backend->unmap(bed->session, from, &bed->err), "%s", bed->err.message);
        return;
    }
    void *host = backend->host_alloc(bed->session, bytes, memory, &bed->err);
    cr_assert(host, "%s", bed->err.message);
    memset(host, 0xa5, bytes);
    cr_assert(backend->download(bed->session, 0, host, from, bytes, NULL, &bed->err), "%s", bed->err.message);
    cr_assert(backend->finish(bed->session, 0, &bed->err), "%s", bed->err.message);
    memcpy(to, host, bytes);
    backend->host_release(bed->session, host);
}

static unsigned char *pattern_make(size_t bytes, uint64_t stream)
{
    unsigned char *pattern = malloc(bytes);
    cr_assert(pattern);
    for (size_t i = 0; i < bytes; i++)
        pattern[i] = (unsigned char)random_bits(SEED, stream, i);
    return pattern;
}

/* --- devices and sessions --- */

Test(backend, lists_the_same_complete_devices_twice)
{
    struct bed bed = bed_find();
    static struct device first[DEVICES_MAX], again[DEVICES_MAX];
    unsigned count = 0, recount = 0;
    cr_assert(bed.backend->list(bed.device.source, first, DEVICES_MAX, &count, &bed.err));
    cr_assert(bed.backend->list(bed.device.source, again, DEVICES_MAX, &recount, &bed.err));
    cr_assert_eq(count, recount);
    for (unsigned i = 0; i < count; i++) {
        cr_expect_str_eq(first[i].key, again[i].key);
        cr_expect_str_eq(first[i].backend, bed.backend->name);
        cr_expect_eq(first[i].index, i);
        cr_expect_neq(*first[i].name, '\0');
        cr_expect_neq(*first[i].key, '\0');
        cr_expect_null(strpbrk(first[i].key, " ,"), "\"%s\" is no word", first[i].key);
        bool is_scripted = bed.backend->only_if_named; /* and may leave out what a real one tells */
        cr_expect(is_scripted || first[i].units > 0 || *first[i].note, "unknown units need a note");
        cr_expect(is_scripted || first[i].memory > 0);
        cr_expect(is_scripted || first[i].largest_buffer > 0);
        cr_expect(first[i].computes[DTYPE_F32]);
        cr_expect((first[i].clock > 0) == (*first[i].clock_origin != '\0'), "a clock names its origin");
        for (unsigned k = 0; k < i; k++)
            cr_expect_str_neq(first[i].key, first[k].key);
    }
}

Test(backend, lists_no_more_than_there_is_room_for)
{
    struct bed bed = bed_find();
    struct device none = { .name = "untouched" };
    unsigned count = 1;
    cr_assert(bed.backend->list(bed.device.source, &none, 0, &count, &bed.err));
    cr_assert_eq(count, 0);
    cr_assert_str_eq(none.name, "untouched");
}

static unsigned descriptors_open(void)
{
    unsigned count = 0;
    DIR *directory = opendir("/proc/self/fd");
    cr_assert(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

Test(backend, opens_a_hundred_times_and_leaks_no_descriptor)
{
    struct bed bed = bed_find();
    unsigned before = 0;
    for (int i = 0; i < 100; i++) {
        bed_open(&bed);
        struct buffer *buffer = buffer_make(&bed, 4096, MEMORY_PAGEABLE);
        bed.backend->release(bed.session, buffer);
        bed_close(&bed);
        if (i == 4)
            before = descriptors_open(); /* drivers open some for good when first used */
    }
    cr_assert_eq(descriptors_open(), before);
}

Test(backend, releasing_nothing_is_fine)
{
    struct bed bed = bed_make();
    bed.backend->release(bed.session, NULL);
    bed.backend->host_release(bed.session, NULL);
    bed.backend->discard(NULL);
    cr_expect(bed.backend->finish(bed.session, 0, &bed.err), "an empty queue is finished: %s", bed.err.message);
    bed_close(&bed);
    bed.backend->close(NULL);
}

/* --- memory --- */

static void check_round_trips(enum memory memory)
{
    static const size_t sizes[] = { 1, 3, 63, 65, 4095, 4097, 100003, (4 << 20) + 1 };
    struct bed bed = bed_make();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bytes = sizes[i];
        unsigned char *sent = pattern_make(bytes, i), *received = malloc(bytes);
        cr_assert(received);
        memset(received, 0x5a, bytes);
        struct buffer *buffer = buffer_need(&bed, bytes, memory);
        buffer_put(&bed, buffer, sent, bytes, memory);
        buffer_get(&bed, received, buffer, bytes, memory);
        cr_expect(memcmp(sent, received, bytes) == 0, "%zu bytes came back different", bytes);
        bed.backend->release(bed.session, buffer);
        free(sent);
        free(received);
    }
    bed_close(&bed);
}

Test(backend, pageable_memory_returns_what_it_was_given)
{
    check_round_trips(MEMORY_PAGEABLE);
}

Test(backend, pinned_memory_returns_what_it_was_given)
{
    check_round_trips(MEMORY_PINNED);
}

Test(backend, mapped_memory_returns_what_it_was_given)
{
    check_round_trips(MEMORY_MAPPED);
}

Test(backend, mapped_copy_memory_returns_what_it_was_given)
{
    check_round_trips(MEMORY_MAPPED_COPY);
}

/* A device either has no clock, or one that runs forward and no faster than the host's. */
static void span_check(const struct bed *bed, struct span span, double wall)
{
    const char *known = getenv("SUITE_EVENT_CLOCK");
    bool tells = !isnan(span.start);
    cr_expect_eq(isnan(span.start), isnan(span.end));
    if (tells)
        cr_expect(isfinite(span.start) && span.end > span.start && (bed->backend->now || span.end - span.start < wall),
                  "from %g to %g s within %g s", span.start, span.end, wall);
    if (known)
        cr_expect_eq(tells, strcmp(known, "yes") == 0, "the device is known to tell times: %s", known);
}

Test(backend, two_queues_do_not_mix_their_data)
{
    enum { BYTES = 100003 };
    struct bed bed = bed_make();
    if (bed.device.works_in_host_memory)
        cr_skip_test("%s has nothing to upload", bed.device.name);
    unsigned char *sent[2], *received[2];
    struct buffer *buffer[2];
    struct span span[2];
    for (unsigned i = 0; i < 2; i++) {
        sent[i] = pattern_make(BYTES, i);
        received[i] = calloc(BYTES, 1);
        buffer[i] = buffer_need(&bed, BYTES, MEMORY_PAGEABLE);
    }
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->upload(bed.session, i, buffer[i], sent[i], BYTES, &span[i], &bed.err), "%s",
                  bed.err.message);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->download(bed.session, i, received[i], buffer[i], BYTES, NULL, &bed.err), "%s",
                  bed.err.message);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->finish(bed.session, i, &bed.err), "%s", bed.err.message);
    for (unsigned i = 0; i < 2; i++) {
        cr_expect(memcmp(sent[i], received[i], BYTES) == 0, "queue %u", i);
        cr_expect(isnan(span[i].start) == isnan(span[i].end));
        bed.backend->release(bed.session, buffer[i]);
        free(sent[i]);
        free(received[i]);
    }
    bed_close(&bed);
}

Test(backend, refuses_an_absurd_allocation_and_lives)
{
    struct bed bed = bed_make();
    for (unsigned memory = 0; memory < MEMORY_COUNT; memory++) {
        struct error err = { .status = STATUS_OK };
        struct buffer *buffer = bed.backend->alloc(bed.session, (size_t)1 << 60, (enum memory)memory, &err);
        cr_expect_null(buffer, "1 EiB of %s memory", memory_name((enum memory)memory));
        cr_expect(err.status == STATUS_NO_MEMORY || err.status == STATUS_UNSUPPORTED, "%s: %s", status_name(err.status),
                  err.message);
        cr_expect_neq(*err.message, '\0');
        bed.backend->release(bed.session, buffer);
    }
    struct error err = { .status = STATUS_OK };
    cr_expect_null(bed.backend->host_alloc(bed.session, (size_t)1 << 60, MEMORY_PINNED, &err));
    cr_expect_eq(err.status, STATUS_NO_MEMORY, "%s: %s", status_name(err.status), err.message);
    bed_close(&bed);
    check_round_trips(MEMORY_PAGEABLE);
}

/* --- computing --- */

/* One workload, variant, dtype and shape, set up on the device. */
struct trial {
    struct problem problem;
    const struct variant *variant;
    enum memory memory;
    size_t margin;      /* bytes of guard on both sides of each operand */
    int64_t range;      /* of integer operands; 0: uniform ones */
    struct span *span;  /* of the run; NULL if nobody asks */
    bool plant;         /* spoil one element of the answer before it is checked */
    bool has_no_memory; /* the device has no such memory: nothing was tried */
};

struct truth {
    const struct problem *problem;
    const void *operand[OPERANDS_MAX];
    bool is_exact;
};

static void truth_of(const void *context, int64_t index, double *value, double *bound)
{
    const struct truth *truth = context;
    truth->problem->workload->expect(truth->problem, truth->operand, index, value, bound);
    if (truth->is_exact)
        *bound = 0;
}

static void operand_fill(const struct trial *trial, const struct operand *operand, unsigned i, char *image)
{
    size_t bytes = (size_t)operand->count * dtype_bytes(operand->dtype);
    void *elements = image + trial->margin;
    verify_guard_write(image, trial->margin, SEED + i);
    verify_guard_write(image + trial->margin + bytes, trial->margin, SEED + i);
    if (operand->role == ROLE_OUTPUT)
        verify_poison(elements, operand->dtype, operand->count);
    else if (trial->range)
        random_fill_integer(elements, operand->dtype, 0, operand->count, SEED, i, trial->range);
    else
        random_fill_uniform(elements, operand->dtype, 0, operand->count, SEED, i);
}

static void answer_spoil(const struct operand *operand, void *elements)
{
    int64_t last = operand->count - 1;
    if (operand->dtype == DTYPE_F32)
        ((float *)elements)[last] += 1;
    else
        ((double *)elements)[last] += 1;
}

/* Looks at every element of the output, and at what lies around each operand. */
static bool trial_check(struct bed *bed, const struct trial *trial, const struct operand operand[], unsigned operands,
                        char *const image[], struct buffer *const buffer[], struct error *err)
{
    struct truth truth = { .problem = &trial->problem, .is_exact = trial->range != 0 };
    for (unsigned i = 0; i < operands; i++)
        truth.operand[i] = image[i] + trial->margin;
    bool ok = true;
    for (unsigned i = 0; i < operands; i++) {
        size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype);
        buffer_get(bed, image[i], buffer[i], bytes + 2 * trial->margin, trial->memory);
        if (trial->plant && operand[i].role == ROLE_OUTPUT)
            answer_spoil(&operand[i], image[i] + trial->margin);
        struct verdict verdict;
        ok &= verify_guard_read(image[i], trial->margin, SEED + i, operand[i].name, err) &&
              verify_guard_read(image[i] + trial->margin + bytes, trial->margin, SEED + i, operand[i].name, err);
        if (operand[i].role == ROLE_OUTPUT)
            ok &= verify_all(&verdict, image[i] + trial->margin, operand[i].dtype, operand[i].count, truth_of, &truth,
                             err);
    }
    return ok;
}

static bool trial_run(struct bed *bed, struct trial *trial, struct error *err)
{
    struct operand operand[OPERANDS_MAX];
    unsigned operands = trial->problem.workload->operands(&trial->problem, operand);
    struct job job = { .problem = &trial->problem, .variant = trial->variant };
    struct buffer *buffer[OPERANDS_MAX] = { NULL };
    char *image[OPERANDS_MAX] = { NULL }, detail[DETAIL_MAX] = "";
    for (unsigned i = 0; i < operands; i++) {
        size_t bytes = (size_t)operand[i].count * dtype_bytes(operand[i].dtype), all = bytes + 2 * trial->margin;
        buffer[i] = buffer_make(bed, all, trial->memory);
        trial->has_no_memory = !buffer[i];
        if (!buffer[i])
            return true;
        image[i] = malloc(all);
        cr_assert(image[i]);
        operand_fill(trial, &operand[i], i, image[i]);
        buffer_put(bed, buffer[i], image[i], all, trial->memory);
        job.operand[i] = (struct binding){ buffer[i], trial->margin, bytes };
    }
    struct task *task = bed->backend->prepare(bed->session, &job, detail, err);
    bool ok = task && bed->backend->submit(task, 0, trial->span, err) && bed->backend->finish(bed->session, 0, err) &&
              trial_check(bed, trial, operand, operands, image, buffer, err);
    bed->backend->discard(task);
    for (unsigned i = 0; i < operands; i++) {
        bed->backend->release(bed->session, buffer[i]);
        free(image[i]);
    }
    return ok;
}

static bool is_meant_for(const struct variant *variant, const char *backend)
{
    for (unsigned i = 0; variant->backends[i]; i++) {
        if (strcmp(variant->backends[i], backend) == 0)
            return true;
    }
    return false;
}

/* Every dimension near `size`, as far as the workload allows; odd and uneven where there are several. */
static bool problem_make(struct problem *out, const struct workload *workload, enum dtype dtype, int64_t size)
{
    *out = (struct problem){ .workload = workload, .dtype = dtype };
    for (unsigned i = 0; workload->dims[i].name; i++) {
        const struct dim *dim = &workload->dims[i];
        int64_t wanted = dim->fallback >= 0 ? dim->fallback : size + 2 * (int64_t)i;
        out->dim[i] = wanted < dim->least ? dim->least : wanted > dim->most ? dim->most : wanted;
    }
    return !workload->check || workload->check(out, NULL);
}

/* Calls `body` for every workload, variant and dtype that the device computes; skips the test if there was none. */
static void for_each_method(struct bed *bed,
                            void (*body)(struct bed *bed, const struct workload *, const struct variant *, enum dtype))
{
    unsigned tried = 0;
    for (unsigned w = 0; workloads[w]; w++) {
        const struct variant *variant = workloads[w]->variants;
        for (; variant && variant->name; variant++) {
            for (unsigned dtype = 0; dtype < DTYPE_COUNT; dtype++) {
                if (!is_meant_for(variant, bed->backend->name) || !(workloads[w]->dtypes & 1u << dtype) ||
                    !bed->device.computes[dtype])
                    continue;
                body(bed, workloads[w], variant, (enum dtype)dtype);
                tried++;
            }
        }
    }
    if (tried == 0)
        cr_skip_test("no workload has a variant for %s", bed->device.name);
}

static void check_trial(struct bed *bed, struct trial trial)
{
    struct error err = { .status = STATUS_OK };
    char shape[SHAPE_MAX];
    cr_expect(trial_run(bed, &trial, &err), "%s %s %s %s in %s memory: %s", trial.problem.workload->name,
              trial.variant->name, dtype_name(trial.problem.dtype), problem_shape(&trial.problem, shape),
              memory_name(trial.memory), err.message);
}

/* Around the vector widths, the groups and what one group owns; and one that threads share. */
static const int64_t sizes[] = { 1, 2, 7, 15, 16, 17, 63, 65, 1023, 1025, 8191, 16385, 300007, 70001 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_exact(struct bed *bed, const struct workload *workload, const struct variant *variant,
                        enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE };
        if (!problem_make(&trial.problem, workload, dtype, sizes[i]))
            continue;
        trial.range = workload->exact_range(&trial.problem);
        check_trial(bed, trial);
    }
}

Test(backend, computes_whole_numbers_exactly)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_exact);
    bed_close(&bed);
}

static void check_uniform(struct bed *bed, const struct workload *workload, const struct variant *variant,
                          enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = (enum memory)(i % MEMORY_COUNT) };
        if (problem_make(&trial.problem, workload, dtype, sizes[i]))
            check_trial(bed, trial);
    }
}

Test(backend, computes_random_operands_within_the_bound_in_every_kind_of_memory)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_uniform);
    bed_close(&bed);
}

static void check_window(struct bed *bed, const struct workload *workload, const struct variant *variant,
                         enum dtype dtype)
{
    for (unsigned i = 0; i < SIZES; i++) {
        struct trial trial = { .variant = variant, .memory = (enum memory)(i % MEMORY_COUNT), .margin = GUARD_BYTES };
        if (problem_make(&trial.problem, workload, dtype, sizes[i]))
            check_trial(bed, trial);
    }
}

Test(backend, leaves_what_lies_around_its_operands_alone)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_window);
    bed_close(&bed);
}

static void check_plant(struct bed *bed, const struct workload *workload, const struct variant *variant,
                        enum dtype dtype)
{
    struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE, .plant = true };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_make(&trial.problem, workload, dtype, 1025));
    cr_expect_not(trial_run(bed, &trial, &err), "one wrong element went unseen");
    cr_expect_eq(err.status, STATUS_WRONG, "%s", err.message);
}

Test(backend, and_this_suite_sees_a_wrong_answer)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_plant);
    bed_close(&bed);
}

static void check_span(struct bed *bed, const struct workload *workload, const struct variant *variant,
                       enum dtype dtype)
{
    struct span span = { 1, 0 };
    struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE, .span = &span };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_make(&trial.problem, workload, dtype, 70001));
    double start = clock_wall();
    cr_assert(trial_run(bed, &trial, &err), "%s", err.message);
    span_check(bed, span, clock_wall() - start);
}

Test(backend, tells_believable_times_or_none)
{
    struct bed bed = bed_make();
    for_each_method(&bed, check_span);
    bed_close(&bed);
}

/* --- honest refusals --- */

static struct error prepare_refusal(struct bed *bed, const struct workload *workload, const struct variant *variant,
                                    enum dtype dtype)
{
    struct trial trial = { .variant = variant, .memory = MEMORY_PAGEABLE };
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_make(&trial.problem, workload, dtype, 17));
    cr_expect_not(trial_run(bed, &trial, &err));
    cr_expect_neq(*err.message, '\0');
    return err;
}

static const char *const nowhere[] = { NULL };

Test(backend, says_that_it_does_not_know_a_variant)
{
    struct bed bed = bed_make();
    const struct variant unknown = { "no-such-library", "", nowhere, NULL, NULL };
    struct error err = prepare_refusal(&bed, workload_find("multiply"), &unknown, DTYPE_F32);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_name(err.status), err.message);
    bed_close(&bed);
}

Test(backend, says_that_it_does_not_compute_a_dtype)
{
    struct bed bed = bed_make();
    const struct variant *variant = workload_find("multiply")->variants;
    while (variant->name && !is_meant_for(variant, bed.backend->name))
        variant++;
    if (!variant->name)
        cr_skip_test("multiply has no variant for %s", bed.device.name);
    if (bed.device.computes[DTYPE_F64])
        cr_skip_test("%s computes in every dtype there is", bed.device.name);
    struct error err = prepare_refusal(&bed, workload_find("multiply"), variant, DTYPE_F64);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED, "%s: %s", status_name(err.status), err.message);
    bed_close(&bed);
}

static void launch_one(const struct problem *problem, const struct device *device, struct launch *out)
{
    (void)problem, (void)device;
    *out = (struct launch){ .dims = 1, .global = { 1 } };
}

Test(backend, says_why_a_kernel_text_does_not_compile)
{
    struct bed bed = bed_make();
    if (!variant_find(workload_find("multiply"), "portable") ||
        !is_meant_for(variant_find(workload_find("multiply"), "portable"), bed.backend->name))
        cr_skip_test("%s compiles no kernel texts", bed.backend->name);
    const struct portable broken = { "__kernel void broken(__global float *a) { a[0] = undeclared_name; }", "broken",
                                     launch_one };
    const struct variant variant = { "broken", "", nowhere, NULL, &broken };
    struct error err = prepare_refusal(&bed, workload_find("multiply"), &variant, DTYPE_F32);
    cr_expect_eq(err.status, STATUS_FAILED, "%s: %s", status_name(err.status), err.message);
    cr_expect(strstr(err.message, "undeclared_name"), "the message leaves out what is wrong: %s", err.message);
    bed_close(&bed);
}

Test(planted, writes_past_the_end_of_its_output)
{
    if (!getenv("SUITE_PLANT"))
        cr_skip_test("a wrong kernel, for a checker of kernels to find; SUITE_PLANT is not set");
    struct bed bed = bed_make();
    const struct portable past = { "__kernel void past(__global float *a, __global float *b, __global float *c, long n)"
                                   "{ c[n] = a[0] * b[0]; }",
                                   "past", launch_one };
    const struct variant variant = { "past", "", nowhere, NULL, &past };
    prepare_refusal(&bed, workload_find("multiply"), &variant, DTYPE_F32);
    bed_close(&bed);
}
