"""The page of every library kernel, at the sizes that its bench.json checks: smaller than 5 MB, and every tab of it opens in a headless
Chromium without an error or a request."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "python"))
import browser  # noqa: E402

NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def cases():
    """(name, words) of the first case of each kernel."""
    for path in sorted(glob.glob(os.path.join(ROOT, "kernels", "*", "bench.json"))):
        folder, seen = os.path.dirname(path), set()
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        for row in rows:
            if row["kernel"] in seen:
                continue
            seen.add(row["kernel"])
            sizes = {**row["sizes"], **row.get("check", {})}
            fill = lambda text: re.sub(r"\{(\w+)\}", lambda found: str(sizes.get(found[1], found[0])), text)  # noqa: E731
            source = os.path.join(folder, row.get("file", os.path.basename(folder) + ".py"))
            yield f"{os.path.basename(folder)}:{row['kernel']}", [f"{source}:{row['kernel']}", *map(fill, row["arguments"]), "--grid", fill(row["grid"])]


def make(case, folder):
    name, words = case
    path = os.path.join(folder, name.replace(":", "-") + ".html")
    done = subprocess.run([NEREID, "view", *words, "-o", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return name, path, done.stdout if done.returncode else ""


def look(page, path):
    """What is wrong with a page."""
    if os.path.getsize(path) >= 5_000_000:
        return f"it has {os.path.getsize(path)} bytes"
    page.open(path)
    page.run("app.panels.forEach((_, i) => openPanel(i))")
    page.settle()
    problems = page.problems()
    shown = page.run("({ stages: app.view.code.stages.map((each) => each.name), steps: app.view.trace?.programs.reduce((a, each) => a + each.steps.length, 0), failure: app.view.trace?.failure || null })")
    if "tile" not in shown["stages"] or "ptx" not in shown["stages"] or "asm" not in shown["stages"] or not shown["steps"] or shown["failure"] is not None:
        problems.append(str(shown))
    return "; ".join(problems)


def main():
    program = browser.find()
    if not program:
        print("skipped: there is no chromium")
        return 77
    passed = failed = 0
    page = browser.Browser(program)
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            for name, path, problem in pool.map(lambda case: make(case, folder), cases()):
                print(f"RUN: {name}", flush=True)
                problem = problem or look(page, path)
                passed, failed = passed + (not problem), failed + bool(problem)
                if problem:
                    print(f"FAILED: {name}: {problem}", flush=True)
    finally:
        page.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
