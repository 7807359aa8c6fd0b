#ifndef BENCH_SCHEDULE_DRIVER_LOG_H
#define BENCH_SCHEDULE_DRIVER_LOG_H

/* Driver logs: what drivers print, one file for each device in a folder beside the journal
 * ("FILE.jsonl.log/opencl-0.txt"). Empty files, and an empty folder, are removed at the end. */

#include <stddef.h>

/* File descriptor to append a worker's stdout and stderr to; -1 (nowhere) if the file cannot be opened. */
int driver_log_open(const char *journal_path, const char *device_id);

/* Bytes in the device's log. */
long driver_log_length(const char *journal_path, const char *device_id);

enum { DRIVER_LOG_TAIL = 200 }; /* bytes of a line that are kept */

/* The last line since `since` bytes, cleaned for a table; "" if there is none. */
void driver_log_tail(char *to, size_t room, const char *journal_path, const char *device_id, long since);

/* Removes the device's file if it is empty, and the folder with the last file. */
void driver_log_tidy(const char *journal_path, const char *device_id);

#endif
