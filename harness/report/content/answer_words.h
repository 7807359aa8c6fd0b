#ifndef HARNESS_REPORT_CONTENT_ANSWER_WORDS_H
#define HARNESS_REPORT_CONTENT_ANSWER_WORDS_H

/* The words of answers: the one place where verdicts, reasons and break-evens become text, for all formats. Texts are
 * in the pool, clean and not escaped. */

#include "harness/analysis/answer.h"

/* "GPU", or "iGPU" and "dGPU", or the id where several are of a kind; "CPU" for the baseline that is one, "OpenCL" for
 * a CPU through that API, which is never called a GPU. */
const char *part_label(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

/* "Intel UHD Graphics 620": the name as people know it, without marks of trade. */
const char *device_words(struct pool *pool, const struct device *device);

/* "2.3x faster", "17 % slower", "about equal", "unclear". */
const char *verdict_size(struct pool *pool, const struct estimate *speedup);

/* "0.83+-.01", "0.02..0.11", "0.8+-?": in few columns (speedup.h). */
const char *speedup_words(struct pool *pool, const struct estimate *speedup);

/* "both memory-bound, on the same memory"; "" where nothing is known, and with transfers where that adds nothing. */
const char *why_words(struct pool *pool, const struct answer_set *set, const struct answer *answer, enum use use);

/* "4 uses (3 to 6) or more of the same data", "none (not faster even without transfers)"; "" where it does not
 * apply. */
const char *breakeven_words(struct pool *pool, const struct answer *answer, enum fetch fetch);

/* "multiply 40M", "matmul f64 2048": with the type where the run has several, and with all dimensions where another
 * problem would have the same name. */
const char *problem_words(struct pool *pool, const struct answer_set *set, const struct answer *answer);

/* "No: slower at matmul 0.83x, about equal at multiply."; both uses where they differ. */
const char *overall_words(struct pool *pool, const struct answer_set *set, const struct answer_overall *overall);

/* "winograd" of "onednn-winograd": without the library where the name is long. */
const char *method_short(const char *method);

/* What a finished problem gave, in a line for each processor: "matmul 2048   CPU 61.2 ms   GPU 74.0 ms   0.83
 * (0.82 - 0.84)   slower"; by the ratio with data in place, or with transfers if there is only that. "" for `index`
 * beyond them. The set is of that block alone. */
const char *finished_words(struct pool *pool, const struct answer_set *set, const struct block_record *block,
                           unsigned index);

/* "Is the GPU worth it?", "Is OpenCL on the CPU faster?" */
const char *question_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

#endif
