#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"
#include "bench/commands/target.h"
#include "harness/base/atomic_file.h"
#include "harness/report/report.h"

#include <string.h>

/* A comparison that has seen nothing lets nothing through, whatever it was told to fail on. */
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

/* By the name of the file, where nothing else was asked for; fails where that names none. */
static bool choose_format(const struct comparison_report **out, const struct options *options, struct error *err)
{
    char endings[TARGET_ENDINGS] = "";
    *out = comparison_report_find(options->format);
    if (!options->report || options->format_given)
        return true;
    for (unsigned i = 0; comparison_reports[i]; i++) {
        *out = comparison_reports[i];
        if (target_ends_in(endings, options->report, (*out)->extension, !comparison_reports[i + 1]))
            return true;
    }
    return target_refuse(options->report, endings, err);
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

static int read_and_compare_to(FILE *out, const struct comparison_report *format, const struct options *options,
                               struct error *err)
{
    struct results side[SIDES] = { { 0 } };
    bool is_read = journals_open(&side[OLD], options->file, stderr, err);
    is_read = is_read && journals_open(&side[NEW], options->with, stderr, err);
    int status = is_read ? compare_to(out, format, side, options, err) : EXIT_USAGE;
    journals_close(&side[OLD]);
    journals_close(&side[NEW]);
    return status;
}

int compare(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    struct atomic_file file;
    const struct comparison_report *format;
    if ((options->report && !target_check(options, err)) || !choose_format(&format, options, err))
        return EXIT_USAGE;
    if (!options->report)
        return read_and_compare_to(stdout, format, options, err);
    if (!atomic_file_open(&file, options->report, err))
        return EXIT_USAGE;
    int status = read_and_compare_to(file.out, format, options, err);
    if (err->status != STATUS_OK) /* else it is whole, whatever the verdicts */
        atomic_file_drop(&file);
    else if (!atomic_file_keep(&file, err))
        status = EXIT_BAD_CELL;
    return status;
}
