#!/usr/bin/env python3
"""The share of multiply-adds in what a work-item issues in the loop over k, or over taps, of a kernel, in percent.

usage: inner_loop.py NVDISASM CUBIN KERNEL PRODUCTS

PRODUCTS is how many a work-item has at each step. A step has one barrier; so the loop is the smallest that has a barrier
and multiply-adds. Loops in it take as many turns as are needed for all products. Both sides of a branch count. With 0 it
is the loop that has the most multiply-adds.
"""
import re
import subprocess
import sys


def read(disassembler, path, kernel):
    """The kernel's instructions, and its loops, each from its first instruction to the one after its last."""
    listing = subprocess.run([disassembler, "-c", path], check=True, capture_output=True, text=True).stdout
    instructions, labels, is_inside = [], {}, False
    for line in listing.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\w+)", line)
        if section:
            is_inside = section[1] == kernel
        elif is_inside and re.match(r"\.L\w+:", line):
            labels[line.split(":")[0]] = len(instructions)
        elif is_inside and re.match(r"\s+/\*[0-9a-f]+\*/.*;", line):
            instructions.append(line)
    loops = []
    for i, line in enumerate(instructions):
        branch = re.search(r"BRA.*`\((\.L\w+)\)", line)
        if branch and labels[branch[1]] < i:
            loops.append((labels[branch[1]], i + 1))
    return instructions, loops


def share(instructions, loops, products):
    def count(loop, word):
        return sum(word in line for line in instructions[slice(*loop)])

    loops = [loop for loop in loops if count(loop, " FFMA ")]
    if products == 0:
        return max(100 * count(loop, " FFMA ") / (loop[1] - loop[0]) for loop in loops)
    main = min((loop for loop in loops if count(loop, " BAR.")), key=lambda loop: loop[1] - loop[0])
    inner = [loop for loop in loops if loop != main and main[0] <= loop[0] and loop[1] <= main[1]]
    total = products * count(main, " BAR.")
    again = sum(count(loop, " FFMA ") for loop in inner)
    turns, rest = divmod(total - count(main, " FFMA "), again) if again else (0, total - count(main, " FFMA "))
    assert rest == 0, f"{rest} of {total} multiply-adds are not in the loop"
    return 100 * total / (main[1] - main[0] + turns * sum(loop[1] - loop[0] for loop in inner))


if __name__ == "__main__":
    print("%.1f" % share(*read(*sys.argv[1:4]), int(sys.argv[4])))
