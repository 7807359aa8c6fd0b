#include "harness/base/fields.h"

#include "harness/base/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Nanoseconds of 30 years: a longer time cannot be true. */
static const double longest_ns = 1e18;

json_t *number_to_json(double value)
{
    return text_is_whole(value) ? json_integer((json_int_t)value) : isfinite(value) ? json_real(value) : json_null();
}

json_t *array_with(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *seconds_to_json(double seconds)
{
    const double limit = 9e18; /* safely inside a 64-bit integer */
    const double ns = seconds * 1e9;
    return isfinite(ns) && fabs(ns) <= limit ? json_integer((json_int_t)llround(ns)) : json_null();
}

double seconds_from_json(const json_t *ns)
{
    return json_is_number(ns) ? json_number_value(ns) / 1e9 : NAN;
}

/* --- one member --- */

/* A number that is 0 or more; NAN for anything else. */
static double amount(const double *number)
{
    return isfinite(*number) && *number >= 0 ? *number : NAN;
}

static json_t *words_to_json(const struct field *field, unsigned set)
{
    json_t *words = json_array();
    for (unsigned i = 0; i < field->word_count; i++)
        if (set & 1u << i)
            words = array_with(words, json_string(field->words[i]));
    return words;
}

static json_t *list_to_json(const struct field *field, const void *of)
{
    const char *element = *(const char *const *)(const void *)((const char *)of + field->offset);
    const unsigned count = *(const unsigned *)(const void *)((const char *)of + field->beside);
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        list = array_with(list, fields_to_json(element + i * field->of->size, field->of));
    return list;
}

static json_t *label_to_json(const char *label)
{
    return json_string(label ? text_cleaned(label).text : "");
}

static json_t *field_to_json(const struct field *field, const void *of)
{
    const void *member = (const char *)of + field->offset;
    const struct samples *samples = member;
    const struct labels *labels = member;
    json_t *list = NULL;
    switch (field->kind) {
    case FIELD_TEXT:
        return label_to_json(member);
    case FIELD_LABEL:
        return label_to_json(*(const char *const *)member);
    case FIELD_COUNT:
        return json_integer(*(const unsigned *)member);
    case FIELD_NUMBER:
        return number_to_json(amount(member));
    case FIELD_SECONDS:
        return seconds_to_json(amount(member));
    case FIELD_FLAG:
        return json_boolean(*(const bool *)member);
    case FIELD_TRUTH:
        return *(const int *)member < 0 ? json_null() : json_boolean(*(const int *)member);
    case FIELD_PLACE:
        return *(const int *)member < 0 ? json_null() : json_integer(*(const int *)member);
    case FIELD_WORD:
        return *(const unsigned *)member < field->word_count ? json_string(field->words[*(const unsigned *)member])
                                                             : json_null();
    case FIELD_WORDS:
        return *((const bool *)of + field->beside) ? words_to_json(field, *(const unsigned *)member) : json_null();
    case FIELD_OBJECT:
    case FIELD_INLINE:
        return fields_to_json(member, field->of);
    case FIELD_LIST:
        return list_to_json(field, of);
    case FIELD_LABELS:
        list = json_array();
        for (unsigned i = 0; i < labels->count; i++)
            list = array_with(list, label_to_json(labels->label[i]));
        return list;
    case FIELD_TIMES:
        list = json_array();
        for (unsigned i = 0; i < samples->count; i++)
            list = array_with(list, seconds_to_json(samples->value[i]));
        return list;
    }
    return NULL;
}

static void times_from_json(struct samples *to, const json_t *json, struct pool *pool)
{
    const size_t count = json_array_size(json);
    double *value = pool ? pool_take(pool, (count + 1) * sizeof *value) : NULL;
    for (size_t i = 0; value && i < count; i++)
        value[i] = seconds_from_json(json_array_get(json, i));
    if (value)
        *to = (struct samples){ value, (unsigned)count };
}

static void labels_from_json(struct labels *to, const json_t *json, struct pool *pool)
{
    const size_t count = json_array_size(json);
    const char **label = pool ? pool_take(pool, (count + 1) * sizeof *label) : NULL;
    for (size_t i = 0; label && i < count; i++) {
        const char *text = json_string_value(json_array_get(json, i));
        label[i] = pool_copy(pool, text_cleaned(text ? text : "").text);
    }
    if (label)
        *to = (struct labels){ label, (unsigned)count };
}

static void list_from_json(void *to, const struct field *field, const json_t *json, struct pool *pool)
{
    const size_t count = json_array_size(json);
    char *element = pool ? pool_take(pool, (count + 1) * field->of->size) : NULL;
    for (size_t i = 0; element && i < count; i++) {
        fields_forget(element + i * field->of->size, field->of);
        fields_from_json(element + i * field->of->size, field->of, json_array_get(json, i), pool);
    }
    if (!element)
        return;
    *(void **)(void *)((char *)to + field->offset) = element;
    *(unsigned *)(void *)((char *)to + field->beside) = (unsigned)count;
}

/* A word that is not known is the last one of a set. */
static void words_from_json(void *to, const struct field *field, const json_t *json)
{
    unsigned *set = (unsigned *)(void *)((char *)to + field->offset);
    size_t i;
    const json_t *word;
    *((bool *)to + field->beside) = true;
    json_array_foreach (json, i, word)
        if (json_is_string(word))
            *set |= 1u << name_find(json_string_value(word), field->words, field->word_count - 1);
}

static void number_from_json(void *member, enum field_kind kind, double number)
{
    const bool is_count = floor(number) == number && number <= (kind == FIELD_COUNT ? UINT_MAX : INT_MAX);
    if (kind == FIELD_COUNT && is_count)
        *(unsigned *)member = (unsigned)number;
    else if (kind == FIELD_PLACE && is_count)
        *(int *)member = (int)number;
    else if (kind == FIELD_NUMBER)
        *(double *)member = number;
    else if (kind == FIELD_SECONDS && number <= longest_ns)
        *(double *)member = number / 1e9;
}

static void text_from_json(void *member, const struct field *field, const char *text, struct pool *pool)
{
    if (field->kind == FIELD_TEXT)
        text_clean(member, field->bytes, text);
    else if (field->kind == FIELD_LABEL && pool)
        *(const char **)member = pool_copy(pool, text_cleaned(text).text);
    else if (field->kind == FIELD_WORD) {
        const unsigned word = name_find(text, field->words, field->word_count);
        *(unsigned *)member = word < field->word_count ? word : field->other;
    }
}

static void field_from_json(void *to, const struct field *field, const json_t *json, struct pool *pool)
{
    void *member = (char *)to + field->offset;
    const double number = json_number_value(json);
    if (json_is_string(json))
        text_from_json(member, field, json_string_value(json), pool);
    else if (json_is_number(json) && isfinite(number) && number >= 0)
        number_from_json(member, field->kind, number);
    else if (field->kind == FIELD_FLAG && json_is_boolean(json))
        *(bool *)member = json_is_true(json);
    else if (field->kind == FIELD_TRUTH && json_is_boolean(json))
        *(int *)member = json_is_true(json);
    else if (field->kind == FIELD_WORDS && json_is_array(json))
        words_from_json(to, field, json);
    else if (field->kind == FIELD_TIMES && json_is_array(json))
        times_from_json(member, json, pool);
    else if (field->kind == FIELD_LABELS && json_is_array(json))
        labels_from_json(member, json, pool);
    else if (field->kind == FIELD_LIST && json_is_array(json))
        list_from_json(to, field, json, pool);
    else if (field->kind == FIELD_OBJECT && json_is_object(json))
        fields_from_json(member, field->of, json, pool);
}

/* --- all members --- */

/* Whether a member is unknown or empty: what an optional one then need not say. A label that is "" says so. */
static bool says_nothing(const struct field *field, const void *member, const json_t *value)
{
    return json_is_null(value) || (field->kind == FIELD_LABEL && !*(const char *const *)member) ||
           (field->kind == FIELD_TEXT && !*(const char *)member) ||
           (field->kind == FIELD_FLAG && json_is_false(value)) ||
           (field->kind == FIELD_COUNT && json_integer_value(value) == 0) ||
           (field->kind != FIELD_WORDS && json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

json_t *fields_to_json(const void *from, const struct fields *fields)
{
    json_t *to = json_object();
    bool is_complete = to != NULL;
    for (unsigned i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        json_t *value = field_to_json(field, from);
        if (field->kind == FIELD_INLINE)
            is_complete &= json_object_update_new(to, value) == 0;
        else if (!value || i < fields->required || !says_nothing(field, (const char *)from + field->offset, value))
            is_complete &= json_object_set_new(to, field->name, value) == 0;
        else
            json_decref(value);
    }
    if (is_complete)
        return to;
    json_decref(to);
    return NULL;
}

void fields_from_json(void *to, const struct fields *fields, const json_t *json, struct pool *pool)
{
    for (unsigned i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        if (field->kind == FIELD_INLINE)
            fields_from_json((char *)to + field->offset, field->of, json, pool);
        else
            field_from_json(to, field, json_object_get(json, field->name), pool);
    }
}

void fields_forget(void *of, const struct fields *fields)
{
    for (unsigned i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        void *member = (char *)of + field->offset;
        if (field->kind == FIELD_OBJECT || field->kind == FIELD_INLINE)
            fields_forget(member, field->of);
        else if (field->kind == FIELD_NUMBER || field->kind == FIELD_SECONDS)
            *(double *)member = NAN;
        else if (field->kind == FIELD_TRUTH || field->kind == FIELD_PLACE)
            *(int *)member = -1;
        else if (field->kind == FIELD_WORD)
            *(unsigned *)member = field->other;
        else if (field->kind == FIELD_LABEL)
            *(const char **)member = "";
        else
            memset(member, 0, field->bytes);
        if (field->kind == FIELD_WORDS)
            *((bool *)of + field->beside) = false;
        else if (field->kind == FIELD_LIST)
            *(unsigned *)(void *)((char *)of + field->beside) = 0;
    }
}
