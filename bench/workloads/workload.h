#ifndef BENCH_WORKLOADS_WORKLOAD_H
#define BENCH_WORKLOADS_WORKLOAD_H

/* What a workload must define. A workload is one file that ends in one `const struct workload`, its kernels, and one
 * line of the table in meson.build. It defines sizes, work, the true result and the error bound, and never calls an
 * API. */

#include "harness/base/error.h"
#include "harness/journal/roof.h"
#include "harness/machine/device.h"
#include "harness/machine/host.h"
#include "harness/measure/random.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DIMS_MAX = 12,
    OPERANDS_MAX = 8,
    SCRATCH_MAX = 6,
    PASSES_MAX = 8,
    STEPS_MAX = 256,
    QUEUES_MAX = 4, /* that the steps of a workload take turns on */
    SHAPE_MAX = 128,
    DETAIL_MAX = 160,
    KERNEL_SHAPE_MAX = 24, /* bytes of the name of a kernel shape */
    KERNEL_SHAPES_MAX = 24
};

struct workload;

/* One named number of a shape text, in the order of the text. Kernels and slices get all of them, so a number that only
 * they need is a dimension too, with a fallback. If `words` is set, the text has one of them ("direction=up"), and the
 * number is its index. Such a dimension selects a kind of work; the time of one kind says nothing about another. */
struct dim {
    const char *name;
    int64_t least, most;
    int64_t fallback;         /* the value when the text leaves it out; -1: the text must have it */
    const char *const *words; /* NULL: it is a number */
    const char *meaning;      /* "columns of A, rows of B" */
};

/* workload x dtype x shape. A value: copy it freely. */
struct problem {
    const struct workload *workload;
    enum dtype dtype;
    int64_t dim[DIMS_MAX]; /* in the order of workload->dims */
};

enum role { ROLE_INPUT, ROLE_OUTPUT };

/* A dense array that a run reads or writes. An array that a routine would update in place is an input and an output
 * here: all runs must compute the same, or the result after timing could not be checked. */
struct operand {
    const char *name;
    enum role role;
    enum dtype dtype;
    int64_t count; /* elements */
};

/* The steps of a run, in order; `operand` is what an upload or download moves. Workloads have no repack steps: the rig
 * adds them where a method keeps an operand in another layout, for inputs before the first compute step, for outputs
 * after the last.
 *
 * A step may belong to one of several parts of the run (problem_part): then it moves that window of its operand, or
 * computes that part. All compute steps of a workload have the same `parts`; with ALL_PARTS one step launches every
 * part, one after the other. Steps of one queue run in order, those of two queues in any order, so all steps of a part
 * are on one queue. */
enum step_kind { STEP_UPLOAD, STEP_REPACK, STEP_COMPUTE, STEP_DOWNLOAD, STEP_KINDS };
enum { ALL_PARTS = INT_MAX };
struct step {
    enum step_kind kind;
    unsigned operand;
    unsigned part, parts; /* parts 0 means 1: the whole run */
    unsigned queue;
};

/* Plain C that computes elements [begin, end) of an extent, on arrays in the order of the operands, then of the scratch
 * arrays. Threads call it concurrently on slices that meet at multiples of `grain`. */
typedef void native_slice(void *const array[], const int64_t dim[], int64_t begin, int64_t end);

/* One slice, compiled for several instruction sets; NULL: there is no such version. */
struct native_pass {
    native_slice *baseline[DTYPE_COUNT], *avx2[DTYPE_COUNT], *avx512[DTYPE_COUNT];
    native_slice *vnni[DTYPE_COUNT]; /* AVX-512 with its instructions for dot products of bytes */
    int64_t grain;                   /* of the extent */
    /* The extent is the product of these, dims that are cut into blocks of so many, and of extent() where there is
     * one: a pass has at least one of the two. */
    struct {
        unsigned dim;
        int64_t block; /* 0: none */
    } over[2];
    int64_t (*extent)(const struct problem *problem);
};

