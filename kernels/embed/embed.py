#!/usr/bin/env python3
"""Turns texts into a C array, at build time: embed.py OUTPUT NAME [--lines|--strings] TEXT...

Writes `const char NAME[]`, which holds the texts one after the other. With --lines a #line precedes each text, so that
the compiler of kernels names the right file and line. With --strings it writes `const char *const NAME[]` instead: a
string for each line, and NULL.
"""

import os
import sys


def escaped(byte):
    """As it stands in a string of C. Octal escapes, of three digits, cannot swallow what follows them."""
    is_plain = 0x20 <= byte < 0x7F and byte not in b'"\\?'
    return chr(byte) if is_plain else f"\\{byte:03o}"


output, name, *paths = sys.argv[1:]
mode = paths.pop(0) if paths[0].startswith("--") else ""
text = b""
for path in paths:
    if mode == "--lines":
        text += f'#line 1 "{os.path.basename(path)}"\n'.encode()
    with open(path, "rb") as part:
        text += part.read()

kind = "const char *const" if mode == "--strings" else "const char"
if mode == "--strings":
    items = ['"' + "".join(map(escaped, line)) + '"' for line in text.split(b"\n")]
else:
    items = [",".join(map(str, text[at : at + 24])) for at in range(0, len(text), 24)]
with open(output, "w") as out:
    out.write(f"extern {kind} {name}[];\n{kind} {name}[] = {{\n" + ",\n".join(items + ["0"]) + "\n};\n")
