#include "bench/backends/cuda/search.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a library is searched for, and in which order. */

static const char file[] = "libbench-test.so.7";

/* A temporary folder for one test. */
struct place {
    char root[32];
};

static struct place place_make(void)
{
    struct place place = { "/tmp/cuda_search.XXXXXX" };
    cr_assert(mkdtemp(place.root));
    return place;
}

static void place_remove(const struct place *place)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", place->root);
    cr_assert_eq(system(command), 0);
}

/* Creates a folder and the file in it; `class` is that of its ELF header, 0: no header. */
static void place_put(const struct place *place, const char *folder, unsigned char class)
{
    char path[120];
    unsigned char head[64] = { 0 };
    snprintf(path, sizeof path, "%s/%s", place->root, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", place->root, folder, file);
    if (class) {
        memcpy(head, ELFMAG, SELFMAG);
        head[EI_CLASS] = class;
    }
    FILE *out = fopen(path, "w");
    cr_assert(out && fwrite(head, sizeof head, 1, out) == 1 && fclose(out) == 0);
}

/* The folders visited, separated by blanks, without the final name alone. */
struct seen {
    const struct place *place;
    char folders[200];
    unsigned stop_at, count; /* the count at which the visitor returns true; 0: never */
};

static bool note(void *context, const char *path)
{
    struct seen *seen = context;
    const size_t root = strlen(seen->place->root), used = strlen(seen->folders);
    if (strcmp(path, file) == 0)
        return false; /* for the loader */
    cr_assert(strncmp(path, seen->place->root, root) == 0, "%s", path);
    snprintf(seen->folders + used, sizeof seen->folders - used, "%s%.*s", used > 0 ? " " : "",
             (int)(strlen(path) - root - strlen(file) - 2), path + root + 1);
    return ++seen->count == seen->stop_at;
}

static void set_under(const char *variable, const struct place *place, const char *list)
{
    char value[240] = "";
    for (const char *at = list; *at; at += *at == ':') {
        const size_t length = strcspn(at, ":"), used = strlen(value);
        snprintf(value + used, sizeof value - used, "%s%s/%.*s", used > 0 ? ":" : "", place->root, (int)length, at);
        at += length;
    }
    setenv(variable, value, 1);
}

static const unsigned char own_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

Test(cuda_search, bench_library_path_comes_first_and_cuda_home_last)
{
    struct place place = place_make();
    place_put(&place, "one", own_class);
    place_put(&place, "two", own_class);
    place_put(&place, "lib64", own_class);
    set_under("BENCH_LIBRARY_PATH", &place, "none:two:one");
    setenv("CUDA_HOME", place.root, 1);
    struct seen seen = { .place = &place };
    cr_expect_not(search_each(file, note, &seen), "no callback stopped it");
    cr_expect_str_eq(seen.folders, "two one lib64", "%s", seen.folders);
    struct seen stopped = { .place = &place, .stop_at = 2 };
    cr_expect(search_each(file, note, &stopped));
    cr_expect_str_eq(stopped.folders, "two one");
    place_remove(&place);
}

Test(cuda_search, files_that_this_process_cannot_load_are_skipped)
{
    struct place place = place_make();
    place_put(&place, "text", 0);
    place_put(&place, "other", own_class == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64);
    place_put(&place, "own", own_class);
    set_under("BENCH_LIBRARY_PATH", &place, "text:other:own");
    struct seen seen = { .place = &place };
    search_each(file, note, &seen);
    cr_expect_str_eq(seen.folders, "own", "%s", seen.folders);
    place_remove(&place);
}

Test(cuda_search, an_empty_folder_gives_nothing)
{
    struct place place = place_make();
    set_under("BENCH_LIBRARY_PATH", &place, "none");
    struct seen seen = { .place = &place };
    cr_expect_not(search_each(file, note, &seen));
    cr_expect_eq(seen.count, 0);
    place_remove(&place);
}

static bool keep_last(void *context, const char *path)
{
    snprintf(context, 120, "%s", path);
    return false;
}

Test(cuda_search, the_name_alone_comes_last_for_the_loader_to_find)
{
    struct place place = place_make();
    char last[120] = "";
    place_put(&place, "one", own_class);
    set_under("BENCH_LIBRARY_PATH", &place, "one");
    cr_expect_not(search_each(file, keep_last, last));
    cr_expect_str_eq(last, file);
    place_remove(&place);
}

Test(cuda_search, folders_of_the_loader_come_before_cuda_home)
{
    struct place place = place_make();
    place_put(&place, "loader", own_class);
    place_put(&place, "lib64", own_class);
    set_under("LD_LIBRARY_PATH", &place, "none:loader");
    setenv("CUDA_HOME", place.root, 1);
    struct seen seen = { .place = &place };
    search_each(file, note, &seen);
    cr_expect_str_eq(seen.folders, "loader lib64", "%s", seen.folders);
    place_remove(&place);
}
