"""lessons.py: the units of the course as pages: the lesson, the file to begin with, tests and goals, hints, and what a mistake looks like."""
import concurrent.futures
import html
import json
import os
import subprocess
import tempfile

import marks
from markdown import Markdown, colour_python

PARTS = {"days": "35 days", "exam": "The exam", "stages": "Five stages", "puzzles": "24 puzzles"}


def read_course(folder):
    with open(os.path.join(folder, "course.json"), encoding="utf-8") as file:
        course = json.load(file)
    for unit in course["units"]:
        path = os.path.join(folder, unit["folder"])
        with open(os.path.join(path, "unit.json"), encoding="utf-8") as file:
            unit.update(json.load(file))
        for name in ("lesson.md", "start.py", "hints.md"):
            with open(os.path.join(path, name), encoding="utf-8") as file:
                unit[name] = file.read()
        unit["page"] = "course/" + unit["id"].replace("/", "-") + ".html"
        unit["wrong"] = [os.path.join(path, "wrong", name) for name in sorted(os.listdir(os.path.join(path, "wrong"))) if name.endswith(".py")]
    return course


def mistake(unit, nereid, folder):
    """The report of a typical wrong answer, one with a picture where there is one, and its name."""
    first = None
    for path in unit["wrong"]:
        done = subprocess.run([nereid, "learn", "check", unit["id"], "--course", folder, "--file", path, "--json", "--no-record"], text=True, stdout=subprocess.PIPE,
                              env=dict(os.environ, XDG_STATE_HOME=tempfile.gettempdir()))
        report = json.loads(done.stdout)
        if report["passed"]:
            raise RuntimeError(f"{path} is a wrong answer, but it passes")
        report["message"] = report["message"].replace(path, "kernel.py")
        first = first or (os.path.basename(path)[:-3], report)
        if report.get("comparison") or report.get("accesses"):
            return os.path.basename(path)[:-3], report
    return first


def mistakes(course, nereid, folder):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip((unit["id"] for unit in course["units"]), pool.map(lambda unit: mistake(unit, nereid, folder), course["units"])))


def tests_html(unit):
    rows = []
    for test in unit["tests"]:
        words = "<em>its sizes are hidden</em>" if test.get("hidden") else "<code>" + html.escape(" ".join(test["arguments"]), False) + "</code>"
        rows.append(f"<tr><td>{html.escape(test['name'])}</td><td>{words}</td></tr>")
    return '<div class="wide"><table class="tests"><tbody>' + "".join(rows) + "</tbody></table></div>"


def unit_html(unit, wrong, link, code):
    """The page's body, and its headings."""
    markdown = Markdown(link, code)
    body = markdown.render(unit["lesson.md"])
    name, report = wrong
    body += '<section class="exercise"><h2 id="begin">Begin with this</h2>'
    body += f'<pre class="shell"><code>nereid learn start {unit["id"]}</code></pre><pre><code>{colour_python(unit["start.py"].strip())}</code></pre>'
    body += '<h2 id="tests">What is tested</h2>' + tests_html(unit)
    if unit.get("goals"):
        body += "<p>Goals, in what <code>nereid count</code> counts:</p><ul>" + "".join(
            f"<li>in “{html.escape(goal.get('test', unit['tests'][0]['name']))}”: <code>{html.escape(goal['that'], False)}</code></li>" for goal in unit["goals"]) + "</ul>"
    body += '<h2 id="mistake">What a mistake looks like</h2>'
    body += f"<p>One typical answer that is wrong, <em>{html.escape(name.replace('_', ' '))}</em>, gets this:</p>"
    text = (f"in the test `{report['test']}`:\n" if report["test"] else "") + report["message"]
    body += f'<pre class="text"><code>{html.escape(text.rstrip(), False)}</code></pre>' + marks.of_report(report)
    body += '<h2 id="hints">Hints</h2>'
    for number, hint in enumerate(unit["hints.md"].split("\n---\n"), 1):
        body += f"<details><summary>Hint {number}</summary>{Markdown(link, code).render(hint.strip())}</details>"
    body += f'<p>A solution with its reasons: <code>nereid learn solution {unit["id"]}</code>, once yours has passed.</p></section>'
    return body, markdown.headings
