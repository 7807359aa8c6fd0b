#include "harness/base/library.h"

#include "harness/base/file.h"
#include "harness/base/loader.h"
#include "harness/base/text.h"

#include <string.h>

void *library_load(const char *const sonames[], const char *package, struct error *err)
{
    for (unsigned i = 0; sonames[i]; i++) {
        void *library = loader_open(sonames[i]);
        if (library)
            return library;
    }
    /* The reason may contain a long path, so the package comes first. */
    return fail_null_in(err, "dlopen", STATUS_UNSUPPORTED, "needs Debian's package %s: %.120s", package,
                        loader_error());
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
    const char *end = strrchr(path, '/');
    if (end)
        file_each(text_print("%.*s/%s", (int)(end - path), path, pattern).text, load, NULL);
}
