/* Files that appear whole or not at all, and folders of a user. */

#include "harness/base/atomic_file.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In place of that of the C library. */
static int cannot_save; /* an errno; 0: saves */
int fdatasync(int fd)
{
    errno = cannot_save;
    return cannot_save ? -1 : 0;
}

static char folder[] = "/tmp/bench-files-XXXXXX";

static void make_folder(void)
{
    umask(022);
    cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
    folder_remove(folder);
}

TestSuite(file, .init = make_folder, .fini = remove_folder);

#define IN(name) text_print("%s/%s", folder, name).text

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    cr_assert(out && fputs(text, out) >= 0);
    fclose(out);
}

static void expect_text(const char *path, const char *want)
{
    char text[64] = "";
    FILE *in = fopen(path, "r");
    cr_expect(in, "%s: %s", path, strerror(errno));
    if (!in)
        return;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    cr_expect_str_eq(text, want, "%s", path);
}

static unsigned entries(void)
{
    unsigned count = 0;
    DIR *open = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(open));)
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(open);
    return count;
}

Test(file, a_file_appears_with_all_of_its_text_and_the_usual_mode)
{
    struct atomic_file file;
    struct stat is;
    put(IN("out"), "before");
    cr_assert(atomic_file_open(&file, IN("out"), NULL));
    fputs("now", file.out);
    fflush(file.out);
    expect_text(IN("out"), "before");
    cr_expect(atomic_file_keep(&file, NULL));
    expect_text(IN("out"), "now");
    cr_expect(stat(IN("out"), &is) == 0 && (is.st_mode & 0777) == 0644, "mode %o", is.st_mode);
    cr_expect_eq(entries(), 1);
    struct atomic_file other;
    cr_assert(atomic_file_open(&file, IN("out"), NULL) && atomic_file_open(&other, IN("out"), NULL));
    cr_expect_str_neq(file.beside, other.beside, "one of two that are written at the same time removes the other");
    fputs("dropped", file.out);
    atomic_file_drop(&file);
    atomic_file_drop(&other);
    expect_text(IN("out"), "now");
    cr_expect_eq(entries(), 1, "what was dropped leaves a file behind");
}

Test(file, the_target_of_a_link_is_replaced_and_a_pipe_is_written_to)
{
    struct atomic_file file;
    struct stat is;
    put(IN("target"), "before");
    cr_assert(symlink("target", IN("link")) == 0);
    cr_assert(atomic_file_open(&file, IN("link"), NULL));
    fputs("now", file.out);
    cr_expect(atomic_file_keep(&file, NULL));
    cr_expect(lstat(IN("link"), &is) == 0 && S_ISLNK(is.st_mode), "the link is still one");
    expect_text(IN("target"), "now");

    cr_assert(mkfifo(IN("pipe"), 0600) == 0);
    const int reader = open(IN("pipe"), O_RDONLY | O_NONBLOCK);
    char got[8] = "";
    cr_assert(reader >= 0 && atomic_file_open(&file, IN("pipe"), NULL));
    fputs("now", file.out);
    cr_expect(atomic_file_keep(&file, NULL));
    cr_expect_eq(read(reader, got, sizeof got), 3);
    cr_expect(stat(IN("pipe"), &is) == 0 && S_ISFIFO(is.st_mode), "the pipe is still one");
    close(reader);
}

Test(file, what_cannot_be_written_is_named_with_its_reason)
{
    static const struct {
        const char *name, *says;
    } cases[] = {
        { ".", "/. is a directory: name a file in it" },
        { "none/out", "/none/out cannot be written: No such file or directory" },
        { "file/out", "/file/out cannot be written: Not a directory" },
    };
    put(IN("file"), "");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct atomic_file file;
        struct error err = { .status = STATUS_OK };
        cr_expect_not(atomic_file_open(&file, IN(cases[i].name), &err));
        cr_expect(err.status == STATUS_USAGE && strstr(err.message, cases[i].says), "%s", err.message);
    }
    struct atomic_file file;
    struct error err = { .status = STATUS_OK };
    char path[2 * PATH_MAX];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    cr_expect_not(atomic_file_open(&file, path, &err));
    cr_expect(strstr(err.message, "the path is too long"), "%s", err.message);
    err.status = STATUS_OK;
    cr_assert(atomic_file_open(&file, "/dev/full", NULL));
    fputs("much", file.out);
    cr_expect_not(atomic_file_keep(&file, &err));
    cr_expect_str_eq(err.message, "/dev/full could not be written: No space left on device");
}

Test(file, what_does_not_reach_the_disk_is_not_kept)
{
    struct atomic_file file;
    struct error err = { .status = STATUS_OK };
    put(IN("out"), "before");
    cannot_save = EIO;
    cr_assert(atomic_file_open(&file, IN("out"), NULL));
    fputs("now", file.out);
    cr_expect_not(atomic_file_keep(&file, &err));
    cr_expect(strstr(err.message, "/out could not be written: Input/output error"), "%s", err.message);
    expect_text(IN("out"), "before");
    cr_expect_eq(entries(), 1, "a draft was left");
}

