#include "bench/backends/cpu/onednn_api.h"

/* A layout is a handle that answers queries, and a primitive is described in one step. */

onednn_layout onednn_layout_create(const struct onednn *library, const struct onednn_shape *shape,
                                   dnnl_format_tag_t tag, dnnl_status_t *status)
{
    dnnl_memory_desc_t layout = NULL;
    *status = library->call.memory_desc_create_with_tag(&layout, shape->axes, shape->dim, shape->type, tag);
    return *status == dnnl_success ? layout : NULL;
}

void onednn_layout_destroy(const struct onednn *library, onednn_layout layout)
{
    if (layout)
        library->call.memory_desc_destroy((dnnl_memory_desc_t)layout);
}

dnnl_status_t onednn_matmul_describe(const struct onednn *library, const onednn_layout layout[3],
                                     dnnl_primitive_desc_t *out)
{
    return library->call.matmul_primitive_desc_create(out, library->engine, layout[0], layout[1], NULL, layout[2],
                                                      library->attributes);
}

dnnl_status_t onednn_conv_describe(const struct onednn *library, dnnl_alg_kind_t algorithm,
                                   const onednn_layout layout[3], const dnnl_dims_t stride, const dnnl_dims_t padding,
                                   dnnl_primitive_desc_t *out)
{
    static const dnnl_dims_t dense = { 0 };
    return library->call.convolution_forward_primitive_desc_create(
        out, library->engine, dnnl_forward_inference, algorithm, layout[0], layout[1], NULL, layout[2], stride, dense,
        padding, padding, library->attributes);
}

dnnl_status_t onednn_append_eltwise(const struct onednn *library, dnnl_post_ops_t to, dnnl_alg_kind_t algorithm,
                                    float alpha)
{
    return library->call.post_ops_append_eltwise(to, algorithm, alpha, 0);
}
