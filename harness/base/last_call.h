#ifndef HARNESS_BASE_LAST_CALL_H
#define HARNESS_BASE_LAST_CALL_H

/* The function of a driver or library that a worker called last. Its parent shares the memory of the name, and reads it
 * when the worker has crashed, hangs or has exited: only this name tells where. */

enum { LAST_CALL_FD = 4, LAST_CALL_ROOM = 40 };

/* Notes that `entry` is called now; its first 39 bytes are kept. Takes some nanoseconds, and next to nothing in a
 * process that has no such parent. */
void last_call_begin(const char *entry);

/* A call, or the function to call, noted before. */
#define CALL(entry, call) (last_call_begin(entry), call)

/* In the parent: memory for the name of one worker, "" as yet, and the descriptor or handle to pass to it. NULL,
 * and -1, where there is none: calls of that worker have no name then. */
const char *last_call_create(int *passed);
void last_call_release(const char *name); /* NULL is fine */

/* In the worker, once: takes what its parent passed to it, if it did. */
void last_call_open(int passed);

#endif
