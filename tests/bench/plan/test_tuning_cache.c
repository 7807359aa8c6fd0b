/* What later runs find, under which settings, and what becomes of a file that is no good. */

#include "bench/plan/tuning_cache.h"
#include "harness/base/text.h"
#include "tests/support/tree.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct tree folder;
static const struct device device = {
    .key = "opencl/A", .platform = "P", .driver_version = "3.1", .class = CLASS_DGPU, .units = 8, .threads = 2
};
static struct cell cell; /* a product on that device */
static struct tuning_cache cache;
static struct error err;

static struct cell cell_of(const char *workload, const char *shape, const struct device *on)
{
    struct cell made = { .device = on };
    cr_assert(problem_parse(&made.problem, workload_find(workload), DTYPE_F32, shape, &err), "%s", err.message);
    return made;
}

static void folder_open(void)
{
    cell = cell_of("matmul", "m=64,n=64,k=64", &device);
    folder = tree_make(NULL);
    setenv("XDG_CACHE_HOME", folder.root, 1);
    setenv("HOME", "/nowhere", 1);
}

static void folder_close(void)
{
    tree_remove(&folder);
}

TestSuite(tuning_cache, .init = folder_open, .fini = folder_close);

static const char file_name[] = "/bench/tuning-3.json";

static void set(struct tuning_cache *in, const struct cell *of, const char *more, const char *value)
{
    char key[TUNING_KEY_MAX];
    tuning_cache_set(in, tuning_key(key, "method", of, 2, more), value, true);
}

/* What a new run finds. Returns "" for nothing. */
static const char *found(const struct cell *of, unsigned threads, const char *more)
{
    static char text[TUNING_VALUE_MAX];
    struct tuning_cache own;
    char key[TUNING_KEY_MAX];
    tuning_cache_open(&own, false);
    const char *value = tuning_cache_find(&own, tuning_key(key, "method", of, threads, more));
    snprintf(text, sizeof text, "%s", value ? value : "");
    tuning_cache_close(&own);
    return text;
}

static void remember(const struct cell *of, const char *more, const char *value)
{
    struct tuning_cache own;
    struct error why = { .status = STATUS_OK };
    tuning_cache_open(&own, false);
    set(&own, of, more, value);
    cr_expect(tuning_cache_write(&own, &why), "%s", why.message);
    tuning_cache_close(&own);
}

Test(tuning_cache, tells_a_later_run_what_an_earlier_one_found)
{
    cr_expect_str_empty(found(&cell, 2, "1024"));
    remember(&cell, "1024", "openblas");
    remember(&cell, "2048", "onednn");
    cr_expect_str_eq(found(&cell, 2, "1024"), "openblas");
    cr_expect_str_eq(found(&cell, 2, "2048"), "onednn");
    remember(&cell, "1024", "native");
    cr_expect_str_eq(found(&cell, 2, "1024"), "native");
    cr_expect_str_eq(found(&cell, 2, "2048"), "onednn", "another value is gone");
}

Test(tuning_cache, a_run_does_not_undo_what_another_wrote_meanwhile)
{
    remember(&cell, "1024", "openblas");
    tuning_cache_open(&cache, false);
    remember(&cell, "1024", "onednn");
    set(&cache, &cell, "2048", "native");
    cr_expect(tuning_cache_write(&cache, &err), "%s", err.message);
    tuning_cache_close(&cache);
    cr_expect_str_eq(found(&cell, 2, "1024"), "onednn");
    cr_expect_str_eq(found(&cell, 2, "2048"), "native");
}

/* --retune: what the file has is found anew, once. */
Test(tuning_cache, opened_anew_it_finds_what_this_run_sets_alone)
{
    char key[TUNING_KEY_MAX];
    remember(&cell, "", "openblas");
    tuning_cache_open(&cache, true);
    tuning_key(key, "method", &cell, 2, "");
    cr_expect_null(tuning_cache_find(&cache, key));
    tuning_cache_set(&cache, key, "native", true);
    cr_expect_str_eq(tuning_cache_find(&cache, key), "native");
    tuning_cache_close(&cache);
}

