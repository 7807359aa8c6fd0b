#ifndef BENCH_SCHEDULE_DRIVER_LOG_H
#define BENCH_SCHEDULE_DRIVER_LOG_H

/* What drivers print: one file for each device, in a folder beside the journal ("FILE.jsonl.log/opencl-0.txt"). Files
 * that stay empty vanish at the end, and so does the folder. */

#include <stddef.h>

/* File descriptor to append to, for a worker's stdout and stderr; -1, meaning nowhere, if it cannot be had. */
int driver_log_open(const char *journal_path, const char *device_id);

/* How much that device has printed so far, bytes. */
long driver_log_length(const char *journal_path, const char *device_id);

enum { CHATTER_WORDS = 200 }; /* bytes of it worth keeping */

/* The last line that device printed since then, cleaned for a table; "" if it printed nothing. */
void driver_log_tail(char *to, size_t room, const char *journal_path, const char *device_id, long since);

/* Removes the device's file if it is empty, and the folder with the last of them. */
void driver_log_tidy(const char *journal_path, const char *device_id);

#endif
