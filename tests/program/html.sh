#!/usr/bin/env bash
# Pages as the program writes them, read by a parser of XML. Prints TAP.
# Usage: html.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

page() { # option...
    call report --format html "$@"
}

# Well-formed, each id once, links within the page only and each to a place that is there; no element and no attribute but
# those of a report; the headings in order, each table with a caption and each picture with one. Leaves the elements with
# their attributes, but for those of pictures, whose texts may be cut, in $work/tags.
is_sound() {
    python3 - "$work/out" "$work/tags" <<'PYTHON' 2>"$work/err"
import sys, xml.etree.ElementTree as tree

elements = set("html head meta title style body header main footer div p h1 h2 h3 ol li dl dt dd b bdi details summary span small "
               "abbr a table caption thead tbody tr th td figure figcaption svg path text rect".split())
attributes = set("lang charset http-equiv content name id class href title scope colspan tabindex role aria-label viewBox width "
                 "height d x y text-anchor transform".split())
page = tree.parse(sys.argv[1]).getroot()
nodes = [(node.tag.split("}")[-1], node) for node in page.iter()]
names = [name for name, node in nodes]
ids = [node.get("id") for name, node in nodes if node.get("id")]
links = [node.get("href") for name, node in nodes if node.get("href")]
levels = [int(name[1]) for name in names if name in ("h1", "h2", "h3")]
drawn = {inner for name, node in nodes if name == "svg" for inner in node.iter()}
assert page.tag == "html" and page.get("lang") == "en" and page.findtext("head/title")
assert set(names) <= elements, set(names) - elements
assert all(set(node.keys()) <= attributes for name, node in nodes), "an attribute that is not ours"
assert len(ids) == len(set(ids)), "an id twice"
assert all(link[0] == "#" and link[1:] in ids for link in links), "a link to nowhere, or a way out"
assert levels[0] == 1 and all(after <= before + 1 for before, after in zip(levels, levels[1:])), "headings"
assert all(node.find("caption") is not None for node in page.iter("table"))
assert all(node.findtext("figcaption") for node in page.iter("figure"))
assert not any("nan" in value for node in drawn for value in node.attrib.values() if node.tag.endswith(("path", "rect")))
styles = "".join(node.text for name, node in nodes if name == "style")
assert "url(" not in styles and "@import" not in styles
open(sys.argv[2], "w").writelines(f"{name} {sorted(node.keys())}\n" for name, node in nodes if node not in drawn)
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

# A journal all of whose texts say the same: they add no element and no attribute.
says_everywhere() { # text
    jq -c --arg text "$1" 'if .line == "journal" then .host.name = $text
        elif .line == "device" then .name = $text | .platform = $text | .driver_version = $text
        elif .line == "cell" then .method = $text | .memory = $text
        elif .line == "race" then .contenders[].method = $text
        elif .line == "outcome" then .reason = $text | .where = $text
        elif .line == "note" then .text = $text else . end' "$tests/golden/mixed.jsonl" >"$work/texts.jsonl"
    page "$work/texts.jsonl"
}
says_everywhere a
expect 'the page of harmless texts is sound' is_sound
cp "$work/tags" "$work/harmless"
while read -r text; do
    says_everywhere "$(printf '%b' "$text")"
    expect "$text adds nothing to a page" eval 'is_sound && cmp -s "$work/tags" "$work/harmless"'
done <<'TEXTS'
<script>alert(1)</script>
</style></title></td></table><script>
"><img src=x onerror=alert(1)>
' onmouseover='alert(1)
" onfocus="alert(1)" autofocus="
<!--
-->]]>
<![CDATA[
javascript:alert(1)
http://example.org/a.png
&lt;script&gt;&\x2360;b&\x2362;&amp;
&
\u202e\u2066\u05d0\u05d1\u05d2\u200f
\x1b]8;;http://example.org\x07
\ufffe\uffff
|=1+1
TEXTS
says_everywhere "$(printf 'w%.0s' {1..10000})"
expect 'a long text adds nothing to a page' eval 'is_sound && cmp -s "$work/tags" "$work/harmless"'

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
