#include "harness/report/formats/contents.h"

#include <stdlib.h>

bool contents_make(struct contents *out, const struct results *results, const struct layout *layout, bool has_pictures,
                   struct error *err)
{
    *out = (struct contents){ .is_full = !layout->is_brief, .brief = calloc(results->runs + 1, sizeof *out->brief) };
    for (unsigned i = 0; i < results->runs; i++)
        out->is_full |= results->run[i].record->sweep != NULL;
    bool made = out->brief || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
    made = made && (out->is_full || has_pictures ? document_make : document_read_answers)(&out->document, results, err);
    const struct answer_set *set = out->document.answers;
    for (unsigned i = 0; i < results->runs && made; i++)
        made = results->run[i].record->sweep || brief_make(&out->brief[i], &results->run[i], &set[i], layout, err);
    if (made)
        beside_make(&out->pool, &out->beside, set, results->runs);
    return made && (!has_pictures || pictures_make(&out->pictures, results, set, err));
}

void contents_release(struct contents *contents, const struct results *results)
{
    for (unsigned i = 0; contents->brief && i < results->runs; i++)
        pool_release(&contents->brief[i].pool);
    free(contents->brief);
    pool_release(&contents->pool);
    pool_release(&contents->pictures.pool);
    document_release(&contents->document);
}
