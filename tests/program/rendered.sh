#!/usr/bin/env bash
# Pages in a browser, at the widths of a desk, a tablet and a phone: no text overlaps another, is cut off or too small.
# Prints TAP. Usage: rendered.sh PATH-OF-BENCH PATH-OF-TESTS
# shellcheck source=tests/program/lib.sh
source "$2/program/lib.sh"

if ! command -v chromium >/dev/null; then
    echo '1..0 # SKIP chromium is not installed'
    exit 0
fi

widths=(1200 768 360)
mkdir "$work/pages"

# The page with the script that examines it; no page may run one otherwise.
keep() { # name
    python3 - "$work/out" "$tests/program/rendered.js" "$work/pages/$1.html" <<'PYTHON'
import re, sys

page, script = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
page, policies = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
assert policies == 1
open(sys.argv[3], "w", encoding="utf-8").write(page.replace("</body>", f"<script>{script}</script></body>"))
PYTHON
}

# All pages at all widths, in frames of one page: what each frame found, as lines "name width count fault".
render() {
    python3 - "$work/pages" "${widths[@]}" >"$work/all.html" <<'PYTHON'
import glob, os, sys

names = sorted(os.path.basename(path)[:-5] for path in glob.glob(sys.argv[1] + "/*.html"))
frames = [(name, width) for name in names for width in sys.argv[2:]]
print("""<!DOCTYPE html><pre id="found"></pre><script>
addEventListener("message", event => {
  const {page, width, count, faults} = event.data;
  for (const fault of faults.length ? faults : ["none"])
    document.getElementById("found").append(`${page} ${width} ${count} ${fault}\\n`);
});</script>""")
for name, width in frames:
    print(f'<iframe name="{name}" src="pages/{name}.html" width="{width}" height="800" style="border:0"></iframe>')
PYTHON
    timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --disable-sync \
        --disable-background-networking --disable-component-update --no-first-run --virtual-time-budget=20000 \
        --dump-dom "file://$work/all.html" >"$work/dom" 2>"$work/err"
    sed -n '/<pre id="found">/,/<\/pre>/p' "$work/dom" | sed 's/.*<pre id="found">//; s/<\/pre>.*//' >"$work/out"
}

# Without faults, and with as much text as a page has.
is_fine() { # name width
    awk -v name="$1" -v width="$2" '$1 == name && $2 == width { seen++; if ($3 < 40 || $4 != "none") bad++ }
        END { exit !(seen > 0 && bad == 0) }' "$work/out"
}
finds() { # name width fault
    grep -q "^$1 $2 [0-9]* .*$3" "$work/out"
}

published=$tests/journals
declare -A journal=([run]=$published/standard.jsonl [sweep]=$published/sweep-multiply.jsonl
    [claims]=$published/uhd620.jsonl [mixed]=$tests/golden/mixed.jsonl [hostile]=$tests/golden/hostile.jsonl)
for name in "${!journal[@]}"; do
    call report --format html "${journal[$name]}"
    keep "$name"
done
call report --format html "$published/standard.jsonl" "$published/standard-2.jsonl"
keep several
export BENCH_FAKE=$tests/program/fake/crossing.json
call sweep multiply --device fake:0,fake:1 --from 10000 --to 1M --points 4 --seed 7 --journal "$work/sweep.jsonl"
call report --format html "$work/sweep.jsonl"
keep crossing

call compare "$published/standard.jsonl" "$published/standard-2.jsonl" --format html
keep compare
python3 "$tests/program/fleet_journals.py" "$work/fleet" 12 --slow n7=1.2
call fleet "$work/fleet" --format html
keep fleet
call report --format html "$tests/golden/made-laptop.jsonl"
keep cards

# What must be found: each fault is planted in a page that has none.
plant() { # name element
    sed "s|</main>|$2</main>|" "$work/pages/mixed.html" >"$work/pages/$1.html"
}
svg='<svg width="200" height="40" viewBox="0 0 200 40">'
plant planted-overlap '<p style="height: 0; margin: 0">one text</p><p>and another</p>'
plant planted-picture "$svg<text x='5' y='20'>a label</text><text x='30' y='24'>beside a label</text></svg>"
plant planted-cut "$svg<text x='150' y='20'>beyond the end</text></svg>"
plant planted-wide '<p style="width: 1500px">wider than any window that is tested</p>'
plant planted-table '<div class="box one"><table><tr><td>a table that is wider than any window that is tested, in one line \
which is not broken anywhere, as fields of tables are not, and so it goes on and on, and on, and is cut at its end</td></tr></table></div>'
plant planted-small '<svg width="150" height="30" viewBox="0 0 300 60"><text x="5" y="20">scaled</text></svg>'

render
for name in cards claims compare crossing fleet hostile mixed run several sweep; do
    for width in "${widths[@]}"; do
        expect "no text of the page '$name' overlaps or is cut off at $width pixels" is_fine "$name" "$width"
    done
done
for width in "${widths[@]}"; do
    expect "a planted overlap is found at $width pixels" finds planted-overlap "$width" '"one text" overlaps'
    expect "a planted overlap in a picture is found at $width pixels" finds planted-picture "$width" '"a label" overlaps'
    expect "a planted label beyond a picture is found at $width pixels" finds planted-cut "$width" 'cut off at the side'
    expect "a planted wide text is found at $width pixels" finds planted-wide "$width" 'the page is 1[0-9]* wide'
    expect "a planted table that is cut off is found at $width pixels" finds planted-table "$width" 'hides [0-9]* pixels'
    expect "a planted small text is found at $width pixels" finds planted-small "$width" '"scaled" has letters'
done

finish
