"""`make site`: every unit, function, kernel and document has its page, every link inside of the site leads to a page and a place that are there, no page
asks the network, and a browser opens them without a complaint, wide and narrow, light and dark. `site_oracle.py FOLDER` leaves pictures there."""
import html.parser
import json
import os
import posixpath
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "test", "view", "python"), os.path.join(ROOT, "test", "python")]
sys.dont_write_bytecode = True

from nereid_test import Checks  # noqa: E402

try:
    import browser
except ImportError:
    browser = None

NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")
VOID = {"meta", "link", "input", "img", "br", "hr"}


class Page(html.parser.HTMLParser):
    """The places of a page, where its links lead, what it loads, and whether its tags close."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.loads, self.open, self.problems = set(), [], [], [], []
        self.feed(text)
        self.problems += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            if values["id"] in self.places:
                self.problems.append(f"two places are called {values['id']}")
            self.places.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in ("link", "script", "img", "iframe", "source"):
            self.loads += [values[name] for name in ("href", "src") if name in values]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.problems.append(f"</{tag}> closes nothing")


def read_pages(folder):
    pages = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if name.endswith(".html"):
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, folder)] = Page(file.read())
    return pages


def check_links(checks, folder, pages):
    for name, page in sorted(pages.items()):
        problems = list(page.problems)
        for target in page.links + page.loads:
            if target.startswith(("http://", "https://")):
                if target in page.loads:
                    problems.append(f"it loads {target}")
                continue
            if target.startswith("data:"):
                continue
            path, _, anchor = target.partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(folder, there)):
                problems.append(f"{target} leads to no file")
            elif anchor and anchor not in pages[there].places:
                problems.append(f"{there} has no place #{anchor}")
        checks.expect(not problems, f"{name}: {'; '.join(problems[:5])}")


def check_contents(checks, folder, pages):
    with open(os.path.join(ROOT, "learn", "course.json"), encoding="utf-8") as file:
        units = [unit["id"] for unit in json.load(file)["units"]]
    missing = [unit for unit in units if f"course/{unit.replace('/', '-')}.html" not in pages]
    checks.expect(not missing, f"units without a page: {missing}")
    done = subprocess.run([NEREID, "info", "--builtins", "--json"], text=True, stdout=subprocess.PIPE, check=True)
    places = {place for name, page in pages.items() if name.startswith("reference/") for place in page.places}
    missing = [entry["name"] for entry in json.loads(done.stdout)["builtins"] if entry["name"] not in places]
    checks.expect(not missing, f"functions without a place: {missing}")
    with open(os.path.join(folder, "reference", "products.html"), encoding="utf-8") as file:
        text = file.read()
    checks.expect("<code>fp16[16, 16], fp16[16, 16] → fp32[16, 16]</code>" in text, "tl.dot: the shapes of its example")
    checks.expect("<code>T, T → fp32</code> with T: fp16, bf16" in text, "tl.dot: the types that it takes")
    with open(os.path.join(folder, "reference", "reductions.html"), encoding="utf-8") as file:
        checks.expect("out: i32[4] = [2, 2, 2, 2]" in file.read(), "tl.histogram: what its example prints")
    with open(os.path.join(folder, "course", "day-06.html"), encoding="utf-8") as file:
        text = file.read()
    checks.expect("was never written" in text and 'class="m-unwritten"' in text, "day-06: a mistake with its picture")
    with open(os.path.join(folder, "course", "day-32.html"), encoding="utf-8") as file:
        checks.expect('<pre class="text"><code>for each block of keys:\n' in file.read(), "day-32: a formula keeps its lines")
    for name in ("style.css", "search.js"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            checks.expect("//" not in file.read().replace("// search.js", "").replace("http:", ""), f"{name} asks for nothing else")


def check_hostile(checks):
    """Texts that no document has: they end, and lead nowhere else."""
    sys.path.insert(0, os.path.join(ROOT, "docs", "site"))
    from build import Site
    from markdown import Markdown
    link = Site("", NEREID).linker("docs/learn.md", "docs/learn.html")
    for name, text, expected in (("links", "[a](#b) " * 2000, '<a href="#b">a</a> ' * 1999), ("brackets", "[" * 20000, "[" * 20000),
                                 ("quotes", ">" * 3000 + "x", "&gt;x"), ("headings", "# a\n" * 1200, 'id="a-1199"'), ("blanks", "# a" + " " * 30000 + "b", "b</h1>"),
                                 ("lists", "".join("  " * i + "- a\n" for i in range(600)), "<li>"), ("scripts", "[a](javascript://b) ![a](x\"y) <b>", "<p>a <img"),
                                 ("tags", "# <b>`<i>`\n|<u>\n", "&lt;b&gt;<code>&lt;i&gt;</code>")):  # yapf: disable
        page = Page(Markdown(link).render(text))
        checks.expect(not page.problems and not [target for target in page.links if not target.startswith("#")], f"{name}: {page.problems} {page.links[:3]}")
        checks.expect(expected in Markdown(link).render(text), f"{name}: {expected[:40]} is expected")


def look(checks, folder, pictures):
    program = browser.find() if browser else None
    if not program:
        checks.skipped += 1
        print("skipped: there is no Chromium")
        return
    page = browser.Browser(program)
    try:
        for name, width, dark in (("index", 1280, False), ("course/day-06", 1280, False), ("course/day-07", 390, True), ("reference/reductions", 1280, True),
                                  ("reference/math", 390, False), ("kernels/softmax", 1280, False), ("docs/architecture", 1280, True), ("docs/commands", 390, False)):  # yapf: disable
            page.open(os.path.join(folder, name + ".html"), width, 900, dark)
            problems = page.problems()
            wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            checks.expect(not problems and wide <= 0, f"{name} in a browser: {problems}, {wide} pixels too wide")
            if pictures:
                page.settle()
                page.picture(os.path.join(pictures, f"{name.replace('/', '-')}.png"))
        page.run("(() => { const box = document.getElementById('search'); box.value = 'dot'; box.dispatchEvent(new Event('input')); })()")
        first = page.run("document.querySelector('#found a').href")
        checks.expect(first.endswith("/reference/products.html#tl.dot"), f"a search for dot finds {first} first")
    finally:
        page.close()


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "site")
        print("RUN: hostile texts", flush=True)
        check_hostile(checks)
        print("RUN: build", flush=True)
        done = subprocess.run([os.path.join(ROOT, "docs", "site", "build.py"), folder, NEREID], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if checks.expect(done.returncode == 0, f"the site is built: {done.stdout}"):
            pages = read_pages(folder)
            print("RUN: links", flush=True)
            check_links(checks, folder, pages)
            check_contents(checks, folder, pages)
            print("RUN: browser", flush=True)
            look(checks, folder, sys.argv[1] if len(sys.argv) > 1 else None)
    checks.exit()


if __name__ == "__main__":
    main()
