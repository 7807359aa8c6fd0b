#include "harness/base/fields.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *const colours[] = { "red", "green", "other" };

struct part {
    double number;
};

struct whole {
    char text[8];
    const char *label;
    struct labels labels;
    unsigned count;
    double number, seconds;
    struct samples times;
    bool flag;
    int truth, place;
    unsigned colour, set;
    bool knows_set;
    struct part object, inlined, *list;
    unsigned listed;
};

static const struct field part_rows[] = { FIELD(struct part, number) };
static const struct fields part_fields = FIELDS(struct part, part_rows, 0);
static const struct field inlined_rows[] = { FIELD_AS("within", struct part, number) };
static const struct fields inlined_fields = FIELDS(struct part, inlined_rows, 0);
static const struct field whole_rows[] = {
    FIELD(struct whole, text),
    FIELD(struct whole, label),
    FIELD(struct whole, labels),
    FIELD(struct whole, count),
    FIELD(struct whole, number),
    SECONDS(struct whole, seconds),
    TIMES(struct whole, times),
    FIELD(struct whole, flag),
    TRUTH(struct whole, truth),
    FIELD(struct whole, place),
    WORD("colour", struct whole, colour, colours, 3, 2),
    WORDS(struct whole, set, colours, 3, knows_set),
    OBJECT("object", struct whole, object, part_fields),
    INLINE(struct whole, inlined, inlined_fields),
    LIST("list", struct whole, list, listed, part_fields),
};
static const struct fields optional_fields = FIELDS(struct whole, whole_rows, 0);
static const struct fields required_fields = FIELDS(struct whole, whole_rows, 15);

static struct whole unknown_whole(void)
{
    struct whole whole;
    fields_forget(&whole, &optional_fields);
    whole.label = NULL; /* one that is "" is written */
    return whole;
}

/* What fields_from_json makes of a text. */
static struct whole read_whole(const char *text, struct pool *pool)
{
    struct whole whole = unknown_whole();
    json_t *json = json_loads(text, 0, NULL);
    cr_assert(json, "%s", text);
    fields_from_json(&whole, &optional_fields, json, pool);
    json_decref(json);
    return whole;
}

static void expect_written(const struct whole *whole, const struct fields *fields, const char *wanted)
{
    json_t *json = fields_to_json(whole, fields), *want = json_loads(wanted, 0, NULL);
    char *text = json_dumps(json, JSON_COMPACT);
    cr_assert(want, "%s", wanted);
    cr_expect(json_equal(json, want), "%s, and not %s", text, wanted);
    free(text);
    json_decref(json);
    json_decref(want);
}

/* Each alone: as it is written and read again, and as it is written after another value that its kind does not have. */
Test(fields, each_kind_is_written_and_read_and_what_it_does_not_have_is_unknown)
{
    static const struct {
        const char *good, *bad[4];
    } cases[] = {
        { "{\"text\":\"seven c\"}", { "{\"text\":5}", "{\"text\":\"\"}" } },
        { "{\"label\":\"any length\"}", { "{\"label\":5}" } },
        { "{\"labels\":[\"a\",\"b\"]}", { "{\"labels\":\"a\"}", "{\"labels\":[]}" } },
        { "{\"count\":4294967295}",
          { "{\"count\":-1}", "{\"count\":1.5}", "{\"count\":4294967296}", "{\"count\":\"1\"}" } },
        { "{\"number\":1.5}", { "{\"number\":-1.5}", "{\"number\":\"1\"}", "{\"number\":true}" } },
        { "{\"number\":7}", { "{\"number\":null}" } },
        { "{\"seconds_ns\":1500000000}", { "{\"seconds_ns\":-1}", "{\"seconds_ns\":2e18}", "{\"seconds_ns\":[1]}" } },
        { "{\"times_ns\":[1,2000000000]}", { "{\"times_ns\":1}", "{\"times_ns\":{}}" } },
        { "{\"flag\":true}", { "{\"flag\":1}", "{\"flag\":false}" } },
        { "{\"truth\":false}", { "{\"truth\":0}", "{\"truth\":null}" } },
        { "{\"place\":0}", { "{\"place\":-2}", "{\"place\":0.5}", "{\"place\":4294967295}" } },
        { "{\"colour\":\"green\"}", { NULL } },
        { "{\"set\":[\"red\",\"other\"]}", { "{\"set\":\"red\"}" } },
        { "{\"set\":[]}", { "{\"set\":{}}" } },
        { "{\"object\":{\"number\":3}}", { "{\"object\":3}", "{\"object\":{}}" } },
        { "{\"within\":3}", { "{\"within\":-3}", "{\"within\":{}}" } },
        { "{\"list\":[{\"number\":1},{}]}", { "{\"list\":{}}", "{\"list\":[]}" } },
    };
    struct pool pool = { 0 };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct whole good = read_whole(cases[i].good, &pool);
        const bool has_colour = good.colour != 2;
        char wanted[200];
        snprintf(wanted, sizeof wanted, "%.*s%s", (int)strlen(cases[i].good) - 1, cases[i].good,
                 has_colour ? "}" : ",\"colour\":\"other\"}");
        expect_written(&good, &optional_fields, wanted);
        for (unsigned k = 0; k < 4 && cases[i].bad[k]; k++) {
            const struct whole bad = read_whole(cases[i].bad[k], &pool);
            expect_written(&bad, &optional_fields, "{\"colour\":\"other\"}");
        }
    }
    pool_release(&pool);
}

/* From a program that may have computed them. */
Test(fields, a_number_that_json_or_the_kind_does_not_have_is_not_written)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, -1 };
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct whole whole = unknown_whole();
        whole.number = whole.seconds = whole.object.number = odd[i];
        expect_written(&whole, &optional_fields, "{\"colour\":\"other\"}");
    }
}

Test(fields, required_members_are_written_though_they_are_unknown)
{
    const struct whole whole = unknown_whole();
    expect_written(
        &whole, &required_fields,
        "{\"text\":\"\",\"label\":\"\",\"labels\":[],\"count\":0,\"number\":null,\"seconds_ns\":null,\"times_ns\":"
        "[],\"flag\":false,\"truth\":null,\"place\":null,\"colour\":\"other\",\"set\":null,\"object\":{},"
        "\"list\":[]}");
}

Test(fields, texts_are_cleaned_and_cut_and_an_unknown_word_is_the_other)
{
    struct pool pool = { 0 };
    const struct whole whole = read_whole(
        "{\"text\":\"too long for it\",\"label\":\"a\\u0007b\",\"colour\":\"blue\",\"set\":[\"blue\",5]}", &pool);
    cr_expect_str_eq(whole.text, "too lon");
    cr_expect_str_eq(whole.label, "a b");
    cr_expect_eq(whole.colour, 2);
    cr_expect(whole.knows_set && whole.set == 1u << 2, "%x", whole.set);
    pool_release(&pool);
}
