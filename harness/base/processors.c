#include "harness/base/processors.h"

#include <string.h>

unsigned processors_count(const struct processors *processors)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PROCESSORS_MAX / 64; i++)
        count += (unsigned)__builtin_popcountll(processors->bits[i]);
    return count;
}

bool processors_have(const struct processors *processors, unsigned number)
{
    return number < PROCESSORS_MAX && processors->bits[number / 64] >> number % 64 & 1;
}

bool processors_equal(const struct processors *a, const struct processors *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

void processors_add(struct processors *to, const struct processors *more)
{
    for (unsigned i = 0; i < PROCESSORS_MAX / 64; i++)
        to->bits[i] |= more->bits[i];
}

struct processors processors_one(unsigned number)
{
    struct processors one = { { 0 } };
    if (number < PROCESSORS_MAX)
        one.bits[number / 64] = UINT64_C(1) << number % 64;
    return one;
}
