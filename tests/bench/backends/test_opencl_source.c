/* Which OpenCL drivers are found without loading one, following the variables of two ICD loaders, and the message for
 * drivers that show no device. */

#include "bench/backends/backend.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct backend backend_opencl;

static char folder[PATH_MAX];
static struct source found[SOURCES_MAX];
static struct error err;

static void folder_make(void)
{
    struct error none = { .status = STATUS_OK };
    snprintf(folder, sizeof folder, "%s", "/tmp/bench-icd-XXXXXX");
    cr_assert(mkdtemp(folder));
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("OPENCL_VENDOR_PATH");
    unsetenv("OCL_ICD_FILENAMES");
    err = none;
    /* A build without OpenCL finds nothing and says so. */
    backend_opencl.sources(found, SOURCES_MAX, &err);
    if (strstr(err.message, "built without"))
        cr_skip_test("%s", err.message);
    err = none;
}

static void folder_remove(void)
{
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(source, .init = folder_make, .fini = folder_remove);

static const char *in_folder(const char *name)
{
    static char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void icd_write(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

static unsigned sources(void)
{
    return backend_opencl.sources(found, SOURCES_MAX, &err);
}

Test(source, a_directory_gives_its_icd_files_in_alphabetical_order)
{
    icd_write("b.icd", "libb.so\n");
    icd_write("a.icd", "liba.so");
    icd_write("readme.txt", "libc.so");
    setenv("OCL_ICD_VENDORS", folder, 1);
    cr_assert_eq(sources(), 2);
    cr_expect_str_eq(found[0].text, in_folder("a.icd"));
    cr_expect_str_eq(found[1].text, in_folder("b.icd"));
    cr_expect_eq(err.status, STATUS_OK);
}

Test(source, two_icd_files_of_one_library_are_one_driver)
{
    icd_write("a.icd", "libsame.so.1\n");
    icd_write("b.icd", "  libsame.so.1");
    icd_write("c.icd", "libother.so.1");
    setenv("OCL_ICD_VENDORS", folder, 1);
    cr_assert_eq(sources(), 2);
    cr_expect_str_eq(found[0].text, in_folder("a.icd"));
    cr_expect_str_eq(found[1].text, in_folder("c.icd"));
}

Test(source, a_link_to_a_library_is_that_library)
{
    char text[2][2 * PATH_MAX];
    icd_write("libreal.so", "");
    snprintf(text[0], sizeof text[0], "%s", in_folder("libreal.so"));
    snprintf(text[1], sizeof text[1], "%s", in_folder("liblink.so"));
    cr_assert_eq(symlink(text[0], text[1]), 0);
    icd_write("a.icd", text[0]);
    icd_write("b.icd", text[1]);
    setenv("OCL_ICD_VENDORS", folder, 1);
    cr_expect_eq(sources(), 1);
}

Test(source, one_icd_file_may_be_named)
{
    icd_write("a.icd", "liba.so");
    icd_write("b.icd", "libb.so");
    setenv("OCL_ICD_VENDORS", in_folder("b.icd"), 1);
    cr_assert_eq(sources(), 1);
    cr_expect_str_eq(found[0].text, in_folder("b.icd"));
}

Test(source, a_name_without_a_slash_is_searched_for_in_the_vendor_path)
{
    icd_write("b.icd", "libb.so");
    setenv("OPENCL_VENDOR_PATH", folder, 1);
    setenv("OCL_ICD_VENDORS", "b.icd", 1);
    cr_assert_eq(sources(), 1);
    cr_expect_str_eq(found[0].text, in_folder("b.icd"));
}

Test(source, a_library_may_be_named_directly)
{
    icd_write("libdriver.so.1", "");
    setenv("OCL_ICD_VENDORS", in_folder("libdriver.so.1"), 1);
    cr_assert_eq(sources(), 1);
    cr_expect_str_eq(found[0].text, in_folder("libdriver.so.1"));
}

Test(source, a_file_that_does_not_exist_is_named)
{
    setenv("OCL_ICD_VENDORS", in_folder("libdriver.so.1"), 1);
    cr_expect_eq(sources(), 0);
    cr_expect(strstr(err.message, "which cannot be read"), "%s", err.message);
}

Test(source, khronos_list_of_libraries_adds_to_the_directory)
{
    icd_write("a.icd", "liba.so");
    setenv("OPENCL_VENDOR_PATH", folder, 1);
    setenv("OCL_ICD_FILENAMES", "libx.so::liba.so:liby.so", 1);
    cr_assert_eq(sources(), 3);
    cr_expect_str_eq(found[1].text, "libx.so");
    cr_expect_str_eq(found[2].text, "liby.so");
}

Test(source, nothing_found_is_one_sentence)
{
    setenv("OPENCL_VENDOR_PATH", folder, 1);
    cr_expect_eq(sources(), 0);
    cr_expect_eq(err.status, STATUS_UNSUPPORTED);
    cr_expect(strstr(err.message, folder), "where it looked is left out: %s", err.message);
}

/* It is a source, so that the list of devices says what is wrong with it. */
Test(source, an_empty_or_unreadable_icd_file_is_reported)
{
    static const char *const wanted[] = { "names no driver library", "names no driver library", "Is a directory",
                                          "No such file or directory" };
    struct device device[1];
    unsigned count;
    icd_write("a.icd", "");
    icd_write("b.icd", "\n");
    cr_assert_eq(mkdir(in_folder("c.icd"), 0700), 0);
    cr_assert_eq(symlink("/nowhere", in_folder("d.icd")), 0);
    setenv("OCL_ICD_VENDORS", folder, 1);
    cr_assert_eq(sources(), 4);
    for (unsigned i = 0; i < 4; i++) {
        struct error why = { .status = STATUS_OK };
        cr_expect_not(backend_opencl.list(found[i].text, device, 1, &count, &why));
        cr_expect(strstr(why.message, found[i].text) && strstr(why.message, wanted[i]), "%s", why.message);
    }
}

Test(source, the_list_does_not_exceed_its_room)
{
    icd_write("a.icd", "liba.so");
    icd_write("b.icd", "libb.so");
    setenv("OCL_ICD_VENDORS", folder, 1);
    cr_expect_eq(backend_opencl.sources(found, 1, &err), 1);
}

Test(source, a_library_that_cannot_be_loaded_says_so)
{
    struct device device[1];
    unsigned count = 1;
    icd_write("a.icd", "libthere_is_no_such_driver.so.1");
    cr_assert_not(backend_opencl.list(in_folder("a.icd"), device, 1, &count, &err));
    cr_expect_eq(err.status, STATUS_FAILED);
    cr_expect(strstr(err.message, "libthere_is_no_such_driver.so.1"), "%s", err.message);
}

Test(source, a_platform_without_devices_is_reported_and_not_an_error)
{
    struct device device[DEVICES_MAX];
    unsigned count = 1, all = sources(), chosen = 0;
    while (chosen < all && !strstr(found[chosen].text, "rusticl"))
        chosen++;
    if (chosen == all)
        cr_skip_test("rusticl is not installed");
    setenv("RUSTICL_ENABLE", "", 1);
    cr_assert(backend_opencl.list(found[chosen].text, device, DEVICES_MAX, &count, &err), "%s", err.message);
    cr_expect_eq(count, 0);
    cr_expect_str_eq(err.message, "rusticl: a platform without devices");
}

Test(source, rusticl_shows_software_devices_only_on_request)
{
    struct device device[DEVICES_MAX];
    unsigned count = 0, all = sources(), chosen = 0;
    while (chosen < all && !strstr(found[chosen].text, "rusticl"))
        chosen++;
    if (chosen == all)
        cr_skip_test("rusticl is not installed");
    unsetenv("RUSTICL_ENABLE");
    cr_assert(backend_opencl.list(found[chosen].text, device, DEVICES_MAX, &count, &err), "%s", err.message);
    for (unsigned i = 0; i < count; i++)
        cr_expect_null(strstr(device[i].name, "llvmpipe"));
    cr_expect_str_eq(getenv("RUSTICL_ENABLE"), "iris,radeonsi,panfrost,msm,v3d");
}
