"""Plants small faults into a copy of the sources, one at a time, and runs the tests that should notice each of them.

usage: scripts/mutate [--seconds N] [--build FOLDER] [WORD...]
       scripts/mutate --fits

  WORD         only the faults whose file or text contains one of these words
  --seconds N  a slice: of the faults that tests of the quick set should notice, those of today, until so many seconds
               are over. All come round. Making the copy takes longer, and does not count.
  --fits       plants nothing; prints the entries that no longer fit the sources
  --build      where the copy and its builds are kept; build/mutation in the checkout

The table is tests/mutation/faults.txt; it says how an entry is written. Tests must pass before a fault is planted for
them. A fault with which a test does not end is counted apart: it may be the machine that was slow. The exit status is 1 if
a fault survives that is not argued equivalent, or if an entry no longer fits the sources.
"""
import argparse, datetime, filecmp, json, os, random, shutil, subprocess, sys, time

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
TABLE = os.path.join(CHECKOUT, "tests/mutation/faults.txt")
FAULTS_A_DAY = 10  # of which a slice begins at another each day
OUTCOMES = ("caught", "hung", "survived", "equivalent", "error")


def read_table():
    """Entries: file, tests, before, after, and why the fault changes nothing, or ""."""
    faults, file, tests = [], None, None
    for number, line in enumerate(open(TABLE, encoding="utf-8"), 1):
        mark, _, text = line.rstrip("\n").partition(" ")
        if not mark or mark == "#":
            continue
        if mark == "@":
            file, _, tests = text.partition(": ")
        elif mark == "-":
            faults.append({"file": file, "tests": tests.split(), "before": text, "after": None, "why": ""})
        elif mark == "+":
            faults[-1]["after"] = text
        elif mark == ":":
            faults[-1]["tests"] = text.split()
        elif mark == "=":
            faults[-1]["why"] = text
        else:
            sys.exit(f"{TABLE}:{number}: a line begins with one of @ - + : = #")
    return faults


def fits(fault):
    """Whether the text is in the sources once, and becomes another."""
    path = os.path.join(CHECKOUT, fault["file"])
    text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    return text.count(fault["before"]) == 1 and fault["after"] not in (None, fault["before"])


def run(command, folder=None, seconds=None):
    """The exit status, and what was printed. What runs into the limit of time has failed."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, errors="replace")
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 1, "TIMEOUT"


def copy_tree(tree):
    """The files as they are now. Those that did not change keep their time, so that they are not built again."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard"], CHECKOUT)[1].splitlines()
    wanted = {path for path in listed if os.path.isfile(os.path.join(CHECKOUT, path))}
    for folder, _, names in os.walk(tree):
        for path in (os.path.relpath(os.path.join(folder, name), tree) for name in names):
            if path not in wanted:
                os.remove(os.path.join(tree, path))
    for path in wanted:
        source, target = os.path.join(CHECKOUT, path), os.path.join(tree, path)
        if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)


class Copy:
    """The sources and the build that faults are planted in."""

    def __init__(self, folder):
        self.tree, self.build = os.path.join(folder, "tree"), os.path.join(folder, "build")
        copy_tree(self.tree)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            self.must("meson", "setup", self.build, self.tree, "-Doptimization=0", "-Ddebug=false")
        self.must("ninja", "-C", self.build, "build.ninja")
        self.files = {t["id"]: t["filename"] for t in self.ask("--targets")}
        tests = self.ask("--tests")
        self.needs = {t["name"]: t["depends"] for t in tests}
        self.quick = {t["name"] for t in tests if any("quick" in suite for suite in t["suite"])}
        self.passed = set()  # tests that pass without a fault

    def must(self, *command):
        status, output = run(command)
        if status:
            sys.exit(f"{' '.join(command)} failed:\n{output[-3000:]}")

    def ask(self, what):
        return json.loads(run(["meson", "introspect", what, self.build])[1])

    def compile(self, test):
        wanted = {file for target in self.needs[test] for file in self.files[target]}
        return run(["ninja", "-C", self.build, *sorted(os.path.relpath(file, self.build) for file in wanted)])

    def test(self, test):
        return run(["meson", "test", "-C", self.build, "--no-rebuild", "--print-errorlogs", "-t", "3", test], seconds=1200)

    def prove(self, test):
        """It must pass without a fault: else each fault would seem to be caught."""
        if test in self.passed:
            return
        status, output = self.compile(test)
        if not status:
            status, output = self.test(test)
        if status:
            sys.exit(f"Before a fault is planted this test must pass: {test}\n{output[-3000:]}")
        self.passed.add(test)

    def plant(self, fault):
        """The outcome of a fault, and the test that noticed it. Tests run one by one, up to the first that does."""
        path = os.path.join(self.tree, fault["file"])
        unknown = [test for test in fault["tests"] if test not in self.needs]
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if unknown or text.count(fault["before"]) != 1 or fault["after"] in (None, fault["before"]):
            return "error", f"no test {unknown[0]}" if unknown else f"the text is there {text.count(fault['before'])} times"
        if fault["why"]:
            return "equivalent", fault["why"]
        for test in fault["tests"]:
            self.prove(test)
            try:
                open(path, "w", encoding="utf-8").write(text.replace(fault["before"], fault["after"]))
                status, output = self.compile(test)
                if status:
                    return "error", "it does not build: " + next((l for l in output.splitlines() if "error" in l), "")
                status, output = self.test(test)
                if status:
                    return "hung" if "TIMEOUT" in output else "caught", test
            finally:
                open(path, "w", encoding="utf-8").write(text)
        return "survived", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--build", default=os.path.join(CHECKOUT, "build/mutation"))
    parser.add_argument("--fits", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if options.fits:
        stale = [f"{f['file']}: {f['before']}" for f in read_table() if not fits(f)]
        sys.exit("\n".join(stale) or 0)
    is_slice = options.seconds < float("inf")
    faults = [f for f in read_table() if not options.words or any(w in f["file"] + f["before"] for w in options.words)]
    copy, count = Copy(options.build), dict.fromkeys(OUTCOMES, 0)
    if is_slice:
        faults = [f for f in faults if copy.quick.issuperset(f["tests"])]
        random.Random(0).shuffle(faults)
        first = datetime.date.today().toordinal() * FAULTS_A_DAY % max(len(faults), 1)
        faults = faults[first:] + faults[:first]
    if not faults:
        sys.exit("No entry of the table is meant.")
    start = time.monotonic()
    for number, fault in enumerate(faults, 1):
        if time.monotonic() - start > options.seconds:
            break
        outcome, reason = copy.plant(fault)
        count[outcome] += 1
        print(f"{number}/{len(faults)} {outcome}: {fault['file']}: {fault['before'].strip()}  ->  "
              f"{(fault['after'] or '').strip()}  [{reason}]", flush=True)
    decided = count["caught"] + count["survived"]
    print(", ".join(f"{count[outcome]} {outcome}" for outcome in OUTCOMES) +
          f" of {len(faults)}; score {100 * count['caught'] / max(decided, 1):.1f} % of {decided} decided")
    sys.exit(count["survived"] + count["error"] > 0)


main()
