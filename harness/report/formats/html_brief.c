/* The top of a page: the answer, warnings, the hardware and the tables; then costs and reasons. */

#include "harness/report/formats/html.h"

static void put_list(FILE *out, const char *title, const struct lines *lines)
{
    if (lines->lines == 0)
        return;
    xml_print(out, "<div><h2>%s</h2>\n", title);
    html_lines(out, lines);
    fputs("</div>\n", out);
}

static void put_warnings(FILE *out, const struct brief *brief)
{
    if (brief->warnings.lines > 0)
        fputs("<ul class=\"warnings\">\n", out);
    for (unsigned i = 0; i < brief->warnings.lines; i++)
        xml_print(out, "<li>%s</li>\n", brief->warnings.line[i].text);
    fputs(brief->warnings.lines > 0 ? "</ul>\n" : "", out);
}

void html_brief(FILE *out, const struct brief *brief, const struct run_heading *run)
{
    if (*brief->alarm)
        xml_print(out, "<p class=\"missing\">%s</p>\n", brief->alarm);
    for (unsigned i = 0; i < brief->answers.lines; i++) {
        const struct line *line = &brief->answers.line[i];
        xml_print(out, "<p class=\"answer%s\"><span>%s</span> %s</p>\n", i == 0 ? " first" : "", line->label,
                  line->text);
    }
    put_warnings(out, brief);
    html_lines(out, &brief->devices);
    html_lines(out, &run->about);
    for (unsigned i = 0; i < brief->tables; i++)
        html_table(out, &brief->table[i], "", brief->table[i].column[0].title);
    fputs("<div class=\"lists\">\n", out);
    put_list(out, "Why", &brief->why);
    put_list(out, "Break-even", &brief->breakeven);
    put_list(out, "Costs", &brief->costs);
    put_list(out, "Published by others", &brief->claims);
    fputs("</div>\n", out);
}
