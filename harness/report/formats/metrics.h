#ifndef HARNESS_REPORT_FORMATS_METRICS_H
#define HARNESS_REPORT_FORMATS_METRICS_H

/* The metrics of a cell: one table names each with its column of the CSV and its member of the JSON, so the two formats
 * never disagree. results/figures.md explains them. */

#include "harness/analysis/cell_metrics.h"
#include "harness/analysis/naive.h"
#include "harness/report/content/note_list.h"

/* Which metrics, and under which names: columns of the CSV, those that are written unless all are asked for; or paths
 * in the JSON of a cell, "ceiling.share". */
enum metric_names { METRIC_MAIN_COLUMNS, METRIC_COLUMNS, METRIC_MEMBERS };

/* Everything that the table reads, of one cell; NAN, NULL and "": not known. */
struct cell_values {
    const char *run, *machine, *started; /* of the journal: its letter, its processor, when it began */
    struct cell_metrics metrics;
    struct cell_record cell; /* a copy, which owns nothing; the same for the device */
    struct device device;
    struct notes notes;
    struct naive naive;
    const char *joined_notes; /* "first; second" */
    const char *status, *class, *headline, *event_clock, *roof, *copied_bound;
    unsigned knows_gpu; /* 1: something is known of its state */
    char held_by[256];  /* why the GPU's clock was held down */
    double package_energy, package_flop_per_j, gpu_energy, gpu_flop_per_j, dram_power, psys_power;
    struct series_values {
        struct summary summary;
        struct estimate time;
        unsigned slices;
        double host_cpu;  /* processor seconds of the host per second */
        const char *stop; /* why it ended */
    } series[SERIES_COUNT];
};

/* Reads what these metrics need of a cell of a run; the texts must outlive it. To be released. */
void cell_values_read(struct cell_values *out, const char *run, const char *machine, const char *started,
                      const struct cell_metrics *metrics, enum metric_names names);
void cell_values_release(struct cell_values *values);

/* A value; FLAG: `number` is 0 or 1; ABSENT: the cell has no such part, such as a series or a naive timing. */
struct metric_value {
    enum { METRIC_ABSENT, METRIC_UNKNOWN, METRIC_NUMBER, METRIC_FLAG, METRIC_TEXT } kind;
    double number;
    const char *text;
};

/* The names of these metrics, in the order of the columns: returns how many there are. And their values in a cell. */
enum { METRIC_NAME = 64, METRICS_MAX = 256 };
unsigned metrics_names(enum metric_names names, char out[METRICS_MAX][METRIC_NAME]);
void metrics_read(const struct cell_values *values, enum metric_names names, struct metric_value out[METRICS_MAX]);

#endif
