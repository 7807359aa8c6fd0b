#include "harness/publish/extract.h"

#include <stdbool.h>
#include <string.h>

/* The text of results/journal.schema.json. */
extern const char schema_text[];

json_t *extract_schema(void)
{
    return json_loads(schema_text, 0, NULL);
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

static bool is_in(const json_t *list, const json_t *text)
{
    size_t i;
    const json_t *each;
    json_array_foreach (list, i, each)
        if (json_equal(each, text))
            return true;
    return false;
}

static json_t *copy_day(const char *text)
{
    enum { DAY = sizeof "2026-11-21" - 1 };
    return strspn(text, "0123456789-") >= DAY ? json_stringn(text, DAY) : NULL;
}

static json_t *copy_text(const json_t *schema, const json_t *part, const json_t *text)
{
    const json_t *publish = find(schema, part, "publish", NULL);
    if (json_is_string(publish))
        return copy_day(json_string_value(text));
    bool is_public = json_is_true(publish) || is_in(find(schema, part, "enum", NULL), text) ||
                     json_equal(find(schema, part, "const", NULL), text);
    return is_public ? json_incref((json_t *)text) : NULL;
}

/* Whether the object has all members that this part of the schema requires. */
static bool is_complete(const json_t *schema, const json_t *part, const json_t *object)
{
    size_t i;
    const json_t *each, *meant = definition(schema, part);
    json_array_foreach (json_object_get(part, "required"), i, each)
        if (!json_object_get(object, json_string_value(each)))
            return false;
    json_array_foreach (json_object_get(part, "allOf"), i, each)
        if (!is_complete(schema, each, object))
            return false;
    return !meant || is_complete(schema, meant, object);
}

static json_t *copy_value(const json_t *schema, const json_t *part, const json_t *value);

/* Adds what may be copied of the members to `copy`. Releases it and returns NULL if it then lacks one. */
static json_t *copy_members(const json_t *schema, const json_t *part, const json_t *object, json_t *copy)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        const json_t *member = find(schema, part, "properties", name);
        json_t *public = member ? copy_value(schema, member, value) : NULL;
        if (public)
            json_object_set_new(copy, name, public);
    }
    if (is_complete(schema, part, copy))
        return copy;
    json_decref(copy);
    return NULL;
}

static json_t *copy_elements(const json_t *schema, const json_t *part, const json_t *array)
{
    size_t i;
    const json_t *each, *items = find(schema, part, "items", NULL);
    json_t *copy = json_array();
    json_array_foreach (items ? array : NULL, i, each) {
        json_t *public = copy_value(schema, items, each);
        if (public)
            json_array_append_new(copy, public);
    }
    return copy;
}

/* NULL: nothing of it may be copied. */
static json_t *copy_value(const json_t *schema, const json_t *part, const json_t *value)
{
    if (json_is_string(value))
        return copy_text(schema, part, value);
    if (json_is_array(value))
        return copy_elements(schema, part, value);
    if (json_is_object(value))
        return copy_members(schema, part, value, json_object());
    return json_incref((json_t *)value);
}

json_t *extract_line(const json_t *schema, const json_t *line)
{
    const json_t *part = part_of_line(schema, line);
    return part ? copy_members(schema, part, line, json_pack("{s:O}", "line", json_object_get(line, "line"))) : NULL;
}