/* Passes in plain C that make one run, one after the other; all threads wait for each other in between. */
struct native {
    const char *detail;                                     /* "ordinary stores" */
    const char *(*describe)(const struct problem *problem); /* the same if it depends on the problem; NULL: `detail` */
    struct native_pass pass[PASSES_MAX];
    unsigned passes;
    /* For operands that do not stay in a core's own caches from one run to the next; NULL: the same. */
    const struct native *streaming;
    /* Bytes of each array that one pass leaves to the next, enough for every instruction set; 0: no such array. Its
     * elements may be wider than the problem's. NULL: no arrays. */
    void (*scratch)(const struct problem *problem, int64_t bytes[SCRATCH_MAX]);
};

/* One launch of a kernel. */
struct pass {
    const char *entry;
    size_t items, group; /* work-items, and those of a group */
    size_t shared;       /* bytes of memory that a group shares */
    /* Its groups may be launched in several portions, for a GPU that also drives a display and for runs in parts. The
     * kernel then has one more argument: the number of groups before the portion. */
    bool is_divisible;
};

/* How a kernel text is compiled and launched for one problem on one class of device. A text with several choices of
 * tiles, work per item or vector width has several kernel shapes. */
struct launch {
    char kernel_shape[KERNEL_SHAPE_MAX]; /* its name, "128x128 8x8"; "" for a text that has one */
    char defines[256];                   /* compiler options: "-DWIDTH=16 -DSTREAM=1" */
    char detail[DETAIL_MAX];             /* more for the row than that name; "": nothing */
    int64_t scratch[SCRATCH_MAX];        /* bytes of each buffer that one pass leaves to the next; 0: none */
    struct pass pass[PASSES_MAX];        /* of one run, in order */
    unsigned passes;
    double loop_iterations; /* upper bound, of one work-item, all loops together; 0: always few */
};

/* A kernel text and how it is launched. The arguments of each kernel: the operands, the scratch buffers, then the dims
 * as 64-bit integers, each in order. */
struct portable {
    const char *source; /* OpenCL C 1.2, self-contained */
    /* How many kernel shapes there are; NULL: one. They are numbered from 0, which is the one to use untuned. Another
     * problem may have them in another order, and not all of them; the workload's small one has all. */
    unsigned (*kernel_shapes)(const struct problem *problem, const struct device *device);
    void (*launch)(const struct problem *problem, const struct device *device, unsigned kernel_shape,
                   struct launch *out);
    unsigned dims;     /* how many of the dims the kernels get, from the first on; 0: all */
    bool knows_narrow; /* operands may be narrower than f32, which it then computes in */
};

/* How the host starts a run and waits for it. A method with another mode than the usual one measures something else: it
 * gets a row of its own beside the fastest method, and does not compete with it. */
enum launch_mode {
    LAUNCH_USUAL,
    LAUNCH_GRAPH, /* the launches of a run are recorded in prepare, and one call starts all of its parts */
    LAUNCH_SLEEP, /* the host sleeps until the device is done, whatever the backend does otherwise */
};

/* Winograd's algorithm errs by the size of a whole tile (Barabasz, Anderson, Soodhalter and Gregg, Error analysis and
 * improving the accuracy of Winograd convolution for deep neural networks, ACM Trans. Math. Softw. 46, 2020), which
 * shows where the terms of one element happen to be small. Measured with oneDNN 2.6.3 on 63 shapes of up to 800 000
 * elements, as a multiple of the definition's bound: at one channel 1.9 for F(2x2,3x3) and 9.0 for F(4x4,3x3), from 8
 * channels on 1.1. */
enum { FAST_BOUND_FACTOR = 64 };

/* One way to compute a workload. A backend can bind any `native` or `portable`; for a method with neither it looks up
 * (workload, name) in its own table of library routines, as for one that calls a library. */
