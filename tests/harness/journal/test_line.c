/* Every kind of line by its table: what is written is read back, and the schema describes the same members. */

#include "harness/journal/line.h"
#include "tests/support/described.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

extern const char schema_text[];

static json_t *schema;
static struct pool pool;
static unsigned number; /* of the next value */

static void begin(void)
{
    schema = json_loads(schema_text, 0, NULL);
    pool = (struct pool){ 0 };
    number = 1;
}

static void end(void)
{
    json_decref(schema);
    pool_release(&pool);
}

TestSuite(line, .init = begin, .fini = end);

/* --- written and read back --- */

static void fill(void *of, const struct fields *fields);

/* Gives a member a value that is its own. */
static void fill_member(void *of, const struct field *field)
{
    void *member = (char *)of + field->offset, *beside = (char *)of + field->beside;
    const unsigned value = number++;
    const char *text = pool_print(&pool, "text %u", value);
    switch (field->kind) {
    case FIELD_TEXT:
        snprintf(member, field->bytes, "text %u", value);
        break;
    case FIELD_LABEL:
        *(const char **)member = text;
        break;
    case FIELD_LABELS:
        *(struct labels *)member = (struct labels){ pool_take(&pool, sizeof text), 1 };
        ((struct labels *)member)->label[0] = text;
        break;
    case FIELD_COUNT:
        *(unsigned *)member = value;
        break;
    case FIELD_NUMBER:
        *(double *)member = value + 0.25;
        break;
    case FIELD_SECONDS:
        *(double *)member = value / 1e9;
        break;
    case FIELD_TIMES:
        *(struct samples *)member = (struct samples){ pool_take(&pool, sizeof(double)), 1 };
        *((struct samples *)member)->value = value / 1e9;
        break;
    case FIELD_FLAG:
        *(bool *)member = true;
        break;
    case FIELD_TRUTH:
        *(int *)member = 1;
        break;
    case FIELD_PLACE:
        *(int *)member = (int)value;
        break;
    case FIELD_WORD:
        *(unsigned *)member = value % field->word_count;
        break;
    case FIELD_WORDS:
        *(unsigned *)member = 5;
        *(bool *)beside = true;
        break;
    case FIELD_OBJECT:
    case FIELD_INLINE:
        fill(member, field->of);
        break;
    case FIELD_LIST:
        *(void **)member = pool_take(&pool, 2 * field->of->size);
        *(unsigned *)beside = 2;
        for (unsigned i = 0; i < 2; i++)
            fill(*(char **)member + i * field->of->size, field->of);
        break;
    }
}

static void fill(void *of, const struct fields *fields)
{
    fields_forget(of, fields);
    for (unsigned i = 0; i < fields->count; i++)
        fill_member(of, &fields->field[i]);
}

/* Expects each member of a table in an object, and no member of the struct twice in the table. */
static void expect_all(const json_t *object, const struct fields *fields, const char *of)
{
    for (unsigned i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        const json_t *member = json_object_get(object, field->name);
        if (field->kind == FIELD_INLINE)
            expect_all(object, field->of, of);
        else
            cr_expect(member && !json_is_null(member), "%s has no %s", of, field->name);
        for (unsigned k = 0; k < i && field->kind != FIELD_OBJECT && field->kind != FIELD_INLINE; k++)
            cr_expect(fields->field[k].offset != field->offset || fields->field[k].kind != field->kind,
                      "%s: %s and %s are one member of the struct", of, fields->field[k].name, field->name);
        if (field->kind == FIELD_OBJECT)
            expect_all(member, field->of, field->name);
        if (field->kind == FIELD_LIST)
            expect_all(json_array_get(member, 1), field->of, field->name);
    }
}

Test(line, a_struct_that_is_written_is_read_back_whole)
{
    for (enum line_kind kind = 0; kind < LINE_KINDS; kind++) {
        const struct line_form *form = &line_forms[kind];
        struct cell_record cell, cell_again;
        struct journal_line line = { .kind = kind, .cell = form->of == OF_CELL ? "a cell" : NULL }, again;
        if (!form->fields)
            continue;
        fill(kind == LINE_CELL ? (void *)&cell : (char *)&line + form->offset, form->fields);
        line.stated = kind == LINE_CELL ? &cell : line.stated;
        json_t *written = line_to_json(&line);
        expect_all(written, form->fields, form->name);
        cr_expect_eq(line_kind_of(written), kind);
        line_from_json(&again, kind, written, &pool);
        if (kind == LINE_CELL) {
            fields_forget(&cell_again, &cell_fields);
            fields_from_json(&cell_again, &cell_fields, written, &pool);
            again.stated = &cell_again;
        }
        again.cell = line.cell;
        again.block = line.block;
        json_t *twice = line_to_json(&again);
        cr_expect(json_equal(written, twice), "%s: %s is not %s", form->name, json_dumps(written, 0),
                  json_dumps(twice, 0));
        json_decref(written);
        json_decref(twice);
    }
}

/* --- the schema --- */