Test(tuning_cache, what_is_for_one_run_is_not_written)
{
    char key[TUNING_KEY_MAX];
    tuning_cache_open(&cache, false);
    tuning_cache_set(&cache, tuning_key(key, "method", &cell, 2, ""), "native", false);
    cr_expect_str_eq(tuning_cache_find(&cache, key), "native");
    cr_expect(tuning_cache_write(&cache, &err));
    cr_expect_neq(access(cache.path, F_OK), 0);
    tuning_cache_close(&cache);
}

Test(tuning_cache, forgets_what_another_driver_or_kernel_gave)
{
    struct device other;
    struct cell changed = cell;
    changed.device = &other;
    remember(&cell, "", "portable");
    cr_expect_str_empty(found(&cell, 3, ""), "other threads of our own");
    const struct {
        char *member;
        const char *becomes;
    } changes[] = { { other.driver_version, "3.2" }, { other.isa, "avx2" }, { other.key, "opencl/B" } };
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        other = device;
        strcpy(changes[i].member, changes[i].becomes);
        cr_expect_str_empty(found(&changed, 2, ""), "%s", changes[i].becomes);
    }
    other = device;
    other.threads = 1;
    cr_expect_str_empty(found(&changed, 2, ""), "other threads of the driver");
    other = device;
    strcpy(other.library[0].name, "cuBLAS");
    strcpy(other.library[0].version, "12.4");
    cr_expect_str_empty(found(&changed, 2, ""), "a library more");
    remember(&changed, "", "cublas");
    cr_expect_str_eq(found(&changed, 2, ""), "cublas");
    strcpy(other.library[0].version, "12.5");
    cr_expect_str_empty(found(&changed, 2, ""), "another version of a library");
    const struct cell multiply = cell_of("multiply", "n=64", &device);
    cr_expect_str_empty(found(&multiply, 2, ""), "another workload");
    changed = cell;
    changed.problem.dtype = DTYPE_F64;
    cr_expect_str_empty(found(&changed, 2, ""), "another type");
    cr_expect_str_eq(found(&cell, 2, ""), "portable");

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
    cr_expect_str_empty(found(&cell, 2, ""), "another kernel text");
}

/* The key has the same kernel shapes in another order for another size. */
Test(tuning_cache, one_key_serves_all_sizes)
{
    struct device cpu = device;
    cpu.works_in_host_memory = true;
    cpu.class = CLASS_CPU;
    const struct cell small = cell_of("matmul", "m=128,n=128,k=128", &cpu),
                      large = cell_of("matmul", "m=4096,n=4096,k=4096", &cpu);
    remember(&small, "portable", "8x16");
    cr_expect_str_eq(found(&large, 2, "portable"), "8x16");
}

Test(tuning_cache, replaces_a_file_that_is_no_good)
{
    static const char *const texts[] = {
        "",
        "{\"format\": \"bench-tuning/3\", \"values\": {",
        "[1, 2]",
        "{\"format\": \"bench-tuning/9\", \"values\": {}}",
        "{\"format\": \"bench-tuning/3\"}",
        "{\"format\": \"bench-tuning/3\", \"values\": []}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tree_write(&folder, file_name, texts[i]);
        tuning_cache_open(&cache, false);
        set(&cache, &cell, "", "native");
        cr_expect(tuning_cache_write(&cache, &err), "%s: %s", texts[i], err.message);
        tuning_cache_close(&cache);
        cr_expect_str_eq(found(&cell, 2, ""), "native", "%s", texts[i]);
    }
}

