/* In which order blocks are raced, measured and ended, and which of them are measured in turn: batches of scripted
 * blocks. The linker sends every call of a block here. */

#include "bench/schedule/batch.h"
#include "bench/schedule/block.h"
#include "bench/schedule/finished.h"
#include "tests/support/made_plan.h"

#include <math.h>

enum { BLOCKS = 6 };

/* A block that is none. Zero everywhere: it has no rounds, and may be measured beside others. */
struct block {
    char letter;
    unsigned passes;   /* that it has left */
    double seconds;    /* planned */
    bool is_split;     /* not all its rows can be open */
    bool has_no_room;  /* beside others */
    bool lacks_memory; /* beside others that were raced */
    bool always_lacks; /* memory */
    bool is_done;      /* by the run that this one resumes */
    bool interrupts;   /* the user does, in its first pass */
};

static struct scene {
    struct made_plan made;
    struct context context;
    struct block block[BLOCKS];
    struct batch_place place;
    unsigned raced;
    /* "A" block a is raced, "(a" its rows are opened, "a" a pass, "a)" all that is left of it */
    char order[100];
} scene;

struct block *__wrap_block_open(struct context *context, struct cell cell[], unsigned cells, struct error *err);
bool __wrap_block_has_room(const struct block *block);
bool __wrap_block_begin(struct block *block);
bool __wrap_block_pass(struct block *block);
void __wrap_block_end(struct block *block);
double __wrap_block_seconds(struct context *context, const struct cell cell[], unsigned cells);
bool __wrap_run_log_has(const struct run_log *run_log, const char *block);
void __wrap_finished_print(struct context *context, const char *block, unsigned number, unsigned of);

static void note(const char *before, char letter, const char *after)
{
    size_t used = strlen(scene.order);
    cr_assert_lt(used + 3, sizeof scene.order, "the batch does not end: %s", scene.order);
    snprintf(scene.order + used, sizeof scene.order - used, "%s%c%s", before, letter, after);
}

static struct block *block_of(const struct cell *cell)
{
    return &scene.block[cell - scene.made.plan.cell];
}

struct block *__wrap_block_open(struct context *context, struct cell cell[], unsigned cells, struct error *err)
{
    struct block *block = block_of(cell);
    cr_expect_eq(context, &scene.context);
    cr_expect_eq(cells, 1);
    if (block->always_lacks || (block->lacks_memory && scene.raced > 0))
        return fail_null(err, STATUS_NO_MEMORY, "scripted");
    scene.raced++;
    note("", (char)(block->letter - 'a' + 'A'), "");
    return block;
}

bool __wrap_block_has_room(const struct block *block)
{
    return !block->has_no_room;
}

bool __wrap_block_begin(struct block *block)
{
    note("(", block->letter, "");
    return !block->is_split;
}

bool __wrap_block_pass(struct block *block)
{
    if (block->passes == 0 || scene.context.interrupted)
        return false;
    block->passes--;
    scene.context.interrupted = block->interrupts;
    note("", block->letter, "");
    return true;
}

void __wrap_block_end(struct block *block)
{
    scene.raced--;
    note("", block->letter, ")");
}

double __wrap_block_seconds(struct context *context, const struct cell cell[], unsigned cells)
{
    (void)context, (void)cells;
    return block_of(cell)->seconds;
}

bool __wrap_run_log_has(const struct run_log *run_log, const char *block)
{
    (void)run_log;
    for (unsigned i = 0; i < BLOCKS; i++)
        if (strcmp(scene.made.plan.cell[i].block, block) == 0)
            return scene.block[i].is_done;
    cr_assert_fail("no block %s", block);
    return false;
}

void __wrap_finished_print(struct context *context, const char *block, unsigned number, unsigned of)
{
    (void)context, (void)block;
    cr_expect_eq(number, scene.place.finished);
    cr_expect_eq(of, BLOCKS);
}

static void scene_open(void)
{
    static const char *const ids[] = { "cpu", NULL };
    static const char *const words[] = { "--workload", "multiply", "--size", "1", "--size", "2", "--size", "3",
                                         "--size",     "4",        "--size", "5", "--size", "6", NULL };
    scene = (struct scene){ .order = "", .place.blocks = BLOCKS };
    cr_assert(made_plan_make(&scene.made, ids, words), "%s", scene.made.err.message);
    cr_assert_eq(scene.made.plan.cells, BLOCKS);
    scene.context.options = &scene.made.options;
    for (unsigned i = 0; i < BLOCKS; i++)
        scene.block[i] = (struct block){ .letter = (char)('a' + i), .passes = 1, .seconds = 10 };
}

