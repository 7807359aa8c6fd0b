/* What a rig moves, repacks, submits and checks, and in which order. On a scripted card, whose calls are counted. */

#include "bench/backends/registry.h"
#include "bench/worker/check.h"
#include "bench/worker/telemetry.h"
#include "tests/support/made_rig.h"

#include <math.h>
#include <string.h>

static struct {
    unsigned layouts; /* operands that tasks from now on have in a layout of their own, as bits */
    unsigned refused; /* the submit that fails, counted from here on; 0: none */
    unsigned submits, spans, repacks, uploads, finishes;
} card;

static unsigned layouts_of(const struct task *task)
{
    return card.layouts;
}

static bool repack(struct task *task, unsigned operand, enum repack_way way, struct error *err)
{
    card.repacks++;
    return true;
}

static bool submit(struct task *task, unsigned queue, unsigned part, struct span *span, struct error *err)
{
    card.submits++;
    card.spans += span != NULL;
    if (card.refused > 0 && --card.refused == 0)
        return fail(err, STATUS_FAILED, "refused");
    return backend_find("fake")->submit(task, queue, part, span, err);
}

static bool upload(struct session *session, unsigned queue, struct buffer *to, size_t offset, const void *from,
                   size_t bytes, struct error *err)
{
    card.uploads++;
    return backend_find("fake")->upload(session, queue, to, offset, from, bytes, err);
}

static bool finish(struct session *session, unsigned queue, struct error *err)
{
    card.finishes++;
    return backend_find("fake")->finish(session, queue, err);
}

static unsigned two_kernel_shapes(struct session *session, const struct problem *problem, const struct method *method,
                                  char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX])
{
    strcpy(name[0], "one");
    strcpy(name[1], "two");
    return 2;
}

static struct backend counting;
static struct method method;
static struct rig rig;
static struct error why; /* of the latest rig */

static void rig_close(void)
{
    if (!rig.session)
        return;
    rig_release(&rig);
    counting.close(rig.session);
    rig.session = NULL;
}

TestSuite(steps, .fini = rig_close);
TestSuite(checks, .fini = rig_close);

/* In place of the rig before, that of a method of that name, which may start its launches in another way, with operands
 * in such layouts. */
static void rig_open(unsigned layouts, const char *workload, const char *shape, const char *name, enum launch_mode mode)
{
    rig_close();
    why = (struct error){ .status = STATUS_OK };
    card.layouts = layouts;
    counting = *backend_find("fake");
    counting.repacks = layouts_of;
    counting.repack = repack;
    counting.submit = submit;
    counting.upload = upload;
    counting.finish = finish;
    counting.kernel_shapes = two_kernel_shapes;
    method = *method_find(workload_find(workload), name);
    method.launch_mode = mode;
    rig = (struct rig){ .backend = &counting, .method = &method, .memory = MEMORY_PINNED, .seed = 5 };
    made_rig_of_card(&rig, workload, shape);
    card.submits = card.spans = card.repacks = card.uploads = card.finishes = 0;
}

/* "up 0, repack 0, compute, down 2" */
static const char *steps_of(char to[160])
{
    static const char *const kinds[] = {
        [STEP_UPLOAD] = "up", [STEP_REPACK] = "repack", [STEP_COMPUTE] = "compute", [STEP_DOWNLOAD] = "down"
    };
    *to = '\0';
    for (unsigned i = 0; i < rig.steps; i++) {
        text_append(to, 160, "%s%s", i > 0 ? ", " : "", kinds[rig.step[i].kind]);
        if (rig.step[i].kind != STEP_COMPUTE)
            text_append(to, 160, " %u", rig.step[i].operand);
    }
    return to;
}

