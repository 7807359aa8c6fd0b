#include "harness/reports/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct comparison_report *const comparison_reports[] = { &comparison_table, &comparison_markdown,
                                                               &comparison_json, NULL };

const struct comparison_report *comparison_report_find(const char *name)
{
    for (unsigned i = 0; comparison_reports[i]; i++)
        if (strcmp(comparison_reports[i]->name, name) == 0)
            return comparison_reports[i];
    return NULL;
}

const struct compared **comparison_order(const struct comparison *comparison)
{
    const struct compared **order = calloc(comparison->cells + 1, sizeof *order);
    unsigned count = 0;
    for (unsigned change = 0; order && change < CHANGE_COUNT; change++)
        for (unsigned i = 0; i < comparison->cells; i++)
            if (comparison->cell[i].change == (enum change)change)
                order[count++] = &comparison->cell[i];
    return order;
}

const struct cell_record *compared_cell(const struct compared *cell)
{
    return cell->cell[NEW] ? cell->cell[NEW] : cell->cell[OLD];
}

const char *compared_method(const struct cell_record *cell)
{
    return *cell->variant ? cell->variant : cell->memory;
}

const char comparison_legend[] =
    "resident and offload: change of the speed-up over the baseline of the same run, + is faster; time: of a run, + is "
    "longer; +- is half the 95 % interval.";

const char *percent_text(char to[PERCENT_ROOM], double ratio, double low, double high)
{
    double percent = 100 * (ratio - 1), half = 50 * (high - low);
    if (isnan(ratio))
        return strcpy(to, "-");
    if (percent > 1e4)
        return strcpy(to, "> +10000");
    snprintf(to, PERCENT_ROOM, "%+.*f", half < 10 && fabs(percent) < 100 ? 1 : 0, percent);
    if (strspn(to, "+-0.") == strlen(to)) /* rounded to nothing, which has no sign */
        memmove(to, to + 1, strlen(to));
    return to;
}

const char *half_text(char to[PERCENT_ROOM], const struct shift *shift)
{
    double half = 50 * (shift->high - shift->low);
    if (isnan(half))
        return strcpy(to, "-");
    if (half > 100)
        return strcpy(to, "> 100"); /* which says nothing anyway */
    snprintf(to, PERCENT_ROOM, half < 10 ? "%.1f" : "%.0f", half);
    return to;
}

const char *comparison_basis(char to[BASIS_ROOM], const struct comparison *comparison)
{
    const unsigned *runs = comparison->runs;
    bool is_single = runs[OLD] == 1 && runs[NEW] == 1;
    snprintf(to, BASIS_ROOM, "%u run%s before, %u now. %s", runs[OLD], runs[OLD] == 1 ? "" : "s", runs[NEW],
             is_single
                 ? "One run a side does not tell what varies between runs, so a stated allowance stands for that: "
                   "five a side find smaller changes."
                 : "What varies between runs decides how sure a change is.");
    return to;
}
