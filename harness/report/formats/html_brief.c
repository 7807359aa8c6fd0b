/* The top of a page: the answer, the hardware and the one table; then costs, reasons and warnings. */

#include "harness/base/text.h"
#include "harness/report/formats/html.h"

#include <string.h>

/* Colours are not the only sign: the table has a symbol in each row. */
static const char *const tones[VERDICT_COUNT] = {
    [VERDICT_NONE] = "plain",  [VERDICT_UNCLEAR] = "unclear", [VERDICT_SLOWER] = "slower",
    [VERDICT_EQUAL] = "equal", [VERDICT_FASTER] = "faster",
};

/* Columns that a narrow window has no room for have a class of their own. */
static const char *const groups[GROUP_COUNT] = {
    [GROUP_NAME] = "name", [GROUP_SPEEDUP] = "speed", [GROUP_CEILING] = "",
    [GROUP_RATE] = "rate", [GROUP_COST] = "method",   [GROUP_TIME] = "time",
};

/* "GPU: NVIDIA H200, dGPU (cuda:0), 51.5 TFLOP/s, 4.1 TB/s" */
static void put_devices(FILE *out, const struct table *devices)
{
    fputs("<ul class=\"devices\">\n", out);
    for (unsigned i = 0; i < devices->rows; i++) {
        fputs("<li>", out);
        for (unsigned k = 0; k < devices->columns; k++) {
            html_print(out, k == 0 ? "<b>%s</b> " : "<span>%s</span> ", devices->row[i].field[k]);
        }
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void put_heads(FILE *out, const struct table *table, const struct html_terms *terms)
{
    for (unsigned i = 0; i < table->columns; i++) {
        const struct column *column = &table->column[i];
        const struct term *term = html_terms_get(terms, column->term);
        fprintf(out, "<th scope=\"col\" class=\"%s\">", groups[column->group]);
        if (term) {
            html_print(out, "<abbr title=\"%s\">", term->explanation);
        }
        html_print(out, "%s %s", column->title, column->below);
        fputs(term ? "</abbr></th>" : "</th>", out);
    }
}

/* The interval of a speed-up has a line of its own in a narrow window. */
static void put_field(FILE *out, const char *field)
{
    const char *interval = strstr(field, " [");
    char before[64];
    if (!interval || (size_t)(interval - field) >= sizeof before) {
        html_text(out, field);
        return;
    }
    text_copy(before, (size_t)(interval - field) + 1, field);
    html_print(out, "%s <span class=\"range\">%s</span>", before, interval + 1);
}

static void put_table(FILE *out, const struct brief *brief, const struct html_terms *terms)
{
    const struct table *table = &brief->table;
    if (table->rows == 0)
        return;
    html_print(out,
               "<p class=\"about\">%s</p>\n<div class=\"box one\" tabindex=\"0\" role=\"group\" "
               "aria-label=\"%s\"><table>\n<caption class=\"unseen\">%s</caption>\n<thead><tr>",
               brief->caption, brief->caption, brief->caption);
    put_heads(out, table, terms);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (unsigned i = 0; i < table->rows; i++) {
        const struct row *row = &table->row[i];
        fprintf(out, "<tr class=\"%s\">", tones[brief->tone[i]]);
        for (unsigned k = 0; k < table->columns; k++) {
            fprintf(out, k == 0 ? "<th scope=\"row\" class=\"%s%s\">" : "<td class=\"%s%s\">",
                    groups[table->column[k].group], table->column[k].align == ALIGN_LEFT ? "" : " number");
            put_field(out, row->field[k]);
            fputs(k == 0 ? "</th>" : "</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
    html_print(out, "<p class=\"about\">%s%s", brief->rates, *brief->rates && *brief->legend ? "; " : "");
    html_print(out, "%s</p>\n", brief->legend);
    if (brief->more_rows > 0) {
        html_print(out, "<p class=\"soft\">%u more rows are in the tables below.</p>\n", brief->more_rows);
    }
}

static void put_list(FILE *out, const char *title, const struct lines *lines)
{
    if (lines->lines == 0)
        return;
    html_print(out, "<div><h2>%s</h2>\n", title);
    html_lines(out, lines);
    fputs("</div>\n", out);
}

static void put_warnings(FILE *out, const struct brief *brief)
{
    if (brief->warnings.lines > 0)
        fputs("<ul class=\"warnings\">\n", out);
    for (unsigned i = 0; i < brief->warnings.lines; i++) {
        html_print(out, "<li>%s</li>\n", brief->warnings.line[i].text);
    }
    fputs(brief->warnings.lines > 0 ? "</ul>\n" : "", out);
}

void html_brief(FILE *out, const struct brief *brief, const struct run_heading *run, const struct html_terms *terms)
{
    if (*brief->alarm) {
        html_print(out, "<p class=\"missing\">%s</p>\n", brief->alarm);
    }
    for (unsigned i = 0; i < brief->answers.lines; i++) {
        const struct line *line = &brief->answers.line[i];
        fprintf(out, "<p class=\"answer%s\">", i == 0 ? " first" : "");
        html_print(out, "<span>%s</span> %s</p>\n", line->label, line->text);
    }
    put_devices(out, &brief->devices);
    html_lines(out, &run->about);
    put_table(out, brief, terms);
    put_warnings(out, brief);
    fputs("<div class=\"lists\">\n", out);
    put_list(out, "Why", &brief->why);
    put_list(out, "Break-even", &brief->breakeven);
    put_list(out, "Costs", &brief->costs);
    put_list(out, "Published by others", &brief->claims);
    fputs("</div>\n", out);
}
