#ifndef HARNESS_BASE_FORKED_H
#define HARNESS_BASE_FORKED_H

/* Runs a function in a fork of this process, for what would end this process or leave traces in it, such as a library
 * that stays loaded. The fork has one thread. It must call no driver that this process has opened, and it ends when the
 * function returns: no handler of this process runs, and no buffered output is written. */

#include <stdbool.h>
#include <stddef.h>

/* Calls work(context, reply) in a fork and waits for its end. reply points to `bytes` bytes, zeros at first; what the
 * function has written there, also before a crash, is copied to `reply` of the caller. False where the system has no
 * process or no memory for it; nothing was called then. */
bool forked_call(void (*work)(const void *context, void *reply), const void *context, void *reply, size_t bytes);

#endif
