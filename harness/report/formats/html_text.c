#include "harness/report/formats/html.h"

#include <string.h>

/* Lines with the same label as the one before share it. */
void html_lines(FILE *out, const struct lines *lines)
{
    const char *label = "";
    if (lines->lines == 0)
        return;
    fputs("<dl class=\"facts\">\n", out);
    for (unsigned i = 0; i < lines->lines; i++) {
        const struct line *line = &lines->line[i];
        if (*line->label && strcmp(line->label, label) != 0) {
            xml_print(out, "<dt><bdi>%s</bdi></dt>\n", line->label);
            label = line->label;
        }
        fprintf(out, "<dd%s>", *label ? "" : " class=\"alone\"");
        xml_print(out, "%s</dd>\n", line->text);
    }
    fputs("</dl>\n", out);
}

static bool has_term(const struct table *table, const char *name)
{
    for (unsigned i = 0; i < table->columns; i++)
        if (strcmp(table->column[i].term, name) == 0)
            return true;
    return false;
}

static bool is_used(const struct document *document, const struct brief brief[], const char *name)
{
    bool is_used = false;
    for (unsigned i = 0; i < document->runs && !is_used; i++)
        for (unsigned k = 0; k < brief[i].tables && !is_used; k++)
            is_used = has_term(&brief[i].table[k], name);
    for (unsigned i = 0; i < document->sections && !is_used; i++)
        is_used = has_term(&document->section[i].table, name);
    return is_used;
}

void html_glossary(FILE *out, const struct document *document, const struct brief brief[])
{
    fputs("<dl class=\"facts\">\n", out);
    for (struct term term = { 0 }; glossary_next(NULL, &term);) {
        if (!is_used(document, brief, term.name))
            continue;
        xml_print(out, "<dt>%s</dt>\n<dd>%s%s%s</dd>\n", term.name, term.explanation, term.remedy ? " " : "",
                  term.remedy ? term.remedy : "");
    }
    fputs("</dl>\n", out);
}
