#include "harness/report/formats/contents.h"

#include <stdlib.h>

bool contents_make(struct contents *out, const struct results *results, const struct layout *layout, bool has_pictures,
                   struct error *err)
{
    *out = (struct contents){ .is_full = !layout->is_brief,
                              .brief = calloc(results->runs + 1, sizeof *out->brief),
                              .answers = calloc(results->runs + 1, sizeof *out->answers) };
    for (unsigned i = 0; i < results->runs; i++)
        out->is_full |= results->run[i].record->sweep != NULL;
    bool made =
        (out->brief && out->answers) || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    const bool has_document = out->is_full || has_pictures;
    made = made && (!has_document || document_make(&out->document, results, err));
    for (unsigned i = 0; i < results->runs && made && !has_document; i++)
        made = answer_set_read(&out->answers[i], results->run[i].record) ||
               fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    const struct answer_set *set = has_document ? out->document.answers : out->answers;
    for (unsigned i = 0; i < results->runs && made; i++)
        made = results->run[i].record->sweep || brief_make(&out->brief[i], &results->run[i], &set[i], layout, err);
    if (made)
        beside_make(&out->pool, &out->beside, set, results->runs);
    return made && (!has_pictures || pictures_make(&out->pictures, results, out->document.answers, err));
}

void contents_release(struct contents *contents, const struct results *results)
{
    for (unsigned i = 0; contents->brief && contents->answers && i < results->runs; i++) {
        pool_release(&contents->brief[i].pool);
        answer_set_release(&contents->answers[i]);
    }
    free(contents->brief);
    free(contents->answers);
    pool_release(&contents->pool);
    pool_release(&contents->pictures.pool);
    document_release(&contents->document);
}
