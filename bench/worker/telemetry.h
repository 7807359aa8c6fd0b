#ifndef BENCH_WORKER_TELEMETRY_H
#define BENCH_WORKER_TELEMETRY_H

/* The energy counters of the host, the state of the device (struct monitor), and the memory of a cell. A reading can
 * take milliseconds: it is made before and after timed runs, never during them, and its time is recorded. Nothing here
 * fails: what is unknown is left out. */

#include "bench/worker/rig.h"
#include "harness/journal/line.h"

struct telemetry {
    struct energy energy; /* the counters that this process may read */
    const struct monitor *monitor;
    struct watch *watch; /* NULL: the state of the device is not known */
    double opened;       /* bytes of device memory of this process after opening, before any operand */
    double seconds;      /* that opening the counters took */
};

/* One reading. */
struct telemetry_reading {
    struct energy_reading energy;
    double joules; /* of the device; NAN: unknown */
    struct gpu_state gpu;
    double seconds; /* that it took */
};

/* Call when the device is open and before it holds operands. A device with scripted time is not read. */
void telemetry_open(struct telemetry *telemetry, const struct rig *rig);
void telemetry_close(struct telemetry *telemetry);

/* Whether the device has an energy counter. */
bool telemetry_counts_joules(const struct telemetry *telemetry);

void telemetry_read(const struct telemetry *telemetry, struct telemetry_reading *out);

/* Adds energy, states and the time to read them from the readings before and after a slice. No energy unless it has
 * only_runs: that of emptying caches and of writing inputs is not theirs. */
void telemetry_report(const struct telemetry *telemetry, const struct telemetry_reading *from,
                      const struct telemetry_reading *to, bool only_runs, struct slice_line *slice);

struct gpu_state telemetry_state(const struct telemetry *telemetry);

/* The memory of a rig that is ready, of the device and of the host. `context`: bytes by which this process grew when
 * the session was opened. `node`: the NUMA node that holds the host's operands; -1 unknown. */
struct memory_cost telemetry_memory(const struct telemetry *telemetry, const struct rig *rig, double context,
                                    int *node);

/* Runs for about `seconds` without a pause, between two steps of the device's energy counter; only the state is known
 * if the counter does not change. `run`: seconds of one run. False with err if a run failed. */
bool telemetry_meter(const struct telemetry *telemetry, struct rig *rig, double seconds, double run, struct meter *out,
                     struct error *err);

#endif
