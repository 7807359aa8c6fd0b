/* Turns texts into a C array, at build time: `embed OUTPUT NAME [--lines|--strings] TEXT...` writes `const char
 * NAME[]`, which holds the texts one after the other. With --lines a #line precedes each text, so that the compiler of
 * kernels names the right file and line. With --strings it writes `const char *const NAME[]` instead: a string for each
 * line, and NULL. */

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

/* Octal escapes, of three digits, cannot swallow what follows them. */
static void put_in_string(FILE *out, int byte)
{
    if (byte == '\n')
        fputs("\",\n\"", out);
    else if (byte == '"' || byte == '\\' || byte == '?' || byte < 0x20 || byte >= 0x7f)
        fprintf(out, "\\%03o", (unsigned)byte);
    else
        fputc(byte, out);
}

static int put_file(FILE *out, const char *path, int as_strings, unsigned *column)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        perror(path);
        return 1;
    }
    for (int byte; (byte = fgetc(in)) != EOF;)
        if (as_strings)
            put_in_string(out, byte);
        else
            put(out, byte, column);
    int is_bad = ferror(in);
    fclose(in);
    return is_bad;
}

int main(int argc, char *argv[])
{
    int has_lines = argc > 3 && strcmp(argv[3], "--lines") == 0;
    int as_strings = argc > 3 && strcmp(argv[3], "--strings") == 0;
    int first = 3 + (has_lines || as_strings);
    if (argc <= first) {
        fprintf(stderr, "usage: embed OUTPUT NAME [--lines|--strings] TEXT...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        return 1;
    }
    int is_bad = 0;
    unsigned column = 0;
    const char *type = as_strings ? "const char *const" : "const char";
    fprintf(out, "extern %s %s[];\n%s %s[] = {\n", type, argv[2], type, argv[2]);
    fputs(as_strings ? "\"" : "", out);
    for (int i = first; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        if (has_lines) {
            put_text(out, "#line 1 \"", &column);
            put_text(out, slash ? slash + 1 : argv[i], &column);
            put_text(out, "\"\n", &column);
        }
        is_bad |= put_file(out, argv[i], as_strings, &column);
    }
    fputs(as_strings ? "\", 0\n};\n" : "0\n};\n", out);
    is_bad |= ferror(out);
    is_bad |= fclose(out) != 0;
    if (is_bad)
        remove(argv[1]);
    return is_bad;
}
