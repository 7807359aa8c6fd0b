#include "bench/plan/published.h"

const struct claim published[] = {
    { "multiply", "f32", "n=40000000",
      "PyTorch 2.0 with DirectML on a Core i5-8250U with 8 GB: its UHD Graphics 620 was slower than the processor; "
      "it names as reasons the peaks of 384 and 435.2 GFLOP/s, and memory.",
      NULL },
    { "multiply", "f32", "n=160000000",
      "PyTorch 2.0 with DirectML on a Core i5-8250U with 8 GB: beside its processor the UHD Graphics 620 was slower "
      "still than at 40,000,000 elements.",
      "n=40000000" },
    { "conv", "f32", "n=128,c=3,h=256,w=256,k=256,r=5,s=5,stride=2,pad=2",
      "on machines that are not known here: CPU 2.44 s, GPU 280 ms, and a TPU after a rewrite 1.22 ms, for which the "
      "page itself suspects a cache. By the operations that is 33.0 GFLOP/s, 288 GFLOP/s and 66.0 TFLOP/s.",
      NULL },
    { NULL, NULL, NULL, NULL, NULL },
};
