#include "harness/base/parallel.h"

#include "harness/base/processors.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

int64_t parallel_cut(int64_t begin, int64_t end, int64_t grain, unsigned part, unsigned parts)
{
    if (part >= parts)
        return end;
    /* Counted in grains, so that no product can overflow. */
    int64_t grains = (end - begin) / grain + ((end - begin) % grain != 0);
    int64_t each = grains / parts, extra = grains % parts;
    int64_t before = each * part + (part < extra ? part : extra);
    return before >= grains ? end : begin + before * grain;
}

unsigned parallel_slices(parallel_body *body, void *context, int64_t begin, int64_t end, int64_t grain,
                         unsigned threads)
{
    if (end - begin <= grain) {
        if (end > begin)
            body(context, begin, end);
        return 1;
    }

    unsigned used = 1; /* fewer than asked for where OMP_THREAD_LIMIT says so */
#pragma omp parallel num_threads(threads ? (int)threads : omp_get_max_threads())
    {
        unsigned part = (unsigned)omp_get_thread_num(), parts = (unsigned)omp_get_num_threads();
        int64_t from = parallel_cut(begin, end, grain, part, parts);
        int64_t to = parallel_cut(begin, end, grain, part + 1, parts);
        if (from < to)
            body(context, from, to);
        if (part == 0)
            used = parts;
    }
    return used;
}

static void do_nothing(void *context, int64_t begin, int64_t end)
{
}

/* Through a function, since compilers remove a region that is empty. */
unsigned parallel_begin(unsigned threads)
{
    threads = threads ? threads : parallel_threads();
    return parallel_slices(do_nothing, NULL, 0, threads, 1, threads);
}

unsigned parallel_threads(void)
{
    return (unsigned)omp_get_max_threads();
}

const char *parallel_runtime(void)
{
    /* _OPENMP is the date of a version of the specification. */
    return _OPENMP >= 202011 ? "OpenMP 5.1" : _OPENMP >= 201811 ? "OpenMP 5.0" : "OpenMP 4.5";
}

unsigned parallel_observe(unsigned threads)
{
    unsigned computing = 0;
    struct processors all = { { 0 } };
#pragma omp parallel num_threads(threads ? (int)threads : omp_get_max_threads())
    {
        struct processors own;
        const bool is_known = processors_read(&own);
#pragma omp critical
        {
            if (is_known)
                processors_add(&all, &own);
            computing++;
        }
    }
    const unsigned processors = processors_count(&all);
    computing = processors > 0 && processors < computing ? processors : computing;
    omp_set_num_threads((int)computing);
    return computing;
}
