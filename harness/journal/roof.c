#include "harness/journal/roof.h"

#include "harness/base/text.h"

const char *const roof_names[ROOF_KINDS] = { "none", "flops", "bandwidth", "latency" };

enum roof_kind roof_parse(const char *word)
{
    unsigned i = name_find(word, roof_names, ROOF_KINDS);
    return i < ROOF_KINDS ? (enum roof_kind)i : ROOF_NONE;
}
