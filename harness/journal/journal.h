#ifndef HARNESS_JOURNAL_JOURNAL_H
#define HARNESS_JOURNAL_JOURNAL_H

/* clang-format off */
/* The journal: JSON Lines, one object per fact, flushed as soon as it is known. The member "line" tells the kind:
 *
 *   journal   first line: schema "bench-journal/2", version, started, command (argv), seed, options, host, libraries
 *   device    one device as listed (device.h)
 *   absent    a backend or source that gave no device: backend, source, status, reason
 *   trial     one try of a method: block, device, method, memory, dtype, status, where, reason, the parts of the first
 *             run as in `first` and detail as far as it came, wall_ns (the fastest of `runs` runs after it),
 *             repacking_ns (what repacking adds to such a run, null where the method repacks nothing)
 *   cell      a cell whose method is settled: key, block, device (id), workload, dtype, shape, method, memory, flops,
 *             bytes, held (bytes of all operands), launches (of kernels, in a run), roof ("flops", "bandwidth",
 *             "latency", or absent) and roof_serial for what measures a ceiling, ceiling (true where nobody asked
 *             for it; measured again its key and block end in " again"), cold (caches are flushed before each
 *             run), fast_algorithm (its method does with fewer operations than flops counts), baseline (the key of
 *             the cell it is compared with, "" for none), repro
 *   sweep     what is swept, once, before its cells: workload, dtype, shape ("{}" where the size goes), unit, dim, from,
 *             to, points, uses, baseline and devices (ids), each_method
 *   baseline  this cell takes the baseline's place for all cells of its block so far, as that one failed: cell
 *   first     the first run of a fresh worker, seconds of its parts, null where there is no such part: cell, open_ns,
 *             alloc_ns, compile_ns, upload_ns, repack_ns, run_ns, download_ns, map_ns (a page mapped and given back
 *             once all stood ready; null in memory that is not mapped in place), detail, cache, environment,
 *             flush_bytes (what the host reads through before each cold run), wait (how the backend waits: "none",
 *             "driver", "spin", "block"), memory_cost {device_operands, host_operands, context_host, held_twice, repacked,
 *             peak_host, context_device, held_device: bytes, largest_node: share}, counts_energy (true where the device
 *             counts its own), memory_node (the NUMA node that memory was asked from, null: no
 *             wish), probes_ns (what finding out the latter took)
 *   verify    one pass: cell, pass ("before", "after"),
 *             checks: [{name, checked, of, smallest_error, largest_error, weak}]
 *   warmup    cell, series, runs, wall_ns
 *   state     the machine around a cell: cell, when ("before", "after"), probes_ns (what asking for it took),
 *             host_state's members, and gpu (gpu_state's, as far as something tells the device's)
 *   slice     cell, series, turn, at_ns, discarded, wall_ns: [...], event_ns: [...] or null, enqueue_ns: [...] or null,
 *             cpu_ns, elapsed_ns, energy_j: {package, dram, psys, gpu} as far as machine and device count them, probes_ns
 *             (what looking at these counters took), gpu {before, after} (clocks and reasons of gpu_state), flushes and flush_ns (how often caches were flushed, and what of
 *             elapsed_ns that took; no part of cpu_ns),
 *             phases: {upload_ns: [...], repack_ns: [...], compute_ns: [...], download_ns: [...]} (offload only)
 *   meter     resident runs without a pause, between two steps of the device's counter of energy: cell, runs,
 *             elapsed_ns, energy_j {gpu}, error (share of it that the steps leave open), all of them absent where the
 *             counter stood still, gpu (gpu_state at the end of them), probes_ns (what all of this took)
 *   stop      cell, series, reason
 *   naive     the cell as people time it who only want to see: a fresh process with the inputs in place, the clock
 *             around one run that writes a fresh result, and around the fetch of a few elements of that: cell, process
 *             (from 0), status, where, reason, and where that is ok alloc_ns (the memory of the result), run_ns (until
 *             the calls had returned), fetch_ns (which waits for the run), compile_ns (before the clock), faults
 *             (pages that the system handed out under the clock; null where it does not tell)
 *   outcome   cell, status, where, reason, log (the last words of the driver)
 *   done      all of a block was measured that was to be: block
 *   note      cell ("" for the run), text
 *   end       status ("complete", "interrupted"), elapsed_ns, probes_ns (what looking at the machine took of that)
 *   resume    a run that was broken off goes on: started, command (argv), forgets: [block, ...] (those that were not
 *             done: their cells and trials so far count for nothing, and neither do notes on the run as a whole). What
 *             comes after it belongs to the same run: the clock of at_ns and elapsed_ns went on where it had stopped,
 *             and the last `end` counts
 *
 * `turn` counts the slices of one block, baseline's included, in the order they were measured: a ratio uses the
 * baseline slices of the nearest turns on both sides. The series "resident", "queued" and "offload" are measured in
 * turn; "sustained" comes after them, each device by itself. Times are whole nanoseconds, so that what is read back is
 * exactly what was measured. */
/* clang-format on */

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define JOURNAL_SCHEMA "bench-journal/2"

/* How jansson writes a line: with as many significant digits as bring every double back unchanged. */
#define JOURNAL_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(17))

struct journal;

/* Creates the file, or takes one that is empty, a pipe or a device; a file with anything in it is refused
 * (STATUS_USAGE). The failure names the path and the reason. */
struct journal *journal_create(const char *path, struct error *err);

/* Opens the journal of a run that was broken off, to be gone on with; changes nothing yet. Refused (STATUS_USAGE) where
 * it cannot be written, is no file, or is still being written: until it is closed it is ours. */
struct journal *journal_reopen(const char *path, struct error *err);

/* Before the first line is added to such a journal: cuts off a last line that was written in part, or ends one that is
 * whole but for its end (journal_faults tells which). */
bool journal_mend(struct journal *journal, bool is_truncated, struct error *err);

/* Appends one line and flushes it; `first`, `outcome`, `done` and `end` are on the disk, with all before them, on
 * return, since a driver may take the machine down. Takes no ownership. After the first failure (a full disk) nothing
 * more is written and every call fails with that first failure. */
bool journal_write(struct journal *journal, const json_t *line, struct error *err);

/* Makes sure it is on the disk and closes it. */
bool journal_close(struct journal *journal, struct error *err);

/* Reads a journal line by line, handing each object to `take`, whose false ends the reading. Checks that the first line
 * names our schema. Anything may be in the file: a line that is not a JSON object with a kind, or too deep or too long,
 * is counted and passed over; kinds unknown here are handed on, for later versions may add some; a truncated last line
 * costs that line only, and counts only as truncated. Of two journals in one file only the first is read. */
struct journal_faults {
    unsigned long bad_lines, first_bad; /* count, and the number of the first one */
    unsigned long line;                 /* the number of the one handed to `take` last */
    unsigned long second_head;          /* where another journal begins, at which the reading ends; 0: nowhere */
    bool truncated;                     /* the last line has no end */
    bool complete;                      /* an `end` line was seen */
};
typedef bool journal_take(void *context, const json_t *line, struct error *err);
bool journal_read(const char *path, journal_take *take, void *context, struct journal_faults *faults,
                  struct error *err);

/* Whole nanoseconds of seconds (null when not finite), and back (NAN when absent or not a number). */
json_t *journal_ns(double seconds);
double journal_seconds(const json_t *ns);

#endif
