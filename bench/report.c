#include "bench/report.h"

#include "bench/journals.h"
#include "bench/stand.h"
#include "harness/report.h"

int report(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    const struct report *format = report_find(options->format);
    const struct layout layout = { .width = 100 };
    struct results results;
    int status = EXIT_USAGE;
    if (journals_open(&results, options->file, stderr, err) && journals_are_whole(&results))
        status = EXIT_OK;
    if (results.runs > 0 && !format->write(&results, &layout, stdout, err))
        status = EXIT_BAD_CELL;
    journals_close(&results);
    return status;
}
