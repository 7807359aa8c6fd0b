#include "harness/report/content/notes.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Notes on a sound cell that multiplies in that type and is set up so: all that there are of either kind. */
static void expect_notes(const char *dtype, const char *detail, const char *wanted)
{
    char line[600], all[600] = "";
    struct cell_metrics metrics;
    struct notes notes;
    struct record *record = record_new();
    snprintf(line, sizeof line, "{\"line\":\"cell\",\"key\":\"a\",\"device\":\"d\",\"dtype\":\"%s\",\"flops\":1e6}",
             dtype);
    add(record, line);
    snprintf(line, sizeof line, "{\"line\":\"first\",\"cell\":\"a\",\"detail\":\"%s\"}", detail);
    add(record, line);
    add(record, "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"resident\",\"number\":1,\"wall_ns\":[1000000]}");
    cell_metrics_read(&metrics, record, record_cell(record, "a"));
    notes_read(&notes, &metrics);
    for (unsigned i = 0; i < notes.count; i++)
        if (strncmp(notes.text[i], "no ceiling", 10) == 0 || strncmp(notes.text[i], "computed", 8) == 0)
            sprintf(all + strlen(all), "%s%s", *all ? "\n" : "", notes.text[i]);
    cr_expect_str_eq(all, wanted ? wanted : "", "\"%s\" instead of \"%s\"", all, wanted ? wanted : "");
    notes_release(&notes);
    record_free(record);
}

Test(notes_types, a_small_type_has_no_ceiling)
{
    expect_notes("f32", "blocks of 8", NULL);
    expect_notes("f16", "blocks of 8",
                 "no ceiling for f16: its arithmetic is f32's on one device and a matrix unit's on the next");
}

Test(notes_types, a_row_has_a_note_if_it_computes_in_another_type)
{
    static const char none[] =
        "no ceiling for tf32: its arithmetic is f32's on one device and a matrix unit's on the next";
    char both[200];
    expect_notes("tf32", "portable, computed in 4 launches", none);
    snprintf(both, sizeof both, "computed in f32\n%s", none);
    expect_notes("tf32", "portable, computed in 4 launches, computed in f32, packed", both);
}
