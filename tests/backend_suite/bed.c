#include "tests/backend_suite/bed.h"

#include "harness/base/text.h"
#include "harness/measure/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void hardware_override(struct device *device)
{
    const char *wanted = getenv("SUITE_CLASS"), *architecture = getenv("SUITE_ARCHITECTURE");
    if (architecture)
        text_copy(device->architecture, sizeof device->architecture, architecture);
    for (unsigned class = 0; wanted && class < CLASS_COUNT; class ++)
        if (strcmp(class_names[class], wanted) == 0)
            device->class = (enum device_class) class;
}

struct bed bed_find(void)
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
    hardware_override(&bed.device);
    memcpy(bed.device.source, source[chosen].text, sizeof bed.device.source);
    return bed;
}

void bed_open(struct bed *bed)
{
    bed->session = bed->backend->open(&bed->device, 0, &bed->err);
    cr_assert(bed->session, "%s: %s", bed->err.where, bed->err.message);
}

struct bed bed_make(void)
{
    struct bed bed = bed_find();
    bed_open(&bed);
    return bed;
}

void bed_close(struct bed *bed)
{
    bed->backend->close(bed->session);
    bed->session = NULL;
}

void compiler_need(const struct bed *bed)
{
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX; i++)
        if (strcmp(bed->device.library[i].name, "NVRTC") == 0 && !*bed->device.library[i].path)
            cr_skip_test("no compiler for the kernel texts of this test: %s", bed->device.library[i].trouble);
}

static bool is_mapped(const struct bed *bed, enum memory memory)
{
    return bed->device.works_in_host_memory || memory_is_mapped(memory);
}

struct buffer *buffer_make(struct bed *bed, size_t bytes, enum memory memory)
{
    if (is_mapped(bed, memory) && !bed->backend->map)
        return NULL;
    struct buffer *buffer = bed->backend->alloc(bed->session, bytes, memory, &bed->err);
    if (!buffer && bed->err.status == STATUS_UNSUPPORTED) {
        bed->err.status = STATUS_OK;
        return NULL;
    }
    cr_assert(buffer, "%zu bytes of %s memory: %s", bytes, memory_names[memory], bed->err.message);
    return buffer;
}

struct buffer *buffer_need(struct bed *bed, size_t bytes, enum memory memory)
{
    struct buffer *buffer = buffer_make(bed, bytes, memory);
    if (!buffer)
        cr_skip_test("%s has no %s memory", bed->device.name, memory_names[memory]);
    return buffer;
}

/* Page-locked memory is a mapped buffer; other memory has none. */
static void *host_make(struct bed *bed, size_t bytes, enum memory memory, struct buffer **pinned)
{
    *pinned = memory == MEMORY_PINNED && bed->backend->map ? buffer_make(bed, bytes, MEMORY_MAPPED) : NULL;
    void *host = *pinned ? bed->backend->map(bed->session, *pinned, MAP_UPDATE, &bed->err) : malloc(bytes);
    cr_assert(host, "%s", bed->err.message);
    return host;
}

static void host_release(struct bed *bed, void *host, struct buffer *pinned)
{
    if (!pinned)
        free(host);
    bed->backend->release(bed->session, pinned);
}

void buffer_put(struct bed *bed, struct buffer *to, const void *from, size_t bytes, enum memory memory)
{
    const struct backend *backend = bed->backend;
    if (is_mapped(bed, memory)) {
        void *view = backend->map(bed->session, to, MAP_WRITE, &bed->err);
        cr_assert(view, "%s", bed->err.message);
        memcpy(view, from, bytes);
        cr_assert((!backend->unmap || backend->unmap(bed->session, to, &bed->err)) &&
                      backend->finish(bed->session, 0, &bed->err),
                  "%s", bed->err.message);
        return;
    }
    struct buffer *pinned;
    void *host = host_make(bed, bytes, memory, &pinned);
    memcpy(host, from, bytes);
    cr_assert(backend->upload(bed->session, 0, to, 0, host, bytes, &bed->err), "%s", bed->err.message);
    cr_assert(backend->finish(bed->session, 0, &bed->err), "%s", bed->err.message);
    host_release(bed, host, pinned);
}

void buffer_get(struct bed *bed, void *to, struct buffer *from, size_t bytes, enum memory memory)
{
    const struct backend *backend = bed->backend;
    if (is_mapped(bed, memory)) {
        void *view = backend->map(bed->session, from, MAP_READ, &bed->err);
        cr_assert(view, "%s", bed->err.message);
        memcpy(to, view, bytes);
        cr_assert((!backend->unmap || backend->unmap(bed->session, from, &bed->err)) &&
                      backend->finish(bed->session, 0, &bed->err),
                  "%s", bed->err.message);
        return;
    }
    struct buffer *pinned;
    void *host = host_make(bed, bytes, memory, &pinned);
    memset(host, 0xa5, bytes);
    cr_assert(backend->download(bed->session, 0, host, from, 0, bytes, &bed->err), "%s", bed->err.message);
    cr_assert(backend->finish(bed->session, 0, &bed->err), "%s", bed->err.message);
    memcpy(to, host, bytes);
    host_release(bed, host, pinned);
}

unsigned char *pattern_make(size_t bytes, uint64_t stream)
{
    unsigned char *pattern = malloc(bytes);
    cr_assert(pattern);
    for (size_t i = 0; i < bytes; i++)
        pattern[i] = (unsigned char)random_bits(SEED, stream, i);
    return pattern;
}

void span_check(const struct bed *bed, struct span span, double wall)
{
    cr_expect_eq(isnan(span.start), isnan(span.end));
    if (!isnan(span.start))
        cr_expect(isfinite(span.start) && span.end > span.start && (bed->backend->now || span.end - span.start < wall),
                  "from %g to %g s within %g s", span.start, span.end, wall);
}
