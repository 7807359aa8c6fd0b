#ifndef HARNESS_REPORT_FORMATS_CONTENTS_H
#define HARNESS_REPORT_FORMATS_CONTENTS_H

/* What text, Markdown and a page are written from: a brief report of each run; in a full report the document, too; and
 * pictures. */

#include "harness/report/content/beside.h"
#include "harness/report/content/brief.h"
#include "harness/report/content/builder.h"
#include "harness/report/plots/plot.h"

struct contents {
    bool is_full;        /* has a document: a full report, or one with a sweep, which is not told in brief */
    struct brief *brief; /* of each run; title NULL: it is a sweep */
    struct table beside; /* the runs side by side; no rows: there is one, or nothing in common */
    struct pool pool;
    struct document document; /* its answers alone, where the report has no more of it */
    struct pictures pictures;
};

/* As `layout` asks for; the page of `results` has pictures where the caller asks for them. To be released in any case.
 * Fails only when memory is short. */
bool contents_make(struct contents *out, const struct results *results, const struct layout *layout, bool has_pictures,
                   struct error *err);
void contents_release(struct contents *contents, const struct results *results);

#endif
