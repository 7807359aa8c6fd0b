#include "harness/machine/theory_units.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char *const theory_lines[];

const char *const theory_features[] = { "avx2", "avx512f", "avx512_bf16", "avx_vnni", "avx512_fp16", "amx_tile", NULL };

/* The members of the next line of this kind and architecture; NULL: there is none. */
static const char *next_row(const char *const **line, const char *kind, const char *architecture)
{
    char start[80];
    const size_t length = (size_t)snprintf(start, sizeof start, "%s %.48s: ", kind, architecture);
    while (**line) {
        const char *text = *(*line)++;
        if (strncmp(text, start, length) == 0)
            return text + length;
    }
    return NULL;
}

static const char *row_of(const char *kind, const char *architecture)
{
    const char *const *line = theory_lines;
    return next_row(&line, kind, architecture);
}

static unsigned number_in(const char *row, const char *member)
{
    size_t length;
    const char *value = text_value(row, member, &length);
    return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

static void words_in(const char *row, const char *member, char *to, size_t room)
{
    size_t length = 0;
    const char *value = text_value(row, member, &length);
    snprintf(to, room, "%.*s", (int)length, value ? value : "");
}

/* The sentence at the end; NULL: there is none. */
static const char *sentence_in(const char *row, const char *member)
{
    size_t length;
    return text_value(row, member, &length);
}

static void each_type(const char *row, unsigned out[DTYPE_COUNT])
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        out[dtype] = number_in(row, dtype_name(dtype));
}

bool theory_gpu_unit(const char *architecture, struct gpu_unit *out)
{
    const char *row = row_of("gpu", architecture);
    if (!row)
        return false;
    words_in(row, "unit", out->unit, sizeof out->unit);
    words_in(row, "by", out->issue_name, sizeof out->issue_name);
    each_type(row, out->lanes);
    out->issue = number_in(row, "issue") > 0 ? number_in(row, "issue") : 1;
    return true;
}

bool theory_gpu_tensor(const char *architecture, struct gpu_tensor *out)
{
    const char *row = row_of("tensor", architecture);
    if (!row)
        return false;
    each_type(row, out->each);
    out->doubt = sentence_in(row, "doubt");
    out->doubts_bytes = number_in(row, "bytes") > 0;
    return true;
}

const char *theory_gpu_exception(const struct device *device, enum dtype dtype)
{
    char cards[96], *rest = cards;
    const char *row = row_of("except", device->architecture), *word;
    if (!row || dtype == DTYPE_F32 || number_in(row, dtype_name(dtype)) > 0)
        return NULL;
    words_in(row, "cards", cards, sizeof cards);
    while ((word = strsep(&rest, " ")))
        if (text_has_word(device->name, word))
            return sentence_in(row, "why");
    return NULL;
}

bool theory_gpu_has_more(const char *architecture, enum dtype dtype)
{
    const char *row = row_of("more", architecture);
    return row && number_in(row, dtype_name(dtype)) > 0;
}

bool theory_cpu_core(const char *architecture, struct cpu_core *out)
{
    char models[64];
    const char *row, *const *line = theory_lines, *dash = strrchr(architecture, '-');
    if (!dash)
        return false;
    const char *family = PRINTED(32, "%.*s", (int)(dash - architecture), architecture);
    while ((row = next_row(&line, "core", family))) {
        words_in(row, "models", models, sizeof models);
        if (!text_has_word(models, dash + 1))
            continue;
        words_in(row, "name", out->name, sizeof out->name);
        words_in(row, "features", out->features, sizeof out->features);
        out->units = number_in(row, "units");
        out->bits = number_in(row, "bits");
        out->has_vnni = number_in(row, "vnni") > 0;
        out->doubt = sentence_in(row, "doubt");
        return true;
    }
    return false;
}
