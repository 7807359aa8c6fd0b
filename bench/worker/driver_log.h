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

/* When the device's log was written to last, in ns of the file system's clock; 0: never. Unlike a length it is of use
 * after a long log was cut. */
long driver_log_written(const char *journal_path, const char *device_id);

enum { DRIVER_LOG_TAIL = 200 }; /* bytes of a line that are kept */

/* The last line, cleaned for a table; "" if the log was not written to since driver_log_written gave `before`. */
void driver_log_tail(char *to, size_t room, const char *journal_path, const char *device_id, long before);

/* Removes the device's file if it is empty, and the folder with the last file. */
void driver_log_tidy(const char *journal_path, const char *device_id);

#endif
