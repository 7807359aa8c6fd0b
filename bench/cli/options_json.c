/* The values of options as JSON and as the repro line, and their copy from one command to another. */

#include "bench/cli/option.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

json_t *texts_to_json(const char *const texts[])
{
    json_t *array = json_array();
    for (unsigned i = 0; texts && texts[i]; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

/* The words whose element is set. */
static json_t *set_to_json(const struct option *option, const bool set[])
{
    const struct words words = option_words(option);
    json_t *array = json_array();
    for (unsigned i = 0; i < words.count - option->all; i++)
        if (set[i])
            json_array_append_new(array, json_string(words.word[i]));
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
    case KIND_CHOICE:
        return json_string(option_words(option).word[*(const unsigned *)field]);
    case KIND_FRACTION:
    case KIND_SECONDS:
        return isfinite(*(const double *)field) ? json_real(*(const double *)field) : json_null();
    case KIND_COUNT:
        return json_integer(*(const unsigned *)field);
    case KIND_SIZE:
        return json_integer(*(const int64_t *)field);
    case KIND_SEED:
        return json_sprintf("%" PRIu64,
                            *(const uint64_t *)field); /* may be larger than 2^63 - 1, the largest integer of Jansson */
    case KIND_FLAG:
        return json_boolean(*(const bool *)field);
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
    static const size_t size[] = { [KIND_FLAG] = sizeof(bool),
                                   [KIND_TEXT] = sizeof(const char *),
                                   [KIND_TEXTS] = sizeof(const char * [LIST_MAX + 1]),
                                   [KIND_CHOICE] = sizeof(unsigned),
                                   [KIND_COUNT] = sizeof(unsigned) };
    for (const struct option *option = option_rows; option->name; option++) {
        if (!option->only_display)
            continue;
        memcpy((char *)options + option->offset, (const char *)asked + option->offset, size[option->kind]);
        if (option->given)
            memcpy((char *)options + option->given, (const char *)asked + option->given, sizeof(bool));
    }
}

const char *options_repro(const struct options *options, char *to, size_t room)
{
    char program[] = "bench", verb[] = "run", *const command[] = { program, verb };
    struct options defaults;
    to[0] = '\0';
    if (!options_parse(&defaults, 2, command, NULL))
        return to;
    for (const struct option *option = option_rows; option->name; option++) {
        json_t *value = value_to_json(option, options), *usual = value_to_json(option, &defaults);
        const bool is_told = option->changes_figures && !json_equal(value, usual);
        if (is_told && json_is_string(value))
            text_append(to, room, " --%s %s", option->name, json_string_value(value));
        else if (is_told && json_is_number(value))
            text_append(to, room, " --%s %.9g%s", option->name, json_number_value(value),
                        option->kind == KIND_SECONDS ? "s" : "");
        else if (is_told) /* a flag */
            text_append(to, room, " --%s", option->name);
        json_decref(value);
        json_decref(usual);
    }
    return to;
}
