#include "bench/plan/published.h"

const struct claim published[] = {
    { "multiply", "f32", "n=40000000",
      "PyTorch with DirectML on a Core i5-8250U: the processor was faster than its UHD Graphics 620. The page names "
      "435.2 and 384 GFLOP/s as their peaks, and calls memory the bottleneck.",
      NULL },
    { "multiply", "f32", "n=160000000",
      "PyTorch with DirectML on a Core i5-8250U: the processor was faster here, too; \"the ratio of iGPU time to CPU "
      "time falls further\" than at 40,000,000 elements.",
      "n=40000000" },
    { "conv", "f32", "n=128,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2",
      "on machines that are not known here: CPU 2.44 s, GPU 280 ms, and a TPU after a rewrite 1.22 ms, for which the "
      "page itself suspects a cache. By the operations that is 33.0 GFLOP/s, 288 GFLOP/s and 66.0 TFLOP/s.",
      NULL },
    { NULL, NULL, NULL, NULL, NULL },
};
