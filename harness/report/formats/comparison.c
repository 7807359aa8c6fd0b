#include "harness/report/formats/comparison.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

const struct cell_record *compared_cell(const struct compared *cell)
{
    return cell->cell[NEW] ? cell->cell[NEW] : cell->cell[OLD];
}

bool compared_has_row(const struct compared *cell)
{
    return cell->change != CHANGE_NEW && cell->change != CHANGE_GONE;
}

bool compared_is_of(const struct cell_record *cell, const struct cell_record *other)
{
    return strcmp(cell->workload, other->workload) == 0 && strcmp(cell->dtype, other->dtype) == 0 &&
           strcmp(cell->shape, other->shape) == 0 && cell->is_cold == other->is_cold;
}

/* Whether another row of the same device, problem and method has another memory. */
static bool is_told_apart_by_memory(const struct comparison *comparison, const struct cell_record *cell)
{
    for (unsigned i = 0; i < comparison->cells; i++) {
        const struct cell_record *other = compared_cell(&comparison->cell[i]);
        if (strcmp(other->device_id, cell->device_id) == 0 && strcmp(other->method, cell->method) == 0 &&
            compared_is_of(other, cell) && strcmp(other->memory, cell->memory) != 0)
            return true;
    }
    return false;
}

const char *compared_method(struct pool *pool, const struct comparison *comparison, const struct compared *compared)
{
    const struct cell_record *cell = compared_cell(compared);
    if (!*cell->method)
        return cell->memory;
    if (!is_told_apart_by_memory(comparison, cell))
        return cell->method;
    return pool_print(pool, "%s, %s", cell->method, cell->memory);
}

const char *compared_problem(char to[PROBLEM_ROOM], const struct cell_record *cell)
{
    char shape[PROBLEM_ROOM - 100];
    text_shape(shape, sizeof shape, cell->shape);
    snprintf(to, PROBLEM_ROOM, "%.60s %.20s%s%s%s", cell->workload, cell->dtype, *shape ? ", " : "", shape,
             cell->is_cold ? ", cold" : "");
    text_clean(to, PROBLEM_ROOM, to); /* may have been cut within a character */
    return to;
}

/* "opencl:0 (portable, mapped)" */
static void append_cell(struct string_builder *to, const struct cell_record *cell)
{
    const char *method = strcmp(cell->method, "-") == 0 ? "" : cell->method;
    string_append(to, "%s", cell->device_id);
    if (*method || *cell->memory)
        string_append(to, " (%s%s%s)", method, *method && *cell->memory ? ", " : "", cell->memory);
}

void comparison_lone(struct pool *pool, struct lines *out, const struct comparison *comparison)
{
    const struct compared **order = comparison->order;
    const unsigned cells = comparison->cells;
    for (unsigned at = 0; at < cells;) {
        const struct compared *first = order[at];
        struct string_builder line = { .pool = pool };
        char problem[PROBLEM_ROOM];
        if (compared_has_row(first)) {
            at++;
            continue;
        }
        string_append(&line, "%s: ", compared_problem(problem, compared_cell(first)));
        for (unsigned count = 0; at < cells && order[at]->change == first->change &&
                                 compared_is_of(compared_cell(order[at]), compared_cell(first));
             at++, count++) {
            string_append(&line, "%s", count > 0 ? ", " : "");
            append_cell(&line, compared_cell(order[at]));
        }
        lines_add(pool, out, first->change == CHANGE_NEW ? "only in the new runs: " : "only in the old runs: ",
                  string_text(&line));
    }
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
    if (strspn(to, "+-0.") == strlen(to)) /* rounded to zero, which has no sign */
        memmove(to, to + 1, strlen(to));
    return to;
}

const char *half_text(char to[PERCENT_ROOM], const struct shift *shift)
{
    double half = 50 * (shift->high - shift->low);
    if (isnan(half))
        return strcpy(to, "-");
    if (half > 100)
        return strcpy(to, "> 100"); /* too uncertain for a figure */
    snprintf(to, PERCENT_ROOM, half < 10 ? "%.1f" : "%.0f", half);
    return to;
}

const char *comparison_basis(char to[BASIS_ROOM], const struct comparison *comparison)
{
    const unsigned *runs = comparison->runs;
    bool is_single = runs[OLD] == 1 && runs[NEW] == 1;
    snprintf(to, BASIS_ROOM, "%u run%s before, %u now. %s", runs[OLD], runs[OLD] == 1 ? "" : "s", runs[NEW],
             is_single ? "With one run on each side the variation between runs is unknown, so a fixed allowance is "
                         "used: five runs on each side find smaller changes."
                       : "The variation between runs decides how certain a change is.");
    return to;
}
