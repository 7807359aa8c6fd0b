#ifndef HARNESS_ANALYSIS_ANSWER_H
#define HARNESS_ANALYSIS_ANSWER_H

/* What a run answers: for each problem and piece of silicon whether it is faster than the baseline, why, and from how
 * many uses of the same data on; and over all problems whether it is worth it. Figures are typed, verdicts and reasons
 * are enums, and every format writes its words from here. A pure function of a record. */

#include "harness/analysis/figures.h"
#include "harness/analysis/verdict.h"

#include <limits.h>

/* Why a verdict is what it is. Words and figures are the formats' own: `row` and `baseline` have the shares, rates and
 * peaks that a sentence may name. */
enum why {
    WHY_UNKNOWN,
    WHY_MEMORY,           /* both limited by memory, each by its own */
    WHY_COMPUTE,          /* both limited by arithmetic: roof.share of roof.flops on either side */
    WHY_BASELINE_WIDER,   /* compared with the baseline's f32, which is faster than its own type */
    WHY_BASELINE_FEWER,   /* the baseline's algorithm needs fewer operations */
    WHY_DEVICE_FEWER,     /* the device's does */
    WHY_LAUNCH,           /* starting the kernel takes most of the device's time */
    WHY_DIFFERENT_LIMITS, /* each is limited by something else: `bound` of either side */
    WHY_TRANSFER,         /* moving the data takes the device longer than computing */
    WHY_BASELINE_REPACKS, /* the baseline repacks as well, which costs it more than the device's moves */
    WHY_UNJUDGED,         /* figure_unjudged has the reason */
    WHY_WRONG,            /* not compared: the answer is wrong, */
    WHY_FAILED,           /* it failed, */
    WHY_UNVERIFIED,       /* it was not verified, or not finished, */
    WHY_NO_BASELINE,      /* or there is nothing to compare with */
    WHY_COUNT
};

/* The sizes of a workload on one part. */
struct answer_workload {
    unsigned first, count; /* `answer[first]` on, by size */
};

/* A processor that takes part: a GPU under all APIs that list it, equal cards together; or a CPU under one API. */
struct answer_part {
    const struct device *device; /* the first in the list of the API that the first answer rests on */
    unsigned cards;              /* equal ones, at least 1 */
    bool is_gpu;
    bool is_baseline;                 /* the others are compared with it */
    enum dtype dtype;                 /* of `flops`: f32, or another where that was not measured */
    double flops, bandwidth;          /* the highest measured, and that beyond caches; NAN unknown */
    struct answer_workload *workload; /* those that have answers on it */
    unsigned workloads;
};

/* The least and the greatest of some ratios; NAN where there are none. */
struct ratio_range {
    double least, most;
};

/* One problem on one processor. Of equal cards it is that of the slowest. */
struct answer {
    const struct block_record *block;
    const struct cell_record *problem; /* workload, dtype, shape, flops, bytes */
    const char *size;                  /* of the problem (answer_size) */
    const struct answer_part *part;    /* the piece of silicon */
    const struct device *device;       /* the API that reached it fastest; NULL only if no cell names a known device */
    const struct figures *row[USES], *baseline[USES]; /* that measured each use; NULL: none */
    struct figure use[USES];                          /* of that row: what the verdict is of */
    struct ratio_range cards[USES];                   /* of the speed-up over equal cards; NAN: only one */
    enum why why[USES];
    struct breakeven breakeven;    /* agrees with both verdicts */
    const struct figures *unsound; /* the first row that supports no claim; NULL: none */
    unsigned workload;             /* the place of the first of its workload, in the order of the journal */
};

/* Everything points into the record, which must outlive it. */
struct answer_set {
    const struct record *record;
    struct pool pool;         /* owns all that follows */
    struct figures **figures; /* by block: of all its cells, in planned order; NULL for one without cells */
    struct answer_part *part; /* the baseline first, then GPUs, accelerators, CPUs through an API */
    unsigned parts;
    unsigned *part_of;     /* by device of the record: the index of its part; NO_PART: no cell is of it */
    struct answer *answer; /* by part, then by workload, then by size; without baselines */
    unsigned answers;
    bool has_gpu;   /* a GPU or an accelerator is among the parts */
    bool has_types; /* the answers are of several element types */
};

/* To be released in any case. False when memory is short. A sweep has parts, but no answers (curve.h). */
bool answer_set_read(struct answer_set *out, const struct record *record);
void answer_set_release(struct answer_set *set);

/* The same of one block only, while others are not measured yet. A type other than f32 is then named. */
bool answer_set_read_block(struct answer_set *out, const struct record *record, const struct block_record *block);

#define NO_PART UINT_MAX

/* The answer to a problem on a part; NULL: none. */
const struct answer *answer_find(const struct answer_set *set, const struct block_record *block,
                                 const struct answer_part *part);

/* A transfer or a single launch: a cost, which nothing is compared with. The fastest sound row of it on a part; NULL:
 * none. Buffers that are only handed over have no bandwidth, and are no transfer. */
enum cost { COST_UPLOAD, COST_DOWNLOAD, COST_LAUNCH, COST_GRAPH };
const struct figures *answer_cost(const struct answer_set *set, const struct answer_part *part, enum cost cost);

/* A problem's size in short: "40M", "2048", "8x64x56", "64 MiB up"; at most three dimensions, so others may have the
 * same. */
const char *answer_size(struct pool *pool, const struct cell_record *problem);

/* Whether cells of a block are compared: peaks, launches, and what computes nothing are not. */
bool answer_is_question(const struct figures rows[], unsigned count);

#endif