/* Values that are no texts, or longer than any that is written, serve nobody and do no harm. */
Test(tuning_cache, passes_over_values_that_it_does_not_know)
{
    static const char *const values[] = {
        "7",
        "null",
        "[]",
        "\"native\"",
        "{\"text\": 5, \"until\": 0}",
        "{\"text\": \"native\"}",
        "{\"text\": \"a name that is longer than any name of a method or a kernel shape is\", \"until\": 0}",
    };
    char key[TUNING_KEY_MAX];
    tuning_key(key, "method", &cell, 2, "");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[TUNING_KEY_MAX + 300];
        snprintf(text, sizeof text, "{\"format\": \"bench-tuning/3\", \"values\": {\"%s\": %s}}", key, values[i]);
        char *until = strstr(text, "\"until\": 0");
        if (until)
            snprintf(until, sizeof text - (size_t)(until - text), "\"until\": %ld}}}", (long)time(NULL) + 1000);
        tree_write(&folder, file_name, text);
        cr_expect_str_empty(found(&cell, 2, ""), "%s", values[i]);
        remember(&cell, "", "native");
        cr_expect_str_eq(found(&cell, 2, ""), "native");
    }
}

/* Then the file begins anew. */
Test(tuning_cache, keeps_no_more_than_five_thousand_values)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", folder.root, file_name);
    for (unsigned more = 0; more < 2; more++) {
        remember(&cell, "first", "native");
        json_t *file = json_load_file(path, 0, NULL), *values = json_object_get(file, "values");
        for (unsigned i = 0; json_object_size(values) < 5000 + more; i++)
            json_object_set_new(values, text_print("%u", i).text, json_object());
        cr_assert_eq(json_dump_file(file, path, 0), 0);
        json_decref(file);
        remember(&cell, "last", "onednn");
        cr_expect_str_eq(found(&cell, 2, "last"), "onednn");
        cr_expect_str_eq(found(&cell, 2, "first"), more ? "" : "native");
    }
}

/* A clock that was set back does not keep them for ever. */
Test(tuning_cache, forgets_after_thirty_days)
{
    static const struct {
        long days;
        const char *text;
    } cases[] = { { 29, "native" }, { 1, "native" }, { -1, "" }, { -400, "" }, { 31, "" }, { 4000, "" } };
    char key[TUNING_KEY_MAX];
    tuning_key(key, "method", &cell, 2, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TUNING_KEY_MAX + 300];
        snprintf(text, sizeof text,
                 "{\"format\": \"bench-tuning/3\", \"values\": {\"%s\": {\"text\": \"native\", \"until\": %ld}}}", key,
                 (long)time(NULL) + cases[i].days * 24 * 60 * 60);
        tree_write(&folder, file_name, text);
        cr_expect_str_eq(found(&cell, 2, ""), cases[i].text, "%ld days", cases[i].days);
    }
}

Test(tuning_cache, says_when_it_cannot_write)
{
    char in_the_way[PATH_MAX];
    snprintf(in_the_way, sizeof in_the_way, "%s/file", folder.root);
    tree_write(&folder, "/file", "not a folder");
    setenv("XDG_CACHE_HOME", in_the_way, 1);
    tuning_cache_open(&cache, false);
    cr_expect(tuning_cache_write(&cache, &err), "nothing to write is no failure");
    set(&cache, &cell, "", "native");
    cr_expect_not(tuning_cache_write(&cache, &err));
    cr_expect_eq(err.status, STATUS_FAILED);
    cr_expect(strstr(err.message, in_the_way), "%s", err.message);
    tuning_cache_close(&cache);
}

Test(tuning_cache, has_its_place_in_the_folder_of_the_user)
{
    unsetenv("XDG_CACHE_HOME");
    tuning_cache_open(&cache, false);
    cr_expect_str_eq(cache.path, "/nowhere/.cache/bench/tuning-3.json");
    tuning_cache_close(&cache);
    unsetenv("HOME");
    tuning_cache_open(&cache, false);
    cr_expect_str_empty(cache.path);
    cr_expect(tuning_cache_write(&cache, &err));
    tuning_cache_close(&cache);
}
