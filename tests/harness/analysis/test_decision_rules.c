#include "harness/report/content/verdict.h"
#include "tests/support/made_metrics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Four rounds without an interval. */
static const struct {
    double value;
    struct ratio_range rounds;
    const char *says;
} few[] = {
    { 0.12,
      { 0.11, 0.13 },
      "opencl:0 portable (CPU through OpenCL) computes 0.12 times as fast as the baseline (cpu native) (interval "
      "unknown; all 4 rounds from 0.11 to 0.13)." },
    { 0.12, { 0.02, 0.13 }, "all 4 rounds from 0.020 to 0.13" },
    { 0.12, { 0.011, 0.13 }, "too few rounds to judge" }, /* farther apart */
    { 0.12, { 0.11, 0.81 }, "too few rounds to judge" },  /* one near 1 */
    { 9, { 8, 10 }, "too few rounds to judge" },          /* a gain */
};

Test(decision, uses_rounds_that_all_agree)
{
    for (unsigned i = 0; i < sizeof few / sizeof *few; i++) {
        struct made_cell cells[CELLS_MAX] = { CPU,
                                              ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(1, NAN, NAN), NO) };
        struct made_metrics made;
        struct pool pool = { 0 };
        unsigned count = make_metrics(&made, cells);
        made.metrics[1].resident.value = few[i].value;
        made.metrics[1].resident.samples = 4;
        made.metrics[1].resident_rounds = few[i].rounds;
        const char *sentence = verdict_text(&pool, &made, count);
        cr_expect(strstr(sentence, few[i].says), "%s instead of %s", sentence, few[i].says);
        pool_release(&pool);
    }
}

/* Copies that a program need not make say nothing about a device in the host's memory, however fast they are. */
Test(decision, uses_mapped_memory_if_memory_is_shared)
{
    struct made_cell cells[CELLS_MAX] = {
        CPU, ON("opencl:0", "opencl", CLASS_CPU, "mapped-copy", THREE(2.3, 2.2, 2.4), THREE(2.3, 2.2, 2.4)),
        ON("opencl:0", "opencl", CLASS_CPU, "mapped", THREE(1.1, 1.05, 1.15), THREE(1.1, 1.05, 1.15)),
        ON("opencl:0", "opencl", CLASS_CPU, "pinned", THREE(2.3, 2.2, 2.4), THREE(2.3, 2.2, 2.4))
    };
    struct made_metrics made;
    struct pool pool = { 0 };
    unsigned count = make_metrics(&made, cells);
    const char *sentence = verdict_text(&pool, &made, count);
    cr_expect(strstr(sentence, "computes 2.3 times"), "%s", sentence);
    for (unsigned i = 0; i < CELLS_MAX; i++)
        made.device[i].shares_host_memory = true;
    sentence = verdict_text(&pool, &made, count);
    cr_expect(strstr(sentence, "computes 1.10 times"), "%s", sentence);
    pool_release(&pool);
}
