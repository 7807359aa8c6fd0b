#ifndef BENCH_WORKLOADS_WORKLOAD_H
#define BENCH_WORKLOADS_WORKLOAD_H

/* The contract with a question. A workload is one file that ends in one `const struct workload`, its kernels, and one
 * line in registry.c. It owns shapes, work, truth and error bound, and never calls an API. */

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
    OPERANDS_MAX = 4,
    SCRATCH_MAX = 3,
    PASSES_MAX = 4,
    STEPS_MAX = 256,
    SHAPE_MAX = 128,
    DETAIL_MAX = 160
};

struct workload;

/* One named number of a shape, in the order in which a shape text prints them. A dimension whose `words` are set is
 * typed and printed as one of them ("direction=up"), and holds its place in that list: it says what kind of work it is,
 * and of one kind nothing follows for another. */
struct dim {
    const char *name;
    int64_t least, most;
    int64_t fallback; /* taken when the text leaves it out; -1: must be given */
    const char *const *words;
    const char *meaning; /* "columns of A, rows of B" */
};

/* workload x dtype x shape. A value: copy it freely. */
struct problem {
    const struct workload *workload;
    enum dtype dtype;
    int64_t dim[DIMS_MAX]; /* in the order of workload->dims */
};

enum role { ROLE_INPUT, ROLE_OUTPUT };

/* A dense array that a run reads or writes. */
struct operand {
    const char *name;
    enum role role;
    enum dtype dtype;
    int64_t count; /* elements */
};

/* What a run of the workload consists of, in order; `operand` is what an upload or download moves. A repacking, between
 * the layout that the workload states and one that a method keeps its operands in, is never a workload's: the rig puts
 * it where the method wants it, inputs before the first compute step, outputs after the last.
 *
 * A step may be for one of several parts of the run (problem_part says which elements): an upload or download moves
 * that window of its operand, a computation is that part of it. All compute steps of a workload name the same `parts`,
 * and with ALL_PARTS one of them launches every part, one after the other. Steps of one queue run in order. Steps of
 * two queues run in any order, so all that belongs to one part stands on one queue. */
enum step_kind { STEP_UPLOAD, STEP_REPACK, STEP_COMPUTE, STEP_DOWNLOAD, STEP_KINDS };
enum { ALL_PARTS = INT_MAX };
struct step {
    enum step_kind kind;
    unsigned operand;
    unsigned part, parts; /* parts 0 stands for 1: the whole */
    unsigned queue;
};

/* A slice of a computation in plain C: elements [begin, end) of `extent`, on arrays in the order of the operands, then
 * of the scratch arrays. Many threads call it at once on slices that meet at multiples of `grain`. */
typedef void native_slice(void *const array[], const int64_t dim[], int64_t begin, int64_t end);

/* One slice compiled for several instruction sets; NULL where there is no such version. */
struct native_pass {
    native_slice *baseline[DTYPE_COUNT], *avx2[DTYPE_COUNT], *avx512[DTYPE_COUNT];
    int64_t grain; /* of the extent */
    int64_t (*extent)(const struct problem *problem);
};

/* Passes in plain C that make one run, one after the other, all threads waiting for each other in between. */
struct native {
    const char *detail;                                     /* "ordinary stores" */
    const char *(*describe)(const struct problem *problem); /* the same, where the problem decides; NULL: `detail` */
    unsigned (*threads)(const struct problem *problem);     /* at most; 0, or NULL: as many as are worth it */
    struct native_pass pass[PASSES_MAX];
    unsigned passes;
    /* The same for operands that do not stay in a core's own caches from one run to the next; NULL: no other. */
    const struct native *streaming;
    /* Bytes of each array that passes hand on to each other, whatever the instruction set; 0: no such array. What they
     * hold is a matter of the passes: their elements may be wider than the problem's. Left as it comes when the
     * function is NULL. */
    void (*scratch)(const struct problem *problem, int64_t bytes[SCRATCH_MAX]);
};

/* One launch of a kernel. */
struct pass {
    const char *entry;
    size_t global[3], local[3]; /* work-items; local[0] == 0 leaves the group to the driver */
    unsigned dims;
    size_t shared; /* bytes of memory that a group shares */
    /* Its groups along dimension 0 may be launched in several portions, as a GPU that drives a display needs it, and a
     * run in parts is: the kernel then takes one more argument, the number of groups before the portion's first. */
    bool is_divisible;
};

/* How a kernel text is compiled and launched for one problem on one class of device. */
struct launch {
    char defines[256]; /* compiler options: "-DWIDTH=16 -DSTREAM=1" */
    char detail[DETAIL_MAX];
    int64_t scratch[SCRATCH_MAX]; /* bytes of each buffer that passes hand on, of whatever elements; 0: none */
    struct pass pass[PASSES_MAX]; /* one run: one after the other, in order */
    unsigned passes;
    double turns; /* that the loops of one work-item make, all together, at most; 0: few, on every problem */
};

