#include "bench/commands/commands.h"

#include "bench/cli/exit_status.h"
#include "bench/commands/journals.h"

#include <string.h>

/* Whether the exit status reports a change. It does too when no cell could be compared: that must not look like
 * success. */
static bool is_found(const struct comparison *comparison, enum fail_on fail_on)
{
    const unsigned *count = comparison->count;
    return comparison_matched(comparison) == 0 ||
           (fail_on != FAIL_ON_NOTHING && count[CHANGE_SLOWER] + count[CHANGE_BROKEN] > 0) ||
           (fail_on == FAIL_ON_UNSURE && count[CHANGE_UNSURE] + count[CHANGE_GONE] > 0);
}

static bool write_one(const void *comparison, const struct output *output, struct error *err)
{
    return report_comparison(output->format, comparison, output_width(output), output->out, err);
}

/* The runs of both sides, one after the other. */
static const struct result *run_of(const struct results side[SIDES], unsigned i)
{
    return i < side[OLD].runs ? &side[OLD].run[i] : &side[NEW].run[i - side[OLD].runs];
}

/* A run counts once: against itself it has no change, and beside itself no variation. */
static bool check_copies(const struct results side[SIDES], struct error *err)
{
    for (unsigned i = 0; i < side[OLD].runs + side[NEW].runs; i++)
        for (unsigned k = 0; k < i; k++)
            if (result_is_of_same_run(run_of(side, i), run_of(side, k)))
                return fail(err, STATUS_USAGE, "compare: %.140s and %.140s are the same run; 'bench list' shows others",
                            run_of(side, k)->path, run_of(side, i)->path);
    return true;
}

/* Five are the least of which one may be disturbed (comparison.h). */
static bool check_gate(const struct results side[SIDES], const struct options *options, struct error *err)
{
    enum { GATE_RUNS = 5 };
    if (options->fail_on == FAIL_ON_NOTHING || (side[OLD].runs >= GATE_RUNS && side[NEW].runs >= GATE_RUNS))
        return true;
    return fail(err, STATUS_USAGE, "--fail-on: needs %d runs a side, as in '--with new-*.jsonl'; there are %u and %u",
                GATE_RUNS, side[OLD].runs, side[NEW].runs);
}

/* Rows of different machines never match. */
static bool check_machines(const struct results side[SIDES], struct error *err)
{
    const char *name[SIDES];
    for (unsigned i = 0; i < SIDES; i++)
        name[i] = journal_text(json_object_get(side[i].run[0].record->head, "host"), "name");
    return strcmp(name[OLD], name[NEW]) == 0 || !*name[OLD] || !*name[NEW] || /* "": it is not known */
           fail(err, STATUS_USAGE,
                "compare: of different machines, %.40s and %.40s; side by side: 'bench report FILE FILE'", name[OLD],
                name[NEW]);
}

int compare(const struct options *options, struct error *err)
{
    struct outputs outputs;
    struct results side[SIDES] = { { 0 } };
    struct comparison comparison;
    int status = EXIT_USAGE;
    if (outputs_open(&outputs, options, err) && journals_open(&side[OLD], options->file, err) &&
        journals_open(&side[NEW], options->with, err) && check_copies(side, err) && check_machines(side, err) &&
        check_gate(side, options, err)) {
        const bool is_written = comparison_make(&comparison, side, options->margin, err) &&
                                outputs_write(&outputs, write_one, &comparison, err);
        if (!is_written || is_found(&comparison, options->fail_on))
            status = EXIT_BAD_CELL;
        else if (journals_are_whole(&side[OLD]) && journals_are_whole(&side[NEW]))
            status = EXIT_OK;
        comparison_release(&comparison);
    }
    journals_close(&side[OLD]);
    journals_close(&side[NEW]);
    outputs_close(&outputs);
    return status;
}
