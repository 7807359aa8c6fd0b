#include "bench/doctor/diagnosis.h"

#include "bench/doctor/driver_file.h"
#include "bench/doctor/gpu.h"
#include "bench/doctor/host.h"
#include "bench/doctor/install_hint.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_at(const struct device *device, const struct adapter *adapter)
{
    return strncmp(device->silicon, "pci ", 4) == 0 && strcasecmp(device->silicon + 4, adapter->pci) == 0;
}

/* By the words that drivers have for their vendor. */
static bool is_made_by(const struct device *device, unsigned vendor)
{
    static const struct {
        unsigned vendor;
        const char *word;
    } words[] = { { VENDOR_INTEL, "intel" },
                  { VENDOR_NVIDIA, "nvidia" },
                  { VENDOR_AMD, "amd" },
                  { VENDOR_AMD, "advanced micro devices" } };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].vendor == vendor &&
            (strcasestr(device->vendor, words[i].word) || strcasestr(device->name, words[i].word)))
            return true;
    return false;
}

/* What APIs show of the adapters: which device is which. */
struct observation {
    bool shown[ADAPTERS_MAX];
    char by[ADAPTERS_MAX][96]; /* "opencl:0, cuda:0" */
};

static void see(struct observation *observation, unsigned at, const struct device *device)
{
    size_t used = strlen(observation->by[at]);
    snprintf(observation->by[at] + used, sizeof observation->by[at] - used, "%s%s", used ? ", " : "", device->id);
    observation->shown[at] = true;
}

/* A device whose driver does not tell its place stands for the vendor's first adapter that this API does not show yet.
 */
static void match_by_vendor(struct observation *observation, const struct device *device,
                            const struct adapter adapter[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *shown = strstr(observation->by[i], device->backend);
        if (is_made_by(device, adapter[i].vendor) && !shown && !adapter_emulation(&adapter[i])) {
            see(observation, i, device);
            return;
        }
    }
}

static void look(struct observation *out, const struct listing *listing, const struct adapter adapter[], unsigned count)
{
    *out = (struct observation){ 0 };
    for (unsigned d = 0; d < listing->devices; d++)
        for (unsigned i = 0; i < count; i++)
            if (is_at(&listing->device[d], &adapter[i]))
                see(out, i, &listing->device[d]);
    for (unsigned d = 0; d < listing->devices; d++) {
        const struct device *device = &listing->device[d];
        if (device->class != CLASS_CPU && strncmp(device->silicon, "pci ", 4) != 0)
            match_by_vendor(out, device, adapter, count);
    }
}

static void examine_adapters(struct diagnosis *out, const struct machine_view *machine_view)
{
    struct adapter adapter[ADAPTERS_MAX];
    struct observation observation;
    unsigned count = adapters_read(machine_view->root, adapter);
    look(&observation, machine_view->listing, adapter, count);
    for (unsigned i = 0; i < count; i++) {
        char about[160];
        snprintf(about, sizeof about, "%.128s at %.15s", adapter[i].name, adapter[i].pci);
        struct finding *finding = diagnosis_add(out, about);
        if (observation.shown[i])
            finding_fine(finding, "shown as %s", observation.by[i]);
        else
            diagnosis_unseen(finding, machine_view, &adapter[i]);
    }
    if (count == 0)
        finding_fine(diagnosis_add(out, "graphics"), "no graphics adapter or accelerator is on the PCI bus%s",
                     machine_view_container(machine_view) ? " that this container sees" : "");
}

/* What can be measured as things are. */
static void examine_devices(struct diagnosis *out, const struct listing *listing)
{
    for (unsigned i = 0; i < listing->devices; i++) {
        const struct device *device = &listing->device[i];
        finding_fine(diagnosis_add(out, device->id), "%s [%s]", device->name, class_name(device->class));
    }
}

/* WSL hands a GPU through as /dev/dxg, and its libraries as files of Windows. */
static void examine_wsl(struct diagnosis *out, const struct machine_view *machine_view)
{
    if (!machine_view_has(machine_view, "/usr/lib/wsl") &&
        !machine_view_has(machine_view, "/proc/sys/fs/binfmt_misc/WSLInterop"))
        return;
    struct finding *finding = diagnosis_add(out, "Windows subsystem for Linux");
    if (machine_view_has(machine_view, "/dev/dxg"))
        finding_fine(finding, "/dev/dxg is there; NVIDIA's GPUs are reached by the libraries in /usr/lib/wsl/lib");
    else
        finding_mend(finding, "wsl.exe --update && wsl.exe --shutdown",
                     "there is no /dev/dxg, which GPUs are reached by: this is version 1 of the subsystem, or an old "
                     "kernel, or Windows has no driver for the GPU");
}

/* Driver files that name a library which is not there: each is a driver that was meant to be. */
static void examine_icds(struct diagnosis *out, const struct machine_view *machine_view)
{
    struct driver_file driver_file[ICDS_MAX];
    char where[160], command[COMMAND_ROOM + 32];
    unsigned count = driver_files_read(machine_view, driver_file, where, sizeof where);
    for (unsigned i = 0; i < count; i++) {
        struct finding *finding = diagnosis_add(out, driver_file[i].path);
        snprintf(command, sizeof command, "dpkg -S %s   # then install that package again", driver_file[i].path);
        const char *reason = machine_view_told_of(machine_view, driver_file[i].path);
        if (driver_file[i].is_there)
            finding_fine(finding, "its driver %s is there%s%.200s", driver_file[i].library, reason ? "; " : "",
                         reason ? reason : "");
        else
            finding_mend(finding, command, "its driver %s is not there",
                         *driver_file[i].library ? driver_file[i].library : "has no name, and so");
    }
    const char *chosen = machine_view->variable("OCL_ICD_VENDORS");
    if (count == 0 && chosen && *chosen)
        finding_mend(diagnosis_add(out, "opencl"), "unset OCL_ICD_VENDORS", "%s, which names no driver", where);
    else if (count == 0)
        finding_fine(diagnosis_add(out, "opencl"), "no driver is installed (%s)", where);
}

void diagnosis_make(struct diagnosis *out, const struct machine_view *machine_view)
{
    *out = (struct diagnosis){ 0 };
    examine_adapters(out, machine_view);
    examine_devices(out, machine_view->listing);
    examine_wsl(out, machine_view);
    examine_icds(out, machine_view);
    diagnosis_host(out, machine_view);
}
