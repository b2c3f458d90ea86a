"""Pages of kernels, opened in a headless Chromium: a line is clicked, sliders moved, a program stepped through, words searched, and what
the page shows is held against its data. No error in the console, and no request to anything."""
import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "python"))
import browser  # noqa: E402

BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
NEREID = os.path.join(BUILD, "bin", "nereid")
KERNELS = {
    "scale": [os.path.join(HERE, "Inputs", "scale.py:scale"), "x_ptr=arange:f32[40]", "out_ptr=zeros:f32[32]", "n=40", "BLOCK=16", "--grid", "2"],
    "matmul": [os.path.join(ROOT, "kernels", "matmul", "matmul.py:matmul"), "a_ptr=randn:f16[256,256]", "b_ptr=randn:f16[256,128]", "bias_ptr=None",
               "c_ptr=empty:f16[256,128]", "M=256", "N=128", "K=256", "a_stride_m=256", "a_stride_k=1", "b_stride_k=128", "b_stride_n=1", "c_stride_m=128",
               "c_stride_n=1", "BLOCK_M=128", "BLOCK_N=64", "BLOCK_K=64", "GROUP_M=8", "ACTIVATION=None", "PRECISION='ieee'", "--grid", "4"],
}
passed = failed = 0


def check(name, holds, what=""):
    global passed, failed
    print(f"RUN: {name}", flush=True)
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: {what}", flush=True)


