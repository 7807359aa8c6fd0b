#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "harness/report/report.h"

#include <string.h>

/* Whether the exit status reports a change. It does too when no cell could be compared: that must not look like
 * success.
 */
static bool is_found(const struct comparison *comparison, enum fail_on fail_on)
{
    const unsigned *count = comparison->count;
    if (comparison_matched(comparison) == 0)
        return true;
    if (fail_on == FAIL_ON_NOTHING)
        return false;
    if (count[CHANGE_SLOWER] + count[CHANGE_BROKEN] > 0)
        return true;
    return fail_on == FAIL_ON_UNSURE && count[CHANGE_UNSURE] + count[CHANGE_GONE] > 0;
}

/* By the name of the --output file, unless --format was given. */
static bool choose_format(const struct comparison_report **out, const struct options *options, struct error *err)
{
    char endings[ENDINGS_MAX] = "";
    *out = comparison_report_find(options->format);
    if (!options->report || options->format_given)
        return true;
    for (unsigned i = 0; comparison_reports[i]; i++) {
        *out = comparison_reports[i];
        if (output_ends_in(options, (*out)->extension, endings))
            return true;
    }
    return output_refuse(options, endings, err);
}

static int compare_to(FILE *out, const struct comparison_report *format, const struct results side[SIDES],
                      const struct options *options, struct error *err)
{
    struct comparison comparison;
    int status = EXIT_BAD_CELL;
    if (comparison_make(&comparison, side, options->margin, err) &&
        format->write(&comparison, terminal_width(options), out, err)) {
        bool is_whole = journals_are_whole(&side[OLD]) && journals_are_whole(&side[NEW]);
        status = is_found(&comparison, options->fail_on) ? EXIT_BAD_CELL : is_whole ? EXIT_OK : EXIT_USAGE;
    }
    comparison_release(&comparison);
    return status;
}

int compare(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    struct output output;
    const struct comparison_report *format;
    struct results side[SIDES] = { { 0 } };
    int status = EXIT_USAGE;
    if (!output_open(&output, options, err) || !choose_format(&format, options, err)) {
        output_close(&output, false, err);
        return EXIT_USAGE;
    }
    if (journals_open(&side[OLD], options->file, stderr, err) && journals_open(&side[NEW], options->with, stderr, err))
        status = compare_to(output.out, format, side, options, err);
    journals_close(&side[OLD]);
    journals_close(&side[NEW]);
    return output_close(&output, err->status == STATUS_OK, err) ? status : EXIT_BAD_CELL;
}
