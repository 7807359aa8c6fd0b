#include "bench/schedule/finished.h"

#include "harness/report/content/answer_words.h"

void finished_print(struct context *context, const char *block, unsigned number, unsigned of)
{
    const struct record *record = context->run_log.record;
    const struct block_record *finished = record_find_block(record, block);
    struct answer_set set;
    struct pool pool = { 0 };
    if (!finished || context->progress.is_quiet)
        return;
    if (answer_set_read_block(&set, record, finished))
        for (unsigned i = 0; *finished_words(&pool, &set, finished, i); i++)
            progress_note(&context->progress, "[%u/%u] %s", number, of, finished_words(&pool, &set, finished, i));
    answer_set_release(&set);
    pool_release(&pool);
}
