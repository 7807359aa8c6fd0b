#include "bench/workloads/workload.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct problem parsed(const char *shape, enum dtype dtype)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find("transfer"), dtype, shape, &err), "%s", err.message);
    return problem;
}

static void assert_refused(const char *shape, enum dtype dtype, const char *part)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert_not(problem_parse(&problem, workload_find("transfer"), dtype, shape, &err), "%s", shape);
    cr_assert_eq(err.status, STATUS_USAGE);
    cr_assert(strstr(err.message, part), "%s", err.message);
}

Test(transfer, moves_the_bytes_that_it_was_asked_to)
{
    struct problem up = parsed("bytes=64Mi,direction=up", DTYPE_F32);
    struct problem down = parsed("direction=down,bytes=4096", DTYPE_F64);
    struct operand operand[OPERANDS_MAX];
    struct step step[STEPS_MAX];

    cr_assert_eq(up.workload->operands(&up, operand), 1);
    cr_assert(operand[0].role == ROLE_INPUT && operand[0].dtype == DTYPE_F32 && operand[0].count == 16 << 20);
    cr_assert_eq(up.workload->steps(&up, step), 1);
    cr_assert(step[0].kind == STEP_UPLOAD && step[0].operand == 0);
    cr_assert(up.workload->bytes(&up) == 64 << 20 && up.workload->flops(&up) == 0);

    cr_assert_eq(down.workload->operands(&down, operand), 1);
    cr_assert(operand[0].role == ROLE_OUTPUT && operand[0].dtype == DTYPE_F64 && operand[0].count == 512);
    cr_assert_eq(down.workload->steps(&down, step), 1);
    cr_assert(step[0].kind == STEP_DOWNLOAD && step[0].operand == 0);
}

Test(transfer, has_a_shape_that_reads_as_it_is_written)
{
    char shape[SHAPE_MAX];
    struct problem up = parsed("bytes=64Mi,direction=up", DTYPE_F32);
    cr_assert_str_eq(problem_shape(&up, shape), "bytes=67108864,direction=up");
    struct problem again = parsed(shape, DTYPE_F32);
    cr_assert_eq(memcmp(&up, &again, sizeof up), 0);
}

Test(transfer, refuses_what_is_no_transfer)
{
    assert_refused("bytes=1001,direction=up", DTYPE_F32, "bytes=1001 is not a whole number of f32 elements");
    assert_refused("bytes=1004,direction=up", DTYPE_F64, "not a whole number of f64 elements of 8 bytes");
    assert_refused("bytes=1Mi,direction=sideways", DTYPE_F32, "up, down, within, peer, through-host");
    assert_refused("bytes=0,direction=up", DTYPE_F32, "bytes");
    assert_refused("bytes=1Mi", DTYPE_F32, "direction");
    assert_refused("direction=down", DTYPE_F32, "bytes");
}

Test(transfer, from_device_to_device_is_computed_by_methods)
{
    static const char *const shapes[] = { "bytes=64Mi,direction=within", "bytes=64Mi,direction=peer",
                                          "bytes=64Mi,direction=through-host" };
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct problem problem = parsed(shapes[i], DTYPE_F32);
        struct operand operand[OPERANDS_MAX];
        cr_expect(problem_computes(&problem) && !problem_moves(&problem), "%s", shapes[i]);
        cr_expect_eq(problem.workload->operands(&problem, operand), 2, "%s", shapes[i]);
        cr_expect(operand[0].role == ROLE_INPUT && operand[1].role == ROLE_OUTPUT, "%s", shapes[i]);
        cr_expect_eq(operand[1].count, 16 << 20, "%s", shapes[i]);
    }
    struct problem up = parsed("bytes=64Mi,direction=up", DTYPE_F32);
    cr_expect(!problem_computes(&up) && problem_moves(&up));
}

Test(transfer, counts_what_is_read_and_written_within_a_memory_and_once_what_crosses_a_link)
{
    struct problem within = parsed("bytes=64Mi,direction=within", DTYPE_F32),
                   peer = parsed("bytes=64Mi,direction=peer", DTYPE_F32);
    cr_expect(within.workload->bytes(&within) == 128 << 20);
    cr_expect(peer.workload->bytes(&peer) == 64 << 20);
    cr_expect(within.workload->flops(&within) == 0);
}

Test(transfer, has_no_method_for_two_directions)
{
    static const char *const shapes[] = { "bytes=1Ki,direction=up", "bytes=1Ki,direction=down",
                                          "bytes=1Ki,direction=within", "bytes=1Ki,direction=peer",
                                          "bytes=1Ki,direction=through-host" };
    static const char *const methods[] = { "", "", "native copy ", "peer ", "through-host " };
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char found[SHAPE_MAX] = "";
        struct problem problem = parsed(shapes[i], DTYPE_F32);
        for (const struct method *method = problem.workload->methods; method->name; method++)
            if (method->is_for(&problem))
                snprintf(found + strlen(found), sizeof found - strlen(found), "%s ", method->name);
        cr_expect_str_eq(found, methods[i], "%s", shapes[i]);
    }
}

Test(transfer, goes_on_to_another_device_only_where_there_is_one)
{
    const struct method *method = method_find(workload_find("transfer"), "peer");
    struct problem problem = parsed("bytes=1Ki,direction=peer", DTYPE_F32);
    struct device device = { .backend = "cuda" };
    for (unsigned peers = 0; peers <= 2; peers++) {
        struct error err = { .status = STATUS_OK };
        device.peers = peers;
        cr_expect_eq(method->suits(&problem, &device, &err), peers == 2, "%u", peers);
        cr_expect_eq(err.status, peers == 2 ? STATUS_OK : STATUS_UNSUPPORTED, "%u", peers);
    }
}
