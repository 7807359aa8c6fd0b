#include "harness/base/library.h"

#include "harness/base/file.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void *library_load(const char *const sonames[], const char *package, struct error *err)
{
    for (unsigned i = 0; sonames[i]; i++) {
        void *library = loader_open(sonames[i]);
        if (library)
            return library;
    }
    char why[120]; /* may contain a long path, so the package comes first */
    text_clean(why, sizeof why, loader_error());
    return fail_null_in(err, "dlopen", STATUS_UNSUPPORTED, "needs Debian's package %s: %s", package, why);
}

bool library_bind(void *library, const char *name, const char *const symbols[], unsigned count, void *table,
                  struct error *err)
{
    bool has_all = true;
    for (unsigned i = 0; i < count; i++) {
        void *function = loader_symbol(library, symbols[i]);
        memcpy((char *)table + i * sizeof function, &function, sizeof function); /* ISO C has no cast for this */
        if (!function && has_all)
            has_all = fail_in(err, "dlsym", STATUS_UNSUPPORTED, "%s has no function %s", name, symbols[i]);
    }
    return has_all;
}

static void load(void *context, const char *path)
{
    loader_open(path);
}

void library_load_beside(const char *path, const char *pattern)
{
    char beside[PATH_MAX];
    const char *end = strrchr(path, '/');
    const int needed = end ? snprintf(beside, sizeof beside, "%.*s/%s", (int)(end - path), path, pattern) : 0;
    if (needed > 0 && (size_t)needed < sizeof beside)
        file_each(beside, load, NULL);
}
