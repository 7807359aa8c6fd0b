#ifndef BENCH_WORKER_CLIENT_H
#define BENCH_WORKER_CLIENT_H

/* A worker process as its parent sees it: started for one source or one cell, asked one request at a time, with a
 * timeout, and with a reason when it dies. worker.h lists the requests. */

#include "bench/worker/request.h"
#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

struct client;

/* The settings that all workers of a run share. */
struct worker_setup {
    const struct host *host;           /* for OMP_NUM_THREADS and OMP_PLACES; NULL: the environment stays as it is */
    double timeout;                    /* seconds; no request gets less */
    const struct interrupt *interrupt; /* the user's; NULL: nobody looks */
    bool is_plain;                     /* malloc does not ask for huge pages */
};

/* pinned: its OpenMP threads are bound to cores; only for a device that computes with our own loops. The threads of a
 * driver would inherit the one core of the thread that loads it. log_fd: for the driver's output; -1: its last
 * line is in the error if the worker dies. */
struct client *client_start(const struct worker_setup *setup, bool pinned, int log_fd, struct error *err);

/* Seconds that a request may take: ten times as long as expected, and no less than the timeout. */
double client_deadline(double timeout, double expected);

/* Sends a request and waits for the reply until client_deadline: of the request's limit, else of four times the setup's
 * timeout for a request that opens a cell (a library that compiles its kernels at the first call can take a minute on a
 * slow machine), and of the timeout for any other. The caller releases the reply (reply_release). False with err, and
 * an empty reply: the worker's own error (any status), or STATUS_TIMEOUT, STATUS_CRASHED, STATUS_ABANDONED
 * (interrupted). After these three the worker is gone or must be ended. */
bool client_ask(struct client *client, const struct request *request, double expected, struct reply *reply,
                struct error *err);

/* What its driver printed last while a request waited for its reply, also if the worker died then; "": nothing. Another
 * worker with the same log does not run at that time. */
const char *client_last_line(const struct client *client);

/* Whether a worker died, and its device or method may be the cause. A check that takes too long is the host's: it may
 * be busy. */
bool client_counts_against_device(const struct error *err);

/* CPU seconds of the worker so far; 0 if it is gone, or NULL. */
double client_cpu(const struct client *client);

/* Lets the worker close its device, within the timeout, and exit by itself, or kills it. False with err (may be NULL)
 * where a worker that had answered every request crashed, exited or hung then. NULL is fine. */
bool client_end(struct client *client, struct error *err);

#endif