/* A kernel text and its geometry. Arguments of every kernel in it: the operands in order, the scratch buffers in order,
 * then the dims in order as 64-bit integers. */
struct portable {
    const char *source; /* OpenCL C 1.2, self-contained */
    void (*launch)(const struct problem *problem, const struct device *device, struct launch *out);
    unsigned dims;     /* of the problem's, that the kernels get: the first so many; 0: all */
    bool knows_narrow; /* operands may be of a type narrower than f32, in which it computes */
};

/* How the host asks for a run and waits for it. What is not the usual way answers a question of its own: where such a
 * method suits, it has a row beside the fastest and does not compete with it. */
enum launch_mode {
    LAUNCH_USUAL,
    LAUNCH_GRAPH, /* a run's launches are recorded when it is prepared, and one call hands over all its parts */
    LAUNCH_SLEEP, /* the host sleeps until the device is done, however the backend waits otherwise */
};

/* One way to compute a workload, named by what computes. A backend binds `native` or `portable` generically; with
 * neither it looks (workload, name) up in its own table of library routines. */
struct method {
    const char *name, *summary;
    const char *const *backends; /* NULL-terminated names of the backends it is meant for */
    const struct native *native;
    const struct portable *portable;
    enum launch_mode launch_mode;

    /* --- where it may be used --- */

    /* Which problems of its workload it is a method for; NULL: all. */
    bool (*is_for)(const struct problem *problem);
    /* Whether it can do one of these on the device at all, so that it need not be tried; false with a sentence in err.
     * NULL: it may be tried. */
    bool (*suits)(const struct problem *problem, const struct device *device, struct error *err);
    /* Bytes that it takes beside the operands, an estimate from above: scratch, and operands in a layout of its own.
     * NULL: none. */
    double (*workspace)(const struct problem *problem);

    /* --- how its result differs from that of the others --- */

    /* It does with fewer operations than the definition, as Winograd's convolution does: the result of exact operands
     * is exact only after rounding, and the rate counts operations that were never done. */
    bool is_fast;
    double bound_factor; /* its error bound, as a multiple of the definition's; 0 stands for 1 */
    /* Its sums of products are of the operands' own type where that is small, not f32: the error bound is larger. */
    bool sums_in_own_type;
    /* Products of small types it may add up in units that multiply matrices, which cut off what they should round: the
     * error bound is larger. */
    bool may_cut_sums_off;
    /* It is on another device when a run ends: bringing it home is for the checks alone, no part of any run. What binds
     * the method is the way there, and not the memory of its own device. */
    bool leaves_device;
};

/* How products are added up: the type that sums are kept in, and whether they may be cut off where they should be
 * rounded. */
struct sums {
    enum dtype dtype;
    bool may_be_cut_off;
};

/* The fixed sets of sizes that everybody measures; of the first three each contains those before it. The last is by
 * itself: what a page published, measured as it was there and as it should be (naive.h). */
enum suite { SUITE_QUICK, SUITE_STANDARD, SUITE_FULL, SUITE_UHD620, SUITE_COUNT };

/* A size of a suite. */
struct suite_size {
    enum suite suite; /* the smallest that has it, or the one by itself */
    const char *shape;
};

/* Sizes to go over when somebody asks from which on a device pays. */
struct range {
    const char *shape; /* as a suite's, with {} for each dimension that grows: "m={},n={},k={}" */
    int64_t from, to;
    int64_t multiple; /* that sizes between them are rounded to, where they are larger */
};

/* The limit of a device that a problem measures; serial: that of one thread. */
struct roof {
    enum roof_kind kind;
    bool is_serial;
};

/* An exact check of every element of a product in a fraction of its operations (Freivalds, 1979). The output is seen as
 * [outer][length][inner]; along `length` it is multiplied by weights x, and so is the operand that stretches along it,
 * which leaves a much smaller product to compute. All arithmetic is modulo 2^64 on whole numbers; with odd weights a
 * single wrong element is always seen, and several cancel each other with a chance of 2^-63 or so. Both functions fill
 * a stretch, `out` from its own beginning on, and are called by many threads at once. */
struct projection {
    void (*axes)(const struct problem *problem, int64_t *outer, int64_t *length, int64_t *inner);
    int64_t (*folds)(const struct problem *problem); /* elements of the folded operand */
    /* Elements [begin, end) of the operand that stretches along `length`, each summed with the `length` weights. */
    void (*fold)(const struct problem *problem, const void *const operand[], const uint64_t weight[], int64_t begin,
                 int64_t end, uint64_t out[]);
    /* What the weighted sums over `length` of the output are at places [begin, end) of the outer * inner ones; all of
     * them belong to one of the outer. */
    void (*truth)(const struct problem *problem, const void *const operand[], const uint64_t folded[], int64_t begin,
                  int64_t end, uint64_t out[]);
};

