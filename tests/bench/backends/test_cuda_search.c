#include "bench/backends/cuda/search.h"

#include <criterion/criterion.h>
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

/* Creates a folder and the file in it. */
static void place_put(const struct place *place, const char *folder)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", place->root, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", place->root, folder, file);
    FILE *out = fopen(path, "w");
    cr_assert(out && fclose(out) == 0);
}

/* The folder of the file; "" none. */
static void expect_in(const struct place *place, const char *folder)
{
    char path[PATH_MAX], wanted[120];
    const bool is_found = search_find(file, path);
    snprintf(wanted, sizeof wanted, "%s/%s/%s", place->root, folder, file);
    cr_expect_eq(is_found, *folder != '\0', "%s", path);
    if (is_found)
        cr_expect_str_eq(path, wanted, "%s is not %s", path, wanted);
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

Test(cuda_search, bench_library_path_comes_first_then_the_loaders_then_cuda_home)
{
    static const char *const folders[] = { "one", "two", "loader", "lib64" };
    struct place place = place_make();
    for (unsigned i = 0; i < 4; i++)
        place_put(&place, folders[i]);
    set_under("BENCH_LIBRARY_PATH", &place, "none:two:one");
    set_under("LD_LIBRARY_PATH", &place, "none:loader");
    setenv("CUDA_HOME", place.root, 1);
    expect_in(&place, "two");
    unsetenv("BENCH_LIBRARY_PATH");
    expect_in(&place, "loader");
    unsetenv("LD_LIBRARY_PATH");
    expect_in(&place, "lib64");
    unsetenv("CUDA_HOME");
    expect_in(&place, "");
    place_remove(&place);
}

Test(cuda_search, a_link_to_nothing_is_no_file)
{
    static const char *const folders[] = { "dangling", "lib64" };
    struct place place = place_make();
    char path[120];
    for (unsigned i = 0; i < 2; i++)
        place_put(&place, folders[i]);
    set_under("BENCH_LIBRARY_PATH", &place, "dangling");
    setenv("CUDA_HOME", place.root, 1);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", place.root, folders[i], file);
        cr_assert(unlink(path) == 0 && symlink("/nowhere/at-all", path) == 0);
        expect_in(&place, i == 0 ? "lib64" : "");
    }
    place_remove(&place);
}
