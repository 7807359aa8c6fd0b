/* Emptying the caches before cold runs: how much, and where. */

#include "bench/worker/flush.h"

#include <criterion/criterion.h>
#include <math.h>
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

/* One with memory of its own gets an upload each time. Four MiB are asked for. */
Test(flush, takes_no_more_than_an_eighth_of_a_device_and_than_one_buffer_may_have)
{
    static const struct {
        double memory, largest_buffer;
        bool is_shared;
        size_t bytes; /* 0: no upload */
    } rows[] = { { 8e9, 0, false, 4 * MIB },
                 { 8 * MIB, 4 * MIB, false, 1 * MIB },
                 { 8e9, 2 * MIB, false, 2 * MIB },
                 { 8e9, 2 * MIB + 4095, false, 2 * MIB },
                 { 0, 0, false, 4 * MIB },
                 { 0, 3 * MIB, false, 3 * MIB },
                 { 8e9, 0, true, 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct device device = { .memory = rows[i].memory,
                                       .largest_buffer = rows[i].largest_buffer,
                                       .shares_host_memory = rows[i].is_shared };
        const struct flush flush = flush_three_times(&device);
        const unsigned uploads = rows[i].is_shared ? 0 : 3;
        cr_expect_eq(flush.count, 3);
        cr_expect(counted.uploads == uploads && counted.waits == uploads, "%u: %u uploads", i, counted.uploads);
        cr_expect_eq(counted.uploaded, rows[i].bytes, "%u: %zu bytes", i, counted.uploaded);
        cr_expect_eq(counted.allocations > 0, uploads > 0, "%u", i);
        cr_expect(rows[i].is_shared || fabs(flush.seconds - 0.03) < 1e-9, "%u: %g s", i, flush.seconds);
    }
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
