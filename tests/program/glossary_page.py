#!/usr/bin/env python3
"""Prints results/glossary.md, from what 'bench explain' prints; given results/figures.md, prints that with its table made
anew. Usage: glossary_page.py PATH-OF-BENCH [FIGURES]"""
import re
import subprocess
import sys


def explain(*terms):
    return subprocess.run([sys.argv[1], "explain", "--width", "1000", *terms], capture_output=True, text=True,
                          check=True).stdout


def field(text):
    return " " + re.sub(r"([|*_<\[\]])", r"\\\1", text) + " |" if text else " |"


def parts(term):
    """The name of a term, its explanation and remedy, and its columns of the CSV and the JSON."""
    name, *lines = term.strip("\n").split("\n")
    text, _, json = " ".join(line.strip() for line in lines).partition(" JSON: ")
    text, _, csv = text.partition(" CSV: ")
    explanation, _, remedy = text.partition(" What to do: ")
    return name.rpartition(" (")[0], explanation, remedy, csv, json


def row(term):
    """A row of the table: the name, with the kind behind it; then the paragraphs, each perhaps of several lines."""
    return "|" + "".join(field(part) for part in parts(term)[:3])


def names(list):
    return ", ".join(f"`{name}`" for name in list.split(", ") if name)


def terms(kinds):
    return re.split(r"\n(?=\S)", explain(kinds))


kinds = re.findall(r"^(.*) \('\S*bench explain (\w+)' explains all\)$", explain(), re.MULTILINE)
if len(sys.argv) > 2:
    head = open(sys.argv[2], encoding="utf-8").read().partition("| CSV |")[0]
    rows = [f"| {names(csv)} | {names(json)} |{field(explanation)}" for _, plural in kinds
            for _, explanation, _, csv, json in map(parts, terms(plural)) if csv or json]
    print(head + "| CSV | JSON | what it is |\n|---|---|---|", *rows, sep="\n")
    sys.exit()

print("# Glossary\n\nThe terms in the reports of `bench`. `bench explain TERM` prints the same texts.")
for title, plural in kinds:
    kind = re.search(r"^.* \((\w+)\)$", explain(plural), re.MULTILINE).group(1)
    print(f"\n## {title}\n\n| {kind} | what it is | what to do |\n|---|---|---|", *map(row, terms(plural)), sep="\n")
