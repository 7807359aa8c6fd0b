/* What a record keeps of a run that is resumed. */

#include "tests/support/kept.h"
#include "tests/support/lines.h"

#include <string.h>

TestSuite(record_resume, .fini = release_kept);

/* Two blocks of two cells, of which the first is done. */
static struct record *two_blocks(void)
{
    struct record *record = new_record();
    cr_assert(record);
    add(record, "{'line':'journal','schema':'bench-journal/4'}");
    for (unsigned block = 1; block <= 2; block++) {
        addf(record, "{'line':'race','block':'block %u','device':'cpu','contenders':[]}", block);
        for (unsigned cell = 0; cell < 2; cell++)
            addf(record, "{'line':'cell','key':'%u%c','block':'block %u','baseline':'%ua'}", block, 'a' + cell, block,
                 block);
        addf(record, "{'line':'slice','cell':'%ua','series':'resident','number':7,'wall_ns':[5000]}", block);
    }
    add(record, "{'line':'done','block':'block 1'}");
    add(record, "{'line':'note','cell':'','text':'not begun: block 3'}");
    add(record, "{'line':'end','status':'interrupted','elapsed_ns':5000}");
    return record;
}

/* One that is not done may come before one that is: the others move up. */
Test(record_resume, a_block_behind_one_that_is_forgotten_is_found)
{
    struct record *record = new_record();
    add(record, "{'line':'journal','schema':'bench-journal/3'}");
    add(record, "{'line':'cell','key':'a','block':'one'}");
    add(record, "{'line':'cell','key':'b','block':'two'}");
    add(record, "{'line':'done','block':'two'}");
    add(record, "{'line':'resume'}");
    cr_assert_eq(record->cells, 1);
    cr_expect_eq(record_cell(record, "b"), record->cell[0]);
    cr_expect_eq(record_find_block(record, "two"), &record->block[0]);
    cr_expect_null(record_find_block(record, "one"));
}

Test(record_resume, adds_visits_to_the_blocks_that_are_not_done)
{
    struct record *record = two_blocks();
    static const char again[] = "{'line':'cell','key':'2a','block':'block 2','shape':'n=3'}";
    add(record, "{'line':'verify','cell':'2a','checks':[{'checked':1}]}");
    add(record, "{'line':'first','cell':'2a','run_ns':5000000000}");
    add(record, "{'line':'outcome','cell':'2a','status':'crashed'}");
    add(record, "{'line':'outcome','cell':'1a','status':'crashed'}");
    refuse(record, again, "a second cell '2a'");
    add(record, "{'line':'resume'}");
    const struct cell_record *cell = record_cell(record, "2a"), *done = record_cell(record, "1a");
    cr_expect_eq(record->cells, 3);
    cr_expect_null(record_cell(record, "2b"), "it was never measured");
    cr_expect(done->ended && done->outcome.status == STATUS_CRASHED);
    cr_expect(!cell->ended && cell->outcome.status == STATUS_OK && cell->verified == 0);
    cr_expect_str_empty(record->end);
    cr_expect_eq(record->notes, 0);
    add(record, again);
    cr_expect_eq(record->cells, 3);
    cr_expect_eq(record->block[1].cells, 1);
    cr_expect_str_eq(cell->shape, "n=3");
    cr_expect_eq(cell->first.run, 5);
    add(record, "{'line':'slice','cell':'2a','series':'resident','number':8,'wall_ns':[7000]}");
    cr_expect_eq(cell->track[SERIES_RESIDENT].slices, 2);
    add(record, "{'line':'outcome','cell':'2a','status':'ok'}");
    cr_expect(cell->ended && cell->outcome.status == STATUS_OK);
    refuse(record, "{'line':'cell','key':'2a','block':'another block','shape':'n=3'}", "a second cell '2a'");
    add(record, "{'line':'resume'}");
    refuse(record, "{'line':'cell','key':'1a','block':'block 1','shape':'n=3'}", "a second cell '1a'"); /* it is done */
}

/* A block of the first part that is done, with a peak, and one that goes. */
Test(record_resume, peaks_of_what_stays_are_peaks)
{
    struct record *record = two_blocks();
    add(record, "{'line':'cell','key':'roof','block':'peaks','roof':'flops'}");
    add(record, "{'line':'done','block':'peaks'}");
    add(record, "{'line':'race','block':'none worked','device':'cpu','contenders':[]}");
    add(record, "{'line':'done','block':'none worked'}");
    add(record, "{'line':'cell','key':'lost','block':'more','roof':'bandwidth'}");
    add(record, "{'line':'resume'}");
    cr_assert_eq(record->peaks, 1);
    cr_expect_str_eq(record->peak[0]->key, "roof");
    cr_expect(record_find_block(record, "none worked"), "a block without cells may be done");
}

/* Of a done block every cell may have been replaced. */
Test(record_resume, what_was_compared_with_a_cell_is_compared_with_the_chosen_one)
{
    struct record *record = two_blocks();
    add(record, "{'line':'cell','key':'2c','block':'block 2','baseline':'2a','baseline_copied':'2a'}");
    add(record, "{'line':'chosen','cell':'2b','instead_of':'2a'}");
    const struct cell_record *cell = record_cell(record, "2c");
    cr_expect_str_eq(cell->baseline, "2b");
    cr_expect_str_eq(cell->baseline_copied, "2b");
    cr_expect_null(record_cell(record, "2a"));
    refuse(record, "{'line':'chosen','cell':'2b','instead_of':'1a'}",
           "'2b' is chosen instead of '1a', which is no other cell of its block");
}

/* While the methods of its rows were chosen: they are chosen again. */
Test(record_resume, forgets_a_block_that_was_never_visited)
{
    struct record *record = two_blocks();
    add(record, "{'line':'cell','key':'3a','block':'block 3'}");
    add(record, "{'line':'outcome','cell':'3a','status':'crashed'}");
    add(record, "{'line':'resume'}");
    cr_expect_null(record_cell(record, "3a"));
    cr_expect_null(record_find_block(record, "block 3"));
    cr_expect_eq(record->blocks, 2);
}

/* Of a visited block: what had not begun is forgotten, so that its method is chosen; what failed is known. */
Test(record_resume, forgets_a_row_that_was_interrupted_before_its_first_visit)
{
    static const struct {
        const char *status;
        bool is_kept;
    } cases[] = { { "abandoned", false }, { "ok", false }, { "crashed", true }, { "wrong", true } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record *record = two_blocks();
        add(record, "{'line':'cell','key':'2c','block':'block 2'}");
        addf(record, "{'line':'outcome','cell':'2c','status':'%s'}", cases[i].status);
        add(record, "{'line':'resume'}");
        cr_expect_eq(record_cell(record, "2c") != NULL, cases[i].is_kept, "%s", cases[i].status);
    }
}

Test(record_resume, an_unknown_block_cannot_be_done)
{
    refuse(two_blocks(), "{'line':'done','block':'block 9'}", "an unknown block 'block 9' is done");
}
