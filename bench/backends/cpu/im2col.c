#include "bench/backends/cpu/cpu.h"
#include "bench/backends/cpu/openblas.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "kernels/native_conv.h"

#include <string.h>

/* A convolution as a product of matrices: filters (rows) times patches of an image (columns) gives the output in its
 * own layout. Patches are copied out of the image, as many at a time as a core's own cache holds. Filters of one
 * element at stride 1 need no copy. Each thread copies and multiplies by itself, so threads wait only at the end. */

/* Bytes of patches that are copied at a time. */
static const int64_t patches_bytes = (int64_t)1 << 20;

struct im2col_work {
    struct openblas library;
    struct session *session;
    struct buffer *patches; /* a matrix for each thread; NULL: the image is the matrix */
    const char *in, *filters;
    char *out;
    int64_t dim[DIMS_MAX];
    struct conv_plan plan;
    int64_t chunk;  /* places that are computed at a time */
    int64_t chunks; /* of each image */
    enum dtype dtype;
    size_t size; /* of an element */
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

/* For one element of the filter, what the places [q, end) of one row multiply it with, in row y of the channel. */
static void gather_row(const struct im2col_work *work, char *to, const char *channel, int64_t y, int64_t s, int64_t q,
                       int64_t end)
{
    const int64_t *dim = work->dim, stride = dim[CONV_STRIDE], x = s - dim[CONV_PAD], width = dim[CONV_W];
    const bool is_in = y >= 0 && y < dim[CONV_H];
    /* The first place inside the image, and the first beyond it. */
    const int64_t first = is_in ? clamp(x >= 0 ? 0 : (-x + stride - 1) / stride, q, end) : end;
    const int64_t last = is_in ? clamp(x >= width ? 0 : (width - x + stride - 1) / stride, first, end) : end;
    memset(to, 0, (size_t)(first - q) * work->size);
    if (last > first)
        copy_strided(to + (size_t)(first - q) * work->size,
                     channel + (size_t)(y * width + x + first * stride) * work->size, last - first, stride, work->size);
    memset(to + (size_t)(last - q) * work->size, 0, (size_t)(end - last) * work->size);
}

/* The patches at places [from, to) of an image: a row for each element of a filter. */
static void gather(const struct im2col_work *work, char *patches, const char *image, int64_t from, int64_t to)
{
    const int64_t *dim = work->dim, columns = work->plan.q;
    for (int64_t tap = 0; tap < work->plan.taps; tap++) {
        const int64_t s = tap % dim[CONV_S], r = tap / dim[CONV_S] % dim[CONV_R], c = tap / dim[CONV_S] / dim[CONV_R];
        const char *channel = image + (size_t)(c * dim[CONV_H] * dim[CONV_W]) * work->size;
        char *row = patches + (size_t)(tap * work->chunk) * work->size;
        for (int64_t place = from; place < to;) {
            const int64_t p = place / columns, q = place % columns;
            const int64_t end = clamp(to - place + q, 0, columns);
            gather_row(work, row, channel, p * dim[CONV_STRIDE] - dim[CONV_PAD] + r, s, q, end);
            row += (size_t)(end - q) * work->size;
            place += end - q;
        }
    }
}

/* One chunk of one image. */
static void chunk_run(const struct im2col_work *work, char *patches, int64_t image, int64_t from)
{
    const int64_t *dim = work->dim, places = work->plan.p * work->plan.q;
    const int64_t to = clamp(from + work->chunk, 0, places);
    const char *in = work->in + (size_t)(image * dim[CONV_C] * dim[CONV_H] * dim[CONV_W]) * work->size;
    char *out = work->out + (size_t)(image * dim[CONV_K] * places + from) * work->size;
    struct gemm gemm = gemm_dense(dim[CONV_K], to - from, work->plan.taps);
    gemm.b_pitch = gemm.c_pitch = places;
    if (patches) {
        gemm.b_pitch = work->chunk;
        gather(work, patches, in, from, to);
        openblas_gemm(&work->library, work->dtype, &gemm, work->filters, patches, out);
    } else {
        openblas_gemm(&work->library, work->dtype, &gemm, work->filters, in + (size_t)from * work->size, out);
    }
}

/* Parts [begin, end) of as many as there are threads. OpenBLAS uses one thread where several call it. */
static void parts_run(void *context, int64_t begin, int64_t end)
{
    const struct im2col_work *work = context;
    const unsigned threads = work->session->threads;
    for (unsigned part = (unsigned)begin; part < (unsigned)end; part++) {
        const int64_t all = work->dim[CONV_N] * work->chunks;
        const int64_t last = parallel_cut(0, all, 1, part + 1, threads);
        char *patches =
            work->patches ? work->patches->memory + (size_t)(part * work->chunk * work->plan.taps) * work->size : NULL;
        for (int64_t i = parallel_cut(0, all, 1, part, threads); i < last; i++)
            chunk_run(work, patches, i / work->chunks, i % work->chunks * work->chunk);
    }
}

static bool im2col_submit(void *opaque, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    const struct im2col_work *work = opaque;
    parallel_slices(parts_run, opaque, 0, work->session->threads, 1, work->session->threads);
    return true;
}

static void im2col_close(void *opaque)
{
    struct im2col_work *work = opaque;
    cpu_release(work->session, work->patches);
}

/* Whether the image already is the matrix of patches. */
static bool is_matrix(const int64_t dim[])
{
    return dim[CONV_R] == 1 && dim[CONV_S] == 1 && dim[CONV_STRIDE] == 1 && dim[CONV_PAD] == 0;
}

static int64_t blocks(int64_t count, int64_t block)
{
    return (count + block - 1) / block;
}

/* As few of each image as fit a cache one by one, and a multiple of the threads, which then have equal parts. None is
 * too small for gemm. */
static bool chunks_make(struct im2col_work *work, struct error *err)
{
    const int64_t places = work->plan.p * work->plan.q, threads = work->session->threads;
    const int64_t column = work->plan.taps * (int64_t)work->size;
    const int64_t fewest = is_matrix(work->dim) ? 1 : blocks(places * column, patches_bytes);
    const int64_t chunks = work->dim[CONV_N] % threads == 0 ? fewest : blocks(fewest, threads) * threads;
    work->chunk = clamp(blocks(places, chunks), places < 64 ? places : 64, places);
    work->chunks = blocks(places, work->chunk);
    if (is_matrix(work->dim))
        return true;
    const int64_t all = work->dim[CONV_N] * work->chunks, busy = all < threads ? all : threads;
    work->patches = cpu_alloc(work->session, (size_t)(busy * work->chunk * column), MEMORY_PAGEABLE, err);
    return work->patches;
}

static bool im2col_open(void *opaque, struct session *session, const struct job *job, char detail[DETAIL_MAX],
                        struct error *err)
{
    const struct problem *problem = job->problem;
    const struct conv_plan plan = conv_plan_make(problem->dim);
    void *array[OPERANDS_MAX];
    struct openblas library;
    if (!cpu_operands(job, array, err) || !openblas_computes(problem->dtype, err) ||
        !openblas_open(&library, NULL, session->blas_core, session->threads, err) ||
        !openblas_counts(&library, "k", problem->dim[CONV_K], err) ||
        !openblas_counts(&library, "c * r * s", plan.taps, err) ||
        !openblas_counts(&library, "p * q", plan.p * plan.q, err))
        return false;
    struct im2col_work *work = opaque;
    *work = (struct im2col_work){
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
    if (!chunks_make(work, err))
        return false;
    if (!library.is_openmp)
        library.call.set_num_threads(1); /* each of our threads calls it */
    text_copy(detail, DETAIL_MAX, library.name);
    cpu_detail_append(detail, job, dtype_sums(problem->dtype), session->threads);
    return true;
}

const struct routine cpu_im2col = { "conv",      { "im2col-openblas" },   sizeof(struct im2col_work),
                                    im2col_open, .submit = im2col_submit, .close = im2col_close };