struct method {
    const char *name, *summary;
    const char *const *backends; /* NULL-terminated names of the backends that have it */
    const struct native *native;
    const struct portable *portable;
    enum launch_mode launch_mode;
    bool calls_library; /* its routine runs the passes of `portable` one by one, each after a call of a library */

    /* --- where it may be used --- */

    /* Which problems of its workload it is a method for; NULL: all. */
    bool (*is_for)(const struct problem *problem);
    /* False, with a sentence in err, where it is known to fail for such a problem on the device. NULL: it is tried. */
    bool (*suits)(const struct problem *problem, const struct device *device, struct error *err);
    /* Upper bound of its memory beside the operands, bytes, such as operands in another layout. NULL: its scratch. */
    double (*workspace)(const struct problem *problem);
    /* It is a library of the GPU's vendor. No kernel of ours may equal it. It is hundreds of MB of machine code, and
     * compiles nothing: to get it ready is to load it, however long that takes from a cold disk. It may add up products
     * of small types in matrix units, which truncate where they should round: the error bound is larger. */
    bool is_vendors;

    /* Its kernels are made for GPUs and compile for seconds: on a CPU it is measured only if it is named. */
    bool is_for_gpus;

    /* --- how its result differs from that of the others --- */

    /* It needs fewer operations than the definition, as Winograd's convolution does. With exact operands its result is
     * exact only after rounding, and its rate counts operations that were not done. Its error bound is
     * FAST_BOUND_FACTOR times the definition's. */
    bool is_fast;
    /* Sums of products of small types have the operands' own type, not f32: the error bound is larger. */
    bool sums_in_own_type;
    /* The result is on another device when a run ends; only the checks bring it back. The link limits the method, not
     * the memory of its own device. */
    bool leaves_device;
};

/* How products are added up: the type of the sums, and whether they may be truncated where they should be rounded. */
struct sums {
    enum dtype dtype;
    bool may_be_cut_off;
};

/* The fixed sets of sizes. Each of the first three contains those before it. The last stands alone: the sizes of one
 * published page, measured as that page did and as it should be (naive.h). */
enum suite { SUITE_QUICK, SUITE_STANDARD, SUITE_FULL, SUITE_UHD620, SUITE_COUNT };

/* A size of a suite. */
struct suite_size {
    enum suite suite; /* the smallest that has it */
    const char *shape;
};

/* The sizes of a sweep, which finds the size from which on a device is faster. */
struct range {
    const char *shape; /* with {} for each dimension that grows: "m={},n={},k={}" */
    int64_t from, to;
    int64_t multiple;  /* sizes above it are rounded to multiples of it */
    const char *items; /* what dims[0] counts, if it is as many per second that one asks for: "samples"; or NULL */
};

/* An exact check of all elements of a product in a fraction of its operations (Freivalds, 1979). The output is
 * [outer][length][inner]. Along `length` both the output and the operand that extends along it are multiplied by
 * weights x, which leaves a much smaller product to compute. All arithmetic is on whole numbers modulo 2^64. With odd
 * weights one wrong element is always found; several cancel each other with a probability of about 2^-63. Both
 * functions write out[0] for element `begin`, and threads call them concurrently. */
struct projection {
    unsigned output; /* which of the outputs it checks, from 0 on; the others are checked element by element */
    void (*axes)(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner);
    /* Elements of the folded operand; NULL: as many as `sum_length` says, which is then set. */
    int64_t (*folds)(const struct problem *problem);
    /* The elements of the output are multiples of 1 / scale; 0: whole numbers. The truth below is that many times as
     * large. A power of 2. */
    double scale;
    /* Elements [begin, end) of the folded operand: sums along `length`, with its weights. */
    void (*fold)(const struct problem *problem, const void *const operand[], const uint64_t weight[], int64_t begin,
                 int64_t end, uint64_t out[]);
    /* The weighted sums over `length` of the correct output, at [begin, end) of the outer * inner places, all within
     * one of the outer. */
    void (*truth)(const struct problem *problem, const void *const operand[], const uint64_t folded[], int64_t begin,
                  int64_t end, uint64_t out[]);
};

