
#include "harness/base/text.h"
#include "harness/machine/files.h"
#include "harness/machine/host.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory: how much this process has, on which NUMA node, and which is near a device. One file tells the node of a PCI
 * device; hwloc would list every device of the machine in each worker. */

static double status_bytes(const char *root, const char *member)
{
    double kibibytes = host_member_number(root, "/proc/self/status", member);
    return kibibytes >= 0 && isfinite(kibibytes) ? 1024 * kibibytes : NAN;
}

double host_process_bytes(const char *root)
{
    return status_bytes(root, "VmRSS");
}

double host_process_peak(const char *root)
{
    return status_bytes(root, "VmHWM");
}

bool host_process_is_sibling(const char *root, unsigned process)
{
    const double parent = host_member_number(root, text_print("/proc/%u/status", process).text, "PPid");
    return parent == host_member_number(root, "/proc/self/status", "PPid");
}

/* Several nodes are listed as "0-1" or "0,2". */
static bool has_nodes(const char *root)
{
    return strpbrk(host_line(root, "/sys/devices/system/node/online").text, ",-") != NULL;
}

/* A number that the kernel has of a PCI device; NAN for other silicon. */
static double pci_number(const char *root, const char *silicon, const char *file)
{
    static const char bus[] = "pci ";
    if (strncmp(silicon, bus, strlen(bus)) != 0 || strchr(silicon, '/'))
        return NAN;
    return host_number(root, text_print("/sys/bus/pci/devices/%s/%s", silicon + strlen(bus), file).text);
}

int host_node_of_silicon(const char *root, const char *silicon)
{
    double node = has_nodes(root) ? pci_number(root, silicon, "numa_node") : NAN;
    return node >= 0 && node < INT_MAX ? (int)node : -1;
}

unsigned host_link_lanes(const char *root, const char *silicon)
{
    double lanes = pci_number(root, silicon, "current_link_width");
    return lanes >= 1 && lanes <= 32 ? (unsigned)lanes : 0; /* 255: the link is down */
}

enum { NODES_MAX = 64 };

/* Pages of one mapping by nodes: "7f.. default anon=512 dirty=512 N0=500 N1=12 kernelpagesize_kB=4" (numa(7)). */
static void pages_add(const char *line, double bytes[NODES_MAX])
{
    const char *size = strstr(line, "kernelpagesize_kB=");
    double page = size ? 1024 * strtod(size + strlen("kernelpagesize_kB="), NULL) : 0;
    for (const char *at = line; (at = strstr(at, " N")); at++) {
        char *end;
        unsigned long node = strtoul(at + 2, &end, 10);
        if (end > at + 2 && *end == '=' && node < NODES_MAX)
            bytes[node] += page * strtod(end + 1, NULL);
    }
}

double host_largest_node(const char *root, int *node, double *held)
{
    double bytes[NODES_MAX] = { 0 }, sum = 0;
    char *line = NULL;
    size_t room = 0;
    FILE *file = has_nodes(root) ? host_open(root, "/proc/self/numa_maps") : NULL;
    while (file && getline(&line, &room, file) > 0)
        pages_add(line, bytes);
    free(line);
    if (file)
        fclose(file);
    *node = 0;
    for (int i = 0; i < NODES_MAX; i++) {
        sum += bytes[i];
        *node = bytes[i] > bytes[*node] ? i : *node;
    }
    *held = bytes[*node];
    return sum > 0 && isfinite(sum) ? *held / sum : NAN;
}

size_t host_flush_bytes(const struct host *host)
{
    enum { PAGE = 4096 };
    static const double least = 256 << 20, most = 1 << 30;
    bool is_guest = *host->hypervisor != '\0';
    return (size_t)fmin(most, fmax(least, is_guest ? 0 : 2 * host_last_cache(host))) / PAGE * PAGE;
}