/* What is there already: nothing, the same, another text, a part, a link to the same. */
Test(file, a_new_name_is_taken_or_the_same_is_there)
{
    static const struct {
        const char *there;
        bool is_link, taken, same;
    } cases[] = { { NULL, false, false, false },           { "text", false, true, true },
                  { "test", false, true, false },          { "te", false, true, false },
                  { "text and more", false, true, false }, { "text", true, true, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct atomic_file file;
        bool taken, same;
        unlink(IN("kept"));
        if (cases[i].there)
            put(cases[i].is_link ? IN("other") : IN("kept"), cases[i].there);
        cr_assert(!cases[i].is_link || symlink(IN("other"), IN("kept")) == 0);
        cr_assert(atomic_file_open_in(&file, folder, NULL));
        fputs("text", file.out);
        cr_assert(atomic_file_save(&file, NULL));
        cr_expect(atomic_file_keep_new(&file, IN("kept"), &taken, &same, NULL));
        cr_expect(taken == cases[i].taken && same == cases[i].same, "case %u: taken %d, same %d", i, taken, same);
        atomic_file_drop(&file);
        expect_text(IN("kept"), cases[i].there ? cases[i].there : "text");
    }
    cr_expect_eq(entries(), 2, "a draft was left");
}

Test(file, folders_are_made_on_the_way_to_a_file)
{
    struct stat is;
    struct error err = { .status = STATUS_OK };
    cr_expect(folder_make_for(IN("a/b/file"), &err), "%s", err.message);
    cr_expect(folder_make_for(IN("a/b/file"), &err), "they may be there");
    cr_expect(stat(IN("a/b"), &is) == 0 && S_ISDIR(is.st_mode) && access(IN("a/b/file"), F_OK) != 0);
    put(IN("file"), "");
    cr_expect_not(folder_make_for(IN("file/b/c"), &err));
    cr_expect(strstr(err.message, "cannot make the folder") && strstr(err.message, "/file/b: Not a directory"), "%s",
              err.message);
}

/* The XDG Base Directory Specification. */
Test(file, state_and_cache_are_where_the_user_has_them)
{
    static const struct {
        const char *state, *cache, *home, *state_is, *cache_is; /* "": unknown */
    } cases[] = {
        { "/s", "/c", "/h", "/s", "/c" },
        { NULL, NULL, "/h", "/h/.local/state", "/h/.cache" },
        { "", "", "/h", "/h/.local/state", "/h/.cache" },
        { "s", "./c", "/h", "/h/.local/state", "/h/.cache" },
        { NULL, NULL, "h", "", "" },
        { NULL, NULL, NULL, "", "" },
        { "/s", NULL, NULL, "/s", "" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const variables[][2] = { { "XDG_STATE_HOME", cases[i].state },
                                             { "XDG_CACHE_HOME", cases[i].cache },
                                             { "HOME", cases[i].home } };
        for (unsigned k = 0; k < 3; k++)
            if (!variables[k][1] || setenv(variables[k][0], variables[k][1], 1) != 0)
                unsetenv(variables[k][0]);
        for (enum folder which = FOLDER_STATE; which <= FOLDER_CACHE; which++) {
            char to[PATH_MAX] = "";
            const char *want = which == FOLDER_STATE ? cases[i].state_is : cases[i].cache_is;
            cr_expect_eq(folder_of_user(which, to), *want != '\0', "case %u", i);
            cr_expect_str_eq(to, want, "case %u", i);
        }
    }
}

/* In a folder for everyone: somebody may have been there before. */
Test(file, a_folder_of_ones_own_is_open_to_nobody_else)
{
    char to[PATH_MAX], *const made = to;
    const char *why;
    struct stat is;
    setenv("TMPDIR", folder, 1);
    cr_expect(folder_make_own(made, sizeof to, "own", 077, &why), "%s", why);
    cr_expect(strncmp(to, IN("own-"), strlen(IN("own-"))) == 0 && stat(to, &is) == 0 && (is.st_mode & 0777) == 0700);
    cr_expect(folder_make_own(made, sizeof to, "own", 077, &why), "it may be there: %s", why);
    cr_assert(chmod(to, 0755) == 0);
    cr_expect_not(folder_make_own(made, sizeof to, "own", 077, &why));
    cr_expect_str_eq(why, "other users can write to it");
    cr_expect(folder_make_own(made, sizeof to, "own", 022, &why), "only reading is open: %s", why);
    cr_assert(rename(to, IN("real")) == 0 && symlink(IN("real"), to) == 0);
    cr_expect_not(folder_make_own(made, sizeof to, "own", 077, &why), "a link");
    const char *const unusable[] = { "relative", "/proc/self", IN("none") };
    for (unsigned i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        setenv("TMPDIR", unusable[i], 1);
        folder_make_own(made, sizeof to, "bench-test", 077, &why);
        cr_expect_eq(strncmp(to, "/tmp/bench-test-", strlen("/tmp/bench-test-")), 0, "%s", to);
    }
    rmdir(to);
}

Test(file, a_lock_is_seen_by_others_and_only_while_it_is_held)
{
    put(IN("file"), "");
    const int one = open(IN("file"), O_RDWR), other = open(IN("file"), O_RDWR);
    cr_expect_not(file_is_locked(IN("file")));
    cr_expect(file_lock(one, false) && file_is_locked(IN("file")));
    cr_expect(!file_lock(other, false) && errno == EWOULDBLOCK);
    close(one);
    cr_expect(!file_is_locked(IN("file")) && file_lock(other, true));
    close(other);
    cr_expect_not(file_is_locked(IN("none")));
}

Test(file, the_room_for_a_file_is_that_of_the_nearest_folder_that_exists)
{
    cr_expect(disk_takes(folder, 4096));
    cr_expect(disk_takes(IN("none/at/all"), 4096));
    cr_expect_not(disk_takes(folder, (size_t)1 << 60));
    cr_expect_eq(entries(), 0, "what was tried is left");
    cr_expect(disk_room(folder) > 0 && isnan(disk_room(IN("none"))));
}
