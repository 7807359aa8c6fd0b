#ifndef TESTS_SUPPORT_SCRIPTED_WORKERS_H
#define TESTS_SUPPORT_SCRIPTED_WORKERS_H

/* Workers that are scripted: what a run does with methods that are fast, slow, wrong, dead or too large. The linker
 * sends every request to a worker here, and asks here how much memory the host has. */

#include "bench/schedule/timetable.h"
#include "tests/support/made_plan.h"
#include "tests/support/tree.h"

/* How a method behaves. A text has those of all methods: "openblas 0.002 noise=0.1 fails=slice with=crashed from=8,
 * portable 0.001": the method and the seconds of a run, then members by name. "* 0.01" is of each method that is not
 * named before it. Times are in seconds at matmul 512 and grow with the operations; they get some noise, which is the
 * same in each run of a test. */
struct script {
    const char *method;
    double run, repack; /* repack 0: none */
    double compile;     /* until it is ready */
    double disturbed;   /* slices of each worker, the first ones, that take five times as long */
    double late;        /* so many times as long, and all alike, are runs after a choice that was not settled; 0: 1 */
    double noise;       /* share by which a run may be longer or shorter; 0: 0.3 % */
    const char *fails;  /* a request, such as "open", "slice", "naive"; NULL: nothing fails */
    const char *with;   /* the status that it fails with */
    double from;        /* number of that request, from 0 */
    bool recovers;      /* only the first worker fails */
    const char *shapes; /* letters, each the name of a kernel shape; NULL: none */
    double takes[8];    /* seconds of each kernel shape, in place of `run`: "takes=0.004:0.002" */
    double begins[8];   /* what each takes beside that, at every size */
    const char *bad_shape;  /* the kernel shape that fails; NULL: any */
    const char *bad_memory; /* kind of memory that fails to open */
    const char *beside;     /* the status that opening ends with while other workers are open; NULL: it opens */
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
void cache_begin(void);
void cache_end(void);

/* In place of the run before, a run of matmul, at size 512 in suite standard unless the words say otherwise, on devices
 * of which the first is the baseline. Each text has words with blanks between, but for `scripts`, which has commas. */
void scene_open(const char *devices, const char *scripts, const char *words);

/* That of a method, to be changed before the scene is measured. */
struct script *script_of(const char *method);

/* Measures all blocks of the plan, twelve visits each. No worker may be left. */
const struct record *scene_measure(void);
void scene_measure_with(timetable_join *join, void *with, struct timetable *timetable);

/* Both. */
const struct record *scene_run(const char *devices, const char *scripts, const char *words);

/* After an interrupt, before the scene is measured again, as a run that resumes it. What was seen is forgotten. */
void scene_resume(void);

/* Of none does nothing: TestSuite(NAME, .fini = scene_close). */
void scene_close(void);

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
