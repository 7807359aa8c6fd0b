#include "harness/machine/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_in(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end == text ? NAN : value;
}

double host_number(const char *root, const char *path)
{
    return number_in(host_line(root, path).text);
}

double host_member_number(const char *root, const char *path, const char *key)
{
    return number_in(host_member(root, path, key).text);
}

struct text host_beside(const char *path, const char *name)
{
    return text_print("%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
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
