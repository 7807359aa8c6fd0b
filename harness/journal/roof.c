#include "harness/journal/roof.h"

#include "harness/base/text.h"

static const char *const names[ROOF_KINDS] = { "none", "flops", "bandwidth", "latency" };

const char *roof_name(enum roof_kind kind)
{
    return (unsigned)kind < ROOF_KINDS ? names[kind] : names[ROOF_NONE];
}

enum roof_kind roof_parse(const char *word)
{
    unsigned i = name_find(word, names, ROOF_KINDS);
    return i < ROOF_KINDS ? (enum roof_kind)i : ROOF_NONE;
}
