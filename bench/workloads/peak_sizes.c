#include "bench/workloads/peak.h"

#include <math.h>
#include <stdio.h>

/* Bytes that one run goes through, about: a millisecond of the fastest cache there is for a few cores. */
static const double run_bytes = 256 << 20;

/* What of a level the cores have that are used: as many of its instances as come with them, and one at least. */
static double level_bytes(const struct host *host, const struct cache *cache)
{
    const double cores = host->allowed_cores > host->cores ? host->allowed_cores : host->cores;
    const double used = cores > 0 ? fmin(1, host->worker_threads / cores) : 1;
    return cache->bytes * fmax(1, floor(used * cache->instances));
}

/* The level is a data cache of its own: larger than those before it. Passes are even where a run of one pass would be
 * long, as one is what sets beyond all caches have. */
static unsigned level_sizes(const struct host *host, const struct cache *cache, char out[][SHAPE_MAX], unsigned room)
{
    static const char *const kind[] = { "read", "write", "copy", "triad" };
    const double bytes = floor(level_bytes(host, cache) / 2), passes = fmax(2, ceil(run_bytes / bytes));
    unsigned sizes = 0;
    for (; sizes < sizeof kind / sizeof *kind && sizes < room; sizes++)
        snprintf(out[sizes], SHAPE_MAX, "kind=%s,bytes=%.0f,passes=%.0f", kind[sizes], bytes, passes);
    return sizes;
}

unsigned peak_sizes(const struct host *host, enum suite suite, char out[][SHAPE_MAX], unsigned room)
{
    unsigned sizes = 0;
    for (unsigned i = 0; suite == SUITE_FULL && i < host->caches; i++)
        if (host->cache[i].bytes > 0)
            sizes += level_sizes(host, &host->cache[i], out + sizes, room - sizes);
    return sizes;
}
