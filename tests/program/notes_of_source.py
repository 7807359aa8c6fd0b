#!/usr/bin/env python3
"""Prints every note that the program can make, one a line, as it is written in the source below the folder that is
given, with figures in the place of what is filled in.

Of the files of notes that is every text of four words or more that is no continuation (", which ..."); of comparisons
what is added to their notes and warnings; of all others what is handed to ledger_note(), by name or by a variable of
the same function."""

import re
import sys
from pathlib import Path

LEAST_WORDS = 4
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FUNCTION = re.compile(r"^\S[^;{}]*\)\n\{\n.*?^\}\n", re.S | re.M)
FORMAT = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:l|ll|z|j)?([a-zA-Z%])")


def texts(source):
    """String literals, pieces that stand side by side being one."""
    for found in TEXT.finditer(source):
        pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group())
        yield "".join(pieces).replace('\\"', '"').replace("\\n", " ")


def filled(text):
    """A figure for each format; nothing for one that ends a word, as the plural does."""
    text = re.sub(r"(?<=[a-z])%s", "", text)
    return FORMAT.sub(lambda found: "%" if found.group(1) == "%" else "3", text)


def notes(root):
    for path in sorted((root / "harness" / "report" / "content").glob("*notes*.c")):
        yield from texts(COMMENT.sub("", path.read_text()))
    for path in sorted((root / "harness" / "analysis").rglob("comparison*.c")):
        for call in re.findall(r"\badd(?:_note)?\((.*?)\);", COMMENT.sub("", path.read_text()), re.S):
            yield from texts(call)
    for path in sorted((root / "bench").rglob("*.c")) + sorted((root / "harness").rglob("*.c")):
        for function in FUNCTION.findall(COMMENT.sub("", path.read_text())):
            for call in re.findall(r"\bledger_note\((.*?)\);", function, re.S):
                literal = [text for text in texts(call) if text]
                yield from literal or texts(function)


def main():
    for text in dict.fromkeys(filled(text).strip() for text in notes(Path(sys.argv[1]))):
        words = len(text.split())
        if not text.startswith(",") and (words >= LEAST_WORDS or words > 1 and text.endswith(":")):
            print(text)


main()
