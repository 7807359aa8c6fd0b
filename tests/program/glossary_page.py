#!/usr/bin/env python3
"""Prints results/glossary.md, from what 'bench explain' prints. Usage: glossary_page.py PATH-OF-BENCH"""
import re
import subprocess
import sys


def explain(*terms):
    return subprocess.run([sys.argv[1], "explain", "--width", "1000", *terms], capture_output=True, text=True,
                          check=True).stdout


def field(text):
    return " " + re.sub(r"([|*_<\[\]])", r"\\\1", text) + " |" if text else " |"


def row(term):
    """A row of the table: the name, with the kind behind it; then the paragraphs, each perhaps of several lines."""
    name, *lines = term.strip("\n").split("\n")
    explanation, _, remedy = " ".join(line.strip() for line in lines).partition(" What to do: ")
    return f"|{field(name.rpartition(' (')[0])}{field(explanation)}{field(remedy)}"


print("# Glossary\n\nThe terms in the reports of `bench`. `bench explain TERM` prints the same texts.")
for title, kinds in re.findall(r"^(.*) \('bench explain (\w+)' explains all\)$", explain(), re.MULTILINE):
    rows = [row(term) for term in re.split(r"\n(?=\S)", explain(kinds))]
    kind = re.search(r"^.* \((\w+)\)$", explain(kinds), re.MULTILINE).group(1)
    print(f"\n## {title}\n\n| {kind} | what it is | what to do |\n|---|---|---|", *rows, sep="\n")
