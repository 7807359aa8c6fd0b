#ifndef TESTS_SUPPORT_OPENCL_RIG_H
#define TESTS_SUPPORT_OPENCL_RIG_H

/* PoCL behind the layer, and a workload whose runs are what the workloads of the program may be: several passes that
 * hand on a scratch buffer, the last of them divisible. */

#include "bench/backends/registry.h"
#include "tests/doubles/opencl_layer.h"

/* The device under test, and the layer before it; NULL where the loader does not load layers. */
struct stand {
    const struct backend *backend;
    struct device device;
    const struct layer_controls *layer;
};

/* Skips the test where there is no PoCL; stand_layered also where there is no layer. */
struct stand stand_make(void);
struct stand stand_layered(void);

/* Describes the device as a GPU so slow that a run of `flops` is cut into so many launches. */
void stand_slow_down(struct stand *stand, double flops, double launches);

/* out[i] = in[i + 1] + the number of the group that computes it, TWO_PASS_GROUP elements each; n is a multiple of it.
 */
enum { TWO_PASS_GROUP = 8, RELAY_FLOPS = 1000 /* an element */ };
extern const struct workload workload_two_pass;
extern const struct method method_two_pass;  /* two passes */
extern const struct method method_march;     /* the same in one pass, which can be cut into parts */
extern const struct method method_alignment; /* out[i] = address of the scratch modulo 4096 */
extern const struct method method_hungry;    /* more scratch than any device has */
float two_pass_truth(const float *in, int64_t n, int64_t i);

#endif
