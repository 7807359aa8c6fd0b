#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directories on the way to a path below the root, and its full name. */
static void path_make(const struct tree *tree, const char *path, char full[512])
{
    snprintf(full, 512, "%s%s", tree->root, path);
    for (char *slash = full + strlen(tree->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
}

void tree_write(const struct tree *tree, const char *path, const char *text)
{
    char full[512];
    path_make(tree, path, full);
    FILE *file = fopen(full, "w");
    cr_assert(file, "cannot write %s", full);
    fputs(text, file);
    fclose(file);
}

struct tree tree_make(const struct record_file files[])
{
    struct tree tree = { "/tmp/bench_tree_XXXXXX" };
    cr_assert(mkdtemp(tree.root));
    for (; files && files->path; files++)
        tree_write(&tree, files->path, files->text);
    return tree;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    return remove(path);
}

void tree_remove(const struct tree *tree)
{
    nftw(tree->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

struct tree recorded;

void recorded_make(const struct record_file files[])
{
    recorded_remove();
    recorded = tree_make(files);
}

void recorded_write(const char *path, const char *text)
{
    tree_write(&recorded, path, text);
}

void recorded_add(const char *folder, const char *files)
{
    char *text = strdup(files), *rest = text, path[256], line[1024];
    for (char *content; (content = strsep(&rest, "|"));) {
        snprintf(path, sizeof path, "%s/%s", folder, strsep(&content, "="));
        snprintf(line, sizeof line, "%s\n", content);
        tree_write(&recorded, path, line);
    }
    free(text);
}

void recorded_remove(void)
{
    if (*recorded.root)
        tree_remove(&recorded);
    *recorded.root = '\0';
}
