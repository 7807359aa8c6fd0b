/* bench: is this GPU worth it, for this work, at this size, on this machine?
 *
 * One verb a function, and the only place that prints an error. */

#include "bench/inventory.h"
#include "bench/options.h"
#include "bench/run.h"
#include "bench/stand.h"
#include "bench/sweep.h"
#include "bench/worker.h"
#include "harness/journal.h"
#include "harness/record.h"
#include "harness/report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* A journal on its way into a record. */
struct reading {
    struct record *record;
    const struct journal_faults *faults;
    unsigned long contradictions; /* lines that contradict earlier ones, and were left out */
    unsigned long first_line;     /* the number of the first of them */
    struct error first;           /* what it says */
};

static bool take_line(void *context, const json_t *line, struct error *err)
{
    (void)err;
    struct reading *reading = context;
    struct error local = { .status = STATUS_OK };
    if (!record_add(reading->record, line, &local) && reading->contradictions++ == 0) {
        reading->first = local;
        reading->first_line = reading->faults->line;
    }
    return true;
}

/* Whether everything in the file could be made use of, but for a last line that a run did not live to end. */
static bool tell_faults(const char *path, const struct journal_faults *faults, const struct reading *reading)
{
    if (faults->bad_lines > 0)
        fprintf(stderr, "bench: %s: %lu line%s could not be read and %s left out, the first is line %lu\n", path,
                faults->bad_lines, faults->bad_lines == 1 ? "" : "s", faults->bad_lines == 1 ? "was" : "were",
                faults->first_bad);
    if (reading->contradictions > 0)
        fprintf(stderr, "bench: %s: %lu line%s made no sense and %s left out, the first is line %lu: %s\n", path,
                reading->contradictions, reading->contradictions == 1 ? "" : "s",
                reading->contradictions == 1 ? "was" : "were", reading->first_line, reading->first.message);
    if (faults->second_head > 0)
        fprintf(stderr, "bench: %s: line %lu begins a second journal: this is the first; give them as two files\n",
                path, faults->second_head);
    if (faults->truncated)
        fprintf(stderr, "bench: %s: the last line is cut off and was left out\n", path);
    if (!faults->complete)
        fprintf(stderr, "bench: %s: the %s did not reach its end; this is what it had measured\n", path,
                reading->record->sweep ? "sweep" : "run");
    return faults->bad_lines == 0 && reading->contradictions == 0 && faults->second_head == 0;
}

/* A damaged journal is reported as far as it can be read; that not all of it was shows in the status. */
static int report_one(const char *path, const struct report *report, struct error *err)
{
    struct journal_faults faults = { 0 };
    struct reading reading = { .record = record_new(), .faults = &faults };
    bool ok = reading.record ? journal_read(path, take_line, &reading, &faults, err)
                             : fail(err, STATUS_NO_MEMORY, "no memory for a record");
    int status = ok && tell_faults(path, &faults, &reading) ? EXIT_OK : EXIT_USAGE;
    if (ok && !report->write(reading.record, stdout, err))
        status = EXIT_BAD_CELL;
    record_free(reading.record);
    return status;
}

static int do_report(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    const struct report *report = report_find(options->format);
    int status = EXIT_OK;
    if (options->file[1] && strcmp(report->name, "table") != 0) {
        fail(err, STATUS_USAGE, "--format %s is of one journal; give one at a time", report->name);
        return EXIT_USAGE;
    }
    for (const char *const *path = options->file; *path && err->status == STATUS_OK; path++) {
        if (options->file[1])
            printf("%s%s\n\n", path == options->file ? "" : "\n", *path);
        int own = report_one(*path, report, err);
        status = own == EXIT_OK ? status : own;
    }
    return status;
}

static int do_devices(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    return inventory_devices(stdout, options, err) ? EXIT_OK : EXIT_NO_DEVICE;
}

static int do_workloads(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)options, (void)argc, (void)argv;
    return inventory_workloads(stdout, err) ? EXIT_OK : EXIT_USAGE;
}

static int (*const verbs[])(const struct options *options, int argc, char *const argv[], struct error *err) = {
    [VERB_RUN] = run,          [VERB_SWEEP] = sweep, [VERB_DEVICES] = do_devices, [VERB_WORKLOADS] = do_workloads,
    [VERB_REPORT] = do_report,
};

/* A closed pipe or a full disk behind stdout must not look like success. */
static bool flush_report(struct error *err)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return fail(err, STATUS_FAILED, "standard output could not be written: a closed pipe, or a full disk");
}

int main(int argc, char *argv[])
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return worker_serve(argc - 2, argv + 2);

    struct options options;
    struct error err = { .status = STATUS_OK };
    int status = EXIT_OK;
    signal(SIGPIPE, SIG_IGN);
    if (!options_parse(&options, argc, argv, &err))
        status = EXIT_USAGE;
    else if (options.version)
        printf("bench %s\n", BENCH_VERSION);
    else if (options.help)
        options_help(stdout, options.verb);
    else
        status = verbs[options.verb](&options, argc, argv, &err);

    if (!flush_report(&err) && status == EXIT_OK)
        status = EXIT_BAD_CELL;
    if (err.status != STATUS_OK)
        fprintf(stderr, "bench: %s\n", err.message);
    return status;
}
