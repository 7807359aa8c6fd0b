#ifndef KERNELS_TEXTS_H
#define KERNELS_TEXTS_H

/* The kernel texts, as the build embeds them: portable.h, then the kernel, in one string each. */

extern const char conv_text[];
extern const char matmul_text[];
extern const char multiply_text[];
extern const char peak_text[];

#endif
