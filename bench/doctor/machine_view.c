#include "bench/doctor/machine_view.h"

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
