#include "bench/compare.h"

#include "bench/journals.h"
#include "bench/stand.h"
#include "harness/reports/comparison.h"

/* A gate that lets through what it has not seen would be none: with nothing to compare it stays shut. */
static bool is_found(const struct comparison *comparison, enum fail_on fail_on)
{
    const unsigned *count = comparison->count;
    if (fail_on == FAIL_ON_NOTHING)
        return false;
    if (count[CHANGE_SLOWER] + count[CHANGE_BROKEN] > 0 || comparison_matched(comparison) == 0)
        return true;
    return fail_on == FAIL_ON_UNSURE && count[CHANGE_UNSURE] + count[CHANGE_GONE] > 0;
}

static int tell(const struct results side[SIDES], const struct options *options, struct error *err)
{
    const struct comparison_report *report = comparison_report_find(options->format);
    struct comparison comparison;
    int status = EXIT_BAD_CELL;
    if (comparison_make(&comparison, side, options->margin, err) && report->write(&comparison, stdout, err)) {
        bool is_whole = journals_are_whole(&side[OLD]) && journals_are_whole(&side[NEW]);
        status = is_found(&comparison, options->fail_on) ? EXIT_BAD_CELL : is_whole ? EXIT_OK : EXIT_USAGE;
    }
    comparison_release(&comparison);
    return status;
}

int compare(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    struct results side[SIDES] = { { 0 } };
    bool is_read = journals_open(&side[OLD], options->file, stderr, err);
    is_read = is_read && journals_open(&side[NEW], options->with, stderr, err);
    int status = is_read ? tell(side, options, err) : EXIT_USAGE;
    journals_close(&side[OLD]);
    journals_close(&side[NEW]);
    return status;
}
