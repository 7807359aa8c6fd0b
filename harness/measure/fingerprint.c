#include "harness/measure/fingerprint.h"

#include "harness/base/parallel.h"
#include "harness/measure/random.h"

#include <stdlib.h>
#include <string.h>

/* The seed of each comparison's weights follows from the one before it. */
static const uint64_t seed_stream = 0x66696e6765720000;

/* Blocks below which another thread costs more than it saves. */
enum { BLOCKS_LEAST = 16 };

/* Both sums of each block in one pass: with the weights of the remembered sums, and with those of the next. */
struct summing {
    const char *result;
    size_t bytes;
    uint64_t weight[FINGERPRINT_WORDS], next_weight[FINGERPRINT_WORDS];
    const uint64_t *known; /* NULL: none */
    uint64_t *next;
    int64_t *block; /* its own number if the block differs, else -1 */
};

/* The last block is filled up with zeros. */
static void sum_block(struct summing *summing, int64_t block)
{
    uint32_t word[FINGERPRINT_WORDS] = { 0 };
    uint64_t sum = 0, next = 0;
    const size_t begin = (size_t)block * FINGERPRINT_BYTES, left = summing->bytes - begin;
    memcpy(word, summing->result + begin, left < FINGERPRINT_BYTES ? left : FINGERPRINT_BYTES);
    for (int i = 0; i < FINGERPRINT_WORDS; i++) {
        sum += summing->weight[i] * word[i];
        next += summing->next_weight[i] * word[i];
    }
    summing->next[block] = next;
    summing->block[block] = summing->known && summing->known[block] == sum ? -1 : block;
}

static void sum_blocks(void *context, int64_t begin, int64_t end)
{
    for (int64_t block = begin; block < end; block++)
        sum_block(context, block);
}

static uint64_t seed_after(uint64_t seed)
{
    return random_bits(seed, seed_stream, 0);
}

bool fingerprint_compare(const struct fingerprint *known, const void *result, size_t bytes, struct differences *out,
                         struct error *err)
{
    const int64_t blocks = (int64_t)((bytes + FINGERPRINT_BYTES - 1) / FINGERPRINT_BYTES);
    *out = (struct differences){ .block = malloc((size_t)blocks * sizeof *out->block),
                                 .sum = malloc((size_t)blocks * sizeof *out->sum) };
    if (!out->block || !out->sum)
        return fail(err, STATUS_NO_MEMORY, "no memory for the sums of %lld blocks of a result", (long long)blocks);
    struct summing summing = {
        .result = result, .bytes = bytes, .known = known->sum, .next = out->sum, .block = out->block
    };
    verify_weights(summing.weight, FINGERPRINT_WORDS, known->seed);
    verify_weights(summing.next_weight, FINGERPRINT_WORDS, seed_after(known->seed));
    parallel_slices(sum_blocks, &summing, 0, blocks, BLOCKS_LEAST, 0);
    for (int64_t i = 0; i < blocks; i++)
        if (out->block[i] >= 0)
            out->block[out->count++] = i;
    return true;
}

void fingerprint_accept(struct fingerprint *known, struct differences *differences)
{
    free(known->sum);
    known->sum = differences->sum;
    known->seed = seed_after(known->seed);
    differences->sum = NULL;
    fingerprint_refuse(differences);
}

void fingerprint_refuse(struct differences *differences)
{
    free(differences->block);
    free(differences->sum);
    *differences = (struct differences){ .block = NULL };
}

void fingerprint_forget(struct fingerprint *known)
{
    free(known->sum);
    known->sum = NULL;
}
