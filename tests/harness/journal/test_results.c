/* What a reader says of values that make no sense: each is counted, named with its line, and in no figure. */

#include "harness/base/clock.h"
#include "harness/journal/results.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLICES = 8 };

/* One line of a sound journal, and what takes its place, with ' in place of "; "": nothing does. */
struct change {
    const char *line, *instead;
    const char *sentence;    /* that begins so is a fault of the file; NULL: it has none */
    const char *outcome;     /* that the cell ends with; "ok" */
    unsigned left_out, used; /* of the cell: values, and slices with a time */
};

static void read_changed(struct result *out, const struct change *change)
{
    char path[] = "/tmp/test_results.XXXXXX", slice[SLICES][256];
    const char *lines[SLICES + 6] = {
        "{'line':'journal','schema':'bench-journal/4','version':'0.3.0','started':'2026-11-21',"
        "'host':{'cores':2}}",
        "{'line':'device','id':'cpu','key':'k','backend':'cpu','class':'CPU','units':2}",
        "{'line':'cell','key':'a','block':'b','device':'cpu','workload':'matmul','dtype':'f32',"
        "'shape':'m=64','method':'native','memory':'pageable','flops':1e9,'bytes':1e6}",
    };
    unsigned count = 3;
    struct error err = { .status = STATUS_OK };
    int file = mkstemp(path);
    cr_assert(file >= 0);
    for (unsigned i = 0; i < SLICES; i++) {
        snprintf(slice[i], sizeof slice[i],
                 "{'line':'slice','cell':'a','series':'resident','number':%u,'visit':%u,"
                 "'wall_ns':[10000000],'elapsed_ns':20000000}",
                 i, i);
        lines[count++] = slice[i];
    }
    lines[count++] = "{'line':'outcome','cell':'a','status':'ok'}";
    lines[count++] = "{'line':'end','status':'complete','elapsed_ns':5000000000}";
    unsigned changed = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *at = *change->line ? strstr(lines[i], change->line) : NULL;
        struct text text = text_print("%.*s%s%s", at ? (int)(at - lines[i]) : (int)strlen(lines[i]), lines[i],
                                      at ? change->instead : "", at ? at + strlen(change->line) : "");
        changed += at != NULL;
        for (char *quote = text.text; (quote = strchr(quote, '\''));)
            *quote = '"';
        dprintf(file, "%s\n", text.text);
    }
    cr_expect(changed > 0 || !*change->line, "no line has %s", change->line);
    close(file);
    cr_assert(result_read(out, path, &err), "%s", err.message);
    unlink(path);
}

static const char wall[] = "'wall_ns':[10000000]", first[] = "'number':0,'visit':0,'wall_ns':[10000000]";

