#ifndef BENCH_WORKER_WORKER_H
#define BENCH_WORKER_WORKER_H

/* The child: one process for one device and one cell, which may crash, hang or print rubbish without harm. It answers
 * requests from stdin on fd 3, one JSON object a line each, until stdin ends. A reply holds "ok": true and what was
 * asked for, or "ok": false with status, where and message.
 *
 *   list     backend, source
 *            -> devices: [...], reason (why there are none)
 *   open     device, workload, dtype, shape, method, memory, seed, threads
 *            -> open_ns, alloc_ns, compile_ns, upload_ns, repack_ns, run_ns, download_ns, detail, wait, memory_cost,
 *               memory_node, counts_energy (the device counts its own: it can be metered)
 *   naive    the members of open
 *            -> alloc_ns, compile_ns, run_ns, fetch_ns, faults: of a process that is good for nothing else
 *   verify   pass: "before" or "after"
 *            -> checks: [...], run_ns (the last run of the checks)
 *   warmup   series
 *            -> runs, wall_ns (of one run when warm)
 *   state    -> members of host_state: the machine as this process meets it; gpu: those of gpu_state, of the device
 *   slice    series, ns (how long)
 *            -> discarded, wall_ns, event_ns, phases, cpu_ns, elapsed_ns, energy_j, probes_ns, gpu
 *   meter    ns (how long)
 *            -> runs, elapsed_ns, energy_j, error, gpu: resident runs without a pause, and what they take
 *
 * The members are those of the journal's lines (journal.h), so that the parent only has to add which cell they are of.
 */

/* Serves until stdin ends; argv holds what follows "worker": the parent's process id. Returns the exit status. */
int worker_serve(int argc, char *const argv[]);

#endif
