/* Emptying the caches before cold runs: how much, and where. */

#include "bench/worker/flush.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* A backend that counts calls: it is its own session and its only buffer. */
struct session {
    unsigned allocations, releases, uploads, waits;
    size_t allocated, uploaded;
    double now;
};
static struct session counted;

static struct buffer *alloc(struct session *session, size_t bytes, enum memory memory, struct error *err)
{
    session->allocations++;
    session->allocated = bytes;
    return (struct buffer *)session;
}

static void release(struct session *session, struct buffer *buffer)
{
    session->releases++;
}

static bool upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err)
{
    cr_assert_eq(queue, 0);
    cr_assert_eq(offset, 0);
    session->uploads++;
    session->uploaded = bytes;
    session->now += 0.01;
    return true;
}

static bool finish(struct session *session, unsigned queue, struct error *err)
{
    session->waits++;
    return true;
}

static double now(struct session *session)
{
    return session->now;
}

static const struct backend counting = {
    .name = "counting", .alloc = alloc, .release = release, .upload = upload, .finish = finish, .now = now
};

static struct flush flush_three_times(const struct device *device)
{
    struct flush flush;
    struct error err = { .status = STATUS_OK };
    counted = (struct session){ 0 };
    cr_assert(flush_open(&flush, &counting, &counted, device, 4 * MIB, &err), "%s", err.message);
    for (unsigned i = 0; i < 3; i++)
        cr_assert(flush_run(&flush, &err), "%s", err.message);
    const struct flush done = flush;
    flush_close(&flush);
    cr_assert_eq(counted.allocations, counted.releases);
    return done;
}

Test(flush, a_device_with_its_own_memory_gets_an_upload_each_time)
{
    struct device device = { .memory = 8e9 };
    struct flush flush = flush_three_times(&device);
    cr_assert_eq(flush.count, 3);
    cr_assert_eq(counted.uploads, 3);
    cr_assert_eq(counted.waits, 3);
    cr_assert_eq(counted.uploaded, 4u * MIB);
    cr_assert_float_eq(flush.seconds, 0.03, 1e-9);
}

/* Four MiB are asked for. */
Test(flush, takes_no_more_than_an_eighth_of_a_device_and_than_one_buffer_may_have)
{
    static const struct {
        double memory, largest_buffer;
        size_t bytes;
    } rows[] = { { 8 * MIB, 4 * MIB, 1 * MIB }, { 8e9, 2 * MIB, 2 * MIB }, { 8e9, 2 * MIB + 4095, 2 * MIB },
                 { 8e9, 0, 4 * MIB },           { 0, 0, 4 * MIB },         { 0, 3 * MIB, 3 * MIB } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device device = { .memory = rows[i].memory, .largest_buffer = rows[i].largest_buffer };
        flush_three_times(&device);
        cr_expect_eq(counted.uploads, 3);
        cr_expect_eq(counted.uploaded, rows[i].bytes, "%u: %zu bytes", i, counted.uploaded);
    }
}

Test(flush, a_device_in_host_memory_needs_no_upload)
{
    struct device shared = { .memory = 8e9, .shares_host_memory = true };
    struct flush flush = flush_three_times(&shared);
    cr_assert_eq(flush.count, 3);
    cr_assert_eq(counted.uploads + counted.allocations, 0);
}

/* Changed lines would be written back during the run. */
Test(flush, the_array_is_real_memory_and_only_read)
{
    struct flush flush;
    struct device device = { .shares_host_memory = true };
    struct error err = { .status = STATUS_OK };
    cr_assert(flush_open(&flush, &counting, &counted, &device, MIB, &err), "%s", err.message);
    for (unsigned i = 0; i < MIB; i++)
        cr_assert_eq(flush.array[i], 1); /* untouched pages would all be one page of zeros */
    flush.array[77] = 2;
    cr_assert(flush_run(&flush, &err), "%s", err.message);
    cr_assert_eq(flush.array[77], 2);
    flush_close(&flush);
    cr_assert_null(flush.array);
}