struct workload {
    const char *name, *summary; /* one or two sentences */
    const char *aliases;        /* for the glossary: other names, with '|' between them; NULL: none */
    /* Ends with a NULL name. The names "count", "chunks" and "queues" are reserved for workloads that measure launches
     * or overlap: the report knows their rows by them (harness/analysis/launch_overhead.h). */
    const struct dim *dims;
    bool is_square;                       /* a bare number is the value of every dimension without a fallback */
    const struct suite_size *suite_sizes; /* its sizes in the suites, one or more; ends with a NULL shape */
    const char *quick_shape;              /* its size in suite quick, if that is in no other; or NULL */
    const char *small; /* shape text of a small, odd problem for the check of guard bands; NULL: none */
    /* Gives that problem the kind of another one; NULL: there are no kinds. */
    void (*set_kind)(struct problem *small, const struct problem *other);
    const struct range *range;   /* of a sweep; NULL: it cannot be swept */
    const char *no_range_reason; /* then the reason; messages print it after a colon */
    unsigned dtypes;             /* bit 1 << DTYPE_... for each that it knows */
    /* Elements that stay together when a run is cut into parts; 0: it cannot be cut. Such a run is one pass over
     * dims[0] elements, which every operand has: the extent of the slice, or one group for each `grain`
     * of them. When operands move in parts, the kernel may get arrays that begin with its part, and dims[0] reduced to
     * match. */
    int64_t grain;
    const struct method *methods; /* ends with a NULL name; NULL: it only moves data between host and device */
    bool is_untyped;              /* elements are only copied: a suite has it in one type */
    unsigned most_visits;         /* that a series of it needs; 0: those of the suite */

    /* The limit of a device that the problem measures. NULL: no problem measures one. */
    enum roof_kind (*roof)(const struct problem *problem);

    /* False, with a sentence in err, for dims that make no sense together or overflow; NULL: all are fine. */
    bool (*accepts)(const struct problem *problem, struct error *err);
    unsigned (*operands)(const struct problem *problem, struct operand out[OPERANDS_MAX]);
    unsigned (*steps)(const struct problem *problem, struct step out[STEPS_MAX]);
    /* FLOP of one run (reports take a row of 0 for one that only moves data), and bytes of compulsory traffic (every
     * input read once, every output written once). */
    double (*flops)(const struct problem *problem);
    double (*bytes)(const struct problem *problem);

    /* The true value of one output element for the given inputs, in double precision, and the error that a correct
     * computation with such sums may have. `index` counts the elements of all outputs, one output after the other. Not
     * for problems without a compute step: those must deliver what was sent. */
    void (*expect)(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                   double *value, double *bound);
    /* Whether `expect` reads of each operand the element of that index alone, and costs next to nothing. NULL: not. */
    bool (*is_elementwise)(const struct problem *problem);
    /* Intermediate results that `expect` and the projection need, computed once for given inputs; both find them in
     * operand[] after the last operand. NULL: they need none. */
    void (*intermediate)(const struct problem *problem, struct sums sums, const void *const operand[], double *to);
    int64_t (*intermediates)(const struct problem *problem); /* how many */
    /* Whole numbers as operands for which every partial sum and every result is exactly representable. */
    struct integers (*exact)(const struct problem *problem);
    /* Of an output with those operands: up to this size its elements are exact, larger ones are within their error
     * bound. NULL: all are exact. */
    double (*exact_up_to)(const struct problem *problem, unsigned operand);
    /* Of the whole numbers of one operand, one in so many is kept, and the others are 0. NULL: all are kept. */
    int64_t (*one_in)(const struct problem *problem, unsigned operand);
    /* Cost of `expect` for one element, in multiply-adds; it limits how many are sampled. NULL: next to none. */
    double (*expect_cost)(const struct problem *problem);
    /* Of a sum of products: how many there are. Where it is set it replaces `expect_cost`, and the projection's `folds`
     * where that is NULL. NULL for other workloads. */
    int64_t (*sum_length)(const struct problem *problem);
    /* Checks the whole output where `expect` for every element would take too long; NULL: element by element. */
    const struct projection *projection;
};

