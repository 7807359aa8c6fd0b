#include "bench/schedule/naive.h"

#include "bench/schedule/driver_log.h"
#include "harness/base/clock.h"

/* Enough to show that they differ. */
enum { PROCESSES = 3 };

/* One run needs this share of the time to open a cell. */
static const double part_of_opening = 0.5;

/* Whether the cell is timed naively: it was asked for, computes, is no ceiling, and its caches stay warm. */
static bool is_timed_naively(const struct options *options, const struct cell *cell)
{
    bool is_asked = options->suite == SUITE_UHD620 && !cell->is_ceiling;
    return is_asked && cell->method && !cell->problem.workload->roof && cell->flush == 0;
}

double naive_seconds(const struct context *context, const struct cell *cell)
{
    return is_timed_naively(context->options, cell) ? PROCESSES * part_of_opening * cell_opening_seconds(cell) : 0;
}

/* The reply of one process, or NULL with the reason. */
static json_t *time_once(struct context *context, const struct cell *cell, struct error *err)
{
    struct worker_setup setup = context->setup;
    setup.is_plain = true;
    struct client *client = driver_log_client(context->run_log.path, &setup, cell->device, err);
    if (!client)
        return NULL;
    json_t *request = cell_to_request(cell, context->options, setup.host->worker_threads);
    json_object_set_new(request, "do", json_string("naive"));
    const double asked = clock_wall();
    json_t *reply = client_open(client, request, cell_host_seconds(cell), err);
    context->spent[SPENT_MEASURING] += clock_wall() - asked;
    client_end(client, NULL);
    return reply;
}

/* Stops at the first failure: the next process would fail too. */
void naive_measure(struct context *context, const struct cell *cell)
{
    bool goes_on = is_timed_naively(context->options, cell) && !context->interrupted;
    for (unsigned process = 0; goes_on && process < PROCESSES; process++) {
        struct error outcome = { .status = STATUS_OK };
        progress_step(&context->progress, true, cell, "first run in a fresh process, %u of %d", process + 1, PROCESSES);
        json_t *reply = time_once(context, cell, &outcome);
        goes_on = outcome.status == STATUS_OK;
        if (outcome.status == STATUS_ABANDONED) {
            context->interrupted = true;
            break;
        }
        json_t *line =
            json_pack("{s:s, s:s, s:i, s:s, s:s, s:s}", "line", "naive", "cell", cell->key, "process", (int)process,
                      "status", status_names[outcome.status], "where", outcome.where, "reason", outcome.message);
        json_object_del(reply, "ok");
        json_object_update(line, reply);
        run_log_write(&context->run_log, line);
        json_decref(reply);
    }
}
