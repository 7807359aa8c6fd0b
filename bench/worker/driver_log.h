#ifndef BENCH_WORKER_DRIVER_LOG_H
#define BENCH_WORKER_DRIVER_LOG_H

/* Driver logs: what drivers print, one file for each device in a folder beside the journal
 * ("FILE.jsonl.log/opencl-0.txt"). Empty files, and an empty folder, are removed at the end. */

#include "bench/worker/client.h"
#include "harness/machine/device.h"

/* A worker for the device, whose stdout and stderr are appended to its log, or lost if that cannot be opened. NULL with
 * err. */
struct client *driver_log_client(const char *journal_path, const struct worker_setup *setup,
                                 const struct device *device, struct error *err);

/* Removes the device's file if it is empty, and the folder with the last file. */
void driver_log_tidy(const char *journal_path, const char *device_id);

#endif
