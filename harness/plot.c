#include "harness/plot.h"

#include "harness/text.h"

#include <stdlib.h>

bool pictures_make(struct pictures *out, const struct results *results, struct error *err)
{
    (void)results, (void)err;
    *out = (struct pictures){ .picture = NULL };
    text_copy(out->missing, sizeof out->missing, "There are no pictures yet.");
    return true;
}

void pictures_release(struct pictures *pictures)
{
    for (unsigned i = 0; i < pictures->count; i++) {
        free(pictures->picture[i].name);
        free(pictures->picture[i].title);
        free(pictures->picture[i].caption);
        free(pictures->picture[i].svg);
    }
    free(pictures->picture);
    *pictures = (struct pictures){ .picture = NULL };
}
