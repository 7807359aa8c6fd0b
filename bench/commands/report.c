#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/commands/journals.h"
#include "bench/plan/published.h"

/* A damaged journal is reported as far as it can be read, and the status is EXIT_USAGE. */
static int report_to(const struct output *output, const struct options *options, struct error *err)
{
    struct results results;
    struct layout layout = output_layout(output, options);
    layout.claims = published;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !output->format->write(&results, &layout, output->out, err))
        status = EXIT_BAD_CELL;
    if (results.runs == 0)
        status = EXIT_USAGE;
    journals_close(&results);
    return status;
}

int report(const struct options *options, struct error *err)
{
    struct output output;
    if (!output_open(&output, options, err))
        return EXIT_USAGE;
    int status = report_to(&output, options, err);
    bool is_complete = status != EXIT_BAD_CELL && ftell(output.out) != 0;
    return output_close(&output, is_complete, err) ? status : EXIT_BAD_CELL;
}
