#include "harness/base/dtype.h"
#include "harness/base/text.h"

#include "harness/base/pool.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const char *got, const char *want)
{
    cr_expect(strcmp(got, want) == 0, "got \"%s\", should be \"%s\"", got, want);
}

Test(text, a_copy_is_cut_between_characters_never_inside_one)
{
    static const char *const want[] = { NULL, "", "a", "a", "aé", "aé", "aé", "aé€", "aé€" };
    for (size_t room = 1; room < sizeof want / sizeof *want; room++) {
        char to[16];
        memset(to, '#', sizeof to);
        text_copy(to, room, "aé€");
        check_text(to, want[room]);
        cr_expect(to[room] == '#', "wrote behind a room of %zu", room);
    }
    char untouched[1] = { '#' };
    text_copy(untouched, 0, "abc");
    cr_expect(untouched[0] == '#');
}

Test(text, a_copy_of_invalid_utf8_is_terminated)
{
    char to[8];
    text_copy(to, sizeof to, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80");
    cr_expect(strlen(to) >= 4 && strlen(to) < sizeof to);
}

Test(text, what_is_appended_is_cut_between_characters)
{
    char to[10] = "";
    cr_expect(text_append(to, sizeof to, "%s = %d", "n", 40));
    check_text(to, "n = 40");
    cr_expect(text_append(to, sizeof to, "%s", "") && text_append(to, sizeof to, "k"));
    cr_expect(!text_append(to, sizeof to, "m€"));
    check_text(to, "n = 40km");
    char full[4] = "abc";
    cr_expect(!text_append(full, sizeof full, "d"));
    check_text(full, "abc");
}

Test(text, items_of_a_list_are_joined_by_the_separator)
{
    char to[16] = "";
    cr_expect(text_join(to, sizeof to, ", ", "one") && text_join(to, sizeof to, ", ", "two"));
    check_text(to, "one, two");
    cr_expect(!text_join(to, sizeof to, ", ", "sixteen"));
    check_text(to, "one, two, sixte");
}

Test(text, a_string_grows_with_what_is_appended)
{
    struct pool pool = { 0 };
    struct string_builder string = { .pool = &pool };
    check_text(string_text(&string), "");
    string_append(&string, "%s", "");
    check_text(string_text(&string), "");
    for (unsigned i = 0; i < 1000; i++)
        string_append(&string, "%u,", i % 10);
    cr_expect(string.length == 2000 && strlen(string_text(&string)) == 2000 && !pool.is_short);
    cr_expect(strncmp(string_text(&string), "0,1,2,3,4,5,6,7,8,9,0,", 22) == 0);
    pool_release(&pool);
}

Test(text, cleaning_removes_all_control_characters)
{
    static const struct {
        const char *from, *want;
    } cases[] = {
        { "", "" },
        { "  Intel(R)   Core(TM)\r\n i5\t", "Intel(R) Core(TM) i5" },
        { "\x1b[31mred", "[31mred" },
        { "a\302\23331mb", "a 31mb" }, /* CSI as one C1 character */
        { "a\342\200\256b", "a b" },   /* right-to-left override */
        { "\xff\xfe", "??" },
        { "a\300\257b", "a??b" },       /* overlong '/' */
        { "\xed\xa0\x80", "???" },      /* surrogate */
        { "\xef\xbf\xbe", "???" },      /* no character */
        { "\xf4\x90\x80\x80", "????" }, /* above U+10FFFF */
        { "caf\xc3", "caf?" },          /* cut sequence */
        { "Größe 4 µs €", "Größe 4 µs €" },
        { " \n\t ", "" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char to[64];
        text_clean(to, sizeof to, cases[i].from);
        check_text(to, cases[i].want);
    }
}

/* Whatever the code point: both ends of every range, and what lies just outside of it stays. */
Test(text, cleaning_removes_invisible_characters)
{
    static const char *const unseen[] = { "\u061c", "\u200b", "\u200c", "\u200d",      "\u200e", "\u200f",
                                          "\u2028", "\u202e", "\u2060", "\u2064",      "\u2066", "\u2069",
                                          "\u206a", "\u206f", "\ufeff", "\u200b\u2060" };
    static const char *const seen[] = { "\u061b", "\u0620", "\u2010", "\u2027", "\u2030", "\u205e", "\u2070" };
    char from[32], to[32];
    for (unsigned i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        snprintf(from, sizeof from, "%sa%sb%s", unseen[i], unseen[i], unseen[i]);
        text_clean(to, sizeof to, from);
        check_text(to, "a b");
    }
    for (unsigned i = 0; i < sizeof seen / sizeof *seen; i++) {
        snprintf(from, sizeof from, "a%sb", seen[i]);
        text_clean(to, sizeof to, from);
        check_text(to, from);
    }
}

Test(text, cleaning_respects_the_room_and_works_in_place)
{
    for (size_t room = 1; room < 12; room++) {
        char to[16];
        memset(to, '#', sizeof to);
        text_clean(to, room, "ab  é\x80 €");
        cr_expect(strlen(to) < room);
        cr_expect(to[room] == '#');
        cr_expect(strlen(to) == 0 || to[strlen(to) - 1] != ' ', "\"%s\" ends in a blank", to);
    }
    char same[] = "  a\n\nb\xff  c ";
    text_clean(same, sizeof same, same);
    check_text(same, "a b? c");
}

static struct text flops_of(double value)
{
    return text_flops(value, "FLOP");
}

/* Each value and its text: "0.0123=12.3 ms|...". */
Test(text, figures_have_three_digits_in_the_unit_that_fits_after_rounding)
{
    static const struct {
        struct text (*make)(double value);
        const char *cases;
    } rows[] = {
        { text_seconds,
          "0.0123=12.3 ms|870e-9=870 ns|1.25=1.25 s|0=0 s|999.4e-6=999 us|999.6e-6=1.00 ms|0.9996=1.00 s|"
          "59.96=60.0 s|1234=1230 s|-0.0042=-4.20 ms|2.5e-10=0.250 ns|nan=-|inf=inf s|1e300=1.00e+300 s" },
        { text_bytes, "480e6=480 MB|1.92e9=1.92 GB|17=17 B|5=5 B|100=100 B|1024=1.02 kB|999999=1.00 MB|3.2e15=3200 TB|"
                      "nan=-|0=0 B|999=999 B|0.5=0.500 B" },
        { text_binary, "nan=-|17=17 B|49152=48 KiB|536870904=512 MiB|1610612736=2 GiB" },
        { text_figure, "1.4213=1.42|45.321=45.3|1234.5=1230|0.01234=0.0123|nan=-|0=0|inf=inf|9.996=10.0|999.6=1000|"
                       "1.2e20=1.20e+20|-3.14159=-3.14" },
        { flops_of,
          "422.4e9=422 GFLOP/s|7.226e12=7.23 TFLOP/s|160e3=160 kFLOP/s|1.2e18=1200 PFLOP/s|0=0 FLOP/s|nan=-" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *cases = strdup(rows[i].cases), *rest = cases;
        for (char *wanted; (wanted = strsep(&rest, "|"));) {
            const double value = strtod(strsep(&wanted, "="), NULL);
            check_text(rows[i].make(value).text, wanted);
        }
        free(cases);
    }
    check_text(text_flops(1.9e12, "OP").text, "1.90 TOP/s");
    check_text(text_flops(422e9, dtype_operation("tf32")).text, "422 GFLOP/s");
    check_text(text_flops(422e9, dtype_operation("")).text, "422 GFLOP/s");
}

Test(text, counts_are_read_exactly)
{
    char cases[] = "0=0 1=1 40M=40000000 64Mi=67108864 1.5G=1500000000 1.5Gi=1610612736 80Mx2=160000000 2x3x4Ki=24576 "
                   "0.001K=1 1.1M=1100000 4.35G=4350000000 0.000000000001T=1 1.000000000000000000000000=1 "
                   "1.50000000000000000000000K=1500 0.5Ki=512 1e6=1000000 40e6=40000000 1.5e3x2=3000 1e0=1 "
                   "9223372036854775807=9223372036854775807 1E6=1000000 1e3K=1000000 007=7",
         *rest = cases;
    for (char *wanted; (wanted = strsep(&rest, " "));) {
        const char *text = strsep(&wanted, "=");
        int64_t got = -1;
        cr_expect(text_parse_count(text, &got), "%s was refused", text);
        cr_expect_eq(got, strtoll(wanted, NULL, 10), "%s was read as %lld", text, (long long)got);
    }
}

Test(text, an_invalid_count_is_refused_and_changes_nothing)
{
    char junk[] =
        "| |-1|+1|1 | 1|x|2x|x2|2xx3|1.5|.5|1..5|1e|1e400|1e-3|1e1.5|1.5e0|M|1k|1Q|1KiB|1MM|1,5|1.0001K|nan|inf|"
        "0x1f|0x10|0X10|2x0X10|1i|1.5.2K|1\n|0.3Ki|-0|9223372036854775808|18446744073709551616|"
        "99999999999999999999999999|10000000T|9223372036854775807x2|3000000000x3000000000x3000000000",
         *rest = junk;
    for (const char *text; (text = strsep(&rest, "|"));) {
        int64_t got = -7;
        cr_expect(!text_parse_count(text, &got), "\"%s\" was taken", text);
        cr_expect(got == -7, "\"%s\" changed the result", text);
    }
}

Test(text, durations_are_read_with_their_units)
{
    char cases[] = "0.5=0.5 90=90 500ms=0.5 2s=2 1m=60 1h=3600 0.1s=0.1 0=0 1.5m=90 "
                   "0.3333333333333333333333333333s=0.33333333333333331",
         junk[] = "|-1|s|1 s|1d|inf|nan|0x1p3|0X10s|1e400|1ss|1,5|.5|2S", *rest = cases;
    for (char *wanted; (wanted = strsep(&rest, " "));) {
        const char *text = strsep(&wanted, "=");
        double got = -1;
        cr_expect(text_parse_seconds(text, &got), "%s was refused", text);
        cr_expect(fabs(got - strtod(wanted, NULL)) < 1e-15, "%s was read as %.17g", text, got);
    }
    rest = junk;
    for (const char *text; (text = strsep(&rest, "|"));) {
        double got = -7;
        cr_expect(!text_parse_seconds(text, &got) && got == -7, "\"%s\" was taken", text);
    }
}

Test(text, a_typing_error_finds_its_word_and_nonsense_finds_none)
{
    static const char *const words[] = { "multiply", "matmul", "transfer", "launch", "--device",
                                         "f32",      "f64",    "opencl",   "cpu",    NULL };
    char cases[] =
        "mutliply=multiply MULTIPLY=multiply mult=multiply mat=matmul transfre=transfer --devices=--device "
        "-device=--device f23=f32 opncl=opencl openlc=opencl cpy=cpu lanch=launch f65=f64 = x= banana= zzzz= "
        "--= cuda:0= a-word-much-longer-than-any-option-that-anybody-could-ever-have-meant-to-type-here=",
         *rest = cases;
    for (char *wanted; (wanted = strsep(&rest, " "));) {
        const char *typed = strsep(&wanted, "="), *got = text_nearest(typed, words);
        cr_expect(strcmp(got ? got : "", wanted) == 0, "\"%s\" gave %s", typed, got ? got : "nothing");
    }
    static const char *const none[] = { NULL };
    cr_expect(text_nearest("cpu", none) == NULL);
}

Test(text, width_counts_characters_not_bytes)
{
    cr_expect(text_width("") == 0);
    cr_expect(text_width("abc") == 3);
    cr_expect(text_width("Größe ±2 %") == 10);
}

Test(text, a_list_has_only_whole_words)
{
    cr_expect(text_has_word("avx2 avx512f", "avx2") && text_has_word("avx2 avx512f", "avx512f"));
    cr_expect(text_has_word("avx", "avx") && text_has_word("xavx avx", "avx") && text_has_word("avx512 avx b", "avx"));
    cr_expect(!text_has_word("avx2 avx512f", "avx") && !text_has_word("avx2", "vx2") && !text_has_word("", "avx"));
    cr_expect(!text_has_word("a b", "") && !text_has_word("cl_khr_fp64_x", "cl_khr_fp64"));
}

Test(text, finds_the_value_of_a_name_in_a_list)
{
    const char *list = "n=8,c=64,nn=7,n=9,r";
    size_t length = 0;
    const char *value = text_value(list, "c", &length);
    cr_assert_eq(value, list + 6);
    cr_expect_eq(length, 2);
    cr_expect_eq(text_value(list, "n", &length), list + 2, "the first of two");
    cr_expect_eq(length, 1);
    cr_expect_eq(text_value(list, "nn", &length), list + 12);
    cr_expect_null(text_value(list, "r", &length), "no value");
    cr_expect_null(text_value(list, "64", &length));
    cr_expect_null(text_value(list, "", &length));
    cr_expect_null(text_value("", "n", &length));
    cr_expect_eq(text_next_part(list), list + 4);
    cr_expect_null(text_next_part("r"));
}

Test(text, a_shape_is_written_with_separators)
{
    static const char *const cases[][2] = {
        { "n=40000000", "n = 40,000,000" },
        { "m=1024,k=64", "m = 1,024, k = 64" },
        { "bytes=100,direction=up", "bytes = 100, direction = up" },
        { "", "" },
        { "n=1000000000000", "n = 1,000,000,000,000" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        check_text(text_shape(cases[i][0]).text, cases[i][1]);
}

/* A text as a value has a room of its own. */
Test(text, what_does_not_fit_is_cut)
{
    char shape[TEXT_ROOM + 100];
    memset(shape, '7', sizeof shape);
    memcpy(shape, "n=", 2);
    shape[sizeof shape - 1] = '\0';
    const struct text shown = text_shape(shape), cleaned = text_cleaned(shape), printed = text_print("%s", shape);
    cr_expect_lt(strlen(shown.text), sizeof shown);
    cr_expect_eq(strlen(cleaned.text), TEXT_ROOM - 1);
    cr_expect_eq(strlen(printed.text), TEXT_ROOM - 1);
    check_text(text_cleaned(" a\x1b[1m\n b\xff").text, "a [1m b?");
}
