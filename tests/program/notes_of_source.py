#!/usr/bin/env python3
"""Prints every note that the program can make, one a line, as the source below the given folder has it, with a figure
for each value that is filled in.

These are: the sentences of the glossary's notes; lines of a report with the heading "note"; notes and warnings of
comparisons; and what run_log_note() gets, as a text or in a variable of the same function.

With --faults instead: each call of note() for a sentence that the glossary does not have or that has more braces than
the call has figures, and each sentence that no call names."""

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


def sentences(root):
    """The sentences of each note, by its name in the glossary."""
    found, name = {}, None
    for line in (root / "harness/report/glossary/glossary.txt").read_text().splitlines():
        if line.startswith("~"):
            found.setdefault(name, []).append(line.split(" ", 1)[1])
        elif not name:
            name = line
        name = name if line else None
    return found


CALL = re.compile(r"\bnote(?:_after)?\((?:[\w>-]+, )+(\"[^\"]+\"|\w+),\s*([^{}]*?),\s*\(struct with\)\{(.*?)\}\);", re.S)


def given(figures, kind):
    """How many figures of a kind a call has."""
    found = re.search(r"\." + kind + r" = \{(.*?)\}", figures, re.S)
    return len(re.sub(r"\([^()]*(?:\([^()]*\))?[^()]*\)", "", found.group(1)).split(",")) if found else 0


def faults(root):
    known, named = sentences(root), set()
    for path in sorted((root / "harness/report/content").glob("note*.c")):
        source = COMMENT.sub("", path.read_text())
        for name, number, figures in CALL.findall(source):
            constant = re.search(r"char " + name + r"\[\] = (\"[^\"]*\")", source) if name[0] != '"' else None
            name = (constant.group(1) if constant else name).strip('"')
            if name == "id":
                continue  # a function that hands it on
            named.add(name)
            for choice in re.findall(r"(?:^|[?:] )(\d)$|(?<=[?:] )(\d)(?= :)", number):
                at = int("".join(choice))
                if at > len(known.get(name, [])):
                    yield f"{path.name}: '{name}' has no sentence {at}"
                    continue
                braces = re.findall(r"\{(\w+)\}", known[name][at - 1])
                texts_needed = braces.count("text")
                numbers_needed = sum(brace not in ("text", "s", "es") for brace in braces)
                if texts_needed > given(figures, "text") or numbers_needed > given(figures, "number"):
                    yield f"{path.name}: sentence {at} of '{name}' has more braces than the call has figures"
    for name in known.keys() - named:
        yield f"no call of note() names '{name}'"


def notes(root):
    sources = {path: COMMENT.sub("", path.read_text()) for top in ("bench", "harness")
               for path in sorted((root / top).rglob("*.c"))}
    for sentence in (line for lines in sentences(root).values() for line in lines):
        yield re.sub(r"\{\w+\}", "3", re.sub(r"\{e?s\}", "s", sentence))
    for path, source in sources.items():
        if path.parent.name == "content":
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
    if sys.argv[1] == "--faults":
        print(*faults(Path(sys.argv[2])), sep="\n")
        return
    for text in dict.fromkeys(filled(text).strip() for text in notes(Path(sys.argv[1]))):
        words = len(text.split())
        if not text.startswith((",", ";")) and (words >= LEAST_WORDS or words > 1 and text.endswith(":")):
            print(text)


main()
