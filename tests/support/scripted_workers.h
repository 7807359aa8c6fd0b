#ifndef TESTS_SUPPORT_SCRIPTED_WORKERS_H
#define TESTS_SUPPORT_SCRIPTED_WORKERS_H

/* Workers that are scripted: what a run does with methods that are fast, slow, wrong, dead or too large. The linker
 * sends every request to a worker here, and asks here how much memory the host has. */

#include "bench/schedule/timetable.h"
#include "tests/support/made_plan.h"
#include "tests/support/tree.h"

enum { METHODS = 5 };

/* How a method behaves. Times are in seconds at matmul 512 and grow with the operations; they get some noise, which is
 * the same in each run of a test. */
struct script {
    const char *method;
    double run, repack;   /* repack 0: none */
    double compile;       /* until it is ready */
    unsigned disturbed;   /* slices of each worker, the first ones, that take five times as long */
    double late;          /* so many times as long, and all alike, are runs after a choice that was not settled; 0: 1 */
    double noise;         /* share by which a run may be longer or shorter; 0: 0.3 % */
    double coarse;        /* runs take a multiple of this; 0: any time */
    const char *fails_in; /* a request, such as "open", "slice", "naive"; NULL: nothing fails */
    enum status fails_with;
    unsigned fails_from;                 /* number of that request, from 0 */
    bool recovers;                       /* only the first worker fails */
    const char *kernel_shapes;           /* letters, each the name of one; NULL: none */
    double shape_run[8];                 /* of each kernel shape */
    double shape_begin[8];               /* what each takes beside that, at every size */
    const char *bad_shape;               /* the kernel shape that fails; NULL: any */
    const char *bad_memory;              /* kind of memory that fails to open */
    enum status beside;                  /* what opening ends with while other workers are open; STATUS_OK: it opens */
    const char *device, *dtype, *memory; /* of the cells that it is of: id, name, name; NULL: any */
    double reading; /* seconds of a reading of the device's state, which also counts its energy; 0: none */
};

/* A request that a worker got. */
struct request_seen {
    unsigned worker; /* number, from 1 */
    const char *method;
    char what[16], detail[16]; /* detail: the series of a slice, the pass of a verification, a kernel shape */
    char kernel_shape;         /* that was the current one; '\0': none */
    double size;               /* of a side of the matrices */
    bool is_phased, is_watched;
    unsigned open; /* workers */
};

/* What the workers have seen. */
struct workers_seen {
    unsigned open, opened, most;
    struct request_seen request[20000];
    unsigned requests;
    double metered; /* seconds of runs whose energy was measured */
};
extern struct workers_seen seen;

/* Of the host: bytes, and the cores on which other programs compute. */
extern double memory_available, others_use;

/* A run on made-up devices. */
struct scene {
    struct made_plan made;
    struct context context;
    struct tree tree;
    char path[64]; /* of the journal */
};
extern struct scene *scene;

/* What earlier runs found, for the scenes that follow; NULL: each begins without. */
extern struct tuning_cache *cache;
void cache_begin(struct tuning_cache *own);
void cache_end(void);

/* In place of the run before, a run of matmul, at size 512 in suite standard unless the words say otherwise: `ids` and
 * `words` end with NULL. The first device is the baseline. `list` ends with a script without a method. */
void scene_open(const char *const ids[], const struct script list[], const char *const words[]);

/* Measures all blocks of the plan, twelve visits each. No worker may be left. */
void scene_measure(void);
void scene_measure_with(timetable_join *join, void *with, struct timetable *timetable);

/* After an interrupt, before the scene is measured again, as a run that resumes it. What was seen is forgotten. */
void scene_resume(void);

/* Of none does nothing: TestSuite(NAME, .fini = scene_close). */
void scene_close(void);

/* Both, of one device with up to two words more. */
void scene_run(const char *device, const struct script list[], const char *option, const char *argument);

/* "onednn measured, openblas tied, ..." of the choice of the first device, in the first block. "": there was none. */
const char *ends(enum measures purpose);

const struct race_record *choice_of(unsigned block, enum measures purpose);
const struct contender_record *contender_named(const char *method, const char *kernel_shape);

/* The method that is measured for the line in a block, on the device of that number. "": none. */
const char *measured(unsigned block, enum measures purpose, const char *device);

/* How many such requests were seen; NULL: of any kind. */
unsigned count_requests(const char *method, const char *what, const char *detail);

/* The number of the first such request; `seen.requests`: there was none. */
unsigned first_request(const char *method, const char *what, const char *detail);

/* Whether the journal has that text. */
bool journal_says(const char *text);

#endif