/* How a method adds up products; for NULL: as it should. */
struct sums method_sums(const struct method *method, enum dtype dtype);

/* All workloads, in the order in which they are listed and run; ends with NULL. */
extern const struct workload *const workloads[];

const struct workload *workload_find(const char *name); /* NULL if there is none */

/* The workloads as terms of the glossary (glossary_more in harness/report/glossary/glossary.h). */
struct term;
bool workload_term(unsigned number, struct term *out);

/* The whole numbers of one operand, where `integers` are those of the problem. */
struct integers problem_integers(const struct problem *problem, unsigned operand, const struct integers *integers);

/* Whether it is a method for the problem at all (is_for). */
bool method_is_for(const struct method *method, const struct problem *problem);
/* Whether it is, and is made for the device's API. */
bool method_runs_on(const struct method *method, const struct problem *problem, const struct device *device);

const struct method *method_find(const struct workload *workload, const char *name);

/* Whether a library computes it alone. Its kernel shapes are algorithms, which belong to a problem. */
bool method_is_library(const struct method *method);

/* How many kernel shapes a method has on the device; 1 for one without a kernel text, and for NULL. */
unsigned method_kernel_shapes(const struct method *method, const struct problem *problem, const struct device *device);

/* Bytes of each scratch array, enough for every kernel shape and instruction set; 0: there is no such array. */
void method_scratch(const struct method *method, const struct problem *problem, const struct device *device,
                    int64_t bytes[SCRATCH_MAX]);

int64_t native_extent(const struct native_pass *pass, const struct problem *problem);

/* Upper bound of a method's memory beside the operands, bytes. */
double method_workspace(const struct method *method, const struct problem *problem, const struct device *device);

/* Whether two problems differ in numbers only (same workload, element type and words), so that the time of one helps to
 * estimate the other's. */
bool problem_is_alike(const struct problem *one, const struct problem *other);

/* The limit of a device that it measures. */
enum roof_kind problem_roof(const struct problem *problem);

/* Whether they are the same problem. */
bool problem_is_same(const struct problem *one, const struct problem *other);

/* Bytes of all operands together. */
double problem_bytes_held(const struct problem *problem);

/* Bytes of the intermediate results that checks need; 0: none. */
double problem_intermediate_bytes(const struct problem *problem);

/* Whether a run moves operands on a device with memory of its own. */
bool problem_moves(const struct problem *problem);

/* Whether a run computes, by a method; else it only moves data. */
bool problem_computes(const struct problem *problem);

/* Whether it moves them in parts, even if only one: mapped buffers can only be handed over as a whole. */
bool problem_moves_in_parts(const struct problem *problem);

/* Elements [*begin, *end) of `count` that belong to one part of `parts`, cut at multiples of the workload's grain, for
 * moves and for computations. The last parts may have fewer elements, or none. */
void problem_part(const struct problem *problem, int64_t count, unsigned part, unsigned parts, int64_t *begin,
                  int64_t *end);

/* Reads "n=40M", or "40M" where only one dimension has no fallback. The message names the dimension, the value and what
 * would be right. */
bool problem_parse(struct problem *out, const struct workload *workload, enum dtype dtype, const char *shape,
                   struct error *err);

/* The reverse, canonical: every dimension, plain numbers: "n=40000000". Returns `to`. */
const char *problem_shape(const struct problem *problem, char to[SHAPE_MAX]);

/* The same; `is_brief`: without the dimensions that have their fallback. */
const char *problem_text(const struct problem *problem, bool is_brief, char to[SHAPE_MAX]);

#endif
