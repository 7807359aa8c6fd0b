/* What is remembered of races, for which sizes and settings, and what becomes of a file that is no good. */

#include "bench/schedule/tuning_cache.h"
#include "harness/base/atomic_file.h"
#include "harness/base/text.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct tree folder;

static void folder_open(void)
{
    folder = tree_make(NULL);
    setenv("XDG_CACHE_HOME", folder.root, 1);
    setenv("HOME", "/nowhere", 1);
}

static void folder_close(void)
{
    tree_remove(&folder);
}

TestSuite(tuning_cache, .init = folder_open, .fini = folder_close);

static const char file_name[] = "/bench/tuning-1.json";

static struct problem problem_of(const char *workload, const char *shape)
{
    struct problem problem;
    struct error err = { .status = STATUS_OK };
    cr_assert(problem_parse(&problem, workload_find(workload), DTYPE_F32, shape, &err), "%s", err.message);
    return problem;
}

static struct device device_of(void)
{
    return (struct device){
        .key = "opencl/A", .platform = "P", .driver_version = "3.1", .class = CLASS_DGPU, .units = 8, .threads = 2
    };
}

static const struct tuned two = {
    .contender = { { .method = "portable", .kernel_shape = "64x64 4x4" }, { .method = "clblast", .end = TUNED_BAD } },
    .count = 2,
};

static void remember(const char *workload, const char *shape, const struct device *device, const struct tuned *tuned)
{
    struct tuning_cache cache;
    struct error err = { .status = STATUS_OK };
    const struct problem problem = problem_of(workload, shape);
    struct tuned copy = *tuned;
    tuning_cache_open(&cache, false);
    cr_expect_str_empty(cache.trouble);
    tuning_cache_remember(&cache, &(struct tuning_key){ .problem = &problem, .device = device }, &copy);
    cr_expect(tuning_cache_write(&cache, &err), "%s", err.message);
    tuning_cache_close(&cache);
}

static bool find_for(const char *workload, const char *shape, const struct device *device, enum memory memory,
                     struct tuned *out)
{
    struct tuning_cache cache;
    const struct problem problem = problem_of(workload, shape);
    tuning_cache_open(&cache, false);
    const bool found =
        tuning_cache_find(&cache, &(struct tuning_key){ .problem = &problem, .device = device, .memory = memory }, out);
    tuning_cache_close(&cache);
    return found;
}

static bool finds(const char *workload, const char *shape, const struct device *device)
{
    struct tuned tuned;
    return find_for(workload, shape, device, MEMORY_PAGEABLE, &tuned);
}

Test(tuning_cache, tells_a_later_run_what_an_earlier_one_found)
{
    const struct device device = device_of();
    struct tuned tuned;
    cr_expect_not(finds("matmul", "m=1024,n=1024,k=1024", &device));
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    cr_assert(find_for("matmul", "m=1024,n=1024,k=1024", &device, MEMORY_PAGEABLE, &tuned));
    cr_assert_eq(tuned.count, 2);
    cr_expect_str_eq(tuned.contender[0].method, "portable");
    cr_expect_str_eq(tuned.contender[0].kernel_shape, "64x64 4x4");
    cr_expect_eq(tuned.contender[0].end, TUNED_FAST);
    cr_expect_str_eq(tuned.contender[1].method, "clblast");
    cr_expect_str_empty(tuned.contender[1].kernel_shape);
    cr_expect_eq(tuned.contender[1].end, TUNED_BAD);
    cr_expect_eq(strlen(tuned.since), 10);
    cr_expect_eq(tuned.since[4], '-');
}

/* --retune: what the file has is raced again, once for each class of sizes. */
Test(tuning_cache, opened_anew_it_finds_what_this_run_remembers_alone)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("matmul", "m=1024,n=1024,k=1024");
    const struct tuning_key key = { .problem = &problem, .device = &device };
    struct tuning_cache cache;
    struct tuned tuned = two;
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    tuning_cache_open(&cache, true);
    cr_expect_not(tuning_cache_find(&cache, &key, &tuned));
    tuned = two;
    tuning_cache_remember(&cache, &key, &tuned);
    cr_expect(tuning_cache_find(&cache, &key, &tuned));
    tuning_cache_close(&cache);
}

Test(tuning_cache, keeps_races_apart)
{
    const struct device device = device_of();
    struct tuned tuned;
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    cr_expect_not(find_for("matmul", "m=1024,n=1024,k=1024", &device, MEMORY_MAPPED, &tuned), "other memory");
    cr_expect_not(finds("multiply", "n=1024", &device), "another workload");
    struct device other = device;
    strcpy(other.key, "opencl/B");
    cr_expect_not(finds("matmul", "m=1024,n=1024,k=1024", &other), "another device");
}

