#include "harness/base/xml.h"
#include "harness/report/formats/html.h"

#include <stdarg.h>
#include <string.h>

/* Texts of documents are clean, so XML can represent nearly all of their characters. */
void html_text(FILE *out, const char *text)
{
    xml_text(out, text, "?");
}

void html_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%')
            fputc(*at, out);
        else if (*++at == 's')
            html_text(out, va_arg(arguments, const char *));
        else if (*at == 'u')
            fprintf(out, "%u", va_arg(arguments, unsigned));
        else
            fputc(*at, out);
    }
    va_end(arguments);
}

void html_letter(FILE *out, const char *letter)
{
    if (*letter)
        fprintf(out, "<b class=\"letter\">%s</b> ", letter);
}

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
            html_print(out, "<dt><bdi>%s</bdi></dt>\n", line->label);
            label = line->label;
        }
        fprintf(out, "<dd%s>", *label ? "" : " class=\"alone\"");
        html_print(out, "%s</dd>\n", line->text);
    }
    fputs("</dl>\n", out);
}

static unsigned place_of(const struct html_terms *terms, const char *name)
{
    unsigned at = 0;
    while (at < terms->terms && strcmp(terms->term_of[at].name, name) != 0)
        at++;
    return at;
}

void html_terms_add(struct html_terms *to, const struct table *table)
{
    for (unsigned i = 0; i < table->columns; i++) {
        const char *name = table->column[i].term;
        if (!*name || place_of(to, name) < to->terms || to->terms == HTML_TERMS)
            continue;
        to->term_of[to->terms].name = name;
        to->term_of[to->terms++].term = glossary_find(NULL, name);
    }
}

void html_terms_find(struct html_terms *out, const struct document *document)
{
    out->terms = 0;
    html_terms_add(out, &document->ceilings);
    for (unsigned i = 0; i < document->sections; i++)
        html_terms_add(out, &document->section[i].table);
}

const struct term *html_terms_get(const struct html_terms *terms, const char *name)
{
    unsigned at = place_of(terms, name);
    return at < terms->terms && terms->term_of[at].term.name ? &terms->term_of[at].term : NULL;
}

static bool has(const struct html_terms *terms, const struct term *term)
{
    for (unsigned i = 0; i < terms->terms; i++)
        if (terms->term_of[i].term.name == term->name)
            return true;
    return false;
}

/* In the order of the glossary. */
void html_glossary(FILE *out, const struct html_terms *terms)
{
    fputs("<dl class=\"facts\">\n", out);
    for (struct term term = { 0 }; glossary_next(NULL, &term);) {
        if (!has(terms, &term))
            continue;
        html_print(out, "<dt>%s</dt>\n<dd>%s", term.name, term.explanation);
        fputs(term.remedy ? " " : "", out);
        html_print(out, "%s</dd>\n", term.remedy ? term.remedy : "");
    }
    fputs("</dl>\n", out);
}
