#include "bench/doctor/machine_view.h"

#include "harness/journal/journal.h"
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

/* A search for a library, folder by folder. */
struct wanted {
    const struct machine_view *view;
    const char *soname;
    bool is_found;
};

static void look_in(void *context, const char *root, const char *directory)
{
    (void)root;
    struct wanted *wanted = context;
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, wanted->soname);
    wanted->is_found |= length > 0 && (size_t)length < sizeof path && machine_view_has(wanted->view, path);
}

/* Reads a file of /etc/ld.so.conf.d: a folder on each line. Files that such a file includes match the pattern too. */
static void look_where_configured(void *context, const char *root, const char *path)
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

/* Folders between colons, as in LD_LIBRARY_PATH; NULL is none. */
static void look_along(struct wanted *wanted, const char *list)
{
    char directory[PATH_MAX];
    for (; list && *list; list += strspn(list, ":")) {
        size_t length = strcspn(list, ":");
        snprintf(directory, sizeof directory, "%.*s", (int)length, list);
        look_in(wanted, wanted->view->root, directory);
        list += length;
    }
}

bool machine_view_has_library(const struct machine_view *view, const char *soname)
{
    static const char *const folders[] = { "/usr/lib/*-linux-*", "/lib/*-linux-*",   "/usr/lib64",      "/usr/lib",
                                           "/usr/local/lib",     "/usr/local/lib64", "/usr/lib/wsl/lib" };
    struct wanted wanted = { view, soname, false };
    if (*soname == '/')
        return machine_view_has(view, soname);
    look_along(&wanted, view->variable("LD_LIBRARY_PATH"));
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        host_each(view->root, folders[i], look_in, &wanted);
    host_each(view->root, "/etc/ld.so.conf.d/*.conf", look_where_configured, &wanted);
    return wanted.is_found;
}

const char *machine_view_container(const struct machine_view *view)
{
    if (machine_view_has(view, "/.dockerenv"))
        return "/.dockerenv";
    if (machine_view_has(view, "/run/.containerenv"))
        return "/run/.containerenv";
    return view->variable("container") ? "the variable container" : NULL;
}

/* What the listing has instead of devices of the source; NULL: nothing. */
static const json_t *absent_of(const struct machine_view *view, const char *source)
{
    const json_t *absent;
    size_t i;
    json_array_foreach (view->listing->absent, i, absent)
        if (strcmp(journal_text(absent, "source"), source) == 0)
            return absent;
    return NULL;
}

const char *machine_view_absence(const struct machine_view *view, const char *source)
{
    return json_string_value(json_object_get(absent_of(view, source), "reason"));
}

const char *machine_view_failure(const struct machine_view *view, const char *source)
{
    const char *status = json_string_value(json_object_get(absent_of(view, source), "status"));
    return status && strcmp(status, "unsupported") != 0 ? machine_view_absence(view, source) : NULL;
}
