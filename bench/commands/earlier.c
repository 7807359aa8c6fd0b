#include "bench/commands/earlier.h"

#include "bench/commands/history.h"
#include "harness/analysis/figure.h"
#include "harness/journal/results.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 50, RUNS_MAX = 10, RUNS_MIN = 3 };

/* The speed-ups of a row in earlier runs. */
struct past {
    double speedup[RUNS_MAX];
    unsigned runs;
};

static bool is_alike(const json_t *was, const json_t *is, const char *part, const char *member)
{
    return json_equal(json_object_get(part ? json_object_get(was, part) : was, member),
                      json_object_get(part ? json_object_get(is, part) : is, member));
}

/* Machine, program and libraries, the cores that may be used, and the baseline. */
static bool is_same_machine(const json_t *was, const json_t *is)
{
    return is_alike(was, is, "host", "name") && is_alike(was, is, "host", "signature") &&
           is_alike(was, is, NULL, "version") && is_alike(was, is, NULL, "libraries") &&
           is_alike(was, is, "host", "worker_threads") && is_alike(was, is, "host", "places") &&
           is_alike(was, is, "options", "baseline");
}

/* The key of a cell names its device. */
static void add_run(struct past past[], const struct record *record, const struct record *was)
{
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *is = record->cell[i], *one = record_cell(was, is->key);
        const struct estimate speedup = one ? figure_read(was, one, cell_headline(one)).speedup : estimate_unknown;
        if (!(speedup.low > 0) || one->first.cores_computing < one->first.cores_planned) /* not judged */
            continue;
        const struct device *before = record_device(was, one->device_id), *now = record_device(record, is->device_id);
        if (before && now && strcmp(before->driver_version, now->driver_version) == 0)
            past[i].speedup[past[i].runs++] = speedup.value;
    }
}

struct look {
    const json_t *head; /* of this run */
    bool is_same;
};

/* Looks at the first line alone. */
static bool take_head(void *context, const json_t *line, struct error *err)
{
    struct look *look = context;
    look->is_same = is_same_machine(line, look->head);
    return fail(err, STATUS_USAGE, "the rest is not needed");
}

static void read_runs(struct past past[], const struct record *record, const char *own)
{
    struct history history = { .runs = NULL };
    struct error ignored = { .status = STATUS_OK };
    const bool is_open = history_open(&history, &ignored);
    unsigned runs = 0;
    for (unsigned i = 0; is_open && i < history_runs(&history) && i < FILES_MAX && runs < RUNS_MAX; i++) {
        const char *path = history_path(&history, i);
        struct look look = { .head = record->head };
        struct result run = { .record = NULL };
        if (strcmp(path, own) != 0)
            journal_read(path, take_head, &look, NULL, &ignored);
        if (look.is_same && result_read(&run, path, &ignored) && strcmp(run.record->end, "complete") == 0 &&
            !run.record->cores_changed) {
            add_run(past, record, run.record);
            runs++;
        }
        result_release(&run);
    }
    history_close(&history);
}

void earlier_write(struct context *context)
{
    const struct record *record = context->run_log.record;
    struct past *past = calloc(record->cells + 1, sizeof *past);
    if (past)
        read_runs(past, record, context->run_log.path);
    for (unsigned i = 0; past && i < record->cells; i++) {
        const unsigned runs = past[i].runs;
        double *speedup = past[i].speedup;
        if (runs < RUNS_MIN || record->cell[i]->is_peak)
            continue;
        run_log_write(&context->run_log,
                      &(struct journal_line){ .kind = LINE_EARLIER,
                                              .cell = record->cell[i]->key,
                                              .earlier = { .runs = runs,
                                                           .low = stats_quantile(speedup, runs, 0),
                                                           .median = stats_median(speedup, runs),
                                                           .high = stats_quantile(speedup, runs, 1) } });
    }
    free(past);
}
