/* What costs figures on the side of the processor, and where things are on this machine. */

#include "bench/doctor/doctor_parts.h"

#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool machine_view_has(const struct machine_view *machine_view, const char *path)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", machine_view->root, path);
    return length > 0 && (size_t)length < sizeof full && access(full, F_OK) == 0;
}

/* A library on its way to being found. */
struct wanted {
    const struct machine_view *machine_view;
    const char *soname;
    bool is_found;
};

static void look_in(void *context, const char *root, const char *directory)
{
    (void)root;
    struct wanted *wanted = context;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, wanted->soname);
    wanted->is_found |= length > 0 && (size_t)length < sizeof path && machine_view_has(wanted->machine_view, path);
}

/* Lines of the loader's own configuration are folders; those that include further files are read as files here. */
static void look_where_told(void *context, const char *root, const char *path)
{
    char line[PATH_MAX];
    FILE *file = host_open(root, path);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '/')
            look_in(context, root, line);
    }
    if (file)
        fclose(file);
}

static void look_along(struct wanted *wanted, const char *list)
{
    char directory[PATH_MAX];
    for (; list && *list; list += strspn(list, ":")) {
        size_t length = strcspn(list, ":");
        snprintf(directory, sizeof directory, "%.*s", (int)length, list);
        look_in(wanted, wanted->machine_view->root, directory);
        list += length;
    }
}

bool machine_view_has_library(const struct machine_view *machine_view, const char *soname)
{
    static const char *const folders[] = { "/usr/lib/*-linux-*", "/lib/*-linux-*",   "/usr/lib64",      "/usr/lib",
                                           "/usr/local/lib",     "/usr/local/lib64", "/usr/lib/wsl/lib" };
    struct wanted wanted = { machine_view, soname, *soname == '/' && machine_view_has(machine_view, soname) };
    if (*soname == '/')
        return wanted.is_found;
    look_along(&wanted, machine_view->variable("LD_LIBRARY_PATH"));
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        host_each(machine_view->root, folders[i], look_in, &wanted);
    host_each(machine_view->root, "/etc/ld.so.conf.d/*.conf", look_where_told, &wanted);
    return wanted.is_found;
}

const char *machine_view_container(const struct machine_view *machine_view)
{
    if (machine_view_has(machine_view, "/.dockerenv"))
        return "/.dockerenv";
    if (machine_view_has(machine_view, "/run/.containerenv"))
        return "/run/.containerenv";
    return machine_view->variable("container") ? "the variable container" : NULL;
}

static void examine_libraries(struct diagnosis *out, const struct machine_view *machine_view)
{
    static const struct {
        const char *name, *sonames[5], *lacks;
        enum install_hint install_hint;
    } libraries[] = {
        { "OpenBLAS",
          { "openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0" },
          "the baseline of matmul and conv is slower than it could be",
          HINT_OPENBLAS },
        { "oneDNN",
          { "libdnnl.so.3", "libdnnl.so.2", "libdnnl.so" },
          "the baseline of matmul and conv is slower than it could be",
          HINT_ONEDNN },
        { "CLBlast", { "libclblast.so.1" }, "OpenCL has one method less for matmul and conv", HINT_CLBLAST },
    };
    char command[COMMAND_ROOM];
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct finding *finding = diagnosis_add(out, libraries[i].name);
        const char *found = NULL;
        for (const char *const *soname = libraries[i].sonames; *soname && !found; soname++)
            found = machine_view_has_library(machine_view, *soname) ? *soname : NULL;
        if (found)
            finding_fine(finding, "%s is there", found);
        else
            finding_mend(finding, install_hint_command(machine_view, libraries[i].install_hint, command),
                         "not installed, so that %s", libraries[i].lacks);
    }
}

static void examine_clock(struct diagnosis *out, const struct machine_view *machine_view)
{
    char governor[32];
    host_governor(machine_view->root, governor, sizeof governor);
    struct finding *finding = diagnosis_add(out, "clock");
    if (strcmp(governor, "powersave") == 0)
        finding_mend(finding, "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                     "the governor is powersave, which makes the processor slow to reach its clock, and short runs "
                     "slower than long ones");
    else
        finding_fine(finding, "the governor is %s", *governor ? governor : "not known here");
}

static void examine_pages(struct diagnosis *out, const struct machine_view *machine_view)
{
    char line[64];
    struct finding *finding = diagnosis_add(out, "huge pages");
    bool is_known =
        host_line(machine_view->root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) && *line;
    if (is_known && strstr(line, "[never]"))
        finding_mend(finding, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                     "transparent huge pages are off, which costs what is bound by memory up to a third");
    else
        finding_fine(finding, is_known ? "the kernel gives them to programs that ask" : "not known here");
}

void diagnosis_host(struct diagnosis *out, const struct machine_view *machine_view)
{
    examine_libraries(out, machine_view);
    examine_clock(out, machine_view);
    examine_pages(out, machine_view);
}
