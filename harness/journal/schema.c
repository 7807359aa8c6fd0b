#include "harness/journal/schema.h"

#include "harness/base/text.h"

#include <math.h>
#include <regex.h>
#include <string.h>

extern const char schema_text[];

json_t *schema_open(void)
{
    return json_loads(schema_text, 0, NULL);
}

static bool lists(const json_t *list, const json_t *value)
{
    size_t i;
    const json_t *each;
    json_array_foreach (list, i, each)
        if (json_equal(each, value))
            return true;
    return false;
}

/* The schema has an "if" with the kind's name and a "then" for each kind of line. */
static const json_t *part_of_line(const json_t *schema, const json_t *line)
{
    size_t i;
    const json_t *each, *kind = json_object_get(line, "line");
    json_array_foreach (json_object_get(schema, "allOf"), i, each) {
        const json_t *properties = json_object_get(json_object_get(each, "if"), "properties");
        if (kind && json_equal(json_object_get(json_object_get(properties, "line"), "const"), kind))
            return json_object_get(each, "then");
    }
    return NULL;
}

/* What "$ref" names; NULL without one. */
static const json_t *definition(const json_t *schema, const json_t *part)
{
    const char *path = json_string_value(json_object_get(part, "$ref"));
    return path ? json_object_get(json_object_get(schema, "$defs"), path + strlen("#/$defs/")) : NULL;
}

/* The value of a keyword in a part of the schema, or in what it refers to by "$ref" and "allOf". With a member it is
 * that member of the value. NULL where there is none. */
static const json_t *find(const json_t *schema, const json_t *part, const char *keyword, const char *member)
{
    size_t i;
    const json_t *each, *found = json_object_get(part, keyword), *meant = definition(schema, part);
    found = member ? json_object_get(found, member) : found;
    if (!found && meant)
        found = find(schema, meant, keyword, member);
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        found = found ? found : find(schema, each, keyword, member);
    return found;
}

/* The first member that this part of the schema requires and the object lacks; NULL: it has all. */
static const char *lacks(const json_t *schema, const json_t *part, const json_t *object)
{
    size_t i;
    const json_t *each, *meant = definition(schema, part);
    const char *missing = meant ? lacks(schema, meant, object) : NULL;
    json_array_foreach (json_object_get(part, "required"), i, each)
        if (!json_object_get(object, json_string_value(each)))
            return json_string_value(each);
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        missing = missing ? missing : lacks(schema, each, object);
    return missing;
}

/* A whole number may be written as 1e9. */
static bool is_type(const char *type, const json_t *value)
{
    const double number = json_number_value(value);
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
           : strcmp(type, "null") == 0    ? json_is_null(value)
                                          : json_is_number(value) && (*type == 'n' || floor(number) == number);
}

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool is_match = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return is_match;
}

static bool keeps(const char *keyword, const json_t *rule, const json_t *value)
{
    const double number = json_number_value(value), bound = json_number_value(rule);
    const char *text = json_string_value(value);
    size_t i;
    const json_t *each;
    bool is_any = false;
    json_array_foreach (strcmp(keyword, "type") == 0 ? rule : NULL, i, each)
        is_any = is_any || is_type(json_string_value(each), value);
    return is_any || (strcmp(keyword, "type") == 0   ? json_is_string(rule) && is_type(json_string_value(rule), value)
                      : strcmp(keyword, "enum") == 0 ? lists(rule, value)
                      : strcmp(keyword, "minimum") == 0   ? !json_is_number(value) || number >= bound
                      : strcmp(keyword, "maximum") == 0   ? !json_is_number(value) || number <= bound
                      : strcmp(keyword, "minLength") == 0 ? !text || *text
                      : strcmp(keyword, "pattern") == 0   ? !text || matches(json_string_value(rule), text)
                                                          : true);
}

/* Without what is in it. */
static bool is_as_described(const json_t *schema, const json_t *part, const json_t *value)
{
    const char *keyword;
    json_t *rule;
    size_t i;
    const json_t *each, *meant = definition(schema, part);
    bool is_kept = !meant || is_as_described(schema, meant, value);
    json_object_foreach ((json_t *)part, keyword, rule)
        is_kept = is_kept && keeps(keyword, rule, value);
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        is_kept = is_kept && is_as_described(schema, each, value);
    return is_kept;
}

/* "day": cuts a moment down to its date. */
static bool is_public(const json_t *schema, const json_t *part, json_t *text)
{
    const json_t *publish = find(schema, part, "publish", NULL);
    if (json_is_string(publish))
        return json_string_setn(text, json_string_value(text), sizeof "2026-11-21" - 1) == 0;
    return json_is_true(publish) || lists(find(schema, part, "enum", NULL), text) ||
           json_equal(find(schema, part, "const", NULL), text);
}

/* Whether a value stays; takes out what does not stay of it. */
static bool clean(const json_t *schema, const json_t *part, json_t *value, bool is_for_others,
                  struct schema_faults *faults)
{
    const char *name;
    void *next;
    json_t *each;
    const json_t *items = find(schema, part, "items", NULL);
    if (!is_as_described(schema, part, value) ||
        (is_for_others && json_is_string(value) && !is_public(schema, part, value)))
        return false;
    json_object_foreach_safe(value, next, name, each)
    {
        const json_t *member = find(schema, part, "properties", name);
        const unsigned before = faults->values;
        const bool is_kept =
            member ? clean(schema, member, each, is_for_others, faults) : !is_for_others || strcmp(name, "line") == 0;
        faults->values += !is_kept;
        if (before == 0 && faults->values > 0 && !*faults->first)
            text_clean(faults->first, sizeof faults->first, name);
        if (!is_kept)
            json_object_del(value, name);
    }
    for (size_t i = items ? json_array_size(value) : 0; i-- > 0;) {
        if (clean(schema, items, json_array_get(value, i), is_for_others, faults))
            continue;
        faults->values++;
        if (is_for_others)
            json_array_remove(value, i);
        else
            json_array_set_new(value, i, json_null());
    }
    return !is_for_others || !json_is_object(value) || !lacks(schema, part, value);
}

const char *schema_clean(const json_t *schema, json_t *line, struct schema_faults *faults)
{
    const json_t *part = part_of_line(schema, line);
    if (!part)
        return NULL;
    clean(schema, part, line, false, faults);
    return lacks(schema, part, line);
}

bool schema_publish(const json_t *schema, json_t *line)
{
    struct schema_faults unused = { 0 };
    const json_t *part = part_of_line(schema, line);
    return part && clean(schema, part, line, true, &unused);
}
