#include "harness/journal/jsonline.h"

#include "harness/measure/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The copy has no byte to spare, so that a sanitizer notices a read beyond the end. */
static json_t *parse(const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    copy[length] = 'x';
    json_t *json = jsonline_parse(copy, length);
    cr_assert(memcmp(copy, bytes, length) == 0 && copy[length] == 'x', "the bytes did not come back");
    free(copy);
    return json;
}

static json_t *ask_jansson(const char *bytes, size_t length)
{
    json_t *json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

static bool is_same(const char *bytes, size_t length)
{
    json_t *own = parse(bytes, length), *theirs = ask_jansson(bytes, length);
    bool same = own ? json_equal(own, theirs) : !theirs;
    json_decref(own);
    json_decref(theirs);
    return same;
}

static const char *const lines[] = {
    "{}",
    " { } ",
    "\t{\r\"a\" :\n[ 1 , 2 ] , \"b\":{ }}\r\n",
    "{\"a\":[]}",
    "{\"a\":[[],[[]],{\"b\":[{}]}]}",
    "{\"a\":null,\"b\":true,\"c\":false}",
    "{\"a\":nul,\"b\":1}",
    "{\"a\":nulls}",
    "{\"a\":tru",
    "{\"a\":0,\"b\":-0,\"c\":-1,\"d\":123456789012345678,\"e\":1234567890123456789}",
    "{\"a\":9223372036854775807,\"b\":-9223372036854775808}",
    "{\"a\":9223372036854775808}",
    "{\"a\":00}",
    "{\"a\":01.5}",
    "{\"a\":-}",
    "{\"a\":--1}",
    "{\"a\":+1}",
    "{\"a\":.5}",
    "{\"a\":1.}",
    "{\"a\":1.5,\"b\":-0.0,\"c\":0.1,\"d\":123456.789012345}",
    "{\"a\":0.1234567890123456789,\"b\":3.814697265625e-6,\"c\":1E5,\"d\":1e+5,\"e\":-2.5e-300}",
    "{\"a\":1.2.3}",
    "{\"a\":1e}",
    "{\"a\":1-2}",
    "{\"a\":1e999}",
    "{\"a\":1e-999}",
    "{\"a\":Infinity}",
    "{\"a\":NaN}",
    "{\"a\":0x10}",
    "{\"a\":\"text\",\"b\":\"\",\"c\":\"\x7f\"}",
    "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"}",
    "{\"a\":\"\\ud83d\"}",
    "{\"a\":\"\\u0000\"}",
    "{\"\\u0000\":1}",
    "{\"a\":\"\\x\"}",
    "{\"a\":\"\\",
    "{\"a\":\"\\\"",
    "{\"\\",
    "{\"a\":\"\xc3\xa9\xe2\x80\xae\"}",
    "{\"\xc3\xa9\":1,\"\\u00e9\":2}",
    "{\"\\u0061\":1,\"b\":2}",
    "{\"a\":1,\"\\u0061\":2}",
    "{\"a\":\"\xc3\"}",
    "{\"a\":\"\xff\xfe\"}",
    "{\"a\":\"\t\"}",
    "{\"a\":1,\"a\":1}",
    "{\"a\":{\"b\":1,\"b\":2}}",
    "{\"a\":1,}",
    "{,}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\" 1}",
    "{a:1}",
    "{'a':1}",
    "{\"a\":[1,]}",
    "{\"a\":[,1]}",
    "{\"a\":[1 2]}",
    "{\"a\":[1}",
    "{\"a\":1]",
    "{\"a\":1}}",
    "{\"a\":1} x",
    "{\"a\":1}{\"b\":2}",
    "[1,2]",
    "1",
    "\"text\"",
    "",
    " ",
    "{",
    "{\"",
    "{\"a",
    "{\"a\":",
    "{\"a\":[",
    "\xef\xbb\xbf{}",
    "{\"line\":\"slice\",\"cell\":\"a/b=1,c@d\",\"wall_ns\":[61,9],\"event_ns\":null,\"up\":{\"ns\":[1,2]}}",
};
enum { LINES = sizeof lines / sizeof *lines };

