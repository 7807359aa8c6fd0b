#include "harness/reports/html_parts.h"

#include <string.h>

/* What XML has no place for: control characters, and U+FFFE and U+FFFF. Documents hold clean texts, which have none but
 * the last two. */
static bool is_forbidden(const char *at)
{
    unsigned char byte = (unsigned char)*at;
    return byte < 0x20 || byte == 0x7f || strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        const char *known = entity(*at);
        if (known)
            fputs(known, out);
        else if (!is_forbidden(at))
            fputc(*at, out);
        else {
            fputc('?', out);
            at += (unsigned char)*at == 0xef ? 2 : 0;
        }
    }
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
