#ifndef BENCH_WORKER_WORKER_H
#define BENCH_WORKER_WORKER_H

/* clang-format off */
/* The worker process: one process for one device and one cell, so that a crash or a hang of a driver does no harm. It
 * reads requests from stdin and answers on fd 3, one JSON object a line, until stdin ends. The name of the request is
 * its member "do"; the other members, and those of the reply:
 *
 *   list     backend, source
 *            -> devices: [...], reason (why there are none)
 *   start    those of open
 *            Opens the device and no more, so that `open` for the same cell can have a deadline of its own, and the parent
 *            knows which of the two failed. Without it `open` opens the device, too.
 *   open     device, workload, dtype, shape, method, kernel_shape (its name; absent: the first), memory, seed, threads,
 *            flush (bytes to read through before each run, to empty the caches; 0: none)
 *            -> open_ns, alloc_ns, compile_ns, upload_ns, repack_ns, run_ns, download_ns, map_ns (one page mapped and
 *               unmapped), detail, kernel_shape (the prepared one; "": there is no choice), kernel_shapes (the names of
 *               all; absent if there is no choice), wait, memory_cost, memory_node, device_node and link_lanes (of the
 *               device; absent if unknown), counts_energy (true: `meter` works; absent otherwise), reading_ns (of the
 *               device's clock and its limits; absent if there is none), probes_ns, flush_bytes (only with flush),
 *               cores_planned and cores_computing (of the host; only where it computes)
 *   kernel_shape
 *            kernel_shape (its name)
 *            -> compile_ns (next to nothing if it was prepared before), detail
 *            Makes another kernel shape the current one, on the same operands; `verify`, `warmup`, `slice` and `meter`
 *            are of the current one. The status is "unsupported" for one that the method does not have, or that is beyond
 *            the registers, local memory or group size of the device. After a failure the former one is the current one.
 *   naive    those of open; flush has no effect
 *            -> alloc_ns, compile_ns, run_ns, fetch_ns, faults: of a process that serves nothing else
 *   verify   pass: "before" or "after" (the results of timed runs that no check has read yet, and one more run)
 *            -> checks: [...], each with name, checked, of, smallest_error, largest_error, weak; run_ns (the last run);
 *               checked_runs (after only: the results of timed runs that were checked whole); a check also has differs
 *               (true: right, with other bits than the former right result on the same operands; absent otherwise)
 *   warmup   series
 *            -> wall_ns (one run when warm)
 *   state    -> members of host_state: the machine as this process sees it; gpu: members of gpu_state
 *   slice    series, ns (its length), phased (true: every run of a copied series is timed by phase), events (true: some
 *            runs are for the device's clock alone), watch (true: the device's clock and its limits are read after it)
 *            -> series, discarded, runs (timed ones), cpu_ns, elapsed_ns, wall_ns, event_ns, event_wall_ns (of the runs
 *               for the device's clock; absent where event_ns is of the runs of wall_ns), enqueue_ns, phases (copied
 *               only), kept_ns (uploads only), flushes and flush_ns (cold runs only), probes_ns and gpu (with watch only),
 *               check_due (true: `check` is to follow; absent otherwise)
 *   check    series (of the latest slice)
 *            -> check_ns, check_every (so many slices of the series are one check apart; not of a sustained series),
 *               check_sample (elements compared; absent: the whole result), check_differs (as differs of verify): the
 *               result of the slice's last run was right; the output is poisoned then
 *   meter    series, ns (its length)
 *            -> runs, elapsed_ns, energy_j, error, held, probes_ns: of runs without a pause
 *
 *   close    closes the device
 *
 * A reply also has ok: true and took_ns (by the worker's clock), or else ok: false, status, where and message. The
 * members are those of the journal's lines (line.h); the parent adds the cell. */
/* clang-format on */

/* Serves until stdin ends; argv is what follows "worker": the parent's process id. Returns the exit status. */
int worker_serve(int argc, char *const argv[]);

#endif
