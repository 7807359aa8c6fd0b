/* A comparison for a pull request: summary, differences, and the rest folded away. */

#include "harness/base/text.h"
#include "harness/report/formats/comparison.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/output.h"
#include "harness/report/report.h"

#include <math.h>
#include <string.h>

static void put_value(double value, FILE *out)
{
    char text[TEXT_NUMBER];
    fputs(text_figure(text, value, NAN), out);
}

/* "0.91 to 0.87, **-4.9 %** +- 1.9". */
static void put_shift(const struct shift *shift, FILE *out)
{
    char percent[PERCENT_ROOM], half[PERCENT_ROOM];
    bool is_sure = shift->change == CHANGE_SLOWER || shift->change == CHANGE_FASTER;
    const char *mark = is_sure ? "**" : "";
    if (isnan(shift->ratio)) {
        fputs(" | ", out);
        return;
    }
    put_value(shift->value[OLD], out);
    fputs("x → ", out);
    put_value(shift->value[NEW], out);
    fprintf(out, "x, %s%s %%%s", mark, percent_text(percent, shift->ratio, shift->low, shift->high), mark);
    if (!isnan(shift->low))
        fprintf(out, " +- %s", half_text(half, shift));
    fputs(" | ", out);
}

static void put_percent(const struct shift *shift, FILE *out)
{
    char percent[PERCENT_ROOM];
    if (!isnan(shift->ratio))
        fprintf(out, "%s %%", percent_text(percent, shift->ratio, shift->low, shift->high));
    fputs(" | ", out);
}

static void put_notes(const struct compared *cell, FILE *out)
{
    markdown_text(out, cell->reason);
    for (unsigned i = 0; i < cell->notes; i++) {
        fputs(i > 0 || *cell->reason ? "; " : "", out);
        markdown_text(out, cell->note[i]);
    }
    fputs(" |\n", out);
}

static void put_row(const struct comparison *comparison, struct pool *pool, const struct compared *cell, FILE *out)
{
    char problem[PROBLEM_ROOM];
    const struct cell_record *named = compared_cell(cell);
    bool is_alarm = cell->change == CHANGE_SLOWER || cell->change == CHANGE_BROKEN;
    const char *mark = is_alarm ? "**" : "";
    fprintf(out, "| %s%s%s | ", mark, comparison_verdict(comparison, cell->change), mark);
    markdown_text(out, compared_problem(problem, named));
    fputs(" | ", out);
    markdown_text(out, named->device_id);
    fputc(' ', out);
    markdown_text(out, compared_method(pool, comparison, cell));
    fputs(" | ", out);
    put_shift(&cell->shift[QUANTITY_RESIDENT], out);
    put_shift(&cell->shift[QUANTITY_OFFLOAD], out);
    put_percent(&cell->shift[QUANTITY_TIME], out);
    put_percent(&cell->baseline_shift, out);
    put_notes(cell, out);
}

static void put_table(const struct comparison *comparison, struct pool *pool, const struct compared *const order[],
                      unsigned cells, FILE *out)
{
    fputs("\n| verdict | problem | device | resident speed-up | offload speed-up | time | baseline's time | note |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (unsigned i = 0; i < cells; i++)
        if (compared_has_row(order[i]))
            put_row(comparison, pool, order[i], out);
}

static unsigned rows_of(const struct compared *const order[], unsigned cells)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < cells; i++)
        rows += compared_has_row(order[i]);
    return rows;
}

/* A list item for each problem. */
static void put_lone(const struct lines *lone, FILE *out)
{
    fputs(lone->lines > 0 ? "\n" : "", out);
    for (unsigned i = 0; i < lone->lines; i++) {
        fprintf(out, "- %s", lone->line[i].label);
        markdown_text(out, lone->line[i].text);
        fputc('\n', out);
    }
}

static bool markdown_write(const struct comparison *comparison, unsigned width, FILE *out, struct error *err)
{
    (void)width;
    struct pool pool = { 0 };
    struct lines lone = { 0 };
    char summary[SUMMARY_ROOM], basis[BASIS_ROOM];
    const struct compared **order = comparison->order;
    unsigned shown = 0;
    while (shown < comparison->cells && order[shown]->change != CHANGE_SAME && order[shown]->change != CHANGE_BASELINE)
        shown++;
    fprintf(out, "**%s**\n\n%s\n", comparison_summary(summary, comparison), comparison_basis(basis, comparison));
    if (comparison->warnings > 0)
        fputs("\n**These runs differ in more than what is compared:**\n\n", out);
    for (unsigned i = 0; i < comparison->warnings; i++) {
        fputs("- ", out);
        markdown_start(out, comparison->warning[i]);
        fputc('\n', out);
    }
    if (comparison->cells > 0 && comparison_matched(comparison) == 0)
        fputs("\n**No cell but baselines is on both sides: nothing was compared.**\n", out);
    if (rows_of(order, comparison->cells) > 0)
        fprintf(out, "\n%s\n", comparison_legend);
    if (rows_of(order, shown) > 0)
        put_table(comparison, &pool, order, shown, out);
    comparison_lone(&pool, &lone, comparison);
    put_lone(&lone, out);
    if (shown < comparison->cells) {
        fprintf(out, "\n<details><summary>%u without a change</summary>\n", comparison->cells - shown);
        put_table(comparison, &pool, order + shown, comparison->cells - shown, out);
        fputs("\n</details>\n", out);
    }
    bool is_whole = !pool.is_short;
    pool_release(&pool);
    return is_whole ? output_end(out, err)
                    : fail(err, STATUS_NO_MEMORY, "no memory for a table of %u cells", comparison->cells);
}

const struct comparison_report comparison_markdown = {
    .name = "markdown",
    .extension = "md",
    .write = markdown_write,
};
