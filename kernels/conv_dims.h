#ifndef KERNELS_CONV_DIMS_H
#define KERNELS_CONV_DIMS_H

/* The dims of conv, in order. bench/workloads/conv.c says what each is. */
enum conv_dim { CONV_N, CONV_C, CONV_H, CONV_W, CONV_K, CONV_R, CONV_S, CONV_STRIDE, CONV_PAD };

#endif
