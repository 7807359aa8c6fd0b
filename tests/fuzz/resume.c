/* A journal that breaks off anywhere is taken over to be completed: nothing that it holds is lost, and it can be read
 * again. The first line of the input is the command of the run, of which the head of the journal is made, or a head;
 * the other lines follow as they are. */

#include "bench/plan/resume.h"
#include "config.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 32, COMMAND_MAX = 512 };

/* The head of a journal that the command begins. Its options are empty where they cannot be parsed. */
static char *head_of(const char *command)
{
    char copy[COMMAND_MAX], *rest = copy, *word[WORDS_MAX + 1];
    int count = 0;
    struct options options;
    struct error err = { .status = STATUS_OK };
    json_t *words = json_array();
    snprintf(copy, sizeof copy, "%s", command);
    while (count < WORDS_MAX && (word[count] = strsep(&rest, " ")))
        json_array_append_new(words, json_string(word[count++]));
    word[count] = NULL;
    bool is_parsed = count > 1 && options_parse(&options, count, word, &err);
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:{}, s:{}}", "line", "journal", "schema", JOURNAL_SCHEMA,
                  "version", BENCH_VERSION, "started", "2026-01-02T03:04:05Z", "command", words, "seed", "1", "options",
                  is_parsed ? options_to_json(&options) : json_object(), "host", "libraries");
    char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;
    json_decref(head);
    return text;
}

/* The journal of an input, to be freed. */
static struct fuzz_sink journal_of(const char *data, size_t size)
{
    struct fuzz_sink sink;
    const char *line_break = memchr(data, '\n', size);
    size_t length = line_break ? (size_t)(line_break - data) : size;
    fuzz_sink_open(&sink);
    if (size > 0 && *data != '{') {
        char command[COMMAND_MAX];
        snprintf(command, sizeof command, "%.*s", (int)(length < COMMAND_MAX ? length : COMMAND_MAX), data);
        char *head = head_of(command);
        fputs(head ? head : "", sink.out);
        free(head);
    } else {
        fwrite(data, 1, length, sink.out);
    }
    fwrite(data + length, 1, size - length, sink.out);
    fuzz_sink_close(&sink);
    return sink;
}

static unsigned done_blocks(const struct record *record)
{
    unsigned done = 0;
    for (unsigned i = 0; i < record->blocks; i++)
        done += record->block[i].is_done;
    return done;
}

/* Takes it over, adds a line, and reads it again. */
static void complete(struct resume *resume, const char *path)
{
    struct run_log run_log = { 0 };
    struct error err = { .status = STATUS_OK };
    struct result again;
    bool interrupted = false;
    unsigned cells = resume->result.record->cells, done = done_blocks(resume->result.record);
    must(resume_take(resume, &run_log, &interrupted, &err), "a journal that was opened to be resumed is taken over");
    run_log_note(&run_log, "", "resumed");
    must(run_log.fault.status == STATUS_OK, "a line is added to a journal that is resumed");
    run_log_close(&run_log);
    run_log_free(&run_log);
    must(result_read(&again, path, &err) && result_left_out(&again) == 0 && !again.faults.truncated,
         "a resumed journal is whole");
    must(again.record->cells == cells && done_blocks(again.record) == done, "a resumed journal loses no cell");
    must(again.record->notes > 0, "a resumed journal has the line that was added");
    result_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    struct resume resume;
    struct error err = { .status = STATUS_OK };
    struct fuzz_sink journal = journal_of((const char *)data, size);
    int file = fuzz_file(path, journal.text, journal.size);
    const struct options asked = { .verb = VERB_RUN, .resume = path };
    bool is_open = resume_open(&resume, &asked, &err);
    must_agree(is_open, &err);
    if (is_open)
        complete(&resume, path);
    resume_close(&resume);
    close(file);
    free(journal.text);
    return 0;
}
