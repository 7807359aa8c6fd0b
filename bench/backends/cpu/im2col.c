#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/parallel.h"
#include "kernels/native_conv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A convolution as a product of matrices: filters, one a row, times patches of an image, one a column, gives the
 * channels of the output as they are to lie in memory. The patches are copied out of the image, so many of them at a
 * time as the caches hold; filters of one element that take every element of the image need no copy. */

/* Bytes of patches for each thread that are multiplied before the next are copied. */
static const int64_t patches_bytes = (int64_t)1 << 20;

struct work {
    struct openblas library;
    struct session *session;
    struct buffer *patches; /* NULL: the image is the matrix */
    const char *in, *filters;
    char *out;
    int64_t dim[DIMS_MAX];
    struct conv_plan plan;
    int64_t chunk; /* patches in the matrix at a time */
    enum dtype dtype;
    size_t size; /* of an element */
};

/* Patches of one image at places [from, to), as the threads that copy them see it. */
struct turn {
    const struct work *work;
    const char *image;
    int64_t from, to;
};

static void copy_strided(char *to, const char *from, int64_t count, int64_t stride, size_t size)
{
    if (stride == 1)
        memcpy(to, from, (size_t)count * size);
    else if (size == sizeof(float))
        for (int64_t i = 0; i < count; i++)
            ((float *)(void *)to)[i] = ((const float *)(const void *)from)[i * stride];
    else
        for (int64_t i = 0; i < count; i++)
            ((double *)(void *)to)[i] = ((const double *)(const void *)from)[i * stride];
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* What the places [q, end) of one row of them find at one element of the filter, in row y of the channel. */
static void gather_row(const struct work *work, char *to, const char *channel, int64_t y, int64_t s, int64_t q,
                       int64_t end)
{
    const int64_t *dim = work->dim, stride = dim[CONV_STRIDE], x = s - dim[CONV_PAD], width = dim[CONV_W];
    const bool is_in = y >= 0 && y < dim[CONV_H];
    /* Places before the first that lies in the image, and before the first that lies beyond it. */
    const int64_t first = is_in ? clamp(x >= 0 ? 0 : (-x + stride - 1) / stride, q, end) : end;
    const int64_t last = is_in ? clamp(x >= width ? 0 : (width - x + stride - 1) / stride, first, end) : end;
    memset(to, 0, (size_t)(first - q) * work->size);
    if (last > first)
        copy_strided(to + (size_t)(first - q) * work->size,
                     channel + (size_t)(y * width + x + first * stride) * work->size, last - first, stride, work->size);
    memset(to + (size_t)(last - q) * work->size, 0, (size_t)(end - last) * work->size);
}

/* Rows of the matrix of patches: one for each element of a filter. */
static void gather(void *context, int64_t begin, int64_t end)
{
    const struct turn *turn = context;
    const struct work *work = turn->work;
    const int64_t *dim = work->dim, columns = work->plan.q;
    for (int64_t tap = begin; tap < end; tap++) {
        const int64_t s = tap % dim[CONV_S], r = tap / dim[CONV_S] % dim[CONV_R], c = tap / dim[CONV_S] / dim[CONV_R];
        const char *channel = turn->image + (size_t)(c * dim[CONV_H] * dim[CONV_W]) * work->size;
        char *to = work->patches->memory + (size_t)(tap * work->chunk) * work->size;
        for (int64_t place = turn->from; place < turn->to;) {
            const int64_t p = place / columns, q = place % columns;
            const int64_t stop = clamp(turn->to - place + q, 0, columns);
            gather_row(work, to, channel, p * dim[CONV_STRIDE] - dim[CONV_PAD] + r, s, q, stop);
            to += (size_t)(stop - q) * work->size;
            place += stop - q;
        }
    }
}

static void image_run(const struct work *work, const char *image, char *out)
{
    const struct conv_plan *plan = &work->plan;
    const int64_t places = plan->p * plan->q;
    struct openblas_product product = { work->dim[CONV_K], places, plan->taps, places, places };
    if (!work->patches) {
        openblas_gemm(&work->library, work->dtype, &product, work->filters, image, out);
        return;
    }
    product.b_pitch = work->chunk;
    for (int64_t place = 0; place < places; place += work->chunk) {
        struct turn turn = { work, image, place, clamp(place + work->chunk, 0, places) };
        parallel_slices(gather, &turn, 0, plan->taps, 1, work->session->threads);
        product.n = turn.to - turn.from;
        openblas_gemm(&work->library, work->dtype, &product, work->filters, work->patches->memory,
                      out + (size_t)place * work->size);
    }
}

static bool im2col_run(void *opaque, struct error *err)
{
    const struct work *work = opaque;
    const int64_t *dim = work->dim;
    (void)err;
    for (int64_t n = 0; n < dim[CONV_N]; n++)
        image_run(work, work->in + (size_t)(n * dim[CONV_C] * dim[CONV_H] * dim[CONV_W]) * work->size,
                  work->out + (size_t)(n * dim[CONV_K] * work->plan.p * work->plan.q) * work->size);
    return true;
}

static void im2col_close(void *opaque)
{
    struct work *work = opaque;
    cpu_release(work->session, work->patches);
    free(work);
}

static bool counts(const struct openblas *library, const struct conv_plan *plan, int64_t k, struct error *err)
{
    return openblas_counts(library, "k", k, err) && openblas_counts(library, "c * r * s", plan->taps, err) &&
           openblas_counts(library, "p * q", plan->p * plan->q, err);
}

/* Memory for the matrix of patches, unless the image is that already. */
static bool patches_alloc(struct work *work, struct error *err)
{
    const int64_t *dim = work->dim, bytes = work->plan.taps * (int64_t)work->size;
    if (dim[CONV_R] == 1 && dim[CONV_S] == 1 && dim[CONV_STRIDE] == 1 && dim[CONV_PAD] == 0)
        return true;
    const int64_t cached = patches_bytes * work->session->threads / bytes, places = work->plan.p * work->plan.q;
    work->chunk = clamp(cached, places < 64 ? places : 64, places);
    work->patches = cpu_alloc(work->session, (size_t)(work->chunk * bytes), MEMORY_PAGEABLE, err);
    return work->patches;
}

static void *im2col_open(struct session *session, const struct job *job, void *const array[OPERANDS_MAX],
                         char detail[DETAIL_MAX], struct error *err)
{
    const struct problem *problem = job->problem;
    const struct conv_plan plan = conv_plan_make(problem->dim);
    struct openblas library;
    if (!openblas_open(&library, NULL, session->threads, err) || !counts(&library, &plan, problem->dim[CONV_K], err))
        return NULL;
    struct work *work = malloc(sizeof *work);
    if (!work) {
        fail(err, STATUS_NO_MEMORY, "no memory for a task");
        return NULL;
    }
    *work = (struct work){
        .library = library,
        .session = session,
        .in = array[0],
        .filters = array[1],
        .out = array[2],
        .plan = plan,
        .dtype = problem->dtype,
        .size = dtype_bytes(problem->dtype),
    };
    memcpy(work->dim, problem->dim, sizeof work->dim);
    if (!patches_alloc(work, err)) {
        im2col_close(work);
        return NULL;
    }
    char pages[40];
    cpu_pages_describe(pages, sizeof pages, job);
    snprintf(detail, DETAIL_MAX, "%s, %s, %u thread%s", library.name, pages, library.threads,
             library.threads == 1 ? "" : "s");
    return work;
}

const struct routine routine_im2col = {
    .workload = "conv",
    .variant = "im2col-openblas",
    .open = im2col_open,
    .run = im2col_run,
    .close = im2col_close,
};
