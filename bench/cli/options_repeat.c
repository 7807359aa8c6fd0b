/* The options that a cell is measured again with. */

#include "bench/cli/option.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_MAX = 48 };

/* The value as it would be typed; false where there is none, as of a flag that is not set. */
static bool value_text(const struct option *option, const struct options *options, char to[VALUE_MAX])
{
    const void *field = (const char *)options + option->offset;
    const char *words[WORDS_MAX];
    to[0] = '\0';
    switch (option->kind) {
    case KIND_FLAG:
        return *(const bool *)field;
    case KIND_CHOICE:
        option_words(option, words);
        text_copy(to, VALUE_MAX, words[*(const unsigned *)field]);
        return true;
    case KIND_FRACTION:
        snprintf(to, VALUE_MAX, "%.9g", *(const double *)field);
        return true;
    case KIND_SECONDS:
        snprintf(to, VALUE_MAX, "%.9gs", *(const double *)field);
        return !isnan(*(const double *)field);
    case KIND_COUNT:
        snprintf(to, VALUE_MAX, "%u", *(const unsigned *)field);
        return *(const unsigned *)field >= option->least;
    case KIND_SEED:
        snprintf(to, VALUE_MAX, "%" PRIu64, *(const uint64_t *)field);
        return true;
    default: /* lists and texts say what a cell is, not how it is measured */
        return false;
    }
}

const char *options_repeat(const struct options *options, char *to, size_t room)
{
    char program[] = "bench", verb[] = "run", *const nothing[] = { program, verb };
    struct options usual;
    size_t used = 0;
    to[0] = '\0';
    if (!options_parse(&usual, 2, nothing, NULL))
        return to;
    for (const struct option *option = option_rows; option->name; option++) {
        char value[VALUE_MAX], fallback[VALUE_MAX];
        if (!option->changes_figures || !value_text(option, options, value))
            continue;
        bool is_usual = value_text(option, &usual, fallback) && strcmp(value, fallback) == 0;
        if (!is_usual && used < room)
            used += (size_t)snprintf(to + used, room - used, " --%s%s%s", option->name, value[0] ? " " : "", value);
    }
    return to;
}
