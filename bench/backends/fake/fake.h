#ifndef BENCH_BACKENDS_FAKE_FAKE_H
#define BENCH_BACKENDS_FAKE_FAKE_H

/* clang-format off */
/* A device for tests: its times are scripted, its clock is its own, and it fails when and how the script says. It
 * computes for real, in host memory, so that verification has something to verify. It exists only where BENCH_FAKE
 * names a script:
 *
 *   {"list": "crash", "devices": [{
 *      "name": "Fake GPU", "class": "dGPU", "memory": 8e9, "f64": true, "open": 0.1, "compile": 0.2,
 *      "run": [0.010, 0.011], "compute_rate": 1e9, "event": 0.9, "event_seconds": 0,
 *      "jumps": [{"at": 1.5, "by": -3600}],
 *      "enqueue": 0.000005, "launch": 0.00001,
 *      "upload_rate": 1e10, "download_rate": 1e10, "repack": 0.001, "keeps": "output",
 *      "by_definition": true,
 *      "faults": [{"call": "submit", "number": 7, "kind": "hang"}],
 *      "methods": {"openblas": {"compile": 1, "run": [0.005], "faults": [...]},
 *                  "native": {"kernel_shapes": {"8x16": {}, "8x32": {"run": [0.004], "faults": [...]}}}}}]}
 *
 * A device may have every member of a device in a journal, such as "works_in_host_memory", "units" and "max_clock".
 * Times are seconds, rates bytes per second; `run` is repeated in a circle, with as much more as the work takes at
 * `compute_rate`, FLOP per second (none without it), and its parts share it alike; each submit keeps the host for
 * `enqueue` and the device for `launch` more, nothing by default. The device has one engine that computes and one
 * for each way of moving, which work at the same time for different queues. `event` is the share of a run that the
 * device's clock claims, 0 for none; `event_seconds` is what it claims of every run, 0 too. The host's clock makes each
 * of the `jumps` once the device's own has come so far. With `repack`, which is what each repacking takes, the device
 * keeps its operands, or only its output, in a layout of its own: back to front, so that a repacking forgotten is a
 * wrong answer. With `by_definition` it computes each element by the workload's truth, and not by plain C: long chains
 * of multiply-adds need no processor that has them. A fault strikes at the given call of that function (1 is the first)
 * and later ones; with "after", only where the call before it was of that function. So it is planted in one series: in a
 * copied run "submit" comes after "upload", in a queued one after "submit", in any other after "finish". Members under
 * the name of a method apply from prepare on, instead of the device's own; its faults come first. So do those of one of
 * its kernel shapes, which differ in nothing else, before those of the method. What a call puts on a queue changes memory
 * only with finish: who forgets to wait finds what was there before. What was not given back when a session is closed is
 * told in the file that BENCH_FAKE_KEPT names. */
/* clang-format on */

#include "bench/backends/backend.h"

#include <jansson.h>

enum engine { ENGINE_COMPUTE, ENGINE_UP, ENGINE_DOWN, ENGINES };

/* What is on a queue: a copy, back to front where its elements have a size, or a part of a run. */
struct command {
    unsigned queue;
    void *to;
    const void *from;
    size_t bytes, element;
    const struct task *task; /* NULL: a copy */
    unsigned part;
    const char *fault;
    struct command *next;
};

struct session {
    json_t *script, *device;
    const json_t *own; /* members of the device, or of the task that is prepared or runs */
    double now;        /* seconds on the device's own clock */
    /* When the work so far will be done. */
    double queue[QUEUES_MAX], engine[ENGINES];
    json_t *calls; /* how often each function was called, by its name */
    const char *latest;
    const char *fault;        /* that the script has for the latest call, or "" */
    struct command *commands; /* not done yet, in order */
    int held;                 /* buffers and tasks that were not given back */
    unsigned runs;
    struct span *span; /* of the latest run, filled by finish */
    double span_seconds;
};

struct buffer {
    size_t bytes;
    char *view; /* while it is mapped */
    enum map_mode mode;
    char data[];
};

/* Members of an object of the script, or the fallback. */
double fake_number(const json_t *object, const char *name, double fallback);
const char *fake_text(const json_t *object, const char *name, const char *fallback);

/* NULL with err where it cannot be read. */
json_t *fake_script_read(const char *path, struct error *err);

/* Makes the fault happen, if it is one for every call: a crash, a hang, lines of a driver. */
void fake_strike(const char *kind);

/* Counts a call of the function of this name, and makes the script's fault for it happen. */
bool fake_pass(struct session *session, const char *call, struct error *err);

/* Adds so many seconds of work to a queue; they begin when both the queue and the engine are free. */
void fake_spend(struct session *session, unsigned queue, enum engine engine, double seconds);

/* task.c */
unsigned fake_kernel_shapes(struct session *session, const struct problem *problem, const struct method *method,
                            char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX]);
struct task *fake_prepare(struct session *session, const struct job *job, char detail[DETAIL_MAX], struct error *err);
bool fake_submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err);
unsigned fake_repacks(const struct task *task);
bool fake_repack(struct task *task, unsigned operand, enum repack_way way, struct error *err);
void fake_discard(struct task *task);
bool fake_enqueue(struct session *session, const struct command *command, struct error *err);
/* Does what is on a queue. */
bool fake_perform(struct session *session, unsigned queue, struct error *err);

#endif
