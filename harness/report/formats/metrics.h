#ifndef HARNESS_REPORT_FORMATS_METRICS_H
#define HARNESS_REPORT_FORMATS_METRICS_H

/* The metrics of a cell: one table names each with its column of the CSV and its member of the JSON, so the two formats
 * never disagree. results/figures.md explains them. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/naive.h"
#include "harness/report/content/note_list.h"

#include <jansson.h>

/* Everything that the table reads, of one cell; NAN, NULL and "": not known. */
struct cell_values {
    const char *run, *machine, *started; /* of the journal: its letter, its processor, when it began */
    struct cell_metrics metrics;
    struct cell_record cell; /* a copy, which owns nothing; the same for the device */
    struct device device;
    struct notes notes;
    struct naive naive;
    const char *joined_notes; /* "first; second" */
    const char *status, *class, *headline, *event_clock, *measures_ceiling, *roof, *offload_bound, *power;
    char held_by[256];          /* why the GPU's clock was held down */
    double slices, slices_held; /* of the headline with known reasons, and those of them that were held down */
    double package_energy, package_flop_per_j, gpu_energy, gpu_flop_per_j, dram_power, psys_power;
    struct series_values {
        struct summary summary;
        struct estimate time;
        unsigned slices;
        double host_cpu;  /* processor seconds of the host per second */
        const char *stop; /* why it ended */
    } series[SERIES_COUNT];
};

/* Reads a cell of a run; the texts must outlive it. To be released. */
void cell_values_read(struct cell_values *out, const char *run, const char *machine, const char *started,
                      const struct cell_metrics *metrics);
void cell_values_release(struct cell_values *values);

/* Which metrics, and under which names: columns of the CSV, those that are written unless all are asked for; or paths
 * in the JSON of a cell, "ceiling.share". */
enum metric_names { METRIC_MAIN_COLUMNS, METRIC_COLUMNS, METRIC_MEMBERS };

/* Takes one metric of a cell, whose value it owns: NULL when memory was short, and without values. */
enum { METRIC_NAME = 64 };
typedef void metric_take(void *context, const char *name, json_t *value);

/* Calls it for each metric in the order of the columns. Values NULL: for the names alone. */
void metrics_each(const struct cell_values *values, enum metric_names names, metric_take *take, void *context);

#endif