Test(jsonline, lines_are_read_as_jansson_reads_them)
{
    for (unsigned i = 0; i < LINES; i++)
        cr_expect(is_same(lines[i], strlen(lines[i])), "line %u: %s", i, lines[i]);
}

Test(jsonline, a_nul_byte_does_not_end_a_line)
{
    static const char in_text[] = "{\"a\":\"b\0c\"}", behind[] = "{\"a\":1}\0", between[] = "{\"a\":\0001}",
                      in_name[] = "{\"a\0\":1}";
    cr_expect(is_same(in_text, sizeof in_text - 1));
    cr_expect(is_same(behind, sizeof behind - 1) && !parse(behind, sizeof behind - 1));
    cr_expect(is_same(between, sizeof between - 1));
    cr_expect(is_same(in_name, sizeof in_name - 1));
}

/* The only difference: jansson skips a NUL byte after a number or a word, which is no JSON. */
Test(jsonline, a_nul_byte_is_no_blank)
{
    static const char number[] = "{\"a\":1\0}", word[] = "{\"a\":true\0}";
    cr_expect_null(parse(number, sizeof number - 1));
    cr_expect_null(parse(word, sizeof word - 1));
}

/* Each line with bytes replaced, removed and inserted. */
Test(jsonline, damaged_lines_are_read_as_jansson_reads_them)
{
    static const char alphabet[] = "{}[]\",:\\ue+-.0123456789truefalsn \t\n\x01\x7f\x80\xc3\xa9\xff";
    enum { ROUNDS = 4000, LONGEST = 256 };
    unsigned good = 0;
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            char bytes[LONGEST];
            size_t length = strlen(lines[i]);
            memcpy(bytes, lines[i], length);
            for (unsigned change = 0; change <= round % 3 && length > 0; change++) {
                uint64_t bits = random_bits(1, i, 3 * round + change);
                size_t place = (bits >> 8) % length;
                char byte = alphabet[(bits >> 32) % (sizeof alphabet - 1)];
                if (bits % 3 == 0 && length < LONGEST) {
                    memmove(bytes + place + 1, bytes + place, length++ - place);
                    bytes[place] = byte;
                } else if (bits % 3 == 1) {
                    memmove(bytes + place, bytes + place + 1, --length - place);
                } else {
                    bytes[place] = byte;
                }
            }
            json_t *json = ask_jansson(bytes, length);
            good += json != NULL;
            json_decref(json);
            cr_assert(is_same(bytes, length), "%.*s", (int)length, bytes);
        }
    }
    cr_assert(good > LINES * ROUNDS / 50 && good < LINES * ROUNDS / 2, "%u lines were still JSON", good);
}

Test(jsonline, numbers_come_back_to_the_last_bit)
{
    for (unsigned i = 0; i < 200000; i++) {
        char line[64];
        uint64_t bits = random_bits(2, 0, i);
        int places = (int)(bits % 20), digits = (int)(bits / 32 % 17);
        double value = (double)(bits >> 11) / pow(10, places);
        snprintf(line, sizeof line, i % 2 ? "{\"a\":%.*f}" : "{\"a\":%.*e}", digits, value);
        cr_assert(is_same(line, strlen(line)), "%s", line);
    }
}

static char *nested(char open, char close, unsigned depth)
{
    char *text = malloc(2 * (size_t)depth + 8);
    strcpy(text, "{\"a\":");
    memset(text + 5, open, depth);
    memset(text + 5 + depth, close, depth);
    strcpy(text + 5 + 2 * (size_t)depth, "}");
    return text;
}

Test(jsonline, nesting_is_limited)
{
    static const struct {
        unsigned depth;
        bool is_read;
    } cases[] = { { 63, true }, { 64, true }, { 2000, true }, { 100000, false }, { 2000000, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = nested('[', ']', cases[i].depth);
        json_t *json = parse(text, strlen(text));
        cr_expect_eq(json != NULL, cases[i].is_read, "%u brackets", cases[i].depth);
        json_decref(json);
        free(text);
    }
    char *open = malloc(100000);
    for (unsigned i = 0; i < 100000; i += 5)
        memcpy(open + i, "{\"a\":", 5);
    cr_expect_null(parse(open, 100000));
    free(open);
}
