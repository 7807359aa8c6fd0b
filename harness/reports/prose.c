#include "harness/reports/prose.h"

#include "harness/text.h"

#include <string.h>

/* Bytes of what must not be broken: a word, or both ends of "[0.95, 0.99]". */
static size_t piece(const char *text)
{
    size_t length = strcspn(text, " ");
    bool opens_interval = *text == '[' && text[length] && text[length - 1] == ',';
    return opens_interval ? length + 1 + strcspn(text + length + 1, " ") : length;
}

void prose_print(const char *lead, const char *text, FILE *out)
{
    unsigned column = text_width(lead), indent = column > 0 ? column : 2;
    bool in_line = false;
    fputs(lead, out);
    while (*text) {
        size_t length = piece(text);
        unsigned width = text_width(text) - text_width(text + length);
        if (in_line && column + 1 + width > PROSE_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            in_line = false;
        }
        fprintf(out, "%s%.*s", in_line ? " " : "", (int)length, text);
        column += in_line + width;
        in_line = true;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}
