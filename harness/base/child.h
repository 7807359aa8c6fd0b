#ifndef HARNESS_BASE_CHILD_H
#define HARNESS_BASE_CHILD_H

/* A worker process, seen by its parent: requests go to its stdin, replies come from its fd 3, one line each; whatever
 * else it or a driver prints goes to a log. It can crash, hang, fall silent or talk nonsense without harm: every wait
 * is bounded, its end is described, and it is reaped together with its descendants. Spawned with posix_spawn, never a
 * bare fork. */

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct child;

/* Starts `argv` (NULL-terminated, argv[0] an absolute path) in a process group of its own, stdout and stderr appended
 * to log_fd (-1: discarded). `environment` (NULL-terminated "NAME=value", may be NULL) overrides the parent's. Signals
 * that the parent blocks or ignores are back to their defaults. SIGCHLD is set to its default in the parent, should it
 * be ignored there: children would vanish without a word of how they ended. */
struct child *child_start(const char *const argv[], const char *const environment[], int log_fd, struct error *err);

/* Sends one line; a newline is added. Never blocks beyond the deadline, never raises SIGPIPE. STATUS_TIMEOUT: it did
 * not take all of it within `seconds`, and is then killed. STATUS_CRASHED: it is dead, or does not listen any more. */
bool child_send(struct child *child, const char *line, double seconds, struct error *err);

/* Waits for one line. *line is the child's until the next call, without the newline.
 * STATUS_TIMEOUT: nothing complete came within `seconds`; the child is then killed. STATUS_CRASHED: it ended, or closed
 * its end, before a whole line came; the message describes the death ("killed by signal 11 (Segmentation fault)",
 * "exited with status 3"). STATUS_ABANDONED: wake_fd (-1: none) became readable first; the child is untouched.
 * STATUS_FAILED: a line longer than CHILD_LINE_MAX; the child is then killed. What it said before it died is handed out
 * first. After any failure but STATUS_ABANDONED the child is dead, and every further call repeats that failure. */
bool child_receive(struct child *child, double seconds, int wake_fd, char **line, struct error *err);
enum { CHILD_LINE_MAX = 4 << 20 }; /* as long as a journal's line may be */

/* CPU seconds that it has burnt so far; NAN where it is gone. */
double child_cpu(const struct child *child);

/* Closes its stdin, waits up to `seconds` for it to leave by itself, then kills the whole group and reaps it. False
 * when it had to be killed, or left with another status than 0; err describes that. NULL is fine. */
bool child_end(struct child *child, double seconds, struct error *err);

/* To be called first thing in a child: die with the parent, whose process id the parent passed along, and be the first
 * that the OOM killer takes. False when the parent is gone already. Linux means the parent's thread: start children
 * from one that lives as long as they do. */
bool child_follow(long parent);

/* Absolute path of this program, to start again; the path the kernel knows, not the link that was typed. */
bool child_program(char *to, size_t room, struct error *err);

#endif
