#ifndef HARNESS_BASE_CHILD_H
#define HARNESS_BASE_CHILD_H

/* A worker process as its parent uses it: requests go to its stdin, replies come from its REPLY_FD, one line each;
 * all other output goes to a log. It may crash, hang or write garbage without harm: every wait has a deadline, its end
 * is described, and it is reaped together with its descendants. Started by posix_spawn, never by a bare fork. */

#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/last_call.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct child;

enum { REPLY_FD = 3 };

/* Starts a program, by an absolute path (NULL: this one, also if it was replaced or removed since it started), with
 * `argv` (NULL-terminated) in its own process group, stdout and stderr appended to log_fd (-1: memory). Of a file
 * beyond 1 MiB the last half MiB stays: looked at while a reply is awaited, and at the end of the child. Open it to
 * append and to read. `environment` (NULL-terminated "NAME=value", may be NULL) overrides the parent's. Signals that
 * the parent blocks or ignores are reset to their defaults. If the parent ignores SIGCHLD, that is reset too: otherwise
 * the exit status of children would be lost. */
struct child *child_start(const char *program, const char *const argv[], const char *const environment[], int log_fd,
                          struct error *err);

/* Sends one line; a newline is added. Never blocks beyond the deadline, never raises SIGPIPE. STATUS_TIMEOUT: the child
 * did not read all of it within `seconds`, and is killed. STATUS_CRASHED: it is dead, or has closed its end. */
bool child_send(struct child *child, const char *line, double seconds, struct error *err);

/* Waits for one line. *line is valid until the next call, without the newline. STATUS_TIMEOUT: no complete line within
 * `seconds`; the child is killed. STATUS_CRASHED: it ended, or closed its end, before a complete line; the message
 * describes its end ("killed by signal 11 (Segmentation fault)", "exited with status 3"). STATUS_ABANDONED: the user
 * interrupted first (NULL: nobody looks); the child is not affected. STATUS_FAILED: a line longer than CHILD_LINE_MAX;
 * the child is killed. Lines from before its end are returned first. After any failure but STATUS_ABANDONED the child
 * is dead, and every further call repeats that failure. */
bool child_receive(struct child *child, double seconds, const struct interrupt *interrupt, char **line,
                   struct error *err);
enum { CHILD_LINE_MAX = 4 << 20 }; /* as long as a journal's line may be */

/* The entry point that it began last (last_call.h), also after its end; "": none, or unknown. */
struct text child_last_call(const struct child *child);

/* When its log was written to last, in ns of the file system's clock; 0: never. Unlike a length it is of use after a
 * long log was cut. */
long child_log_time(const struct child *child);

/* The last line of its log, cleaned for a table, also after its end; "": none. */
enum { LAST_LINE = 200 }; /* bytes of it that are kept */
struct text child_last_line(const struct child *child);

/* CPU seconds that it has used; NAN if it is gone. */
double child_cpu(const struct child *child);

/* How a child knows its parent: the text to pass to child_follow. */
struct text child_parent(void);

/* Closes its stdin, waits up to `seconds` for it to exit, then kills the whole group and reaps it. False when it had to
 * be killed, or exited with a status other than 0; err describes that. NULL is fine. */
bool child_end(struct child *child, double seconds, struct error *err);

/* Call this first in a child: it then dies with the parent, which `parent` names, and is the OOM
 * killer's first choice, and its calls are noted for the parent (last_call.h). False when the parent is already gone.
 * On Linux this is about the parent's thread: start children from a thread that exists as long as they do. */
bool child_follow(const char *parent);

/* In the child: where its replies go. */
FILE *child_replies(void);

#endif
