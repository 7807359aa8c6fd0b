#ifndef BENCH_WORKER_CLIENT_H
#define BENCH_WORKER_CLIENT_H

/* A worker as its parent sees it: started for one source or one cell, asked one thing at a time, bounded in time, and
 * described when it dies. The requests are listed in worker.h. */

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/machine/host.h"

#include <jansson.h>

struct client;

/* What every worker of a run has in common. */
struct worker_setup {
    const struct host *host; /* decides OMP_NUM_THREADS and OMP_PLACES; NULL: workers see the machine as we do */
    double timeout;          /* seconds that any request may take at least */
    int wake_fd;             /* readable when the user interrupts; -1: none */
    bool is_plain;           /* memory comes as to any program, without a wish for large pages */
};

/* pinned: to the cores that our own loops use, which is for a device that computes with them. A driver's own threads
 * would inherit the one core that OpenMP leaves to the thread that loads it. log_fd: where chatter goes, -1 for
 * nowhere.
 */
struct client *client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err);

/* Asks and waits: the deadline is the larger of the setup's patience and ten times `expected` seconds. Takes the
 * request. Returns the reply, for the caller to decref, or NULL with err: what the worker said (any status), or
 * STATUS_TIMEOUT, STATUS_CRASHED, STATUS_ABANDONED (interrupted). After the last three the worker is gone or must be
 * ended. */
json_t *client_ask(struct client *client, json_t *request, double expected, struct error *err);

/* The same for the request that brings up a driver and compiles: a library that compiles its kernels at the first call
 * is silent for a minute on a slow machine and is none the worse for it, so the setup's patience counts four times. */
json_t *client_open(struct client *client, json_t *request, double expected, struct error *err);

/* A worker's first run takes up to this many times as long as a steady one (drivers allocate lazily). */
enum { FIRST_OVER_STEADY = 10 };

/* Whether the latest request failed, and the worker has not opened its device: it cannot. NULL: no. */
bool client_lacks_device(const struct client *client);

/* Seconds of a reply's member in nanoseconds; 0 where it has none. */
double client_seconds(const json_t *reply, const char *member);

/* CPU seconds that it has burnt so far; 0 where it is gone, or NULL. */
double client_cpu(const struct client *client);

/* Lets it leave by itself, or kills it. NULL is fine. */
void client_end(struct client *client);

/* The variables that such a worker starts with, as a new JSON object: for the record. */
json_t *client_environment(const struct worker_setup *setup, bool pinned);

#endif
