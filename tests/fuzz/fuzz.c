#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(char path[FUZZ_PATH], const void *data, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no memory for the file of an input");
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

void must(bool holds, const char *sentence)
{
    if (holds)
        return;
    fprintf(stderr, "It does not hold: %s\n", sentence);
    abort();
}

void must_agree(bool succeeded, const struct error *err)
{
    must(succeeded == (err->status == STATUS_OK), "a call fails exactly where its error has a status");
    must(succeeded || *err->message, "a failure says why");
}

/* The bytes of the UTF-8 character there; 0: none. */
static size_t character(const unsigned char *at, size_t left)
{
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (i >= left || (at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void must_be_clean(const char *text, size_t size, const char *what)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0, length; i < size; i += length) {
        bool is_line_end = bytes[i] == '\n' || (bytes[i] == '\r' && i + 1 < size && bytes[i + 1] == '\n');
        length = character(&bytes[i], size - i);
        if (length == 0 || (bytes[i] < 0x20 && !is_line_end) || bytes[i] == 0x7f) {
            fprintf(stderr, "%s has the byte 0x%02x at %zu\n", what, bytes[i], i);
            abort();
        }
    }
}

void fuzz_sink_open(struct fuzz_sink *sink)
{
    *sink = (struct fuzz_sink){ 0 };
    sink->out = open_memstream(&sink->text, &sink->size);
    must(sink->out != NULL, "no memory for what is written");
}

void fuzz_sink_close(struct fuzz_sink *sink)
{
    must(fclose(sink->out) == 0, "no memory for what is written");
    sink->out = NULL;
}
