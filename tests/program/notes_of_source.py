#!/usr/bin/env python3
"""Prints every note that the program can make, one a line, as the source below the given folder has it, with a figure
for each value that is filled in.

These are: what note() gets; lines of a report with the heading "note"; notes and warnings of comparisons; and what
run_log_note() gets, as a text or in a variable of the same function."""

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
    sources = {path: COMMENT.sub("", path.read_text()) for top in ("bench", "harness")
               for path in sorted((root / top).rglob("*.c"))}
    for path, source in sources.items():
        if path.parent.name == "content":
            for call in re.findall(r"\bnote\(\w+, SEVERITY_\w+,\s*(" + TEXT.pattern + ")", source):
                yield next(texts(call))
            for call in re.findall(r'\blines_\w+\(([^;]*?"note".*?)\);', source, re.S):
                yield from texts(call)
        if path.name.startswith("comparison") and "analysis" in path.parts:
            for call in re.findall(r"\badd(?:_note)?\((.*?)\);", source, re.S):
                yield from texts(call)
        for function in FUNCTION.findall(source):
            for call in re.findall(r"\brun_log_note\((.*?)\);", function, re.S):
                literal = [text for text in texts(call) if text]
                yield from literal or texts(function)


def main():
    for text in dict.fromkeys(filled(text).strip() for text in notes(Path(sys.argv[1]))):
        words = len(text.split())
        if not text.startswith((",", ";")) and (words >= LEAST_WORDS or words > 1 and text.endswith(":")):
            print(text)


main()
