#include "bench/backends/common/driver_cache.h"
#include "bench/backends/opencl/opencl.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"
#include "harness/machine/files.h"

#include <dirent.h>
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

/* The sources found so far and their libraries: two .icd files with the same library are one driver. */
struct source_list {
    struct source *source;
    char (*library)[PATH_MAX];
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

static void source_list_add(struct source_list *list, const char *source)
{
    char library[PATH_MAX], real[PATH_MAX];
    if (list->count == list->room || strlen(source) >= sizeof list->source->text)
        return;
    if (!source_library(source, library))
        text_copy(library, sizeof library, source); /* listing it says what is wrong with it */
    if (strchr(library, '/') && realpath(library, real))
        text_copy(library, sizeof library, real);
    for (unsigned i = 0; i < list->count; i++) {
        if (strcmp(list->library[i], library) == 0)
            return;
    }
    text_copy(list->library[list->count], PATH_MAX, library);
    text_copy(list->source[list->count].text, sizeof list->source->text, source);
    list->count++;
}

/* Says what the folder lacks where it has no driver. */
static const char *source_list_add_directory(struct source_list *list, const char *directory)
{
    struct dirent **entry = NULL;
    int count = scandir(directory, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (ends_with(entry[i]->d_name, ".icd") &&
            snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name) < (int)sizeof path)
            source_list_add(list, path);
        free(entry[i]);
    }
    free(entry);
    return count < 0 ? "which cannot be read" : count <= 2 ? "which is empty" : "which has no .icd file";
}

/* The value of a variable that is set and not empty, or NULL. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* What LD_LIBRARY_PATH may put in the place of the ICD loader: nothing would be found, whatever is installed. */
static bool loader_is_whole(struct error *err)
{
    char path[PATH_MAX];
    void *library = loader_find("libOpenCL.so.1");
    const bool is_whole = !library || loader_symbol(library, "clGetPlatformIDs");
    if (!is_whole && loader_path(library, path))
        fail(err, STATUS_FAILED, "the OpenCL loader %.300s lacks clGetPlatformIDs", path);
    if (library)
        loader_close(library);
    return is_whole;
}

unsigned opencl_sources(struct source out[], unsigned room, struct error *err)
{
    if (!loader_is_whole(err))
        return 0;
    const char *directory = environment("OPENCL_VENDOR_PATH"), *choice = environment("OCL_ICD_VENDORS");
    const char *libraries = environment("OCL_ICD_FILENAMES");
    struct source_list list = { out, calloc(room, sizeof *list.library), 0, room };
    if (!list.library) {
        fail(err, STATUS_NO_MEMORY, "no memory for a list of %u OpenCL drivers", room);
        return 0;
    }
    if (!directory)
        directory = vendors;
    char beside[PATH_MAX] = "";
    struct stat about;
    const char *lack = "";
    if (choice && !strchr(choice, '/'))
        snprintf(beside, sizeof beside, "%s/%s", directory, choice);

    if (!choice)
        lack = source_list_add_directory(&list, directory);
    else if (stat(choice, &about) == 0 && S_ISDIR(about.st_mode))
        lack = source_list_add_directory(&list, directory = choice);
    else if (strchr(choice, '/') && access(choice, F_OK) != 0)
        lack = "which does not exist", directory = choice;
    else if (ends_with(beside, ".icd") && access(beside, R_OK) == 0)
        source_list_add(&list, beside);
    else
        source_list_add(&list, choice);
    char *copy = libraries ? strdup(libraries) : NULL, *rest = copy;
    for (char *library; copy && (library = strsep(&rest, ":"));)
        if (*library)
            source_list_add(&list, library);
    free(copy);
    free(list.library);

    const char *variable = choice ? "OCL_ICD_VENDORS is " : directory != vendors ? "OPENCL_VENDOR_PATH is " : "";
    if (list.count == 0)
        fail(err, STATUS_UNSUPPORTED, "no OpenCL driver was found (%s%s, %s)", variable, directory, lack);
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
    if (setenv("OCL_ICD_VENDORS", source, 1) != 0 || setenv("OCL_ICD_FILENAMES", library, 1) != 0)
        return fail(err, STATUS_NO_MEMORY, "no memory to set OCL_ICD_VENDORS to %s", source);

    /* Mesa's rusticl shows only the drivers named in RUSTICL_ENABLE. iris is Intel's hardware, radeonsi AMD's, panfrost
     * Arm's, msm Qualcomm's, v3d Broadcom's; llvmpipe is the CPU once more, so only the user enables it
     * (docs.mesa3d.org/envvars.html). */
    if (strcasestr(library, "rusticl") && setenv("RUSTICL_ENABLE", "iris,radeonsi,panfrost,msm,v3d", 0) != 0)
        return fail(err, STATUS_NO_MEMORY, "no memory to set RUSTICL_ENABLE");
    return true;
}

/* What an ICD loader asks a library for, directly or by the other function. */
static bool has_platforms(void *library)
{
    static const char entry[] = "clIcdGetPlatformIDsKHR";
    void *(*find)(const char *name);
    void *symbol = loader_symbol(library, "clGetExtensionFunctionAddress");
    memcpy(&find, &symbol, sizeof find); /* ISO C has no conversion to a function */
    return loader_symbol(library, entry) || (find && find(entry));
}

void opencl_source_error(const char *source, char *to, size_t room)
{
    char name[PATH_MAX];
    *to = '\0';
    if (!source_library(source, name))
        return; /* opencl_source_select has refused it */
    /* Stays open: drivers start threads that do not survive unloading. */
    void *library = loader_open(name);
    if (!library)
        text_clean(to, room, loader_error());
    else if (!has_platforms(library))
        snprintf(to, room, "%.80s is no OpenCL driver: it lacks clIcdGetPlatformIDsKHR", name);
}
