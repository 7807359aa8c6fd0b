#include "harness/report/formats/formats.h"
#include "tests/support/lines.h"
#include "tests/support/printed.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(markdown, .fini = release_kept);

static void expect_markdown(bool begins_line, const char *text, const char *wanted)
{
    struct pool pool = { 0 };
    struct string_builder got = { .pool = &pool };
    markdown_text(&got, text, begins_line);
    cr_expect_str_eq(string_text(&got), wanted, "\"%s\" instead of \"%s\"", string_text(&got), wanted);
    pool_release(&pool);
}

Test(markdown, text_stays_what_it_is)
{
    static const char *const pairs[][2] = {
        { "0.98x [0.95, 1.03]", "0.98x \\[0.95, 1.03\\]" },
        { "[x](javascript:alert(1))", "\\[x\\]\\(javascript:alert(1))" },
        { "![x](y)", "!\\[x\\]\\(y)" },
        { "[1](http://x.y)", "\\[1\\]\\(http\\://x.y)" },
        { "[1]: x", "\\[1\\]: x" },
        { "<script>&lt;&#60;", "&lt;script&gt;&amp;lt;&amp;\\#60;" },
        { "AT & T", "AT & T" },
        { "a|b \\| c", "a\\|b \\\\\\| c" },
        { "`x` **y** ~~z~~ $q$", "\\`x\\` \\*\\*y\\*\\* \\~\\~z\\~\\~ \\$q\\$" },
        { "avx512_core _x_", "avx512_core \\_x\\_" },
        { "@someone me@there.org Xeon @ 2.10GHz", "(at)someone me(at)there.org Xeon @ 2.10GHz" },
        { "see www.x.org, https://x.org", "see www\\.x.org, https\\://x.org" },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_markdown(false, pairs[i][0], pairs[i][1]);
}

Test(markdown, a_line_begins_no_block)
{
    static const char *const pairs[][2] = {
        { "- x", "\\- x" },       { "+x", "\\+x" },
        { "===", "\\===" },       { "# x", "\\# x" },
        { "> x", "&gt; x" },      { "1. x", "1\\. x" },
        { "12) x", "12\\) x" },   { "1.5 x", "1.5 x" },
        { "* x", "\\* x" },       { "[ ] x", "\\[ \\] x" },
        { "```", "\\`\\`\\`" },   { "~~~", "\\~\\~\\~" },
        { "| x |", "\\| x \\|" }, { "", "" },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_markdown(true, pairs[i][0], pairs[i][1]);
}

/* A journal in which every text is an attack, and the report of it: nothing but what the report itself writes stands
 * unescaped. */
Test(markdown, nothing_in_a_journal_becomes_markup)
{
    static const char evil[] =
        "<img src=x onerror=alert(1)> [a](javascript:b) ![c](d) |e| `f` @g http://h &lt; **i** # j";
    struct record *record = new_record();
    addf(record, "{'line':'journal','started':'%s','version':'%s','host':{'name':'%s'}}", evil, evil, evil);
    addf(record,
         "{'line':'device','id':'d|<b>','key':'k','backend':'b','class':'dGPU','name':'%s','platform':'%s','driver_"
         "version':'%s'}",
         evil, evil, evil);
    addf(record, "{'line':'absent','backend':'%s','source':'%s','reason':'%s'}", evil, evil, evil);
    addf(record,
         "{'line':'race','block':'x','device':'d|<b>','contenders':[{'method':'%s','kernel_shape':'%s','status':'"
         "failed','reason':'%s'}]}",
         evil, evil, evil);
    addf(record,
         "{'line':'cell','key':'a','block':'x','device':'d|<b>','workload':'%s','dtype':'%s','shape':'%s','method':'%s'"
         ",'memory':'%s','baseline':'a'}",
         evil, evil, evil, evil, evil);
    add(record, "{'line':'slice','cell':'a','series':'resident','number':1,'wall_ns':[5]}");
    addf(record, "{'line':'note','cell':'a','text':'%s'}", evil);
    addf(record, "{'line':'note','text':'%s'}", evil);
    addf(record, "{'line':'cell','key':'b','block':'x','device':'d|<b>','method':'%s'}", evil);
    addf(record, "{'line':'outcome','cell':'b','status':'failed','where':'%s','reason':'%s'}", "w|<x>", evil);
    addf(record, "{'line':'end','status':'%s'}", "<u>|x");
    const char *text = printed_as(record, "markdown", &(struct layout){ 0 });
    cr_assert(strstr(text, "onerror"), "the attack itself is gone");
    cr_expect_eq(strchr(text, '<'), NULL, "%s", strchr(text, '<'));
    cr_expect_eq(strstr(text, "]("), NULL, "%s", strstr(text, "]("));
    cr_expect_eq(strstr(text, "@g"), NULL);
    cr_expect_eq(strstr(text, "http://"), NULL);
    cr_expect_eq(strstr(text, "&lt; "), NULL);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        unsigned pipes = 0;
        for (const char *at = line; *at && *at != '\n'; at++)
            pipes += *at == '|' && (at == line || at[-1] != '\\');
        static unsigned cells; /* of the table that the line is in */
        cells = *line != '|' ? 0 : cells == 0 ? pipes : cells;
        cr_expect_eq(pipes, cells, "%u cells instead of %u: %.200s", pipes, cells, line);
    }
}
