#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool host_has_files(void)
{
    return true;
}

FILE *host_open(const char *root, const char *path)
{
    return file_open(text_print("%s%s", root, path).text, "r");
}

struct text host_line(const char *root, const char *path)
{
    struct text line = { "" };
    FILE *file = host_open(root, path);
    if (file && fgets(line.text, sizeof line.text, file))
        text_clean(line.text, sizeof line.text, line.text);
    if (file)
        fclose(file);
    return line;
}

struct text host_member(const char *root, const char *path, const char *key)
{
    static const char separators[] = " \t:=";
    struct text value = { "" };
    bool is_found = false;
    char *line = NULL;
    size_t line_room = 0, length = strlen(key);
    FILE *file = host_open(root, path);
    while (file && !is_found && getline(&line, &line_room, file) > 0) {
        is_found = strncmp(line, key, length) == 0 && line[length] && strchr(separators, line[length]);
        if (is_found)
            value = text_cleaned(line + length + strspn(line + length, separators));
    }
    free(line);
    if (file)
        fclose(file);
    return value;
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
    file_each(text_print("%s%s", root, pattern).text, take_below, &(struct each){ root, take, context });
}
