#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"

/* A damaged journal is reported as far as it can be read, and the status is EXIT_USAGE. */
int report(const struct options *options, struct error *err)
{
    struct outputs outputs;
    struct results results = { 0 };
    int status = EXIT_USAGE;
    if (outputs_open(&outputs, options, err) && journals_open(&results, options->file, err) &&
        journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !outputs_write(&outputs, journals_report, &results, err))
        status = EXIT_BAD_CELL;
    journals_close(&results);
    outputs_close(&outputs);
    return status;
}
