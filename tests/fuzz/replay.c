/* Calls a fuzz target with files, one after the other, and prints TAP. Folders stand for the files in them. */

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

static void replay(const char *path)
{
    FILE *in = fopen(path, "rb");
    must(in && fseek(in, 0, SEEK_END) == 0, path);
    size_t size = (size_t)ftell(in);
    uint8_t *data = malloc(size + 1); /* of the exact size for sanitizers, but never NULL */
    must(data && fseek(in, 0, SEEK_SET) == 0 && fread(data, 1, size, in) == size, path);
    fclose(in);
    uint8_t *exact = size > 0 ? realloc(data, size) : data;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char *argv[])
{
    unsigned number = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        struct dirent **entry = NULL;
        int count = scandir(argv[i], &entry, is_visible, alphasort);
        for (int k = 0; k < count; k++) {
            char path[PATH_ROOM];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry[k]->d_name);
            replay(path);
            printf("ok %u - %s\n", ++number, entry[k]->d_name);
            free(entry[k]);
        }
        free(entry);
    }
    printf("1..%u\n", number);
    return number == 0;
}
