#include "harness/journal/roof.h"

#include <string.h>

static const char *const names[ROOF_KINDS] = { "none", "flops", "bandwidth", "latency" };

const char *roof_name(enum roof_kind kind)
{
    return (unsigned)kind < ROOF_KINDS ? names[kind] : names[ROOF_NONE];
}

enum roof_kind roof_parse(const char *word)
{
    for (unsigned i = 0; i < ROOF_KINDS; i++)
        if (strcmp(word, names[i]) == 0)
            return (enum roof_kind)i;
    return ROOF_NONE;
}
