#ifndef TESTS_SUPPORT_OPENCL_RIG_H
#define TESTS_SUPPORT_OPENCL_RIG_H

/* PoCL behind the test layer, and a workload with several passes, which pass a scratch buffer on; the last is
 * divisible. */

#include "bench/backends/registry.h"
#include "tests/doubles/opencl_layer.h"

/* The device under test, and the layer in front of it; NULL where the loader loads no layers. */
struct test_device {
    const struct backend *backend;
    struct device device;
    const struct layer_controls *layer;
};

/* Skip the test where there is no PoCL; test_device_layered also where there is no layer. */
struct test_device test_device_find(void);
struct test_device test_device_layered(void);

/* Makes the device look like a GPU so slow that a run of `flops` is split into that many launches. */
void test_device_slow_down(struct test_device *test_device, double flops, double launches);

/* out[i] = in[i + 1] + the number of the group that computes it. A group has TWO_PASS_GROUP elements; n is a multiple.
 */
enum { TWO_PASS_GROUP = 8, TWO_PASS_FLOPS = 1000 /* an element */ };
extern const struct workload workload_two_pass;
extern const struct method method_two_pass;  /* two passes */
extern const struct method method_march;     /* the same in one pass, which can be split into parts */
extern const struct method method_alignment; /* out[i] = address of the scratch modulo 4096 */
extern const struct method method_hungry;    /* more scratch than any device has */
float two_pass_truth(const float *in, int64_t n, int64_t i);

#endif
