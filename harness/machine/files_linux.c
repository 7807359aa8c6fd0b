#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool host_has_files(void)
{
    return true;
}

FILE *host_open(const char *root, const char *path)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof full ? file_open(full, "r") : NULL;
}

bool host_line(const char *root, const char *path, char *to, size_t room)
{
    char line[4096] = "";
    FILE *file = host_open(root, path);
    bool is_read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    text_clean(to, room, line);
    return is_read;
}

bool host_member(const char *root, const char *path, const char *key, char *to, size_t room)
{
    static const char separators[] = " \t:=";
    bool is_found = false;
    char *line = NULL;
    size_t line_room = 0, length = strlen(key);
    FILE *file = host_open(root, path);
    *to = '\0';
    while (file && !is_found && getline(&line, &line_room, file) > 0) {
        is_found = strncmp(line, key, length) == 0 && line[length] && strchr(separators, line[length]);
        if (is_found)
            text_clean(to, room, line + length + strspn(line + length, separators));
    }
    free(line);
    if (file)
        fclose(file);
    return is_found;
}

/* What is to be called for each file below a root. */
struct each {
    const char *root;
    void (*take)(void *context, const char *root, const char *path);
    void *context;
};

static void take_below(void *context, const char *path)
{
    const struct each *each = context;
    each->take(each->context, each->root, path + strlen(each->root));
}

void host_each(const char *root, const char *pattern, void (*take)(void *context, const char *root, const char *path),
               void *context)
{
    char full[PATH_MAX];
    const int length = snprintf(full, sizeof full, "%s%s", root, pattern);
    if (length > 0 && (size_t)length < sizeof full)
        file_each(full, take_below, &(struct each){ root, take, context });
}
