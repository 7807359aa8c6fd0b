#include "harness/machine/fields.h"

#include "harness/base/text.h"

#include <limits.h>
#include <math.h>

enum { TEXT_MAX = 1024 };

static json_t *field_to_json(const struct field *field, const void *member)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return json_string(CLEANED(TEXT_MAX, member)); /* names from drivers may not be valid UTF-8 */
    case FIELD_COUNT:
        return json_integer(*(const unsigned *)member);
    case FIELD_NUMBER:
        return isfinite(*(const double *)member) ? json_real(*(const double *)member) : json_null();
    case FIELD_FLAG:
        return json_boolean(*(const bool *)member);
    }
    return NULL;
}

bool fields_to_json(json_t *to, const struct field field[], unsigned fields, const void *from, bool only_known)
{
    bool complete = true;
    for (; fields > 0; field++, fields--) {
        const void *member = (const char *)from + field->offset;
        const bool is_unknown = field->kind == FIELD_NUMBER ? !isfinite(*(const double *)member)
                                                            : field->kind == FIELD_TEXT && !*(const char *)member;
        if (!only_known || !is_unknown)
            complete &= json_object_set_new(to, field->name, field_to_json(field, member)) == 0;
    }
    return complete;
}

static void field_from_json(const struct field *field, void *member, const json_t *json)
{
    const double number = json_number_value(json);
    if (field->kind == FIELD_TEXT && json_is_string(json))
        text_clean(member, field->bytes, json_string_value(json));
    else if (field->kind == FIELD_COUNT && json_is_integer(json) && number >= 0 && number <= UINT_MAX)
        *(unsigned *)member = (unsigned)number;
    else if (field->kind == FIELD_FLAG && json_is_boolean(json))
        *(bool *)member = json_is_true(json);
    else if (field->kind == FIELD_NUMBER && json_is_number(json) && isfinite(number) && number >= 0)
        *(double *)member = number;
}

void fields_from_json(void *to, const struct field field[], unsigned fields, const json_t *json)
{
    for (; fields > 0; field++, fields--)
        field_from_json(field, (char *)to + field->offset, json_object_get(json, field->name));
}

void fields_forget(void *of, const struct field field[], unsigned fields)
{
    for (; fields > 0; field++, fields--) {
        void *member = (char *)of + field->offset;
        if (field->kind == FIELD_NUMBER)
            *(double *)member = NAN;
    }
}