Test(tuning_cache, serves_a_class_of_sizes)
{
    static const struct {
        const char *shape;
        bool is_served;
    } cases[] = {
        { "m=1024,n=1024,k=1024", true },
        { "m=2048,n=2048,k=2048", true },
        { "m=4096,n=4096,k=4096", true },
        { "m=256,n=4096,k=1008", true },
        { "m=4112,n=1024,k=1024", false } /* more than 4 times */,
        { "m=240,n=1024,k=1024", false },
        { "m=1000,n=1024,k=1024", false } /* aligned to 8 only */,
        { "m=1024,n=1025,k=1024", false },
        { "m=1024,n=1024,k=1020", false },
    };
    const struct device device = device_of();
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(finds("matmul", cases[i].shape, &device), cases[i].is_served, "%s", cases[i].shape);
    remember("conv", "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=1,pad=1", &device, &two);
    cr_expect(finds("conv", "n=8,c=64,h=56,w=56,k=128,r=3,s=3,stride=1,pad=1", &device));
    cr_expect_not(finds("conv", "n=8,c=64,h=56,w=56,k=64,r=5,s=5,stride=1,pad=1", &device), "another filter");
    cr_expect_not(finds("conv", "n=8,c=64,h=56,w=56,k=64,r=3,s=3,stride=2,pad=1", &device), "another stride");
}

Test(tuning_cache, forgets_what_another_driver_or_kernel_gave)
{
    const char *const shape = "m=1024,n=1024,k=1024";
    const struct device device = device_of();
    struct device other = device;
    remember("matmul", shape, &device, &two);
    strcpy(other.driver_version, "3.2");
    cr_expect_not(finds("matmul", shape, &other), "another driver");
    other = device;
    other.threads = 1;
    cr_expect_not(finds("matmul", shape, &other), "other threads");
    other = device;
    strcpy(other.isa, "avx2");
    cr_expect_not(finds("matmul", shape, &other), "another instruction set");
    other = device;
    strcpy(other.library[0].name, "cuBLAS");
    strcpy(other.library[0].version, "12.4");
    cr_expect_not(finds("matmul", shape, &other), "another library");
    cr_expect(finds("matmul", shape, &device));

    char path[PATH_MAX], text[8192] = "", *kernels;
    snprintf(path, sizeof path, "%s%s", folder.root, file_name);
    FILE *file = fopen(path, "r");
    cr_assert(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    kernels = strstr(text, "kernels ");
    cr_assert(kernels);
    kernels[8] = kernels[8] == '0' ? '1' : '0';
    tree_write(&folder, file_name, text);
    cr_expect_not(finds("matmul", shape, &device), "another kernel text");
}

/* The entry of a driver or a number of threads outlives runs with another. */
Test(tuning_cache, replaces_the_entry_that_it_would_find_and_no_other)
{
    const struct device device = device_of();
    struct device updated = device;
    struct tuned tuned, one = { .contender = { { .method = "portable", .kernel_shape = "128x128 8x8" } }, .count = 1 };
    strcpy(updated.driver_version, "4.0");
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    remember("multiply", "n=1024", &device, &two);
    remember("matmul", "m=2048,n=1024,k=1024", &updated, &two);
    remember("matmul", "m=1024,n=1024,k=1024", &updated, &one);
    cr_assert(find_for("matmul", "m=1024,n=1024,k=1024", &device, MEMORY_PAGEABLE, &tuned));
    cr_expect_eq(tuned.count, 2, "the former driver's entry was changed");
    cr_assert(find_for("matmul", "m=1024,n=1024,k=1024", &updated, MEMORY_PAGEABLE, &tuned));
    cr_expect_eq(tuned.count, 1);
    cr_expect_str_eq(tuned.contender[0].kernel_shape, "128x128 8x8");
    cr_expect_not(finds("matmul", "m=8192,n=1024,k=1024", &updated), "the entry of 2048 is still there");
    cr_expect(finds("multiply", "n=2048", &device), "another workload's entry is gone");
}

/* Being within a factor of 4 is no equivalence: what serves 2048 as well as 8192 replaces one of them. */
Test(tuning_cache, keeps_the_entries_on_both_sides_of_a_size)
{
    const struct device device = device_of();
    struct tuned one = { .contender = { { .method = "portable", .kernel_shape = "128x128 8x8" } }, .count = 1 }, tuned;
    remember("multiply", "n=1024", &device, &two);
    remember("multiply", "n=16384", &device, &two);
    remember("multiply", "n=4096", &device, &one);
    cr_expect(finds("multiply", "n=256", &device), "the entry of 1024 is gone");
    cr_expect_not(finds("multiply", "n=65536", &device), "the latest was replaced");
    cr_assert(find_for("multiply", "n=16384", &device, MEMORY_PAGEABLE, &tuned));
    cr_expect_eq(tuned.count, 1);
}

/* Each has an entry of its own; none may be lost between another's reading and renaming. */
Test(tuning_cache, processes_that_write_at_the_same_time_lose_nothing)
{
    enum { PROCESSES = 8 };
    const struct device device = device_of();
    char shape[32];
    pid_t pid[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        snprintf(shape, sizeof shape, "n=%lld", 1LL << (4 + 3 * i));
        pid[i] = fork();
        cr_assert_geq(pid[i], 0);
        if (pid[i] == 0) {
            remember("multiply", shape, &device, &two);
            _exit(0);
        }
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        cr_assert_eq(waitpid(pid[i], &status, 0), pid[i]);
        cr_expect_eq(status, 0);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        snprintf(shape, sizeof shape, "n=%lld", 1LL << (4 + 3 * i));
        cr_expect(finds("multiply", shape, &device), "%s is lost", shape);
    }
}

/* Process ids do not tell the writers apart: those of two containers may be equal. The second file of one process would
 * have had the name of the first, and removed it. */
Test(tuning_cache, files_that_are_written_at_the_same_time_have_names_of_their_own)
{
    struct atomic_file one, other;
    struct error err = { .status = STATUS_OK };
    struct stat status;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/file", folder.root);
    cr_assert(atomic_file_open(&one, path, &err), "%s", err.message);
    cr_assert(atomic_file_open(&other, path, &err), "%s", err.message);
    cr_expect_str_neq(one.beside, other.beside);
    cr_expect(atomic_file_keep(&one, &err), "%s", err.message);
    cr_expect(atomic_file_keep(&other, &err), "%s", err.message);
    const mode_t mask = umask(0);
    umask(mask);
    cr_assert_eq(stat(path, &status), 0);
    cr_expect_eq(status.st_mode & 0777, 0666 & ~mask, "others may read what the umask allows");
}

Test(tuning_cache, keeps_what_another_run_has_written_meanwhile)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("multiply", "n=4096");
    struct tuning_cache cache;
    struct error err = { .status = STATUS_OK };
    struct tuned tuned = two;
    tuning_cache_open(&cache, false);
    remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
    tuning_cache_remember(&cache, &(struct tuning_key){ .problem = &problem, .device = &device }, &tuned);
    cr_expect(tuning_cache_write(&cache, &err), "%s", err.message);
    tuning_cache_close(&cache);
    cr_expect(finds("matmul", "m=1024,n=1024,k=1024", &device));
    cr_expect(finds("multiply", "n=4096", &device));
}

