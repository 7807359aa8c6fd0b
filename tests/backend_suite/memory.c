#include "tests/backend_suite/bed.h"

#include "harness/base/clock.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

Test(backend, reading_mapped_memory_leaves_it_as_it_was)
{
    enum { BYTES = 100003 };
    struct bed bed = bed_make();
    struct buffer *buffer = buffer_need(&bed, BYTES, MEMORY_MAPPED);
    unsigned char *sent = pattern_make(BYTES, 0), *received = malloc(BYTES);
    cr_assert(received);
    buffer_put(&bed, buffer, sent, BYTES, MEMORY_MAPPED);
    for (unsigned i = 0; i < 3; i++) {
        memset(received, 0x5a, BYTES);
        buffer_get(&bed, received, buffer, BYTES, MEMORY_MAPPED);
        cr_expect(memcmp(sent, received, BYTES) == 0, "different when read for time %u", i + 1);
    }
    bed.backend->release(bed.session, buffer);
    bed_close(&bed);
    free(sent);
    free(received);
}

Test(backend, two_queues_do_not_mix_their_data)
{
    enum { BYTES = 100003 };
    struct bed bed = bed_make();
    if (bed.device.works_in_host_memory)
        cr_skip_test("%s has nothing to upload", bed.device.name);
    if (strcmp(bed.device.platform, "rusticl") == 0) /* of Mesa 22.3; the portable kernels refuse it too */
        cr_skip_test("rusticl loses what two queues write at the same time");
    unsigned char *sent[2], *received[2];
    struct buffer *buffer[2];
    for (unsigned i = 0; i < 2; i++) {
        sent[i] = pattern_make(BYTES, i);
        received[i] = calloc(BYTES, 1);
        buffer[i] = buffer_need(&bed, BYTES, MEMORY_PAGEABLE);
    }
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->upload(bed.session, i, buffer[i], 0, sent[i], BYTES, &bed.err), "%s", bed.err.message);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->download(bed.session, i, received[i], buffer[i], 0, BYTES, &bed.err), "%s",
                  bed.err.message);
    for (unsigned i = 0; i < 2; i++)
        cr_assert(bed.backend->finish(bed.session, i, &bed.err), "%s", bed.err.message);
    for (unsigned i = 0; i < 2; i++) {
        cr_expect(memcmp(sent[i], received[i], BYTES) == 0, "queue %u", i);
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
        cr_expect_null(buffer, "1 EiB of %s memory", memory_names[memory]);
        cr_expect(err.status == STATUS_NO_MEMORY || err.status == STATUS_UNSUPPORTED, "%s: %s",
                  status_names[err.status], err.message);
        cr_expect_neq(*err.message, '\0');
        bed.backend->release(bed.session, buffer);
    }
    bed_close(&bed);
    check_round_trips(MEMORY_PAGEABLE);
}
