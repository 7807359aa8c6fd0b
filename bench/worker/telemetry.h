#ifndef BENCH_WORKER_TELEMETRY_H
#define BENCH_WORKER_TELEMETRY_H

/* The energy counters of the host, the state of the device (struct monitor), and the memory of a cell. A reading can
 * take milliseconds: it is made between timed runs, never during them, its time is recorded, and the parent says when
 * one may be made. Nothing here fails: what is unknown is left out. */

#include "bench/worker/rig.h"
#include "harness/journal/record.h"

struct telemetry {
    struct energy energy; /* the counters that this process may read */
    const struct monitor *monitor;
    struct watch *watch; /* NULL: the state of the device is not known */
    double opened;       /* bytes of device memory of this process after opening, before any operand */
    double reading;      /* seconds of a reading as after a slice; NAN: nothing is read then */
    double seconds;      /* that opening the counters took */
};

/* Call when the device is open and before it holds operands. A device with scripted time is not read. */
void telemetry_open(struct telemetry *telemetry, const struct rig *rig);
void telemetry_close(struct telemetry *telemetry);

/* Whether the host or the device has an energy counter. */
bool telemetry_counts_joules(const struct telemetry *telemetry);

/* The state of the device: everything, or only its clock and what limits it. */
struct gpu_state telemetry_read(const struct telemetry *telemetry, bool everything);

/* The memory of a rig that is ready, of the device and of the host. `context`: bytes by which this process grew when
 * the session was opened. `node`: the NUMA node that holds the host's operands; -1 unknown. */
struct memory_cost telemetry_memory(const struct telemetry *telemetry, const struct rig *rig, double context,
                                    int *node);

/* Runs of the series for so many seconds without a pause, at least one, their energy, and how long the clock was held
 * down. Copied runs begin with the inputs as they are. False with err if a run failed. */
bool telemetry_meter(const struct telemetry *telemetry, struct rig *rig, enum series series, double seconds,
                     struct meter *out, struct error *err);

#endif