Test(tuning_cache, ignores_a_file_that_is_no_good_with_one_sentence)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "", "is damaged" },
        { "{\"format\": \"bench-tuning/1\", \"entries\": [", "is damaged" },
        { "[1, 2]", "does not have the form" },
        { "{\"format\": \"bench-tuning/9\", \"entries\": []}", "does not have the form of bench-tuning/1" },
        { "{\"format\": \"bench-tuning/1\"}", "does not have the form" },
    };
    const struct device device = device_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tuning_cache cache;
        tree_write(&folder, file_name, cases[i].text);
        tuning_cache_open(&cache, false);
        cr_expect(strstr(cache.trouble, cases[i].why), "%s: %s", cases[i].text, cache.trouble);
        cr_expect(strstr(cache.trouble, file_name), "%s does not name the file", cache.trouble);
        cr_expect_null(strchr(cache.trouble, '\n'));
        tuning_cache_close(&cache);
        cr_expect_not(finds("matmul", "m=1024,n=1024,k=1024", &device));
    }
}

Test(tuning_cache, replaces_a_damaged_file)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("multiply", "n=4096");
    struct tuning_cache cache;
    struct error err = { .status = STATUS_OK };
    struct tuned tuned = two;
    tree_write(&folder, file_name, "damaged");
    tuning_cache_open(&cache, false);
    tuning_cache_remember(&cache, &(struct tuning_key){ .problem = &problem, .device = &device }, &tuned);
    cr_expect(tuning_cache_write(&cache, &err), "%s", err.message);
    tuning_cache_close(&cache);
    cr_expect(finds("multiply", "n=4096", &device));
}

/* Entries of workloads, types and shapes that this program does not have serve nobody, and do no harm; nor do entries
 * that are something else. */
