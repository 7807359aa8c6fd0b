#include "harness/report/formats/prose.h"

#include "harness/base/text.h"

#include <stdbool.h>
#include <string.h>

/* The length of what is not broken: a word, a figure with its unit, an interval "(0.95 - 0.99)". */
static size_t piece(const char *text)
{
    enum { LONGEST = 24 };
    const size_t length = strcspn(text, " "), next = text[length] ? strcspn(text + length + 1, " ") : 0;
    const size_t interval = *text == '(' ? 1 + strspn(text + 1, "0123456789.e+- ") : 0;
    if (interval > 0 && interval < LONGEST && text[interval] == ')')
        return interval + strcspn(text + interval, " ");
    const bool is_figure = strspn(text, "0123456789.") == length && next > 0 && text[length + 1] != '(';
    return is_figure && length + next < LONGEST ? length + 1 + next : length;
}

static unsigned piece_width(const char *text, size_t length)
{
    unsigned columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void prose_flow(unsigned column, unsigned indent, const char *text, unsigned width, FILE *out)
{
    unsigned gap = 0; /* blanks before the next piece; 0 at the start of a line */
    while (*text) {
        const size_t length = piece(text);
        const unsigned taken = piece_width(text, length);
        if (gap > 0 && width > 0 && column + gap + taken > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            gap = 0;
        }
        fprintf(out, "%*s%.*s", (int)gap, "", (int)length, text);
        column += gap + taken;
        text += length;
        gap = (unsigned)strspn(text, " ");
        text += gap;
    }
    fputc('\n', out);
}

void prose_fit(const char *lead, const char *text, unsigned width, FILE *out)
{
    unsigned column = text_width(lead);
    fputs(lead, out);
    prose_flow(column, column > 0 ? column : 2, text, width > 0 && width < PROSE_WIDTH ? width : PROSE_WIDTH, out);
}