def make(name, folder, *more):
    path = os.path.join(folder, name + ("-two" if more else "") + ".html")
    done = subprocess.run([NEREID, "view", *more, *KERNELS[name], "-o", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(f"{name}: the page is made", done.returncode == 0, done.stdout)
    check(f"{name}: the page is smaller than 5 MB", os.path.getsize(path) < 5_000_000, os.path.getsize(path))
    return path


def open_panel(page, name):
    page.run(f"document.getElementById('tab-{name}').click()")
    page.settle()


def live(page):
    return page.run("document.getElementById('live').textContent")


def test_code(page, name, line):
    """A click on a line lights up what came from it, in every stage."""
    page.run(f"app.stages.source.lines[{line - 1}].querySelector('span').click()")
    for stage in page.run("app.view.code.stages.filter((each) => each.text).map((each) => each.name)"):
        page.run(f"document.querySelectorAll('.stages button')[app.view.code.stages.findIndex((each) => each.name === '{stage}')].click()")
        lit = page.run("[...document.querySelectorAll('#panel-code .pane:last-child .line.on')].map((each) => Number(each.id.split('-')[2]))")
        wanted = page.run(f"""app.view.code.stages.find((each) => each.name === '{stage}').places.map((place, i) => [place, i])
            .filter(([place]) => linesOf(app.view, place).some((each) => each.file === 0 && each.line === {line})).map(([, i]) => i)""")
        check(f"{name}: line {line} in {stage}", lit and lit == wanted, f"lit {lit}, wanted {wanted}")
    check(f"{name}: the line is said", live(page).startswith(f"line {line}: "), live(page))
    # From a line of a stage back to the source.
    page.run("document.querySelector('.stages button').click()")
    page.run("document.querySelector('#panel-code .pane:last-child .line.on').click()")
    check(f"{name}: back to line {line}", page.run("[...document.querySelectorAll('#panel-code .pane:first-child .line.on')].map((each) => Number(each.id.split('-')[2]) + 1)") == [line])


def test_search(page, name, word):
    page.run(f"(() => {{ const input = document.querySelector('input[type=search]'); input.value = '{word}'; input.dispatchEvent(new Event('input')); }})()")
    found = page.run("[...document.querySelectorAll('#panel-code .pane:first-child .line.found')].map((each) => each.textContent)")
    wanted = page.run(f"splitLines(app.view.sources[0].text).filter((each) => each.includes('{word}')).length")
    check(f"{name}: search for {word}", len(found) == wanted > 0 and all(word in each for each in found), (found, wanted))
    check(f"{name}: what was found is said", word in live(page), live(page))
    page.run("(() => { const input = document.querySelector('input[type=search]'); input.value = ''; input.dispatchEvent(new Event('input')); })()")


def move(page, panel, label, value):
    page.run(f"(() => {{ const input = document.querySelector('#panel-{panel} input[aria-label=\"{label}\"]'); input.value = {value}; input.dispatchEvent(new Event('input')); }})()")
    page.settle()


def test_memory(page, name):
    open_panel(page, "memory")
    programs = page.run("app.view.trace.programs.length")
    for program in range(programs):
        move(page, "memory", "program", program)
        count = page.run("app.memory.state().group.programs[app.memory.state().program].length")
        move(page, "memory", "time", count - 1)
        shown = page.run("document.querySelector('#panel-memory .note').textContent")
        access = page.run("(() => { const at = app.memory.state(); return at.group.programs[at.program][at.time]; })()")
        check(f"{name}: memory of program {program}", f"time {count} of {count}" in shown and f"{access['count'] - access['maskedCount']} element" in shown, shown)
        drawn = page.run("""(() => { const canvas = document.querySelector('#panel-memory canvas'), pen = canvas.getContext('2d');
            const data = pen.getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
            for (let i = 0; i < data.length; i += 4) colours.add(data[i] + ',' + data[i + 1] + ',' + data[i + 2]); return colours.size; })()""")
        check(f"{name}: elements are drawn", drawn >= 2, drawn)
    move(page, "memory", "up to box", 0)
    check(f"{name}: the order of programs", "program 0 comes to" in page.run("document.getElementById('panel-memory').textContent"))


def test_steps(page, name, variable):
    open_panel(page, "steps")
    steps = page.run("app.view.trace.programs[0].steps.length")
    click = lambda label: page.run(f"document.querySelector('#panel-steps button[aria-label=\"{label}\"]').click()")  # noqa: E731
    for at in (1, 2):
        click("the next step")
        check(f"{name}: step {at + 1}", page.run("document.querySelector('#panel-steps .note').textContent").startswith(f"step {at + 1} of {steps}"))
    click("a step back")
    check(f"{name}: a step back", page.run("app.steps.state().at") == 1)
    line = page.run("linesOf(app.view, app.steps.state().program.steps[1][0])[0].line")
    check(f"{name}: its line", page.run("Number(document.querySelector('#panel-steps .line.on').id.split('-')[2]) + 1") == line)
    click("to the last step")
    row = page.run(f"[...document.querySelectorAll('#panel-steps .names tr')].find((row) => row.cells[0].textContent === '{variable}')?.cells[2].textContent")
    wanted = page.run(f"""(() => {{ const {{ program, held }} = app.steps.state(); const number = app.view.trace.names.findIndex((each) => each[0] === '{variable}');
        return valueSummary(program.values[held.get(number)]); }})()""")
    check(f"{name}: what {variable} holds", row is not None and row == wanted, (row, wanted))
    page.run(f"document.querySelector('#panel-steps button[aria-label=\"show {variable}\"]').click()")
    check(f"{name}: numbers of {variable}", page.run("document.querySelectorAll('#panel-steps .values td').length") > 0)
    page.run("[...document.querySelectorAll('#panel-steps button')].find((each) => each.textContent === 'heat map').click()")
    check(f"{name}: {variable} as a heat map", page.run("document.querySelectorAll('#panel-steps canvas').length") == 1)
    # Back to where a line stops it.
    page.run(f"document.querySelectorAll('#panel-steps .line')[{line - 1}].click()")
    click("run back to the stop before")
    check(f"{name}: a stop at line {line}", page.run("linesOf(app.view, app.steps.state().program.steps[app.steps.state().at][0])[0].line") == line)


def test_first_nan(page):
    """The second program of `scale` divides zero by zero in line 21."""
    page.run("(() => { const select = document.querySelector('#panel-steps select'); select.value = 1; select.dispatchEvent(new Event('change')); })()")
    page.run("(() => { document.querySelector('#panel-steps input[type=text]').value = 'nan'; for (const each of document.querySelectorAll('#panel-steps .stop')) each.click(); })()")
    page.run("document.querySelector('#panel-steps button[aria-label=\"run to the next stop\"]').click()")
    at = page.run("linesOf(app.view, app.steps.state().program.steps[app.steps.state().at][0])[0].line")
    check("scale: the first NaN", at == 21, at)


def test_layouts(page, name):
    open_panel(page, "layouts")
    for thread in (0, 5):
        move(page, "layouts", "thread", thread)
        state = page.run("""(() => { const { layout, thread, held } = app.layouts.state(), lanes = 1 << layout.bits[1];
            return { text: document.querySelectorAll('#panel-layouts .note')[1].textContent,
                     mine: [...held.values()].filter((each) => [each, ...each.copies].some((h) => h.warp * lanes + h.lane === thread)).length }; })()""")
        check(f"{name}: what thread {thread} holds", state["text"].startswith(f"thread {thread} holds {state['mine']} element"), state)


def test_pipeline(page, name):
    open_panel(page, "pipeline")
    events = page.run("app.pipeline.events.map((event) => event.kind)")
    check(f"{name}: copies, waits and products", {"copy", "wait", "product"} <= set(events), set(events))
    check(f"{name}: they are drawn", page.run("document.querySelectorAll('#panel-pipeline rect.event').length") == min(len(events), page.run("app.pipeline.events.filter((event) => event.time < 60).length")))
    check(f"{name}: shared memory is drawn", page.run("document.querySelectorAll('#panel-pipeline svg')[1].querySelectorAll('rect').length") == page.run("app.view.code.shared.length"))
    open_panel(page, "passes")
    page.run("[...document.querySelectorAll('#panel-passes button')].find((each) => each.textContent.startsWith('next')).click()")
    check(f"{name}: differences of a pass", page.run("document.querySelectorAll('#panel-passes .plus, #panel-passes .minus').length") > 0)
    open_panel(page, "cost")
    check(f"{name}: what a program takes", str(page.run("app.view.code.sharedBytes")) in page.run("document.querySelector('#panel-cost table').textContent"))
    total = page.run("app.view.cost.counted.total")
    check(f"{name}: counters", total["tensor_flops"] == 2 * 256 * 128 * 256 and page.run("shortCount(app.view.cost.counted.total.flops)") in
          page.run("document.getElementById('counters').rows[document.getElementById('counters').rows.length - 1].textContent"), total)
    check(f"{name}: the roofline", page.run("document.getElementById('roofline').getAttribute('aria-label')").startswith("roofline: "))


def test_keyboard(page, name):
    """Tabs and lines are reached with keys, and everything that can be operated has a name."""
    open_panel(page, "code")
    page.run("document.getElementById('tab-code').focus()")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    check(f"{name}: the next tab with a key", page.run("document.activeElement.id") == "tab-memory")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="End", code="End", windowsVirtualKeyCode=35)
    check(f"{name}: the last tab with a key", page.run("document.activeElement.id") == "tab-cost")
    open_panel(page, "code")
    page.run("app.stages.source.list.focus()")
    before = page.run("app.stages.source.current")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowDown", code="ArrowDown", windowsVirtualKeyCode=40)
    check(f"{name}: the next line with a key", page.run("app.stages.source.current") == before + 1)
    nameless = page.run("""[...document.querySelectorAll('button, input, select, canvas, [role=img], [role=listbox], [role=tab]')]
        .filter((each) => !(each.getAttribute('aria-label') || each.textContent.trim() || each.closest('label'))).map((each) => each.outerHTML.slice(0, 80))""")
    check(f"{name}: everything has a name", nameless == [], nameless)


OPERATED = ("button", "slider", "tab", "textbox", "searchbox", "combobox", "listbox", "option", "checkbox", "img", "table", "tabpanel", "link")
# Texts with less than 4.5 times the light of what is behind them, or the reverse; those that only a screen reader is given are transparent.
FAINT = """(() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (rgb) => { const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (each) => { for (; each; each = each.parentElement) { const c = numbers(getComputedStyle(each).backgroundColor); if (c.length === 3) return c; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const each = walker.currentNode.parentElement, ink = numbers(getComputedStyle(each).color);
    if (!walker.currentNode.textContent.trim() || !each.offsetParent || each.closest('script, style, .quiet') || ink.length !== 3) continue;
    const [low, high] = [light(ink), light(behind(each))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) found.push(`${ink} on ${behind(each)}: ${walker.currentNode.textContent.trim().slice(0, 40)}`);
  }
  return found;
})()"""


def test_reader(page, path, name):
    """What a screen reader is told: everything that can be operated, and every table, has a name. Texts stand out from what is behind them, in both schemes."""
    for dark in (False, True):
        page.open(path, dark=dark)
        page.run("app.stages.source.lines[8].querySelector('span').click()")
        nameless, faint = [], []
        for panel in page.run("app.panels.map((each) => each.name)"):
            open_panel(page, panel)
            page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            page.settle()
            faint += page.run(FAINT)
            for node in page.call("Accessibility.getFullAXTree")["nodes"]:
                role = node.get("role", {}).get("value")
                if role in OPERATED and not node.get("ignored") and not (node.get("name", {}).get("value") or "").strip():
                    nameless.append(f"{panel}: {role}")
        scheme = "dark" if dark else "light"
        check(f"{name}: a screen reader has names for all, {scheme}", nameless == [], nameless)
        check(f"{name}: texts can be read, {scheme}", faint == [], faint)


def test_header(page, name):
    """Many arguments are folded away until somebody asks for them, and what was said of one tab is gone in the next."""
    height = "document.getElementById('top').getBoundingClientRect().height"
    folded = page.run(height)
    check(f"{name}: the header is a line", folded < 60, folded)
    page.run("document.querySelector('#top details').open = true")
    check(f"{name}: all arguments", page.run(height) > folded and page.run("app.view.arguments.every(([name, value]) => document.querySelector('#top .facts').textContent.includes(name + '=' + value))"))
    page.run("document.querySelector('#top details').open = false")
    open_panel(page, "layouts")
    check(f"{name}: a layout is said once for the eye", page.run("document.getElementById('live').className") == "quiet" and "thread" in live(page), live(page))
    open_panel(page, "cost")
    check(f"{name}: it is said no more", live(page) == "", live(page))


def test_narrow(page, path, name):
    """On a phone nothing is wider than the screen, in both colour schemes."""
    for dark in (False, True):
        page.open(path, width=390, height=800, dark=dark)
        for panel in page.run("app.panels.map((each) => each.name)"):
            open_panel(page, panel)
            check(f"{name}: {panel} fits on a phone", page.run("document.documentElement.scrollWidth") <= 390, page.run("document.documentElement.scrollWidth"))
        back = page.run("getComputedStyle(document.body).backgroundColor")
        check(f"{name}: the scheme is {'dark' if dark else 'light'}", back == ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)"), back)
        check(f"{name}: nothing went wrong on a phone", page.problems() == [], page.problems())


def test_two(page, folder):
    page.open(make("scale", folder, "--diff", "BLOCK=8"))
    open_panel(page, "compare")
    facts = page.run("document.querySelector('#panel-compare table').textContent")
    check("two versions: their arguments", "BLOCK=8" in facts and "BLOCK=16" in facts, facts)
    check("two versions: what is the same is left out", "n=40" not in facts, facts)
    counted = page.run("[...document.querySelectorAll('#panel-compare tr')].filter((each) => each.firstChild.textContent === 'sectors').map((each) => [each.className, ...[...each.children].slice(1).map((cell) => Number(cell.textContent))])")
    wanted = page.run("views.map((view) => view.cost.counted.total.sectors)")
    check("two versions: their sectors", counted == [["differs" if wanted[0] != wanted[1] else "", *wanted]], (counted, wanted))
    check("two versions: tile IR differs, and is shown first", page.run("document.querySelectorAll('#panel-compare .plus').length > 0 && document.querySelector('#panel-compare select').value === '1'"))
    page.run("(() => { const select = document.querySelector('#panel-compare select'); select.value = 0; select.dispatchEvent(new Event('change')); })()")
    check("two versions: the source is the same", "no difference" in page.run("document.querySelector('#panel-compare .note').textContent"))
    page.run("(() => { const select = document.querySelector('#top select'); select.value = 0; select.dispatchEvent(new Event('change')); })()")
    check("two versions: the first one is shown", page.run("app.view === views[0] && document.querySelector('#top .facts').textContent.includes('BLOCK=8')"))
    check("two versions: nothing went wrong", page.problems() == [], page.problems())


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return head[:8] == b"\x89PNG\r\n\x1a\n" and (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))


