#include "bench/worker/footprint.h"

#include "harness/machine/host.h"

#include <math.h>

int footprint_settle(const struct device *device)
{
    const int node = host_node_of_silicon("", device->silicon);
    return node >= 0 && host_prefer_node(node) ? node : -1;
}

static json_t *bytes_or_null(double bytes)
{
    return isfinite(bytes) && bytes >= 0 ? json_integer((json_int_t)bytes) : json_null();
}

/* Of data that is born in the device's buffer the host's array is only what we write it from anew for each run: no
 * program needs that. */
static bool is_needed(const struct rig *rig, unsigned operand)
{
    return rig->host[operand] && rig->memory != MEMORY_MAPPED;
}

json_t *footprint_to_json(const struct rig *rig, double context)
{
    double device = 0, host = 0, repacked = 0;
    for (unsigned i = 0; i < rig->operands; i++) {
        double bytes = (double)rig_bytes(rig, i);
        device += bytes;
        host += is_needed(rig, i) ? bytes : 0;
        repacked += rig->repacks & 1u << i ? bytes : 0;
    }
    double twice = rig->device.shares_host_memory ? host : 0;
    double largest = host_largest_node("");
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "device_operands", bytes_or_null(device), "host_operands",
                     bytes_or_null(host), "context_host", bytes_or_null(context), "held_twice", bytes_or_null(twice),
                     "repacked", bytes_or_null(repacked), "peak_host", bytes_or_null(host_process_peak("")),
                     "largest_node", isnan(largest) ? json_null() : json_real(largest));
}
