#include "bench/backends/common/driver_cache.h"
#include "bench/backends/opencl/opencl.h"
#include "harness/base/file.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A source is the path of an .icd file or of a driver library. The sources follow the rules of two ICD loaders. ocl-icd
 * (libOpenCL(7)): OCL_ICD_VENDORS is a folder, an .icd file or a library; OPENCL_VENDOR_PATH is a folder. Khronos:
 * OCL_ICD_VENDORS is a folder; OCL_ICD_FILENAMES lists more libraries, separated by colons. */

static const char vendors[] = "/etc/OpenCL/vendors";

struct source_list {
    struct source *source;
    unsigned count, room;
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The driver library of a source: the first line of an .icd file, or the source itself. False, with errno or 0, where
 * there is none. */
static bool source_library(const char *source, char to[PATH_MAX])
{
    errno = 0;
    text_copy(to, PATH_MAX, ends_with(source, ".icd") ? host_line("", source).text : source);
    return *to;
}

/* The same for comparing: its real path where it has one, and the source itself where it names none. */
static void source_driver(const char *source, char to[PATH_MAX])
{
    char library[PATH_MAX];
    if (!source_library(source, library))
        text_copy(library, sizeof library, source); /* listing it says what is wrong with it */
    if (!strchr(library, '/') || !realpath(library, to))
        text_copy(to, PATH_MAX, library);
}

/* Two .icd files with the same library are one driver. */
static void source_list_add(void *context, const char *source)
{
    struct source_list *list = context;
    char driver[PATH_MAX], other[PATH_MAX];
    if (list->count == list->room || strlen(source) >= sizeof list->source->text)
        return;
    source_driver(source, driver);
    for (unsigned i = 0; i < list->count; i++) {
        source_driver(list->source[i].text, other);
        if (strcmp(driver, other) == 0)
            return;
    }
    text_copy(list->source[list->count++].text, sizeof list->source->text, source);
}

/* The value of a variable that is set and not empty, or NULL. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

unsigned opencl_sources(struct source out[], unsigned room, struct error *err)
{
    const char *directory = environment("OPENCL_VENDOR_PATH"), *variable = directory ? "OPENCL_VENDOR_PATH is " : "";
    const char *choice = environment("OCL_ICD_VENDORS"), *libraries = environment("OCL_ICD_FILENAMES");
    struct source_list list = { out, 0, room };
    char path[PATH_MAX];
    struct stat about;
    directory = directory ? directory : vendors;
    if (choice && (stat(choice, &about) == 0 ? S_ISDIR(about.st_mode) : strchr(choice, '/') != NULL)) {
        directory = choice;
        variable = "OCL_ICD_VENDORS is ";
        choice = NULL;
    }
    snprintf(path, sizeof path, "%s/%s", directory, choice ? choice : "*.icd");
    if (!choice)
        file_each(path, source_list_add, &list);
    else
        source_list_add(&list, ends_with(path, ".icd") && access(path, R_OK) == 0 ? path : choice);
    for (const char *at = libraries; at && *at; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (length > 0)
            source_list_add(&list, text_print("%.*s", (int)length, at).text);
        at += length;
    }
    if (list.count == 0)
        fail(err, STATUS_UNSUPPORTED, "no OpenCL driver was found (%s%s, %s)", variable, directory,
             access(directory, R_OK) == 0 ? "which has no .icd file" : "which cannot be read");
    return list.count;
}

bool opencl_source_select(const char *source, struct error *err)
{
    char library[PATH_MAX];
    if (!*source) {
        driver_cache_prepare();
        return true;
    }
    if (!source_library(source, library))
        return fail(err, STATUS_FAILED, "%s names no driver library%s%s", source, errno ? ": " : "",
                    errno ? strerror(errno) : "");

    if (driver_cache_is_of(library))
        driver_cache_prepare();

    /* ocl-icd reads OCL_ICD_VENDORS only. Khronos' loader expects a folder there, finds none, and loads what
     * OCL_ICD_FILENAMES lists. So both load this one driver. */
    setenv("OCL_ICD_VENDORS", source, 1);
    setenv("OCL_ICD_FILENAMES", library, 1);

    /* Mesa's rusticl shows only the drivers named in RUSTICL_ENABLE. iris is Intel's hardware, radeonsi AMD's, panfrost
     * Arm's, msm Qualcomm's, v3d Broadcom's; llvmpipe is the CPU once more, so only the user enables it
     * (docs.mesa3d.org/envvars.html). */
    if (strcasestr(library, "rusticl"))
        setenv("RUSTICL_ENABLE", "iris,radeonsi,panfrost,msm,v3d", 0);
    return true;
}

void opencl_source_error(const char *source, char *to, size_t room)
{
    char name[PATH_MAX];
    *to = '\0';
    if (!source_library(source, name))
        return; /* opencl_source_select has refused it */
    if (!loader_open(name))
        text_clean(to, room, loader_error());
}
