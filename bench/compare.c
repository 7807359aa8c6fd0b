#include "bench/compare.h"

#include "bench/journals.h"
#include "bench/stand.h"
#include "bench/target.h"
#include "bench/terminal.h"
#include "harness/draft.h"
#include "harness/reports/comparison.h"

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

/* By the name of the file, where nothing else was asked for. */
static const struct comparison_report *choose_format(const struct options *options)
{
    const char *extension = options->report ? target_extension(options->report) : NULL;
    for (unsigned i = 0; comparison_reports[i] && extension && !options->format_given; i++)
        if (strcmp(comparison_reports[i]->extension, extension) == 0)
            return comparison_reports[i];
    return comparison_report_find(options->format);
}

static int compare_to(FILE *out, const struct results side[SIDES], const struct options *options, struct error *err)
{
    struct comparison comparison;
    int status = EXIT_BAD_CELL;
    if (comparison_make(&comparison, side, options->margin, err) &&
        choose_format(options)->write(&comparison, terminal_width(options), out, err)) {
        bool is_whole = journals_are_whole(&side[OLD]) && journals_are_whole(&side[NEW]);
        status = is_found(&comparison, options->fail_on) ? EXIT_BAD_CELL : is_whole ? EXIT_OK : EXIT_USAGE;
    }
    comparison_release(&comparison);
    return status;
}

static int read_and_compare_to(FILE *out, const struct options *options, struct error *err)
{
    struct results side[SIDES] = { { 0 } };
    bool is_read = journals_open(&side[OLD], options->file, stderr, err);
    is_read = is_read && journals_open(&side[NEW], options->with, stderr, err);
    int status = is_read ? compare_to(out, side, options, err) : EXIT_USAGE;
    journals_close(&side[OLD]);
    journals_close(&side[NEW]);
    return status;
}

int compare(const struct options *options, int argc, char *const argv[], struct error *err)
{
    (void)argc, (void)argv;
    struct draft draft;
    if (!options->report)
        return read_and_compare_to(stdout, options, err);
    if (!target_check(options, err) || !draft_open(&draft, options->report, err))
        return EXIT_USAGE;
    int status = read_and_compare_to(draft.out, options, err);
    if (err->status != STATUS_OK) /* else it is whole, whatever the verdicts */
        draft_drop(&draft);
    else if (!draft_keep(&draft, err))
        status = EXIT_BAD_CELL;
    return status;
}