Test(results, what_makes_no_sense_is_counted_and_named)
{
    const struct change changes[] = {
        { "", "", NULL, "ok", 0, 8 },
        { first, "'number':0,'visit':0,'wall_ns':'10000000'", "1 line could not be used", "ok", 2, 7 },
        { first, "'number':0,'visit':0", "1 line could not be used", "ok", 1, 7 },
        { first, "'number':0,'visit':0,'wall_ns':[]", NULL, "impossible", 0, 7 },
        { first, "'number':0,'visit':0,'wall_ns':[-7]", NULL, "impossible", 0, 7 },
        { first, "'number':0,'visit':0,'wall_ns':[0]", NULL, "impossible", 0, 7 },
        { first, "'number':0,'visit':0,'wall_ns':[null]", NULL, "impossible", 0, 7 },
        { first, "'number':0,'visit':0,'wall_ns':['x']", "1 value makes no sense", "impossible", 1, 7 },
        { first, "'number':0,'visit':0,'wall_ns':[30000000]", NULL, "impossible", 0, 7 },
        { wall, "'wall_ns':[1]", NULL, "impossible", 0, 0 },
        { wall, "'wall_ns':[100]", NULL, "impossible", 0, 8 },
        { "'number':0", "'number':1e12", "1 line could not be used", "ok", 2, 7 },
        { "'visit':0", "'visit':7", "6 lines could not be used", "ok", 0, 2 },
        { "'visit':0", "'visit':-1", "1 value makes no sense and was left out, the first is visit in line 4", "ok", 1,
          8 },
        { "'series':'resident','number':0", "'series':'later','number':0", "1 line could not be used", "ok", 2, 7 },
        { "1e9", "0", "10 lines could not be used and were left out, the first is line 3: the cell 'a' is no transfer",
          "ok", 0, 0 },
        { "'device':'cpu'", "'device':'x'",
          "10 lines could not be used and were left out, the first is line 3: the cell 'a' is of a device without",
          "ok", 0, 0 },
        { "1e9", "1e300", "1", "ok", 0, 0 },
        { "1e9", "1e20", NULL, "impossible", 0, 8 },
        { "'bytes':1e6", "'bytes':1e14", NULL, "impossible", 0, 8 },
        { "'cores':2", "'cores':-3", "1 value makes no sense and was left out, the first is cores in line 1", "ok", 0,
          8 },
        { "'elapsed_ns':5000000000", "'elapsed_ns':-5", "1 value makes no sense", "ok", 0, 8 },
        { "'2026-11-21'", "'today'", "1 line could not be used", "ok", 0, 8 },
        { "'visit':0", "'visit':0.5", "1 value makes no sense and was left out, the first is visit in line 4", "ok", 1,
          8 },
        { "'flops':1e9", "'flops':0,'roof':'latency'", NULL, "ok", 0, 8 },
        { "'elapsed_ns':5000000000", "'elapsed_ns':5}\n{'line':'journal','schema':'bench-journal/4'",
          "line 14 begins a second journal", "ok", 0, 8 },
    };
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *change = &changes[i];
        char fault[FAULTS_MAX][FAULT_ROOM];
        struct result result;
        read_changed(&result, change);
        const unsigned faults = result_faults(&result, fault);
        cr_expect_eq(result_left_out(&result) > 0, change->sentence != NULL, "%u: %s", i, faults ? fault[0] : "");
        cr_expect(!change->sentence ||
                      (faults > 0 && strncmp(fault[0], change->sentence, strlen(change->sentence)) == 0),
                  "%u: %s", i, faults ? fault[0] : "no fault");
        const struct cell_record *cell = record_cell(result.record, "a");
        cr_expect_str_eq(cell ? status_names[cell->outcome.status] : "ok", change->outcome, "%u: %s", i,
                         cell ? cell->outcome.message : "");
        cr_expect_eq(cell ? cell->left_out : 0, change->left_out, "%u: %u left out", i, cell ? cell->left_out : 0);
        cr_expect_eq(cell ? cell->track[SERIES_RESIDENT].slices : 0, change->used, "%u", i);
        result_release(&result);
    }
}

Test(results, a_date_to_come_is_named)
{
    char fault[FAULTS_MAX][FAULT_ROOM];
    struct result result;
    read_changed(&result, &(const struct change){ .line = "2026-11-21", .instead = "2999-01-01" });
    cr_assert_eq(result_faults(&result, fault), 1);
    cr_expect(strstr(fault[0], "it is dated 2999-01-01, after today"), "%s", fault[0]);
    result_release(&result);
    static const char *const no_dates[] = { "2036-13-48", "2026-00-01", "2026-11-32" };
    for (unsigned i = 0; i < sizeof no_dates / sizeof *no_dates; i++) {
        read_changed(&result, &(const struct change){ .line = "2026-11-21", .instead = no_dates[i] });
        cr_assert_eq(result_faults(&result, fault), 1, "%s", no_dates[i]);
        cr_expect(strstr(fault[0], text_print("it is dated '%.10s', which is no date", no_dates[i]).text), "%s",
                  fault[0]);
        result_release(&result);
    }
    const struct text today = text_print("%.10s", clock_date().text);
    read_changed(&result, &(const struct change){ .line = "2026-11-21", .instead = today.text });
    cr_expect_eq(result_faults(&result, fault), 0, "today is no date to come");
    result_release(&result);
}
