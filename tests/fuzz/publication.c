/* The public part of a journal can be written, whatever its bytes are, and publishing it again changes nothing more. */

#include "harness/publish/publication.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the public part into the sink, with flaws, too. False where it is no journal; *fit: it may be published. */
static bool publish_to(struct fuzz_sink *sink, bool *fit, const void *data, size_t size)
{
    char path[FUZZ_PATH];
    struct publication publication;
    struct error err = { .status = STATUS_OK };
    int file = fuzz_file(path, data, size);
    fuzz_sink_open(sink);
    bool is_written = publication_open(&publication, path, BENCH_VERSION, "fake", &err);
    must_agree(is_written, &err);
    if (is_written) {
        for (unsigned i = 0; i < publication.flaws.count; i++)
            must_be_clean(publication.flaws.label[i], strlen(publication.flaws.label[i]), "a flaw");
        must(*publication.machine && *publication.name, "a publication has names");
        is_written = publication_write(&publication, sink->out, &err);
        *fit = is_written && publication.flaws.count == 0;
    }
    publication_close(&publication);
    fuzz_sink_close(sink);
    close(file);
    return is_written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_sink once, twice;
    bool fit = false, stays_fit = false;
    if (publish_to(&once, &fit, data, size)) {
        bool is_again = publish_to(&twice, &stays_fit, once.text, once.size);
        must(is_again || !fit, "what is published can be read");
        must(!is_again || (once.size == twice.size && memcmp(once.text, twice.text, once.size) == 0),
             "publishing twice changes nothing more");
        must(stays_fit || !fit, "what is published can be published");
        free(twice.text);
    }
    free(once.text);
    return 0;
}