def test_pictures(folder):
    """The pictures of the documentation can be taken anew: those that docs/view.md shows, of the same size, not empty, with the same parts on them."""
    done = subprocess.run([os.path.join(ROOT, "scripts", "view-pictures"), folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check("pictures: they are taken", done.returncode == 0, done.stdout)
    with open(os.path.join(ROOT, "docs", "view.md"), encoding="utf-8") as file:
        shown = re.findall(r"\(pictures/(view-\w+\.png)\)", file.read())
    taken = sorted(name for name in os.listdir(folder) if name.endswith(".png"))
    check("pictures: the documentation shows all of them", sorted(shown) == taken, (shown, taken))
    for name in taken:
        kept = os.path.join(ROOT, "docs", "pictures", name)
        check(f"pictures: {name}", png_size(os.path.join(folder, name)) == png_size(kept) != False and os.path.getsize(os.path.join(folder, name)) > os.path.getsize(kept) / 2)  # noqa: E712
        outlines = []
        for path in (kept, os.path.join(folder, name)):
            with open(path.replace(".png", ".outline"), encoding="utf-8") as file:
                outlines.append(file.read().splitlines())
        check(f"pictures: the parts of {name}; `scripts/view-pictures` takes it anew", outlines[0] == outlines[1],
              "\n".join(difflib.unified_diff(*outlines, "docs", "now", lineterm="", n=1)))


def main():
    program = browser.find()
    if not program:
        print("skipped: there is no chromium")
        return 77
    page = browser.Browser(program)
    try:
        with tempfile.TemporaryDirectory() as folder:
            scale, matmul = make("scale", folder), make("matmul", folder)
            page.open(scale)
            test_code(page, "scale", 16)
            test_search(page, "scale", "offsets")
            test_memory(page, "scale")
            test_steps(page, "scale", "total")
            test_first_nan(page)
            test_keyboard(page, "scale")
            check("scale: nothing went wrong", page.problems() == [], page.problems())
            page.open(matmul)
            test_header(page, "matmul")
            test_memory(page, "matmul")
            test_layouts(page, "matmul")
            test_pipeline(page, "matmul")
            check("matmul: nothing went wrong", page.problems() == [], page.problems())
            test_reader(page, scale, "scale")
            test_reader(page, matmul, "matmul")
            test_narrow(page, matmul, "matmul")
            test_two(page, folder)
            test_pictures(folder)
    finally:
        page.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
