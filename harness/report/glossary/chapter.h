#ifndef HARNESS_REPORT_GLOSSARY_CHAPTER_H
#define HARNESS_REPORT_GLOSSARY_CHAPTER_H

/* What the glossary_*.c files share, and nobody else needs: a table of terms each. */

#include "harness/report/glossary/glossary.h"

struct chapter {
    const struct term *term;
    unsigned terms;
};

extern const struct chapter glossary_columns, glossary_metrics, glossary_series, glossary_outcomes, glossary_verdicts,
    glossary_notes, glossary_machine_notes, glossary_gpu_notes, glossary_change_notes, glossary_words, glossary_methods;

#endif
