#include "harness/machine/files.h"

#include <math.h>
#include <stdlib.h>

static double number_in(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end == text ? NAN : value;
}

double host_number(const char *root, const char *path)
{
    char line[64];
    return host_line(root, path, line, sizeof line) ? number_in(line) : NAN;
}

double host_member_number(const char *root, const char *path, const char *key)
{
    char value[64];
    return host_member(root, path, key, value, sizeof value) ? number_in(value) : NAN;
}

static void first_number(void *context, const char *root, const char *path)
{
    double *first = context, number = host_number(root, path);
    if (isnan(*first) && number >= 0 && isfinite(number))
        *first = number;
}

double host_first_number(const char *root, const char *pattern)
{
    double first = NAN;
    host_each(root, pattern, first_number, &first);
    return first;
}
