#include "bench/commands/measured.h"

#include "bench/plan/published.h"
#include "bench/plan/resume.h"
#include "harness/report/report.h"

#include <math.h>
#include <string.h>

static bool write_to(const struct report *format, const struct options *options, const struct output *output,
                     const char *journal, struct record *record, struct error *err)
{
    struct layout layout = output_layout(output, options);
    layout.claims = published;
    layout.is_newest = !options->journal && !options->resume;
    layout.journal = journal;
    return report_write_run(format, record, &layout, output->out, err);
}

/* Writes the report to the file of --output, where there is one, and then as a table to standard output. */
static bool write_report(const struct options *options, struct output *output, const char *journal,
                         struct record *record, struct error *err)
{
    const bool is_file = output->out != stdout,
               is_written = write_to(output->format, options, output, journal, record, err);
    return output_close(output, is_written, err) && is_written &&
           (!is_file || write_to(&report_table, options, output, journal, record, err));
}

bool measured_report(struct context *context, struct error *err)
{
    const struct error *fault = &context->run_log.fault;
    if (!write_report(context->options, &context->output, context->run_log.path, context->run_log.record, err))
        return false;
    return fault->status == STATUS_OK || fail_in(err, fault->where, fault->status, "%s", fault->message);
}

static int status_of(const struct record *record)
{
    unsigned measured = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        if (status_is_bad(record->cell[i]->outcome.status))
            return EXIT_BAD_CELL;
        measured +=
            !record->cell[i]->is_ceiling && record->cell[i]->ended && record->cell[i]->outcome.status == STATUS_OK;
    }
    return measured > 0 ? EXIT_OK : EXIT_NOTHING;
}

int measured_status(const struct context *context, bool complete)
{
    if (context->interrupted && context->run_log.fault.status == STATUS_OK)
        return EXIT_INTERRUPTED;
    return complete ? status_of(context->run_log.record) : EXIT_BAD_CELL;
}

static int report_complete(const struct resume *resume, struct error *err)
{
    struct progress progress;
    struct record *record = resume->result.record;
    struct output output;
    if (!output_open(&output, &resume->options, err))
        return EXIT_USAGE;
    progress_start(&progress, resume->options.quiet, 0, NAN);
    progress_note(&progress, "%s: nothing left to do, this run is complete", resume->result.path);
    bool is_written = write_report(&resume->options, &output, resume->result.path, record, err);
    output_close(&output, false, err);
    return is_written ? status_of(record) : EXIT_BAD_CELL;
}

int measured_begin(const struct options *options, measure_command *measure, struct error *err)
{
    struct resume resume;
    if (!options->resume)
        return measure(NULL, options, err);
    int status = EXIT_USAGE;
    if (resume_open(&resume, options, err))
        status = strcmp(resume.result.record->end, "complete") == 0 ? report_complete(&resume, err)
                                                                    : measure(&resume, &resume.options, err);
    resume_close(&resume);
    return status;
}