Test(tuning_cache, passes_over_entries_that_it_does_not_know)
{
    static const char *const entries[] = {
        "{\"device\": \"opencl/A\", \"setting\": \"\", \"workload\": \"sorting\", \"dtype\": \"i8\", \"shape\": "
        "\"n=1\", "
        "\"memory\": \"pageable\", \"since\": \"2026-01-01\", \"contenders\": []}",
        "{\"device\": 7}",
        "[]",
        "null",
    };
    const struct device device = device_of();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char text[400];
        snprintf(text, sizeof text, "{\"format\": \"bench-tuning/1\", \"entries\": [%s]}", entries[i]);
        tree_write(&folder, file_name, text);
        cr_expect_not(finds("matmul", "m=1024,n=1024,k=1024", &device));
        remember("matmul", "m=1024,n=1024,k=1024", &device, &two);
        cr_expect(finds("matmul", "m=1024,n=1024,k=1024", &device));
    }
}

/* Of an entry that serves, contenders without a known end are left out, and so are more than there is room for. */
Test(tuning_cache, takes_no_contender_that_it_cannot_judge)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("multiply", "n=4096");
    const struct tuning_key key = { .problem = &problem, .device = &device };
    struct tuning_cache cache;
    struct tuned tuned = two;
    json_t *end = json_string("slow"), *many = json_array();
    tuning_cache_open(&cache, true);
    tuning_cache_remember(&cache, &key, &tuned);
    json_t *contenders = json_object_get(json_array_get(cache.entries, 0), "contenders");
    json_object_set_new(json_array_get(contenders, 0), "end", end);
    cr_expect(tuning_cache_find(&cache, &key, &tuned) && tuned.count == two.count - 1);
    for (unsigned i = 0; i < 2 * TUNED_MAX; i++)
        json_array_append(many, json_array_get(contenders, 1));
    json_object_set_new(json_array_get(cache.entries, 0), "contenders", many);
    cr_expect(tuning_cache_find(&cache, &key, &tuned) && tuned.count == TUNED_MAX);
    tuning_cache_close(&cache);
}

Test(tuning_cache, says_when_it_cannot_write)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("multiply", "n=4096");
    struct tuning_cache cache;
    struct error err = { .status = STATUS_OK };
    struct tuned tuned = two;
    char in_the_way[PATH_MAX];
    snprintf(in_the_way, sizeof in_the_way, "%s/file", folder.root);
    tree_write(&folder, "/file", "not a folder");
    setenv("XDG_CACHE_HOME", in_the_way, 1);
    tuning_cache_open(&cache, false);
    cr_expect_str_empty(cache.trouble);
    cr_expect(tuning_cache_write(&cache, &err), "nothing to write is no failure");
    tuning_cache_remember(&cache, &(struct tuning_key){ .problem = &problem, .device = &device }, &tuned);
    cr_expect_not(tuning_cache_write(&cache, &err));
    cr_expect_eq(err.status, STATUS_FAILED);
    cr_expect(strstr(err.message, in_the_way), "%s", err.message);
    tuning_cache_close(&cache);
}

Test(tuning_cache, leaves_a_folder_alone_that_it_may_not_write_to)
{
    const struct device device = device_of();
    const struct problem problem = problem_of("multiply", "n=4096");
    struct tuning_cache cache;
    struct error err = { .status = STATUS_OK };
    struct tuned tuned = two;
    if (geteuid() == 0)
        cr_skip_test("root may write to every folder");
    cr_assert_eq(chmod(folder.root, 0500), 0);
    tuning_cache_open(&cache, false);
    tuning_cache_remember(&cache, &(struct tuning_key){ .problem = &problem, .device = &device }, &tuned);
    cr_expect_not(tuning_cache_write(&cache, &err));
    cr_expect(strstr(err.message, "cannot make the folder"), "%s", err.message);
    tuning_cache_close(&cache);
    cr_assert_eq(chmod(folder.root, 0700), 0);
}

Test(tuning_cache, has_its_place_by_the_base_directory_specification)
{
    struct tuning_cache cache;
    setenv("XDG_CACHE_HOME", "relative/path", 1);
    tuning_cache_open(&cache, false);
    cr_expect_str_eq(cache.path, "/nowhere/.cache/bench/tuning-1.json");
    tuning_cache_close(&cache);
    unsetenv("XDG_CACHE_HOME");
    tuning_cache_open(&cache, false);
    cr_expect_str_eq(cache.path, "/nowhere/.cache/bench/tuning-1.json");
    tuning_cache_close(&cache);
    unsetenv("HOME");
    tuning_cache_open(&cache, false);
    cr_expect_str_empty(cache.path);
    cr_expect(strstr(cache.trouble, "set XDG_CACHE_HOME or HOME"), "%s", cache.trouble);
    struct error err = { .status = STATUS_OK };
    cr_expect(tuning_cache_write(&cache, &err));
    tuning_cache_close(&cache);
}
