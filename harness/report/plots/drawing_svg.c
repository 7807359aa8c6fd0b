#include "harness/report/plots/drawing.h"

#include "harness/base/text.h"
#include "harness/base/xml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What gnuplot writes of a picture is a whole document, black on nothing, whose ids are the same in each. */
static const struct {
    const char *from, *to;
    bool then_name; /* of the picture */
    const char *end;
} changes[] = {
    { "'black'", "'currentColor'", false, "" },
    { "\"black\"", "\"currentColor\"", false, "" },
    { "'rgb(  0,   0,   0)'", "'currentColor'", false, "" },
    { "\"rgb(  0,   0,   0)\"", "\"currentColor\"", false, "" },
    { "\"rgb(0,0,0)\"", "\"currentColor\"", false, "" },
    { "\"sans-serif:Bold\"", "\"sans-serif\" font-weight=\"bold\"", false, "" },
    { " id='gp", " id='", true, "-gp" },
    { " id=\"gnuplot_", " id=\"", true, "-" },
    { "'#gp", "'#", true, "-gp" },
};

/* "QT12Q" is the text of that number; returns behind it, NULL where there is no such thing. */
static const char *put_text(const struct drawing *drawing, const char *at, FILE *out)
{
    char *end;
    if (strncmp(at, "QT", 2) != 0 || !isdigit((unsigned char)at[2]))
        return NULL;
    unsigned long number = strtoul(at + 2, &end, 10);
    if (*end != 'Q' || number >= drawing->texts)
        return NULL;
    xml_text(out, drawing->text[number], "");
    return end + 1;
}

static const char *put_change(const struct drawing *drawing, const char *at, FILE *out)
{
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t length = strlen(changes[i].from);
        if (strncmp(at, changes[i].from, length) != 0)
            continue;
        fprintf(out, "%s%s%s", changes[i].to, changes[i].then_name ? drawing->name : "", changes[i].end);
        return at + length;
    }
    return NULL;
}

/* Behind an element that nothing is drawn by: filters that nothing uses, names that a browser would show as hints,
 * groups without anything in them. NULL where there is none. */
static const char *skip(const char *at)
{
    static const char *const elements[][2] = { { "<filter", "</filter>" }, { "<title>", "</title>" } };
    for (unsigned i = 0; i < sizeof elements / sizeof *elements; i++) {
        const char *end = strncmp(at, elements[i][0], strlen(elements[i][0])) == 0 ? strstr(at, elements[i][1]) : NULL;
        if (end)
            return end + strlen(elements[i][1]);
    }
    if (strncmp(at, "<g ", 3) != 0)
        return NULL;
    const char *end = strchr(at, '>');
    return end && strncmp(end, ">\n</g>\n", 7) == 0 ? end + 7 : NULL;
}

static void put_head(const struct drawing *drawing, FILE *out)
{
    fprintf(out,
            "<svg class=\"picture\" xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" "
            "color=\"#1f2328\" role=\"img\" aria-label=\"",
            DRAWING_WIDTH, drawing->height, DRAWING_WIDTH, drawing->height);
    xml_text(out, drawing->title, "");
    fputs(". ", out);
    xml_text(out, drawing->caption, "");
    fprintf(out, "\">\n<rect class=\"paper\" width=\"%d\" height=\"%u\" fill=\"#ffffff\"/>\n", DRAWING_WIDTH,
            drawing->height);
}

char *drawing_finish_svg(const struct drawing *drawing, const char *drawn, struct error *err)
{
    char *svg = NULL;
    size_t bytes;
    const char *begin = strstr(drawn, "<defs>"), *end = strstr(drawn, "</svg>");
    if (!begin || !end || end < begin || strstr(drawn, "<script") || strstr(end + 1, "<svg")) {
        fail(err, STATUS_FAILED, "gnuplot drew what is no picture");
        return NULL;
    }
    FILE *out = open_memstream(&svg, &bytes);
    if (!out) {
        fail(err, STATUS_NO_MEMORY, "no memory for a picture");
        return NULL;
    }
    put_head(drawing, out);
    fputs("<g>\n", out); /* that <defs> stands in */
    for (const char *at = begin, *next; at < end; at = next) {
        if ((next = skip(at)) || (next = put_text(drawing, at, out)) || (next = put_change(drawing, at, out)))
            continue;
        fputc(*at, out);
        next = at + 1;
    }
    fputs("</svg>\n", out);
    if (fclose(out) == 0)
        return svg;
    free(svg);
    fail(err, STATUS_NO_MEMORY, "no memory for a picture of %zu bytes", bytes);
    return NULL;
}
