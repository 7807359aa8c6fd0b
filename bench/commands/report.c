#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/commands/journals.h"
#include "bench/plan/published.h"

static bool write_one(const void *results, const struct output *output, struct error *err)
{
    struct layout layout = output_layout(output);
    layout.claims = published;
    return report_runs(output->format, results, &layout, output->out, err);
}

/* A damaged journal is reported as far as it can be read, and the status is EXIT_USAGE. */
static int report_to(struct outputs *outputs, const struct options *options, struct error *err)
{
    struct results results;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !outputs_write(outputs, write_one, &results, err))
        status = EXIT_BAD_CELL;
    if (results.runs == 0)
        status = EXIT_USAGE;
    journals_close(&results);
    return status;
}

int report(const struct options *options, struct error *err)
{
    struct outputs outputs;
    const int status = outputs_open(&outputs, options, err) ? report_to(&outputs, options, err) : EXIT_USAGE;
    outputs_close(&outputs);
    return status;
}
