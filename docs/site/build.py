#!/usr/bin/python3
"""Builds the site: `docs/site/build.py FOLDER [NEREID]` writes pages that are read without a network: the lessons of the course, the language reference,
the library's kernels with their figures, and the documentation, all from the files that the repository has. NEREID is the program (build/bin/nereid)."""
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import figures  # noqa: E402
import lessons  # noqa: E402
import reference  # noqa: E402
from markdown import Markdown, plain  # noqa: E402

DOCUMENTS = ["quick-start", "commands", "learn", "view", "profile", "python", "compatibility", "cpp", "cuda", "language", "coverage", "figures", "h200", "architecture"]
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Nereid</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{up}style.css">
<script defer src="{up}index.js"></script>
<script defer src="{up}search.js"></script>
</head>
<body data-up="{up}">
<header><a class="home" href="{up}index.html">Nereid</a>
<nav>{doors}</nav>
<label class="search"><span>Search</span><input id="search" type="search" placeholder="tl.dot, masks, softmax …" autocomplete="off"></label>
<div id="found" hidden></div></header>
<div class="frame"><details class="side" open><summary>Contents</summary><nav aria-label="Contents">{side}</nav></details>
<main>{body}{around}</main></div>
</body>
</html>
"""
DOORS = [("course", "Course", "course/index.html"), ("reference", "Language", "reference/index.html"), ("kernels", "Kernels", "kernels/index.html"),
         ("docs", "Documentation", "docs/quick-start.html")]  # yapf: disable


def text_of(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


class Site:

    def __init__(self, out, nereid):
        self.out, self.nereid = out, nereid
        self.entries = []  # of the search: [title, what it says, address]
        self.pages = {}  # the repository's file: the page that it becomes
        self.side = {}  # part: [(heading or None, [(title, address)])]

    def address(self, target, page):
        return posixpath.relpath(target, posixpath.dirname(page) or ".")

    def linker(self, source, page):
        """Where a link of a Markdown file leads to: another page, a picture that is copied, an address of the world, or nowhere."""

        def link(target):
            if target.startswith(("https://", "http://", "#")):
                return target
            path, _, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            if path.startswith("docs/pictures/"):
                return self.address("pictures/" + posixpath.basename(path), page)
            found = self.pages.get(path) or self.pages.get(path + "/README.md")
            return self.address(found, page) + ("#" + anchor if anchor else "") if found else None

        return link

    def namer(self, page):
        """Where a name in backticks leads to: a function of the language, a document, a kernel of the library."""

        def code(text):
            name = re.sub(r"\(.*\)$", "", text)  # a call names its function, too
            if name in self.functions:
                return self.address(f"reference/{self.functions[name]}.html", page) + "#" + name
            kernel = re.match(r"^kernels/(\w+)(?:/.*)?$", text)
            target = self.pages.get(text) or (kernel and self.pages.get(f"kernels/{kernel[1]}/README.md"))
            return self.address(target, page) if target and target != page else None

        return code

    def write(self, page, title, body, part, around=""):
        up = "../" * page.count("/")
        doors = "".join(f'<a href="{up}{target}"{" class=here" if name == part else ""}>{text}</a>' for name, text, target in DOORS)
        side = ""
        for heading, items in self.side.get(part, []):
            side += (f"<h3>{html.escape(heading)}</h3>" if heading else "") + "<ul>"
            side += "".join(f'<li><a href="{self.address(target, page)}"{" class=here" if target == page else ""}>{html.escape(text)}</a></li>' for text, target in items) + "</ul>"
        target = os.path.join(self.out, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(TEMPLATE.format(title=html.escape(title), up=up, doors=doors, side=side, body=body, around=around))

    def document(self, source, page, part, extra=""):
        """A Markdown file as a page."""
        markdown = Markdown(self.linker(source, page), self.namer(page))
        body = markdown.render(text_of(source))
        title = markdown.headings[0][1]
        for level, text, anchor in markdown.headings:
            self.entries.append([text if level == 1 else f"{text} · {title}", "", page + (f"#{anchor}" if level > 1 else "")])
        self.write(page, title, body + extra, part)

    def plan(self):
        """Which file becomes which page, before any of them is written, since they link to each other."""
        self.kernels = sorted(name for name in os.listdir(os.path.join(ROOT, "kernels")) if os.path.exists(os.path.join(ROOT, "kernels", name, "README.md")))
        self.pages = {f"docs/{name}.md": f"docs/{name}.html" for name in DOCUMENTS}
        self.pages.update({f"kernels/{name}/README.md": f"kernels/{name}.html" for name in self.kernels})
        self.pages.update({"README.md": "docs/readme.html", "CONTRIBUTING.md": "docs/contributing.html", "kernels/README.md": "kernels/index.html", "docs/kernels.md": "kernels/use.html"})
        if os.path.exists(os.path.join(ROOT, "examples/llama/README.md")):
            self.pages["examples/llama/README.md"] = "docs/llama.html"
        titles = {source: plain(re.search(r"^# (.*)$", text_of(source), re.M)[1]) for source in self.pages}
        named = lambda sources: [(titles[source], self.pages[source]) for source in sources if source in self.pages]  # noqa: E731
        self.side["docs"] = [(None, named(["README.md"] + [f"docs/{name}.md" for name in DOCUMENTS] + ["examples/llama/README.md", "CONTRIBUTING.md"]))]
        self.side["kernels"] = [(None, [("All kernels", "kernels/index.html"), ("How to use them", "kernels/use.html")]),
                                ("Kernels", named([f"kernels/{name}/README.md" for name in self.kernels]))]
        self.course = lessons.read_course(os.path.join(ROOT, "learn"))
        self.side["course"] = [(None, [("All units", "course/index.html")])] + [
            (title, [(f"{unit['id'].partition('-')[2].lstrip('0') or ''} {unit['title']}".strip() if part != "stages" else unit["id"], unit["page"])
                     for unit in self.course["units"] if unit["part"] == part]) for part, title in lessons.PARTS.items()]  # yapf: disable
        self.families = reference.read(self.nereid)
        self.functions = {entry["name"]: family for family, items in self.families.items() for entry, _ in items}
        self.side["reference"] = [(None, [("All functions", "reference/index.html")] + [(title, f"reference/{name}.html") for name, (title, _) in reference.FAMILIES.items()])]

    def write_reference(self):
        index = "<h1>Language reference</h1><p>Every function that kernels may call: its meaning, the shapes and types that it takes and gives, and an example. The types were asked of the compiler " \
                "and the examples were run when these pages were made; <code>nereid help tl.dot</code> says the same in a terminal.</p>"
        for name, (title, about) in reference.FAMILIES.items():
            page, items = f"reference/{name}.html", self.families[name]
            index += f'<h2><a href="{name}.html">{title}</a></h2><ul class="names">'
            index += "".join(f'<li><a href="{name}.html#{entry["name"]}"><code>{entry["name"]}</code></a> <span>{html.escape(plain(entry["documentation"]))}</span></li>' for entry, _ in items) + "</ul>"
            listed = "".join(f'<a href="#{entry["name"]}"><code>{entry["name"].removeprefix("tl.extra.libdevice.")}</code></a> ' for entry, _ in items)
            body = f'<h1>{title}</h1><p>{Markdown(code=self.namer(page)).inline(about)}</p><p class="listed">{listed}</p>' + "".join(text for _, text in items)
            self.write(page, title, body, "reference")
            self.entries += [[entry["name"], plain(entry["documentation"]), f"{page}#{entry['name']}"] for entry, _ in items]
        self.write("reference/index.html", "Language reference", index, "reference")

    def write_course(self):
        wrong = lessons.mistakes(self.course, self.nereid, os.path.join(ROOT, "learn"))
        units = self.course["units"]
        for before, unit, after in zip([None] + units, units, units[1:] + [None]):
            page = unit["page"]
            body, headings = lessons.unit_html(unit, wrong[unit["id"]], self.linker(f"learn/{unit['folder']}/lesson.md", page), self.namer(page))
            around = '<nav class="around">' + "".join(
                f'<a href="{self.address(other["page"], page)}">{mark} {html.escape(other["title"])}</a>' if other else "<span></span>" for mark, other in (("←", before), ("→", after))) + "</nav>"
            self.write(page, f"{unit['id']}: {unit['title']}", body, "course", around)
            self.entries.append([f"{unit['id']}: {unit['title']}", unit["new"], page])
        body = f"<h1>{html.escape(self.course['title'])}</h1><p>Read here, and do it in a terminal, in a browser or in a notebook: <code>nereid learn start 1</code>. No GPU and no Python are needed; " \
               "<a href=\"../docs/learn.html\">Learn it</a> says how it works.</p>"
        for part, title in lessons.PARTS.items():
            rows = "".join(f'<tr><td>{unit["id"]}</td><td><a href="{self.address(unit["page"], "course/index.html")}">{html.escape(unit["title"])}</a></td>'
                           f'<td>{Markdown().inline(unit["new"])}</td></tr>' for unit in units if unit["part"] == part)  # yapf: disable
            body += f'<h2>{title}</h2><div class="wide"><table><tbody>{rows}</tbody></table></div>'
        self.write("course/index.html", self.course["title"], body, "course")

    def write_front(self):
        units, functions = len(self.course["units"]), len(self.functions)
        cards = [("course/day-01.html", "Begin the course", f"{units} units, from the first kernel to flash attention forward and backward. On any laptop."),
                 ("reference/index.html", "Look a function up", f"{functions} functions with their shapes, types and examples that were run."),
                 ("kernels/index.html", "Take a kernel", f"{len(self.kernels)} folders of kernels that are ready to use, with figures of an H200."),
                 ("docs/quick-start.html", "Run your own", "From a fresh machine to your own kernel, from the shell, C++, C and Python."),
                 ("docs/architecture.html", "See how it is built", "From a kernel's text to machine code, with pictures."),
                 ("docs/contributing.html", "Change it", "Which files a builtin, an op, a pass, a kernel, a target or a command takes.")]  # yapf: disable
        body = "<h1>Nereid</h1><p class=lead>The Triton tile language as one native C++ system: it reads unmodified Triton kernels, checks them, compiles them in milliseconds for CPUs and " \
               "NVIDIA GPUs, and teaches you to write them.</p><div class=cards>"
        body += "".join(f'<a href="{target}"><strong>{title}</strong><span>{about}</span></a>' for target, title, about in cards) + "</div>"
        self.side[None] = [(None, [(title, target) for target, title, _ in cards])]
        self.write("index.html", "Nereid", body, None)

    def build(self):
        self.plan()
        measured = figures.of_kernels(ROOT)
        self.write_reference()
        self.write_course()
        for source, page in self.pages.items():
            kernel = source.split("/")[1] if source.startswith("kernels/") and source.count("/") == 2 else None
            part = "kernels" if page.startswith("kernels/") else "docs"
            self.document(source, page, part, figures.table(measured.get(kernel), self.address("docs/h200.html", page)) if kernel else "")
        self.write_front()
        for name in ("style.css", "search.js"):
            shutil.copy(os.path.join(HERE, name), self.out)
        shutil.copytree(os.path.join(ROOT, "docs", "pictures"), os.path.join(self.out, "pictures"), ignore=shutil.ignore_patterns("*.txt"))
        with open(os.path.join(self.out, "index.js"), "w", encoding="utf-8") as file:
            file.write("window.siteIndex = " + json.dumps(self.entries, ensure_ascii=False, separators=(",", ":")) + ";\n")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    out = os.path.abspath(sys.argv[1])
    nereid = sys.argv[2] if len(sys.argv) == 3 else os.path.join(ROOT, "build", "bin", "nereid")
    # Only a folder that this made before is replaced.
    if os.path.exists(out):
        if os.listdir(out) and not os.path.exists(os.path.join(out, "search.js")):
            print(f"site: {out} has other files in it; an empty folder is expected", file=sys.stderr)
            return 2
        shutil.rmtree(out)
    site = Site(out, nereid)
    try:
        site.build()
    except (RuntimeError, subprocess.CalledProcessError) as problem:
        print(f"site: {problem}", file=sys.stderr)
        return 1
    count = sum(name.endswith(".html") for _, _, names in os.walk(out) for name in names)
    print(f"site: {count} pages; begin with {os.path.join(out, 'index.html')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
