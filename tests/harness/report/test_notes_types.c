#include "harness/report/content/notes.h"
#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(notes_types, .fini = release_kept);

/* A problem in one type on the CPU and on a GPU, six rounds in turn: milliseconds of a run. */
static void add_problem(struct record *record, const char *dtype, const char *shape, double cpu, double gpu)
{
    const struct {
        const char *device;
        double ms;
    } side[] = { { "cpu", cpu }, { "gpu", gpu } };
    for (unsigned i = 0; i < 2; i++)
        addf(record,
             "{'line':'cell','key':'%s/%s/%s','block':'%s/"
             "%s','device':'%s','workload':'matmul','dtype':'%s','shape':'%s','baseline':'%s/%s/cpu'}",
             dtype, shape, side[i].device, dtype, shape, side[i].device, dtype, shape, dtype, shape);
    for (unsigned turn = 0; turn < 12; turn++)
        addf(record, "{'line':'slice','cell':'%s/%s/%s','series':'resident','number':%u,'wall_ns':[%.0f]}", dtype,
             shape, side[turn % 2].device, turn, 1e6 * side[turn % 2].ms * (1 + 1e-3 * (turn * 7 % 11)));
}

static void expect_wider(const struct record *record, const char *key, const char *wanted)
{
    struct figures metrics;
    struct pool pool = { 0 };
    struct notes notes;
    char all[600] = "";
    figures_read_cell(&metrics, record, record_cell(record, key));
    notes = notes_read(&pool, &metrics);
    for (unsigned i = 0; i < notes.count; i++)
        if (strstr(notes.note[i].text, "faster in f32"))
            sprintf(all + strlen(all), "%s", notes.note[i].text);
    cr_expect_str_eq(all, wanted, "%s: \"%s\" instead of \"%s\"", key, all, wanted);
    pool_release(&pool);
}

Test(notes_types, a_processor_that_is_faster_in_f32_is_noted)
{
    struct record *record = new_record();
    add(record, "{'line':'device','id':'cpu','key':'cpu','backend':'cpu','class':'CPU'}");
    add(record, "{'line':'device','id':'gpu','key':'gpu','backend':'cuda','class':'dGPU'}");
    add_problem(record, "f32", "m=1", 10, 4);
    add_problem(record, "f16", "m=1", 40, 5);
    add_problem(record, "bf16", "m=1", 5, 2);
    add_problem(record, "f16", "m=2", 40, 5);
    add_problem(record, "tf32", "m=1", 40, 5);
    add_problem(record, "f32", "m=3", 10, 4);
    add_problem(record, "f16", "m=3", 10.03, 5); /* not surely slower */
    expect_wider(record, "f16/m=1/cpu", "faster in f32 on this device (10.0 ms): use f32 if you can");
    expect_wider(record, "f16/m=3/cpu", "");
    expect_wider(record, "f16/m=1/gpu", "");
    expect_wider(record, "f32/m=1/gpu", "");
    expect_wider(record, "bf16/m=1/gpu", "");
    expect_wider(record, "f16/m=2/gpu", "");
    expect_wider(record, "tf32/m=1/gpu", "");
}
