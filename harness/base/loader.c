#include "harness/base/loader.h"

#include "harness/base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

void *loader_open(const char *file)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void *loader_find(const char *file)
{
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

void loader_close(void *library)
{
    dlclose(library);
}

void *loader_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

bool loader_path(void *library, char to[PATH_MAX])
{
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    text_copy(to, PATH_MAX, map->l_name);
    return true;
}

const char *loader_error(void)
{
    const char *why = dlerror();
    return why ? why : "";
}
