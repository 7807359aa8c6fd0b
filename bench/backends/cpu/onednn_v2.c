#include "bench/backends/cpu/onednn_api.h"

#include <stdlib.h>

/* A layout is a struct that everybody may read, and a primitive is described in two steps. */

onednn_layout onednn_layout_create(const struct onednn *library, const struct onednn_shape *shape,
                                   dnnl_format_tag_t tag, dnnl_status_t *status)
{
    dnnl_memory_desc_t *layout = malloc(sizeof *layout);
    *status = dnnl_out_of_memory;
    if (layout)
        *status = library->call.memory_desc_init_by_tag(layout, shape->axes, shape->dim, shape->type, tag);
    if (*status == dnnl_success)
        return layout;
    free(layout);
    return NULL;
}

void onednn_layout_destroy(const struct onednn *library, onednn_layout layout)
{
    free((void *)layout);
}

dnnl_status_t onednn_matmul_describe(const struct onednn *library, const onednn_layout layout[3],
                                     dnnl_primitive_desc_t *out)
{
    dnnl_matmul_desc_t matmul;
    dnnl_status_t status = library->call.matmul_desc_init(&matmul, layout[0], layout[1], NULL, layout[2]);
    if (status != dnnl_success)
        return status;
    return library->call.primitive_desc_create(out, &matmul, library->attributes, library->engine, NULL);
}

dnnl_status_t onednn_conv_describe(const struct onednn *library, dnnl_alg_kind_t algorithm,
                                   const onednn_layout layout[3], const dnnl_dims_t stride, const dnnl_dims_t padding,
                                   dnnl_primitive_desc_t *out)
{
    dnnl_convolution_desc_t conv;
    dnnl_status_t status = library->call.convolution_forward_desc_init(
        &conv, dnnl_forward_inference, algorithm, layout[0], layout[1], NULL, layout[2], stride, padding, padding);
    if (status != dnnl_success)
        return status;
    return library->call.primitive_desc_create(out, &conv, library->attributes, library->engine, NULL);
}

dnnl_status_t onednn_append_eltwise(const struct onednn *library, dnnl_post_ops_t to, dnnl_alg_kind_t algorithm,
                                    float alpha)
{
    return library->call.post_ops_append_eltwise(to, 1, algorithm, alpha, 0);
}
