#ifndef KERNELS_NATIVE_CONV_H
#define KERNELS_NATIVE_CONV_H

/* The layout of the padded copy of the images that conv_native.c makes, also for the code that allocates it.
 *
 * A filter that moves in strides sees the image as stride x stride interleaved ones, of which it moves through each
 * element by element. So that is how the copy keeps every channel: as `phases` planes of `height` rows of `pitch`
 * elements, plane (fy, fx) with every element (y * stride + fy, x * stride + fx) of the padded channel, as far as a
 * filter reaches. Along a plane, row after row, the results of a filter at all its places are one long line; the last
 * pitch - q of each row are not places of it, and are discarded. */

#include "kernels/native.h"

/* What one step of the tile pass computes: these filters at these places. */
enum { CONV_BLOCK_FILTERS = 64, CONV_BLOCK_PLACES = 8 * NATIVE_COLUMNS };

struct conv_plan {
    int64_t p, q;             /* rows and columns of places */
    int64_t phases_x, phases; /* planes in a row of them, and of one channel */
    int64_t height, pitch;    /* of a plane */
    int64_t plane, image;     /* elements of a plane, and of all channels of an image */
    int64_t places;           /* along the long line */
    int64_t taps;             /* elements of a filter */
};

static inline struct conv_plan conv_plan_make(const int64_t dim[])
{
    const int64_t stride = dim[CONV_STRIDE], r = dim[CONV_R], s = dim[CONV_S];
    struct conv_plan plan = {
        .p = (dim[CONV_H] + 2 * dim[CONV_PAD] - r) / stride + 1,
        .q = (dim[CONV_W] + 2 * dim[CONV_PAD] - s) / stride + 1,
        .phases_x = s < stride ? s : stride,
        .phases = (s < stride ? s : stride) * (r < stride ? r : stride),
        .taps = dim[CONV_C] * r * s,
    };
    plan.height = plan.p + (r - 1) / stride;
    plan.pitch = plan.q + (s - 1) / stride;
    plan.plane = plan.height * plan.pitch;
    plan.image = dim[CONV_C] * plan.phases * plan.plane;
    plan.places = (plan.p - 1) * plan.pitch + plan.q;
    return plan;
}

/* The same where `per` channels together are one: of them a copy has words (native_term.h). */
static inline struct conv_plan conv_plan_of_terms(const int64_t dim[], int64_t per)
{
    int64_t packed[CONV_PAD + 1];
    for (int i = 0; i <= CONV_PAD; i++)
        packed[i] = i == CONV_C ? (dim[i] + per - 1) / per : dim[i];
    return conv_plan_make(packed);
}

#endif
