#include "bench/doctor/machine_view.h"

#include "harness/machine/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool machine_view_has(const struct machine_view *view, const char *path)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", view->root, path);
    return length > 0 && (size_t)length < sizeof full && access(full, F_OK) == 0;
}

static void take_found(void *context, const char *root, const char *path)
{
    *(bool *)context = true;
}

bool machine_view_has_library(const struct machine_view *view, const char *soname)
{
    const char *chosen = view->variable("LD_LIBRARY_PATH");
    char folders[PATH_MAX], pattern[PATH_MAX];
    bool is_found = false;
    snprintf(
        folders, sizeof folders,
        "/usr/lib/*-linux-*:/lib/*-linux-*:/usr/lib64:/usr/lib:/usr/local/lib:/usr/local/lib64:/usr/lib/wsl/lib:%s:%s",
        view->bundled, chosen ? chosen : "");
    for (const char *folder = folders; *folder; folder += strspn(folder, ":")) {
        const int length = (int)strcspn(folder, ":");
        snprintf(pattern, sizeof pattern, "%.*s/%s", length, folder, soname);
        host_each(view->root, pattern, take_found, &is_found);
        folder += length;
    }
    return is_found;
}

const char *machine_view_container(const struct machine_view *view)
{
    if (machine_view_has(view, "/.dockerenv"))
        return "/.dockerenv";
    if (machine_view_has(view, "/run/.containerenv"))
        return "/run/.containerenv";
    return view->variable("container") ? "the variable container" : NULL;
}
