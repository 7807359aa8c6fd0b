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

/* Creates a folder and the file in it, as long as the header of an ELF file. */
static void place_put(const struct place *place, const char *folder, const Elf64_Ehdr *head)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", place->root, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", place->root, folder, file);
    FILE *out = fopen(path, "w");
    cr_assert(out && fwrite(head, sizeof *head, 1, out) == 1 && fclose(out) == 0);
}

/* The header of this program. */
static Elf64_Ehdr own_head(void)
{
    Elf64_Ehdr head;
    FILE *in = fopen("/proc/self/exe", "r");
    cr_assert(in && fread(&head, sizeof head, 1, in) == 1);
    fclose(in);
    return head;
}

/* The folder of the file that is found; "" none. */
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
    const Elf64_Ehdr head = own_head();
    struct place place = place_make();
    for (unsigned i = 0; i < 4; i++)
        place_put(&place, folders[i], &head);
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

Test(cuda_search, files_that_this_process_cannot_load_are_skipped)
{
    const Elf64_Ehdr own = own_head(), text = { .e_type = 0 };
    Elf64_Ehdr narrow = own, other = own;
    struct place place = place_make();
    narrow.e_ident[EI_CLASS] = ELFCLASS32 + ELFCLASS64 - own.e_ident[EI_CLASS];
    other.e_machine++;
    place_put(&place, "text", &text);
    place_put(&place, "narrow", &narrow);
    place_put(&place, "other", &other);
    place_put(&place, "own", &own);
    set_under("BENCH_LIBRARY_PATH", &place, "text:narrow:other:own");
    expect_in(&place, "own");
    set_under("BENCH_LIBRARY_PATH", &place, "text:narrow:other");
    expect_in(&place, "");
    place_remove(&place);
}