/* Measures batches up to the cell `end`; "|" ends each in the order. */
static void measure_up_to(unsigned end)
{
    while (scene.place.first < end && !scene.context.interrupted) {
        struct error err = { .status = STATUS_OK };
        cr_assert(batch_measure(&scene.context, &scene.made.plan, &scene.place, &err), "%s", err.message);
        cr_expect_eq(err.status, STATUS_OK, "%s", err.message);
        note("", '|', "");
    }
    cr_expect_eq(scene.raced, 0);
}

static void expect_order(const char *order)
{
    cr_expect_str_eq(scene.order, order);
    made_plan_free(&scene.made);
}

Test(batch, four_blocks_take_passes_in_turn_until_each_has_ended)
{
    scene_open();
    scene.block[1].passes = 3;
    measure_up_to(BLOCKS);
    cr_expect_eq(scene.place.finished, BLOCKS);
    expect_order("ABCD(a(b(c(dabcda)bc)d)bb)|EF(e(fefe)f)|");
}

Test(batch, a_block_without_room_is_measured_after_the_others)
{
    scene_open();
    scene.block[2].has_no_room = true;
    measure_up_to(4);
    expect_order("ABCD(a(baba)b)(c(dcdc)d)|");
}

/* Its other rows come when there is room for them: then all are measured together. */
Test(batch, a_block_with_rows_that_had_no_room_waits_until_no_other_is_open)
{
    scene_open();
    scene.block[0].passes = 2;
    scene.block[1].is_split = true;
    measure_up_to(4);
    expect_order("ABCD(a(baaa)b)(c(dcdc)d)|");
}

Test(batch, a_block_that_is_not_whole_is_measured_alone)
{
    scene_open();
    scene.block[0].is_split = true;
    measure_up_to(4);
    expect_order("ABCD(aa)(b(c(dbcdb)c)d)|");
}

/* A sustained series leaves its device hot. */
Test(batch, sustained_series_are_between_no_passes)
{
    scene_open();
    scene.made.options.sustained = 2;
    scene.block[1].passes = 3;
    measure_up_to(4);
    expect_order("ABCD(a(b(c(dabcdbba)b)c)d)|");
}

Test(batch, blocks_in_turn_are_planned_for_two_minutes_at_most)
{
    scene_open();
    scene.block[0].seconds = 50;
    scene.block[1].seconds = 70;
    scene.block[3].seconds = 500;
    measure_up_to(BLOCKS);
    cr_expect_eq(scene.context.progress.done, 50 + 70 + 10 + 500 + 10 + 10);
    expect_order("AB(a(baba)b)|C(cc)|D(dd)|EF(e(fefe)f)|");
}

Test(batch, blocks_of_a_resumed_run_are_passed_over)
{
    scene_open();
    scene.block[0].is_done = scene.block[2].is_done = true;
    scene.block[0].seconds = scene.block[2].seconds = 0;
    measure_up_to(BLOCKS);
    cr_expect_eq(scene.place.finished, BLOCKS);
    expect_order("BDEF(b(d(e(fbdefb)d)e)f)|");
}

Test(batch, where_memory_is_short_for_a_block_those_before_it_are_measured_first)
{
    scene_open();
    scene.block[2].lacks_memory = true;
    measure_up_to(4);
    expect_order("AB(a(baba)b)|CDEF(c(d(e(fcdefc)d)e)f)|");
}

Test(batch, memory_that_is_short_for_a_single_block_is_an_error)
{
    struct error err = { .status = STATUS_OK };
    scene_open();
    scene.block[1].always_lacks = true;
    cr_expect(batch_measure(&scene.context, &scene.made.plan, &scene.place, &err));
    cr_expect_eq(scene.place.first, 1);
    cr_expect_eq(err.status, STATUS_OK);
    cr_expect_not(batch_measure(&scene.context, &scene.made.plan, &scene.place, &err));
    cr_expect_eq(scene.place.first, 1);
    cr_expect_eq(err.status, STATUS_NO_MEMORY);
    expect_order("A(aa)");
}

Test(batch, an_interrupt_ends_what_was_begun_and_leaves_the_rest)
{
    struct error err = { .status = STATUS_OK };
    scene_open();
    scene.block[1].interrupts = true;
    scene.block[2].has_no_room = true;
    cr_expect(batch_measure(&scene.context, &scene.made.plan, &scene.place, &err));
    cr_expect_eq(scene.place.first, 4);
    expect_order("ABCD(a(baba)b)(cc)(dd)");
}
