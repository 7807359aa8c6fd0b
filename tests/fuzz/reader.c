/* A journal's file becomes a record, whatever its bytes are. */

#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH], fault[FAULTS_MAX][FAULT_ROOM];
    struct result result;
    struct error err = { .status = STATUS_OK };
    int file = fuzz_file(path, data, size);
    bool is_read = result_read(&result, path, &err);
    must_agree(is_read, &err);
    must(!is_read || result.record, "a journal that was read has a record");
    if (is_read) {
        bool is_damaged = result_left_out(&result) > 0;
        unsigned faults = result_faults(&result, fault);
        must(faults <= FAULTS_MAX && (faults > 0 || !is_damaged), "damage is described");
        for (unsigned i = 0; i < faults; i++)
            must_be_clean(fault[i], strlen(fault[i]), "a sentence about a journal");
    }
    result_release(&result);
    close(file);
    return 0;
}
