#include "bench/worker/flush.h"

#include "harness/base/clock.h"
#include "harness/base/pages.h"
#include "harness/base/parallel.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096 };

/* The caches of GPUs reach 256 MiB (AMD's Infinity Cache); drivers report only some of them. */
static const double device_caches = 256 << 20;

static void touch(void *context, int64_t begin, int64_t end)
{
    memset((char *)context + begin, 1, (size_t)(end - begin));
}

/* One byte of each line; volatile, so that the compiler keeps the reads. */
static void read_through(void *context, int64_t begin, int64_t end)
{
    const volatile char *array = context;
    for (int64_t i = begin; i < end; i += LINE)
        (void)array[i];
}

bool flush_open(struct flush *flush, const struct backend *backend, struct session *session,
                const struct device *device, size_t bytes, struct error *err)
{
    *flush = (struct flush){ .backend = backend, .session = session, .bytes = bytes };
    flush->array = pages_alloc(bytes, PAGE);
    if (!flush->array)
        return fail(err, STATUS_NO_MEMORY, "no memory for the %zu bytes that empty the caches", bytes);
    parallel_slices(touch, flush->array, 0, (int64_t)bytes, PAGE, 0);
    /* A device with its own memory has its own caches. */
    double most = fmin(fmin(device_caches, (double)bytes), device->memory > 0 ? device->memory / 8 : INFINITY);
    if (device->largest_buffer > 0)
        most = fmin(most, device->largest_buffer);
    flush->scratch_bytes = (size_t)most / PAGE * PAGE;
    if (device->shares_host_memory || device->works_in_host_memory || flush->scratch_bytes == 0)
        return true;
    flush->scratch = backend->alloc(session, flush->scratch_bytes, MEMORY_PAGEABLE, err);
    return flush->scratch != NULL;
}

static double now(const struct flush *flush)
{
    return flush->backend->now ? flush->backend->now(flush->session) : clock_wall();
}

/* The device comes last, so that it does not idle before the run. */
bool flush_run(struct flush *flush, struct error *err)
{
    double start = now(flush), cpu = clock_cpu();
    parallel_slices(read_through, flush->array, 0, (int64_t)flush->bytes, PAGE, 0);
    if (flush->scratch &&
        !(flush->backend->upload(flush->session, 0, flush->scratch, 0, flush->array, flush->scratch_bytes, err) &&
          flush->backend->finish(flush->session, 0, err)))
        return false;
    flush->count++;
    flush->seconds += now(flush) - start;
    flush->cpu += clock_cpu() - cpu;
    return true;
}

void flush_close(struct flush *flush)
{
    if (flush->scratch)
        flush->backend->release(flush->session, flush->scratch);
    pages_release(flush->array);
    *flush = (struct flush){ .backend = NULL };
}
