/* A command line is parsed, or refused with a reason, whatever its words are. The input is words; a byte 0 ends each.
 */

#include "bench/cli/options.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64 };

/* The words of the input behind the program's name. Returns how many there are; they point into `copy`. */
static int words_of(char *copy, size_t size, char *word[WORDS_MAX + 1])
{
    static char name[] = "bench";
    int count = 0;
    word[count++] = name;
    for (size_t at = 0; at < size && count < WORDS_MAX; at += strlen(&copy[at]) + 1)
        word[count++] = &copy[at];
    word[count] = NULL;
    return count;
}

/* What the journal keeps of a command gives the same options when it is resumed. */
static void check_again(const struct options *options, int count, char *const word[])
{
    struct options again;
    struct error err = { .status = STATUS_OK };
    char text[4096];
    json_t *one = options_to_json(options);
    must(one != NULL, "options become JSON");
    must(options_parse(&again, count, word, &err), "a command that was parsed is parsed again");
    json_t *other = options_to_json(&again);
    must(json_equal(one, other), "a command gives the same options again");
    options_repro(options, text, sizeof text);
    must_be_clean(text, strlen(text), "the command to repeat a row");
    json_decref(one);
    json_decref(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(1, size + 1), *word[WORDS_MAX + 1];
    memcpy(copy, data, size);
    int count = words_of(copy, size, word);
    struct options options;
    struct error err = { .status = STATUS_OK };
    bool is_parsed = options_parse(&options, count, word, &err);
    must_agree(is_parsed, &err);
    must(is_parsed || err.status == STATUS_USAGE, "a command that cannot be parsed is a mistake of its user");
    if (is_parsed && options.verb == VERB_RUN)
        check_again(&options, count, word);
    free(copy);
    return 0;
}
