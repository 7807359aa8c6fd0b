#ifndef BENCH_WORKER_TELEMETRY_H
#define BENCH_WORKER_TELEMETRY_H

/* What a worker watches beside its runs: the host's counters of energy, and the state of the device's own silicon where
 * anything tells it (struct monitor). Looking takes up to some milliseconds: it is done before and after what is timed,
 * never in it, and what it takes is told. Nothing here fails: what is not known is left out. */

#include "bench/worker/rig.h"
#include "harness/machine/energy.h"
#include "harness/machine/gpu_state.h"

#include <jansson.h>

struct telemetry {
    struct energy energy; /* the counters that this process may read */
    const struct monitor *monitor;
    struct watch *watch; /* NULL: nothing tells the state of the device */
    double context;      /* bytes of the device that this process held once it was opened, before any operand */
    double seconds;      /* that opening took */
};

/* What one look has seen. */
struct telemetry_look {
    struct energy_reading energy;
    double joules; /* of the device; NAN unknown */
    struct gpu_state gpu;
    double seconds; /* that it took */
};

/* Once the device is opened, and before it holds any operand. Of a device whose time is scripted nothing is watched. */
void telemetry_open(struct telemetry *telemetry, const struct rig *rig);
void telemetry_close(struct telemetry *telemetry);

/* Whether the device counts its energy. */
bool telemetry_counts_joules(const struct telemetry *telemetry);

void telemetry_look(const struct telemetry *telemetry, struct telemetry_look *out);

/* Adds what two looks around a slice have seen: the members "energy_j", "gpu" and "probes_ns". What emptying caches
 * takes is no run's energy. */
void telemetry_report(const struct telemetry *telemetry, const struct telemetry_look *from,
                      const struct telemetry_look *to, bool flushes, json_t *slice);

/* The journal's `gpu` of a `state` line; NULL: nothing is known. */
json_t *telemetry_state(const struct telemetry *telemetry);

/* The journal's `memory_cost` of a rig that is ready: memory of the device and of the host. `context`: bytes by which
 * this process grew when the session was opened. */
json_t *telemetry_memory(const struct telemetry *telemetry, const struct rig *rig, double context);

/* About `seconds` of runs without a pause between two steps of the device's counter of energy: the members "runs",
 * "elapsed_ns", "energy_j", "error" and "gpu" of a journal's meter line, only the last where the counter does not move.
 * `run` is what a run takes. NULL with err filled when a run failed. */
json_t *telemetry_meter(const struct telemetry *telemetry, struct rig *rig, double seconds, double run,
                        struct error *err);

#endif