/* The type of JSON that a kind of member is written as. */
static const char *type_of(const struct field *field)
{
    static const char *const types[] = {
        [FIELD_TEXT] = "string",   [FIELD_LABEL] = "string",    [FIELD_LABELS] = "array", [FIELD_COUNT] = "integer",
        [FIELD_NUMBER] = "number", [FIELD_SECONDS] = "integer", [FIELD_TIMES] = "array",  [FIELD_FLAG] = "boolean",
        [FIELD_TRUTH] = "boolean", [FIELD_PLACE] = "integer",   [FIELD_WORD] = "string",  [FIELD_WORDS] = "array",
        [FIELD_OBJECT] = "object", [FIELD_LIST] = "array",
    };
    return types[field->kind];
}

static void compare(const struct fields *fields, const json_t *described, const char *of, json_t *seen, json_t *needed);

static void compare_member(const struct field *field, const json_t *described, const char *of)
{
    const json_t *types = json_object_get(described, "type"), *words = json_object_get(described, "enum");
    char path[200];
    snprintf(path, sizeof path, "%s.%s", of, field->name);
    for (unsigned i = 0; words && i < field->word_count; i++) /* these two are in no such line */
        cr_expect(described_lists(words, field->words[i]) || strcmp(field->words[i], "usage") == 0 ||
                      (strcmp(path, "race.for") == 0 && strcmp(field->words[i], "both") == 0),
                  "%s: the schema lacks '%s'", path, field->words[i]);
    cr_expect(words || described_lists(types, type_of(field)) ||
                  (field->kind == FIELD_NUMBER && described_lists(types, "integer")) ||
                  (field->kind == FIELD_COUNT && described_lists(types, "number")),
              "%s is no %s in the schema", path, type_of(field));
    json_t *inner = field->kind == FIELD_LIST ? described_whole(schema, json_object_get(described, "items"))
                                              : json_deep_copy(described);
    json_t *seen = json_object(), *needed = json_array();
    if ((field->kind == FIELD_OBJECT || field->kind == FIELD_LIST) && !json_object_get(inner, "additionalProperties"))
        compare(field->of, inner, path, seen, needed);
    json_decref(seen);
    json_decref(needed);
    json_decref(inner);
}

/* Compares the members of a table, and gathers which there are and which are required. */
static void compare_all(const struct fields *fields, const json_t *properties, const char *of, json_t *seen,
                        json_t *needed)
{
    for (unsigned i = 0; i < fields->count; i++) {
        const struct field *field = &fields->field[i];
        if (field->kind == FIELD_INLINE) {
            compare_all(field->of, properties, of, seen, needed);
            continue;
        }
        json_t *described = described_whole(schema, json_object_get(properties, field->name));
        json_object_set_new(seen, field->name, json_true());
        if (i < fields->required)
            json_array_append_new(needed, json_string(field->name));
        cr_expect(json_object_get(properties, field->name), "the schema lacks %s of %s", field->name, of);
        compare_member(field, described, of);
        json_decref(described);
    }
}

static void compare(const struct fields *fields, const json_t *described, const char *of, json_t *seen, json_t *needed)
{
    const json_t *properties = json_object_get(described, "properties"),
                 *required = json_object_get(described, "required");
    const char *name;
    const json_t *member;
    compare_all(fields, properties, of, seen, needed);
    json_object_foreach ((json_t *)properties, name, member) {
        const char *words = json_string_value(json_object_get(member, "description"));
        const bool is_old = words && strncmp(words, "version 3", strlen("version 3")) == 0;
        cr_expect(is_old || json_object_get(seen, name), "%s has no member %s, which the schema describes", of, name);
        cr_expect_eq(described_lists(required, name), described_lists(needed, name),
                     "%s.%s is required by one of schema and table", of, name);
    }
}

Test(line, the_schema_describes_the_members_of_the_tables)
{
    size_t i;
    const json_t *each;
    unsigned kinds = 0;
    json_array_foreach (json_object_get(schema, "allOf"), i, each) {
        const json_t *line = json_object_get(json_object_get(json_object_get(each, "if"), "properties"), "line");
        json_t *named = json_pack("{s:O}", "line", json_object_get(line, "const"));
        const enum line_kind kind = line_kind_of(named);
        json_t *described = described_whole(schema, json_object_get(each, "then")), *seen = json_object(),
               *needed = json_array();
        cr_assert_lt(kind, LINE_KINDS, "%s has no table", json_dumps(named, 0));
        const struct line_form *form = &line_forms[kind];
        if (form->of != OF_RUN || kind == LINE_NOTE)
            json_object_set_new(seen, form->of == OF_BLOCK ? "block" : "cell", json_true());
        if (form->of != OF_RUN)
            json_array_append_new(needed, json_string(form->of == OF_BLOCK ? "block" : "cell"));
        if (form->fields)
            compare(form->fields, described, form->name, seen, needed);
        json_decref(described);
        json_decref(seen);
        json_decref(needed);
        json_decref(named);
        kinds++;
    }
    cr_expect_eq(kinds, LINE_KINDS);
}