/* Of a copy to another device, the result stays where it is. */
Test(steps, bring_operands_into_the_layout_of_the_task_and_back)
{
    static const struct {
        const char *workload, *shape, *method;
        unsigned layouts;
        const char *steps;
    } rows[] = {
        { "multiply", "n=100", "native", 0, "up 0, up 1, compute, down 2" },
        { "multiply", "n=100", "native", 1u << 1, "up 0, up 1, repack 1, compute, down 2" },
        { "multiply", "n=100", "native", 1u << 0 | 1u << 2, "up 0, up 1, repack 0, compute, repack 2, down 2" },
        { "transfer", "bytes=64,direction=within", "native", 1u << 1, "compute, repack 1" },
        { "transfer", "bytes=64,direction=peer", "peer", 1u << 1, "compute" },
        { "overlap", "n=10000,chunks=2", "native", 0, "up 0, up 1, compute, down 2, up 0, up 1, compute, down 2" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char steps[160];
        rig_open(rows[i].layouts, rows[i].workload, rows[i].shape, rows[i].method, LAUNCH_USUAL);
        cr_expect_str_eq(steps_of(steps), rows[i].steps, "row %u: %s", i, steps);
    }
}

Test(steps, are_those_of_the_kernel_shape_that_is_used)
{
    rig_open(1u << 0, "multiply", "n=100", "native", LAUNCH_USUAL);
    cr_expect(rig.repacks == 1u << 0 && rig.steps == 5);
    card.layouts = 0;
    cr_assert(rig_use_kernel_shape(&rig, "two", &why), "%s", why.message);
    cr_expect_gt(card.finishes, 0, "what the one before has submitted is waited for");
    cr_expect(rig.repacks == 0 && rig.steps == 4 && rig.kernel_shape == 1);
}

/* As a simple program does; what is released then is waited for, or the card ends the process. */
Test(steps, of_a_run_without_a_wait_include_repacking)
{
    rig_open(1u << 0 | 1u << 2, "multiply", "n=100", "native", LAUNCH_USUAL);
    cr_assert(rig_run_unwaited(&rig, &why), "%s", why.message);
    cr_expect(card.repacks == 2 && card.submits == 1 && card.finishes == 0 && card.uploads == 0);
}

/* The first part begins the span, and the last one ends it. A graph has all parts in one. */
Test(steps, are_submitted_part_by_part_or_as_one_graph)
{
    static const struct {
        const char *shape;
        enum launch_mode mode;
        unsigned submits, spans;
    } rows[] = { { "n=100000,count=1", LAUNCH_USUAL, 1, 1 },
                 { "n=100000,count=2", LAUNCH_USUAL, 2, 2 },
                 { "n=100000,count=5", LAUNCH_USUAL, 5, 2 },
                 { "n=100000,count=5", LAUNCH_GRAPH, 1, 1 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_times times;
        rig_open(0, "launch", rows[i].shape, "native", rows[i].mode);
        cr_assert(rig_run_resident(&rig, 1, &times, &why), "%s", why.message);
        cr_expect_eq(card.submits, rows[i].submits, "row %u: %u", i, card.submits);
        cr_expect_eq(card.spans, rows[i].spans, "row %u: %u", i, card.spans);
    }
}

/* What a copied run uploads is not uploaded before, but what stays on the device is. Where nothing moves, the first run
 * takes what is there. */
Test(steps, begin_with_what_stays_on_the_device)
{
    static const struct {
        const char *workload, *shape;
        unsigned uploads;
    } rows[] = { { "multiply", "n=100", 0 },
                 { "train", "batch=3,in=5,hidden=7", 2 },
                 { "launch", "n=100,count=1", 0 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig_open(0, rows[i].workload, rows[i].shape, "native", LAUNCH_USUAL);
        cr_assert(check_fill(&rig, &why), "%s", why.message);
        cr_expect_eq(card.uploads, rows[i].uploads, "%s: %u", rows[i].workload, card.uploads);
    }
}

/* "guard, exact, random" */
static const char *checks_of(const struct check check[], unsigned count, char to[80])
{
    *to = '\0';
    for (unsigned i = 0; i < count; i++)
        text_join(to, 80, ", ", check[i].name);
    return to;
}

/* Elements that cost next to nothing are all compared, with numbers as they are timed. Of the others whole numbers show
 * that every element is right, for each kernel shape anew. */
Test(checks, of_the_first_kernel_shape_and_of_another)
{
    static const struct {
        const char *workload, *shape, *checks;
        int64_t compared; /* by the last of them */
    } rows[] = { { "multiply", "n=200001", "guard, random", 200001 },
                 { "matmul", "m=40,n=30,k=20", "guard, exact, random", 1200 },
                 { "overlap", "n=50001,chunks=8", "guard, exact, in chunks, random", 50001 } };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig_open(0, rows[i].workload, rows[i].shape, "native", LAUNCH_USUAL);
        for (unsigned shape = 0; shape < 2; shape++) {
            struct check check[CHECKS_MAX];
            unsigned count = 0;
            char names[80];
            cr_assert(rig_use_kernel_shape(&rig, shape ? "two" : "one", &why), "%s", why.message);
            cr_assert(check_before(&rig, check, &count, &why), "%s", why.message);
            cr_expect_str_eq(checks_of(check, count, names), rows[i].checks, "%s: %s", rows[i].workload, names);
            cr_expect_eq(check[count - 1].verification.checked, rows[i].compared, "%s: %lld", rows[i].workload,
                         (long long)check[count - 1].verification.checked);
        }
    }
}

/* A wrong result may come of an input that an earlier kernel shape has written to. A failure does not. */
Test(checks, that_fail_are_not_tried_again)
{
    struct check check[CHECKS_MAX];
    unsigned count;
    rig_open(0, "multiply", "n=1000", "native", LAUNCH_USUAL);
    cr_assert(check_before(&rig, check, &count, &why), "%s", why.message);
    card.refused = 2; /* the first run is that with guard bands */
    cr_expect_not(check_before(&rig, check, &count, &why));
    cr_expect_str_eq(why.message, "refused");
}

static struct watch *open_none(const struct device *device)
{
    return NULL;
}

static struct watch *open_one(const struct device *device)
{
    return (struct watch *)&card;
}

static void read_nothing(struct watch *watch, bool everything, struct gpu_state *out)
{
}

Test(telemetry, is_by_the_first_monitor_that_opens)
{
    static const struct monitor none = { .open = open_none }, first = { .open = open_one, .read = read_nothing },
                                second = { .open = open_one, .read = read_nothing };
    static const struct monitor *const monitors[] = { &none, &first, &second, NULL }, *const nobody[] = { &none, NULL };
    counting = (struct backend){ .monitors = monitors };
    rig.backend = &counting;
    struct telemetry telemetry;
    telemetry_open(&telemetry, &rig);
    cr_expect(telemetry.monitor == &first && telemetry.watch && telemetry.reading >= 0);
    counting.monitors = nobody;
    telemetry_open(&telemetry, &rig);
    cr_expect(!telemetry.watch && isnan(telemetry.reading));
}
