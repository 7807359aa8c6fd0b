#!/usr/bin/env bash
# Pages as the program writes them, read by a parser of XML. Prints TAP.
# Usage: html.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

page() { # option...
    call report --format html "$@"
}

# Well-formed, each id once, links within the page only and each to a place that is there; the headings in order, each
# table with a caption and each picture with one.
is_sound() {
    python3 - "$work/out" <<'PYTHON' 2>"$work/err"
import sys, xml.etree.ElementTree as tree

page = tree.parse(sys.argv[1]).getroot()
names = [node.tag.split("}")[-1] for node in page.iter()]
ids = [node.get("id") for node in page.iter() if node.get("id")]
links = [value for node in page.iter() for name, value in node.items() if name.split("}")[-1] in ("href", "src")]
handlers = [name for node in page.iter() for name in node.keys() if name.startswith("on")]
levels = [int(name[1]) for name in names if name in ("h1", "h2", "h3", "h4")]
assert page.tag == "html" and page.get("lang") == "en" and page.findtext("head/title")
assert len(ids) == len(set(ids)), "an id twice"
assert all(link.startswith(("#", "./", "file:///")) for link in links), "a way out"
assert all(link[1:] in ids for link in links if link[0] == "#"), "a link to nowhere"
assert not handlers and not {"script", "iframe", "object", "embed", "img", "link", "form"} & set(names)
assert levels[0] == 1 and all(after <= before + 1 for before, after in zip(levels, levels[1:])), "headings"
assert all(node.find("caption") is not None for node in page.iter("table"))
assert all(node.findtext("figcaption") for node in page.iter("figure"))
PYTHON
}
shows() { # count of pictures: so many, or more
    [ "$(grep -c '<figure ' "$work/out")" -ge "$1" ]
}

for journal in mixed interrupted hostile; do
    page "$tests/golden/$journal.jsonl"
    expect "the page of the $journal journal is sound" is_sound
done
page "$tests/golden/mixed.jsonl" "$tests/golden/interrupted.jsonl" "$tests/golden/hostile.jsonl"
expect 'the page of several journals is sound' is_sound
expect 'the page of several journals has their letters' prints '<b class="letter">C</b>'

# A whole run, and a sweep, of a CPU and a GPU.
export BENCH_FAKE=$tests/program/fake/pair.json
fake_run --device fake:0,fake:1
page "$work/journal.jsonl"
expect 'the page of a run is sound' is_sound
expect 'the page of a run says whether the GPU is worth it' prints '<p class="answer first"><span>Is the GPU worth it?'
export BENCH_FAKE=$tests/program/fake/crossing.json
call sweep multiply --device fake:0,fake:1 --from 10000 --to 1M --points 4 --seed 7 --journal "$work/sweep.jsonl"
page "$work/sweep.jsonl"
expect 'the page of a sweep is sound' is_sound
expect 'the page of a sweep says from which size on' prints 'from somewhere between n = '
sed 's|"unit":"n"|"unit":"</b><script>n</script>"|' "$work/sweep.jsonl" >"$work/evil.jsonl"
page "$work/evil.jsonl"
expect 'the page of a sweep whose size has a tag for a name is sound' is_sound
expect 'it has that name as it is' prints '&lt;/b&gt;&lt;script&gt;n&lt;/script&gt; from '

expect 'the page of a sweep has pictures' shows 1
expect 'each problem of a sweep has its size as a name where there is room' prints '>1M<'
finish