struct workload {
    const char *name, *summary;
    /* For the glossary: one or two sentences, and other names, with '|' between them; NULL: none. */
    const char *explanation, *aliases;
    const struct dim *dims;               /* ends with a NULL name */
    const struct suite_size *suite_sizes; /* its part of the suites; ends with a NULL shape */
    /* Shape texts that the tests try every method at; end with NULL. The first is of moderate size. At least one has no
     * more than 1000 operations, which a simulator of devices can run. */
    const char *const *shapes;
    /* The same for kernel texts whose operands are narrower than their arithmetic, which are compiled anew for each
     * shape and type; NULL: `shapes`. */
    const char *const *narrow_shapes;
    const char *small; /* shape text of a small, odd problem: what the guard-band check runs; NULL: none */
    /* Turns that problem into one of the same kind as another; NULL: there are no kinds. */
    void (*set_kind)(struct problem *small, const struct problem *other);
    const struct range *range;   /* NULL: there is no such question */
    const char *no_range_reason; /* then the reason, after a colon */
    unsigned dtypes;             /* bit 1 << DTYPE_... for each that it knows */
    /* Elements that stay together where a run is cut into parts; 0: it cannot be cut. One pass makes a run then, over
     * as many elements as the first of dims says and every operand has: in plain C as its extent, as kernel text with
     * one group of dimension 0 for each `grain` of them. Where operands move part by part the kernel may get arrays
     * that begin with its part, and that dim less what came before. */
    int64_t grain;
    const struct method *methods; /* ends with a NULL name; what only moves data between host and device needs none */
    /* Elements are carried as they are, whatever their type: a suite has it in one type. */
    bool is_untyped;

    /* Sizes of a suite that depend on the machine: writes at most `room` shape texts and returns how many. NULL: none.
     */
    unsigned (*sizes)(const struct host *host, enum suite suite, char out[][SHAPE_MAX], unsigned room);
    /* False for a problem that measures no limit of a device. NULL: none does. */
    bool (*roof)(const struct problem *problem, struct roof *out);

    /* Refuses shapes that make no sense together or overflow; NULL: every combination of dims is fine. */
    bool (*check)(const struct problem *problem, struct error *err);
    unsigned (*operands)(const struct problem *problem, struct operand out[OPERANDS_MAX]);
    unsigned (*steps)(const struct problem *problem, struct step out[STEPS_MAX]);
    /* FLOP of one run, and bytes of compulsory traffic (every input read once, every output written once). */
    double (*flops)(const struct problem *problem);
    double (*bytes)(const struct problem *problem);

    /* True value of one element of the output from the given inputs, in double precision, and how far a correct
     * computation with such sums may be from it. Problems without a compute step have no use for it: what arrives must
     * be what was sent. */
    void (*expect)(const struct problem *problem, struct sums sums, const void *const operand[], int64_t index,
                   double *value, double *bound);
    /* Whole operands such that every partial sum, and every result, is exactly representable. */
    struct integers (*exact)(const struct problem *problem);
    /* Multiply-adds that `expect` costs for one element: what a sample may be afforded. NULL: next to none. */
    double (*expect_cost)(const struct problem *problem);
    /* How the whole output is checked where `expect` for every element would take too long; NULL: element by element.
     */
    const struct projection *projection;
};

/* How a method adds up products of operands; of no method: as it should. */
struct sums method_sums(const struct method *method, enum dtype dtype);

/* All there are, in the order in which they are listed and run; ends with NULL (workloads/all.c). */
extern const struct workload *const workloads[];

const struct workload *workload_find(const char *name); /* NULL if there is none */
const struct method *method_find(const struct workload *workload, const char *name);

/* Whether two problems differ in nothing but numbers: the same workload, element type and words, so that the time of
 * one tells something of the other's. */
bool problem_is_alike(const struct problem *one, const struct problem *other);

/* Sizes: all operands together, bytes. */
double problem_bytes_held(const struct problem *problem);

/* Whether a run moves operands at all, where the device has memory of its own. */
bool problem_moves(const struct problem *problem);

/* Whether a run computes anything, with a method of its own for each device; else it only moves data. */
bool problem_computes(const struct problem *problem);

/* Whether it moves them part by part, even if that is one part: a mapped buffer changes hands as a whole. */
bool problem_moves_in_parts(const struct problem *problem);

/* Elements [*begin, *end) of `count` that belong to one part of so many, cut where the workload may be cut. Every move
 * of a part and every backend cuts in these places. The last part may have less; it is empty where there are too many.
 */
void problem_part(const struct problem *problem, int64_t count, unsigned part, unsigned parts, int64_t *begin,
                  int64_t *end);

/* Reads "n=40M" (or bare "40M" where exactly one dimension must be given) for one workload; the message names the
 * dimension, the value and what would be right. */
bool problem_parse(struct problem *out, const struct workload *workload, enum dtype dtype, const char *shape,
                   struct error *err);

/* The reverse, canonical: every dimension, plain numbers: "n=40000000". Returns `to`. */
const char *problem_shape(const struct problem *problem, char to[SHAPE_MAX]);

/* The same for people in a hurry: without the dimensions that are as if they had not been given. */
const char *problem_brief(const struct problem *problem, char to[SHAPE_MAX]);

#endif
