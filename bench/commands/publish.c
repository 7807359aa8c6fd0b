#include "bench/commands/commands.h"

#include "bench/backends/registry.h"
#include "bench/cli/exit_status.h"
#include "bench/cli/option.h"
#include "bench/commands/results_dir.h"
#include "harness/base/text.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 256, NAMES_MAX = 6 };

/* Names of this machine and its user, to be hidden: most journals are published where they were measured. */
struct identity {
    const char *name[NAMES_MAX + 1]; /* ended by NULL */
    char host[NAME_ROOM], short_host[NAME_ROOM];
};

static void identity_read(struct identity *out)
{
    const struct passwd *user = getpwuid(getuid());
    const char *home = getenv("HOME"), *folder = home ? strrchr(home, '/') : NULL;
    unsigned count = 0;
    *out = (struct identity){ .host = "" };
    gethostname(out->host, sizeof out->host - 1);
    snprintf(out->short_host, sizeof out->short_host, "%.*s", (int)strcspn(out->host, "."), out->host);
    const char *const names[NAMES_MAX] = { user ? user->pw_name : NULL, getenv("USER"), getenv("LOGNAME"),
                                           folder ? folder + 1 : NULL,  out->host,      out->short_host };
    for (unsigned i = 0; i < NAMES_MAX; i++)
        if (names[i] && *names[i])
            out->name[count++] = names[i];
}

static void print_flaws(const char *path, const struct flaws *flaws, FILE *to)
{
    unsigned shown = flaws->count < FLAWS_SHOWN ? flaws->count : FLAWS_SHOWN;
    for (unsigned i = 0; i < shown; i++)
        fprintf(to, "bench: %s: %s\n", path, flaws->sentence[i]);
    if (flaws->count > shown)
        fprintf(to, "bench: %s: and %u more\n", path, flaws->count - shown);
}

static void print_noisy(const char *path, const struct noisy *noisy, FILE *to)
{
    if (noisy->wide > 0)
        fprintf(to, "bench: warning: %s: %u noisy cell%s, the first is %s (quit other programs, or raise --budget)\n",
                path, noisy->wide, noisy->wide == 1 ? "" : "s", noisy->first_wide);
    if (noisy->few > 0)
        fprintf(to,
                "bench: warning: %s: %u cell%s with too few rounds for an interval, the first is %s (raise --budget)\n",
                path, noisy->few, noisy->few == 1 ? "" : "s", noisy->first_few);
}

/* Prints what was replaced. The texts come from a file, so control characters are removed. */
static void print_redacted(const struct redaction *redaction, FILE *to)
{
    for (unsigned i = 0; i < redaction_count(redaction); i++) {
        struct redacted redacted = redaction_at(redaction, i);
        char text[NAME_ROOM];
        text_clean(text, sizeof text, redacted.text);
        fprintf(to, "  %s instead of %s, %u time%s\n", redacted.stand_in, text, redacted.count,
                redacted.count == 1 ? "" : "s");
    }
}

static bool publish_one(const struct options *options, const char *machine, struct publication *publication, FILE *to,
                        FILE *warnings, struct error *err)
{
    char path[RESULTS_PATH], duplicate[RESULTS_PATH];
    bool is_new;
    if (options->dry_run) {
        FILE *nowhere = fopen("/dev/null", "w"); /* redaction finds its texts while writing */
        bool ok = nowhere ? publication_write(publication, nowhere, err)
                          : fail(err, STATUS_FAILED, "cannot write to /dev/null");
        if (nowhere)
            fclose(nowhere);
        if (!ok)
            return false;
        fprintf(to, "%s would be filed as %s/%s.jsonl\n", publication->path, machine, publication->name);
    } else {
        if (!results_dir_add(options->folder, machine, publication, path, &is_new, err))
            return false;
        fprintf(to, "%s is %s %s\n", publication->path, is_new ? "filed as" : "filed already, as", path);
        if (results_dir_duplicate(options->folder, path, duplicate))
            fprintf(warnings, "bench: warning: the same journal is also filed as %s; remove one of them\n", duplicate);
    }
    fputs("  without the time of day, names of files, messages of drivers, and members unknown to the schema\n", to);
    print_redacted(publication->redaction, to);
    return true;
}

static void print_tally(const struct results_dir_tally *tally, FILE *to)
{
    fprintf(to, "index of %u machine%s, %u run%s: ", tally->machines, tally->machines == 1 ? "" : "s", tally->runs,
            tally->runs == 1 ? "" : "s");
    if (tally->written == 0)
        fputs("nothing changed\n", to);
    else
        fprintf(to, "%u file%s written\n", tally->written, tally->written == 1 ? "" : "s");
}

/* The name becomes a folder in --to, so it must not lead elsewhere. */
static bool check_name(const char *name, struct error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    size_t length = name ? strlen(name) : 0;
    if (!name ||
        (length > 0 && length < SLUG_ROOM && strspn(name, plain) == length && name[0] != '.' && name[0] != '-'))
        return true;
    return fail(err, STATUS_USAGE,
                "--name: up to %d letters, digits, '-', '.' and '_', the first of them a letter or a digit, as in "
                "i5-8250u-uhd-620",
                SLUG_ROOM - 1);
}

/* The words of this program that are in cells: names of workloads, methods, backends and kinds of memory. They identify
 * nobody and are not hidden. */
static struct words own_words(void)
{
    struct words words = { { "gpu", "pocl" }, 2 };
    for (const struct backend *const *backend = backends; *backend; backend++)
        words_add(&words, (*backend)->name);
    memory_words(&words);
    workload_words(&words);
    method_words(&words);
    return words;
}

/* Files no journal unless all are fit to be published. */
static int publish_all(const struct options *options, struct publication publication[], unsigned count,
                       struct error *err)
{
    struct identity identity;
    const struct words words = own_words();
    bool fit = true;
    identity_read(&identity);
    const struct publication_rules rules = { BENCH_VERSION, "fake", { identity.name, words.word } };
    for (unsigned i = 0; i < count; i++) {
        if (!publication_open(&publication[i], options->file[i], &rules, err))
            return EXIT_USAGE;
        print_noisy(options->file[i], &publication[i].noisy, stderr);
        print_flaws(options->file[i], &publication[i].flaws, stderr);
        fit &= publication[i].flaws.count == 0;
    }
    if (!fit) {
        fail(err, STATUS_FAILED, "nothing was published");
        return EXIT_BAD_CELL;
    }
    for (unsigned i = 0; i < count; i++)
        if (!publish_one(options, options->name ? options->name : publication[i].machine, &publication[i], stdout,
                         stderr, err))
            return EXIT_BAD_CELL;
    return EXIT_OK;
}

int publish(const struct options *options, struct error *err)
{
    struct publication publication[LIST_MAX] = { { .path = NULL } };
    struct stat status;
    unsigned count = 0;
    while (options->file[count])
        count++;
    if (!check_name(options->name, err))
        return EXIT_USAGE;
    if (stat(options->folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
        fail(err, STATUS_USAGE, "--to: %.120s is not a folder; create it first", options->folder);
        return EXIT_USAGE;
    }
    int result = publish_all(options, publication, count, err);
    for (unsigned i = 0; i < count; i++)
        publication_close(&publication[i]);
    struct results_dir_tally tally;
    if (result != EXIT_OK || options->dry_run)
        return result;
    if (!results_dir_update(options->folder, &tally, err))
        return EXIT_BAD_CELL;
    if (count == 0)
        print_tally(&tally, stdout);
    return EXIT_OK;
}
