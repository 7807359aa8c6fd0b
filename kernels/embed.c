/* Turns kernel texts into a C array: `embed OUTPUT NAME TEXT...` writes `const char NAME[]` that holds the texts one
 * after the other, each announced by a #line, so that a driver's compiler names the right file and line. Runs while
 * building. */

#include <stdio.h>
#include <string.h>

static void put(FILE *out, int byte, unsigned *column)
{
    *column += (unsigned)fprintf(out, "%d,", byte);
    if (*column > 110) {
        fputc('\n', out);
        *column = 0;
    }
}

static void put_text(FILE *out, const char *text, unsigned *column)
{
    for (; *text; text++)
        put(out, (unsigned char)*text, column);
}

static int put_file(FILE *out, const char *path, unsigned *column)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        perror(path);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    put_text(out, "#line 1 \"", column);
    put_text(out, slash ? slash + 1 : path, column);
    put_text(out, "\"\n", column);
    for (int byte; (byte = fgetc(in)) != EOF;)
        put(out, byte, column);
    int is_bad = ferror(in);
    fclose(in);
    return is_bad;
}

int main(int argc, char *argv[])
{
    if (argc < 4) {
        fprintf(stderr, "usage: embed OUTPUT NAME TEXT...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        return 1;
    }
    int is_bad = 0;
    unsigned column = 0;
    fprintf(out, "#include \"kernels/texts.h\"\n\nconst char %s[] = {\n", argv[2]);
    for (int i = 3; i < argc; i++)
        is_bad |= put_file(out, argv[i], &column);
    fprintf(out, "0\n};\n");
    is_bad |= ferror(out);
    is_bad |= fclose(out) != 0;
    if (is_bad)
        remove(argv[1]);
    return is_bad;
}
