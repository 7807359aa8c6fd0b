#include "bench/workloads/workload.h"

extern const struct workload workload_multiply, workload_matmul, workload_conv, workload_transfer, workload_launch,
    workload_overlap, workload_peak;

const struct workload *const workloads[] = { &workload_multiply, &workload_matmul,  &workload_conv, &workload_transfer,
                                             &workload_launch,   &workload_overlap, &workload_peak, NULL };
