#include "bench/workloads/multiply.h"

/* Transfers during computation: multiply in chunks. Each chunk is uploaded, computed and downloaded on one queue, the
 * next chunk on the next queue. With two queues a device that can do both moves one chunk while it computes another;
 * with one chunk it is the ordinary copied. */

enum { N, CHUNKS, QUEUES };
enum { STEPS_EACH = 4, CHUNKS_MAX = STEPS_MAX / STEPS_EACH };

static bool overlap_accepts(const struct problem *problem, struct error *err)
{
    const long long chunks = problem->dim[CHUNKS], queues = problem->dim[QUEUES];
    if (queues > chunks)
        return fail(err, STATUS_USAGE, "queues=%lld for chunks=%lld: a queue without a chunk has nothing to do", queues,
                    chunks);
    return multiply_can_be_cut(problem, chunks, "chunks", err);
}

static unsigned overlap_steps(const struct problem *problem, struct step out[STEPS_MAX])
{
    const unsigned chunks = (unsigned)problem->dim[CHUNKS], queues = (unsigned)problem->dim[QUEUES];
    static const struct step each[STEPS_EACH] = {
        { .kind = STEP_UPLOAD, .operand = 0 },
        { .kind = STEP_UPLOAD, .operand = 1 },
        { .kind = STEP_COMPUTE },
        { .kind = STEP_DOWNLOAD, .operand = 2 },
    };
    for (unsigned i = 0; i < STEPS_EACH * chunks; i++) {
        out[i] = each[i % STEPS_EACH];
        out[i].part = i / STEPS_EACH;
        out[i].parts = chunks;
        out[i].queue = out[i].part % queues;
    }
    return STEPS_EACH * chunks;
}

static void overlap_set_kind(struct problem *small, const struct problem *other)
{
    small->dim[QUEUES] = other->dim[QUEUES];
}

static const struct dim dims[] = {
    [N] = { "n", 1, (int64_t)1 << 40, -1, NULL, "elements" },
    [CHUNKS] = { "chunks", 1, CHUNKS_MAX, 8, NULL, "parts that are copied and computed one after the other" },
    [QUEUES] = { "queues", 1, QUEUES_MAX, 1, NULL, "queues that the chunks use in turn" },
    { 0 },
};

static const struct suite_size suite_sizes[] = {
    { SUITE_FULL, "n=40M,chunks=1,queues=1" },
    { SUITE_FULL, "n=40M,chunks=8,queues=1" },
    { SUITE_FULL, "n=40M,chunks=8,queues=2" },
    { 0 },
};

const struct workload workload_overlap = {
    .name = "overlap",
    .summary = "Transfers during computation: multiply in chunks, copied and computed at the same time.",
    .aliases = "chunks | queues | streams",
    .dims = dims,
    .suite_sizes = suite_sizes,
    .no_range_reason = "it is multiply in parts: sweep multiply",
    .small = "n=300007,chunks=5", /* odd, and the last chunk has less than the others */
    .set_kind = overlap_set_kind,
    .dtypes = 1u << DTYPE_F32 | 1u << DTYPE_F64,
    .grain = MULTIPLY_GRAIN,
    .methods = multiply_in_parts,
    .accepts = overlap_accepts,
    .operands = multiply_operands,
    .steps = overlap_steps,
    .flops = multiply_flops,
    .bytes = problem_bytes_held,
    .is_elementwise = multiply_is_elementwise,
    .expect = multiply_expect,
    .exact = multiply_exact,
};
