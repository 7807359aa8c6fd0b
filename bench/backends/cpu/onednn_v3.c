#include "bench/backends/cpu/onednn_api.h"

#include <string.h>

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

static void numbers_read(const struct onednn *library, onednn_layout layout, dnnl_query_t query, dnnl_dims_t out)
{
    const dnnl_dims_t *numbers = NULL;
    if (library->call.memory_desc_query(layout, query, &numbers) == dnnl_success && numbers)
        memcpy(out, numbers, sizeof *numbers);
}

struct onednn_order onednn_layout_order(const struct onednn *library, onednn_layout layout)
{
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    struct onednn_order order = { .axes = 0 };
    library->call.memory_desc_query(layout, dnnl_query_format_kind, &kind);
    if (kind != dnnl_blocked)
        return (struct onednn_order){ .is_opaque = true };
    library->call.memory_desc_query(layout, dnnl_query_ndims_s32, &order.axes);
    library->call.memory_desc_query(layout, dnnl_query_inner_nblks_s32, &order.blocks);
    numbers_read(library, layout, dnnl_query_strides, order.stride);
    numbers_read(library, layout, dnnl_query_inner_blks, order.block);
    numbers_read(library, layout, dnnl_query_inner_idxs, order.block_axis);
    return order;
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
