#include "tests/backend_suite/bed.h"

#include "harness/base/clock.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <string.h>

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
        bool is_scripted = bed.backend->only_if_named; /* and may leave out what a real one reports */
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

/* A hundred times, or as often as ten seconds allow: a context of a real GPU takes 0.4 s. */
Test(backend, opens_again_and_again_and_leaks_no_descriptor)
{
    struct bed bed = bed_find();
    unsigned before = 0;
    const double start = clock_wall();
    for (int i = 0; i < 100 && (i < 10 || clock_wall() - start < 10); i++) {
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
    bed.backend->discard(NULL);
    cr_expect(bed.backend->finish(bed.session, 0, &bed.err), "an empty queue is finished: %s", bed.err.message);
    bed_close(&bed);
    bed.backend->close(NULL);
}
