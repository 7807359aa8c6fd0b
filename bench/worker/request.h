#ifndef BENCH_WORKER_REQUEST_H
#define BENCH_WORKER_REQUEST_H

/* What a worker is asked, and what it replies. request.c has one table for each of both, which writes and reads it: the
 * requests are described at worker.h. */

#include "bench/workloads/workload.h"
#include "harness/journal/line.h"

enum request_kind {
    ASK_LIST,
    ASK_START,
    ASK_OPEN,
    ASK_KERNEL_SHAPE,
    ASK_NAIVE,
    ASK_VERIFY,
    ASK_WARMUP,
    ASK_STATE,
    ASK_SLICE,
    ASK_CHECK,
    ASK_METER,
    ASK_CLOSE,
    REQUESTS
};

/* Of its members a request has those that its kind needs. */
struct request {
    enum request_kind kind;
    const char *backend, *source;
    const struct device *device;
    const char *workload, *dtype, *method, *kernel_shape, *memory;
    char shape[SHAPE_MAX];
    uint64_t seed;
    unsigned threads;
    double flush; /* bytes to read before each run, to empty the caches; 0: none */
    enum when pass;
    enum series series;
    double seconds; /* its length */
    bool phased;    /* every run of a copied series is timed by phase */
    bool events;    /* some runs are for the device's clock alone */
    bool watch;     /* the state of the device is read after it */
    double limit;   /* for the parent: seconds that it may take; 0: what any may */
};

/* The reply to a request of that kind. What it points to is in its pool, which its owner releases. */
struct reply {
    enum request_kind kind;
    struct pool pool;
    bool ok;
    struct error error; /* where it is not ok */
    double took;        /* seconds by the worker's clock */
    union {
        struct {
            json_t *devices; /* the receiver owns it: they have no id yet */
            const char *reason;
        } listed;
        struct first first;
        struct {
            double compile;
            const char *detail;
        } shape;
        struct naive_run naive;
        struct verify_line verify;
        double warmup; /* seconds of a run at its end */
        struct state_line state;
        struct {
            struct slice_line slice;
            bool is_due; /* a check of it is to follow */
        };
        struct slice_check check;
        struct meter meter;
    };
};

struct request_form {
    const char *name, *words; /* in the request, and for users */
    const struct fields *asked, *replied;
    size_t replied_at; /* in struct reply */
};
extern const struct request_form request_forms[REQUESTS];

/* Whether it is about one series. */
bool request_has_series(const struct request *request);

/* A new object; NULL when memory is short. */
json_t *request_to_json(const struct request *request);
json_t *reply_to_json(const struct reply *reply);

/* False with err: no such request, or a device that is none. The texts are in the pool. */
bool request_from_json(struct request *out, const json_t *json, struct pool *pool, struct error *err);
void reply_from_json(struct reply *out, enum request_kind kind, const json_t *json);

/* Of which nothing is known yet. */
struct reply reply_unknown(enum request_kind kind);
void reply_release(struct reply *reply);

#endif
