#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/cli/output.h"
#include "bench/commands/journals.h"
#include "bench/plan/published.h"

/* A damaged journal is reported as far as it can be read, and the status is EXIT_USAGE. */
static int report_to(FILE *out, const struct report *format, const struct options *options, const struct layout *layout,
                     struct error *err)
{
    struct results results;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !format->write(&results, layout, out, err))
        status = EXIT_BAD_CELL;
    if (results.runs == 0)
        status = EXIT_USAGE;
    journals_close(&results);
    return status;
}

int report(const struct options *options, struct error *err)
{
    struct output output;
    const struct report *format;
    if (!output_open(&output, options, err) || !output_report(&format, options, err)) {
        output_close(&output, false, err);
        return EXIT_USAGE;
    }
    const struct layout layout = { .width = output_width(&output, options),
                                   .claims = published,
                                   .all_columns = options->all_columns,
                                   .is_brief = !options->full,
                                   .is_colored = output.out == stdout && terminal_is_colored(options),
                                   .is_newest = options->is_newest,
                                   .pictures = options->output ? output.stem : NULL };
    int status = report_to(output.out, format, options, &layout, err);
    bool is_complete = status != EXIT_BAD_CELL && ftell(output.out) != 0;
    return output_close(&output, is_complete, err) ? status : EXIT_BAD_CELL;
}
