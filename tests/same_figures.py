#!/usr/bin/env python3
"""Whether a change of words left the figures alone: compares tests/golden and the reports in results of a git revision
with the working tree.

    tests/same_figures.py REV

Every file must hold the same figures. JSON and CSV must also have the same members, rows and columns, with the same
figures in each of them. Words are ignored. Prints each difference; exits with 1 where there is one."""

import collections, csv, io, json, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURE = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout


def figures(text):
    return collections.Counter(FIGURE.findall(text))


def members(value, path=""):
    """Each member of a JSON value by its path; of texts only their figures."""
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from members(part, f"{path}/{key}")
    yield path, figures(value) if isinstance(value, str) else str(type(value) if isinstance(value, (dict, list)) else value)


def parts(name, text):
    if name.endswith(".json"):
        return dict(members(json.loads(text)))
    if name.endswith(".csv"):
        return {(row, column): figures(field) if row else field
                for row, fields in enumerate(csv.reader(io.StringIO(text))) for column, field in enumerate(fields)}
    return figures(text)


revision, differences = sys.argv[1], 0
for name in git("diff", "--name-only", "--diff-filter=MD", revision, "--", "tests/golden", "results").splitlines():
    path = ROOT / name
    before = parts(name, git("show", f"{revision}:{name}"))
    now = parts(name, path.read_text()) if path.exists() else {}
    for part in sorted({part for part in before.keys() | now.keys() if before.get(part) != now.get(part)}, key=str):
        differences += 1
        print(f"{name}: {part}: {before.get(part)} became {now.get(part)}")
sys.exit(differences > 0)
