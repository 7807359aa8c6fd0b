#ifndef HARNESS_REPORT_CONTENT_ANSWER_WORDS_H
#define HARNESS_REPORT_CONTENT_ANSWER_WORDS_H

/* The words of answers: the one place where verdicts, reasons and break-evens become text, for all formats. Texts are
 * in the pool, clean and not escaped. */

#include "harness/analysis/answer.h"
#include "harness/analysis/curve.h"

/* "GPU", or "iGPU" and "dGPU", or the id where several are of a kind; "CPU" for the baseline that is one, "OpenCL" for
 * a CPU through that API, which is never called a GPU. */
const char *part_label(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

/* "Intel UHD Graphics 620": the name of a device as people know it, without marks of trade. */
const char *device_words(struct pool *pool, const char *name);

/* "failed: clBuildProgram: ...", in place of the figures of a cell that has none. */
const char *outcome_words(struct pool *pool, const struct cell_record *cell);

/* A program or a file in a command that is shown: in quotes where it has blanks. */
struct text command_word(const char *word);

/* "2.3x faster", "17 % slower", "equal", "unclear". */
const char *verdict_size(struct pool *pool, const struct estimate *speedup);

/* "both memory-bound: GPU 480 GB/s, CPU 110 GB/s"; "" where nothing is known, and with transfers where that adds
 * nothing. */
const char *why_words(struct pool *pool, const struct answer_set *set, const struct answer *answer, enum use use);

/* "from 4 uses of the same data on (95 %: 3 to 6)", of a row that is faster where the data stay and not where they are
 * copied at every use; "" for others. */
const char *breakeven_words(struct pool *pool, const struct answer *answer);

/* "27.0 GB/s" where a run does less than one FLOP a byte, so that the memory limits it; else "281 GFLOP/s". "" where it
 * is unknown. */
bool rate_is_of_memory(const struct figures *figures);
const char *rate_words(struct pool *pool, const struct figures *figures);

/* "multiply 40M", "matmul f64 2048": the problem of a cell, with the type if that is not f32. */
const char *cell_words(struct pool *pool, const struct cell_record *cell);

/* "multiply 40M", "matmul f64 2048": with the type where the run has several, and with all dimensions where another
 * problem would have the same name. */
const char *problem_words(struct pool *pool, const struct answer_set *set, const struct answer *answer);

/* "Yes for train (8.1x) and matmul from 2048 on (2.3x to 4.0x). No for conv (0.43x) and multiply (equal). Unclear:
 * matmul 1024.": every size of a workload is in the class of its verdict; "" where nothing was compared. */
const char *overall_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part,
                          enum use use);

/* What a finished problem gave, in a line for each processor: "matmul 2048   CPU 61.2 ms   GPU 74.0 ms   0.83
 * (0.82 - 0.84)   slower"; by the ratio with data in place, or with transfers if there is only that. "" for `index`
 * beyond them. The set is of that block alone. */
const char *finished_words(struct pool *pool, const struct answer_set *set, const struct block_record *block,
                           unsigned index);

/* "resident", "10 uses", "copied": how a curve's data are used. */
const char *mode_words(struct pool *pool, const struct curves *curves, enum mode mode);

/* Whether a part is compared on the screen: a GPU, or the CPU through an API where there is none; and the CPU itself
 * where another device is the baseline. */
bool part_is_shown(const struct answer_set *set, const struct answer_part *part);

/* "Is the GPU worth it?", "Is OpenCL on this CPU faster?" */
const char *question_words(struct pool *pool, const struct answer_set *set, const struct answer_part *part);

#endif
