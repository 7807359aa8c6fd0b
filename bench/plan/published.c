#include "bench/plan/published.h"

const struct claim published[] = {
    { "multiply", "f32", "n=40000000", "UHD Graphics 620",
      "PyTorch with DirectML on a Core i5-8250U: the processor was faster than its UHD Graphics 620 (peaks of 435.2 "
      "and "
      "384 GFLOP/s, memory the bottleneck)",
      VERDICT_SLOWER, NULL },
    { "multiply", "f32", "n=160000000", "UHD Graphics 620",
      "PyTorch with DirectML on a Core i5-8250U: \"the ratio of iGPU time to CPU time falls further\" than at "
      "40,000,000 elements",
      VERDICT_FASTER, "n=40000000" },
    { "conv", "f32", "n=128,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2", NULL,
      "CPU 2.44 s, GPU 280 ms, TPU 1.22 ms after a rewrite (the page suspects caching), machines not named: 33.0, 288 "
      "and 66,000 GFLOP/s",
      VERDICT_FASTER, NULL },
    { NULL, NULL, NULL, NULL, NULL, VERDICT_NONE, NULL },
};
