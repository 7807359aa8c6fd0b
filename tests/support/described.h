#ifndef TESTS_SUPPORT_DESCRIBED_H
#define TESTS_SUPPORT_DESCRIBED_H

/* What results/journal.schema.json says of a member. */

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/* A part of the schema with everything that it refers to. Its `required` has the members that any of them requires. */
static json_t *described_whole(const json_t *schema, const json_t *part)
{
    size_t i;
    const json_t *each;
    json_t *out = json_deep_copy(part), *required = json_array();
    const char *path = json_string_value(json_object_get(part, "$ref"));
    json_t *meant =
        path ? described_whole(schema, json_object_get(json_object_get(schema, "$defs"), strrchr(path, '/') + 1))
             : NULL;
    json_array_extend(required, json_object_get(part, "required"));
    json_array_extend(required, json_object_get(meant, "required"));
    if (meant)
        json_object_update_recursive(out, meant);
    json_decref(meant);
    json_array_foreach (json_object_get(part, "allOf"), i, each) {
        json_t *more = described_whole(schema, each);
        json_array_extend(required, json_object_get(more, "required"));
        json_object_update_recursive(out, more);
        json_decref(more);
    }
    json_object_set_new(out, "required", required);
    return out;
}

/* Whether a list has the word; a word alone is a list of one. */
static bool described_lists(const json_t *list, const char *word)
{
    size_t i;
    const json_t *each;
    bool is_there = json_is_string(list) && strcmp(json_string_value(list), word) == 0;
    json_array_foreach (list, i, each)
        is_there |= json_is_string(each) && strcmp(json_string_value(each), word) == 0;
    return is_there;
}

#endif
