#include "harness/machine/theory_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char *const theory_lines[];

const char *const theory_features[] = { "avx2", "avx512f", "avx512_bf16", "avx_vnni", "avx512_fp16", "amx_tile", NULL };

/* The members of the next line of this kind and architecture; NULL: there is none. */
static const char *next_row(const char *const **line, const char *kind, const char *architecture)
{
    const struct text start = text_print("%s %s: ", kind, architecture);
    const size_t length = strlen(start.text);
    while (**line) {
        const char *text = *(*line)++;
        if (strncmp(text, start.text, length) == 0)
            return text + length;
    }
    return NULL;
}

const char *theory_row(const char *kind, const char *architecture)
{
    const char *const *line = theory_lines;
    return next_row(&line, kind, architecture);
}

const char *theory_core(const char *architecture)
{
    const char *row, *const *line = theory_lines, *dash = strrchr(architecture, '-');
    if (!dash)
        return NULL;
    const struct text family = text_print("%.*s", (int)(dash - architecture), architecture);
    do
        row = next_row(&line, "core", family.text);
    while (row && !text_has_word(theory_words(row, "models").text, dash + 1));
    return row;
}

unsigned theory_number(const char *row, const char *member)
{
    size_t length;
    const char *value = text_value(row, member, &length);
    return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

struct text theory_words(const char *row, const char *member)
{
    size_t length = 0;
    const char *value = text_value(row, member, &length);
    return text_print("%.*s", (int)length, value ? value : "");
}

const char *theory_sentence(const char *row, const char *member)
{
    size_t length;
    return text_value(row, member, &length);
}
