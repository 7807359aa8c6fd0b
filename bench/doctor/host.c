#include "bench/doctor/host.h"

#include "bench/doctor/install_hint.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <string.h>

static void examine_libraries(struct diagnosis *out, const struct machine_view *view)
{
    static const struct {
        const char *name, *sonames[5], *lacks;
        enum install_hint hint;
    } libraries[] = {
        { "OpenBLAS",
          { "openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0" },
          "the baseline of matmul and conv is slower than it could be",
          HINT_OPENBLAS },
        { "oneDNN",
          { "libdnnl.so.3", "libdnnl.so.2", "libdnnl.so" },
          "the baseline of matmul and conv is slower than it could be",
          HINT_ONEDNN },
        { "CLBlast", { "libclblast.so.1" }, "one method of OpenCL for matmul and conv is missing", HINT_CLBLAST },
    };
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct finding *finding = diagnosis_add(out, libraries[i].name);
        const char *found = NULL;
        for (const char *const *soname = libraries[i].sonames; *soname && !found; soname++)
            found = machine_view_has_library(view, *soname) ? *soname : NULL;
        if (found)
            finding_fine(finding, "%s is installed", found);
        else
            finding_mend(finding, install_hint(view, libraries[i].hint).text, "not installed: %s", libraries[i].lacks);
    }
}

static void examine_clock(struct diagnosis *out, const struct machine_view *view)
{
    char governor[32];
    host_governor(view->root, governor, sizeof governor);
    struct finding *finding = diagnosis_add(out, "clock");
    if (strcmp(governor, "powersave") == 0)
        finding_mend(finding, "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                     "the governor is powersave: the CPU raises its clock slowly, and short runs are slower than long "
                     "ones");
    else
        finding_fine(finding, "the governor is %s", *governor ? governor : "unknown");
}

static void examine_pages(struct diagnosis *out, const struct machine_view *view)
{
    char line[64];
    struct finding *finding = diagnosis_add(out, "huge pages");
    bool is_known = host_line(view->root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) && *line;
    if (is_known && strstr(line, "[never]"))
        finding_mend(finding, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                     "transparent huge pages are off: memory-bound runs are up to a third slower");
    else
        finding_fine(finding, is_known ? "programs can use them" : "unknown");
}

void host_diagnose(struct diagnosis *out, const struct machine_view *view)
{
    examine_libraries(out, view);
    examine_clock(out, view);
    examine_pages(out, view);
}
