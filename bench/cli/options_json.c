/* The options of a command as the journal keeps them, and taken over from one command to another. */

#include "bench/cli/option.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *texts_to_json(const char *const texts[])
{
    json_t *array = json_array();
    for (unsigned i = 0; texts[i]; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

/* The words whose element is set. */
static json_t *set_to_json(const struct option *option, const bool set[])
{
    const char *words[WORDS_MAX];
    option->words(words);
    json_t *array = json_array();
    for (unsigned i = 0; words[i]; i++)
        if (set[i])
            json_array_append_new(array, json_string(words[i]));
    return array;
}

static json_t *value_to_json(const struct option *option, const struct options *options)
{
    const void *field = (const char *)options + option->offset;
    switch (option->kind) {
    case KIND_TEXT:
        return *(const char *const *)field ? json_string(*(const char *const *)field) : json_null();
    case KIND_LIST:
    case KIND_TEXTS:
        return texts_to_json(field);
    case KIND_SET:
        return set_to_json(option, field);
    case KIND_CHOICE: {
        const char *words[WORDS_MAX];
        option->words(words);
        return json_string(words[*(const unsigned *)field]);
    }
    case KIND_FRACTION:
    case KIND_SECONDS:
        return isfinite(*(const double *)field) ? json_real(*(const double *)field) : json_null();
    case KIND_COUNT:
        return json_integer(*(const unsigned *)field);
    case KIND_SIZE:
        return json_integer(*(const int64_t *)field);
    case KIND_SEED:
        return json_sprintf("%" PRIu64, *(const uint64_t *)field); /* JSON's numbers end at 2^63 here */
    case KIND_FLAG:
        break;
    }
    return json_null();
}

json_t *options_to_json(const struct options *options)
{
    json_t *object = json_object();
    for (const struct option *option = option_rows; option->name; option++)
        if (option->verbs & 1u << options->verb && option->kind != KIND_FLAG)
            json_object_set_new(object, option->name, value_to_json(option, options));
    return object;
}

void options_copy_display(struct options *options, const struct options *asked)
{
    for (const struct option *option = option_rows; option->name; option++) {
        void *to = (char *)options + option->offset;
        const void *from = (const char *)asked + option->offset;
        if (!option->only_display)
            continue;
        if (option->kind == KIND_FLAG)
            *(bool *)to = *(const bool *)from;
        else if (option->kind == KIND_TEXT)
            *(const char **)to = *(const char *const *)from;
        else if (option->kind == KIND_COUNT)
            *(unsigned *)to = *(const unsigned *)from;
    }
}

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

const char *options_repro(const struct options *options, char *to, size_t room)
{
    char program[] = "bench", verb[] = "run", *const nothing[] = { program, verb };
    struct options usual;
    size_t used = 0;
    to[0] = '\0';
    if (!options_parse(&usual, 2, nothing, NULL))
        return to;
    for (const struct option *option = option_rows; option->name; option++) {
        char value[VALUE_MAX], default_value[VALUE_MAX];
        if (!option->changes_figures || !value_text(option, options, value))
            continue;
        bool is_usual = value_text(option, &usual, default_value) && strcmp(value, default_value) == 0;
        if (!is_usual && used < room)
            used += (size_t)snprintf(to + used, room - used, " --%s%s%s", option->name, value[0] ? " " : "", value);
    }
    return to;
}
