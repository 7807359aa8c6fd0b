#include "harness/base/text.h"
#include "harness/journal/schema.h"

#include <criterion/criterion.h>
#include <string.h>

/* Whether schema_check understands the keyword, or may pass over it. */
static bool is_known(const char *keyword)
{
    return text_has_word("description publish $ref allOf type enum const minimum minLength pattern items required "
                         "properties additionalProperties",
                         keyword);
}

/* Fails for a keyword that schema_check would pass over, wherever the schema has one. */
static void expect_known_keywords(const json_t *part)
{
    const char *name, *member;
    json_t *rule, *below;
    size_t i;
    json_object_foreach ((json_t *)part, name, rule) {
        cr_expect(is_known(name), "journal.schema.json uses '%s'", name);
        if (strcmp(name, "properties") == 0)
            json_object_foreach (rule, member, below)
                expect_known_keywords(below);
        if (strcmp(name, "items") == 0 || strcmp(name, "additionalProperties") == 0)
            expect_known_keywords(rule);
        if (strcmp(name, "allOf") == 0)
            json_array_foreach (rule, i, below)
                expect_known_keywords(below);
    }
}

Test(schema, every_keyword_of_the_schema_is_understood)
{
    const char *name;
    json_t *schema = schema_new(), *part;
    cr_assert(schema);
    json_object_foreach (json_object_get(schema, "$defs"), name, part)
        expect_known_keywords(part);
    json_decref(schema);
    cr_expect_not(is_known("oneOf"));
}

/* A member that the schema does not describe is accepted. */
Test(schema, a_refused_line_names_the_member_and_the_rule)
{
    static const char *const cases[][2] = {
        { "{\"line\": \"slice\", \"cell\": \"a\", \"series\": \"resident\", \"number\": 0, \"wall_ns\": [5, null]}",
          "" },
        { "{\"line\": \"end\", \"status\": \"complete\", \"elapsed_ns\": 5.0, \"new\": {}}", "" },
        { "{\"line\": \"first\", \"cell\": \"a\", \"run_ns\": 5, \"alloc_ns\": null}", "" },
        { "{\"line\": \"slice\", \"cell\": \"a\", \"series\": \"resident\", \"number\": 0}",
          "a line 'slice' has no \"wall_ns\"" },
        { "{\"line\": \"slice\", \"cell\": \"a\", \"series\": \"resident\", \"number\": -1, \"wall_ns\": []}",
          "in a line 'slice' \"number\" must not be negative" },
        { "{\"line\": \"slice\", \"cell\": \"a\", \"series\": \"r\", \"number\": 1, \"wall_ns\": [1, \"2\"]}",
          "in a line 'slice' \"wall_ns\" must be of type integer or null" },
        { "{\"line\": \"first\", \"cell\": \"\"}", "in a line 'first' \"cell\" must not be empty" },
        { "{\"line\": \"first\", \"cell\": \"a\", \"run_ns\": 1.5}",
          "in a line 'first' \"run_ns\" must be of type integer or null" },
        { "{\"line\": \"outcome\", \"cell\": \"a\", \"status\": \"fine\"}",
          "in a line 'outcome' \"status\" must be ok or unsupported or no-memory or too-slow or wrong or impossible or "
          "failed or timeout or crashed or abandoned" },
        { "{\"line\": \"journal\", \"schema\": \"bench-journal/2\", \"version\": \"1\", \"started\": \"yesterday\"}",
          "in a line 'journal' \"started\" must match ^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$" },
        { "{\"line\": \"state\", \"cell\": \"a\", \"when\": \"after\", \"temperature\": -5}", "" },
        { "{\"line\": \"verify\", \"cell\": \"a\", \"pass\": \"before\", \"checks\": [{\"name\": \"exact\", "
          "\"checked\": 5}]}",
          "a line 'verify' has no \"checks.weak\"" },
        { "{\"line\": \"first\", \"cell\": \"a\", \"environment\": {\"OMP\": 5}}",
          "in a line 'first' \"environment.OMP\" must be of type string or null" },
        { "{}", "a line without a kind" },
        { "{\"line\": \"trial cell\", \"block\": \"b\"}",
          "a line of a kind that this bench does not know: 'trial cell'" },
        { "{\"line\": \"home\"}", "a line of a kind that this bench does not know: 'home'" },
        { "{\"line\": \"\"}", "a line of a kind that this bench does not know: ''" },
    };
    json_t *schema = schema_new();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = { .status = STATUS_OK };
        json_t *line = json_loads(cases[i][0], 0, NULL);
        cr_assert(line, "%s", cases[i][0]);
        cr_expect_eq(schema_check(schema, line, &err), !*cases[i][1], "%s", cases[i][0]);
        cr_expect_str_eq(err.message, cases[i][1]);
        json_decref(line);
    }
    json_decref(schema);
}
