#include "harness/base/xml.h"
#include "harness/report/formats/html_parts.h"

#include <string.h>

/* Documents hold clean texts, in which next to nothing is left that XML cannot say. */
void html_text(FILE *out, const char *text)
{
    xml_text(out, text, "?");
}

void html_apart(FILE *out, const char *text)
{
    fputs("<bdi>", out);
    html_text(out, text);
    fputs("</bdi>", out);
}

void html_letter(FILE *out, const char *letter)
{
    if (*letter)
        fprintf(out, "<b class=\"letter\">%s</b> ", letter);
}

/* A name once, and below it all lines that have it, or none. */
void html_lines(FILE *out, const struct lines *lines)
{
    const char *label = "";
    if (lines->lines == 0)
        return;
    fputs("<dl class=\"facts\">\n", out);
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        if (i == 0 || (*line->label && strcmp(line->label, label) != 0)) {
            fputs("<dt>", out);
            html_apart(out, line->label);
            fputs("</dt>\n", out);
            label = line->label;
        }
        fprintf(out, "<dd%s>", line->is_below ? " class=\"below\"" : "");
        html_text(out, line->text);
        fputs("</dd>\n", out);
    }
    fputs("</dl>\n", out);
}
