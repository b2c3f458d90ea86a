"""The browser's door in a headless Chromium: the solution of a unit is typed into the editor, wrong code gets its mark, what was typed outlives
the tab and the server, and a second tab is noticed. `browser_oracle.py FOLDER` leaves pictures there; `COURSE UNIT…` goes through those units
of another course instead."""
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "test", "view", "python"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
sys.dont_write_bytecode = True

import web_oracle  # noqa: E402

try:
    import browser
except ImportError:
    browser = None

UNTIL = """new Promise((done, fail) => { let left = 600; const look = () => { let value = null; try { value = %s; } catch (problem) { value = null; }
if (value) done(value); else if (--left) setTimeout(look, 100); else fail(new Error(document.body.innerText.slice(0, 2000))); }; look(); })"""


def until(page, expression):
    return page.run(UNTIL % expression)


def visit(page, address):
    """A new tab."""
    page.session, page.events = None, []
    target = page.call("Target.createTarget", url="about:blank")["targetId"]
    page.session = page.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log"):
        page.call(domain + ".enable")
    page.call("Emulation.setDeviceMetricsOverride", width=1360, height=860, deviceScaleFactor=1, mobile=False)
    page.call("Page.navigate", url=address)
    until(page, "document.getElementById('saved') && document.getElementById('saved').textContent === 'saved'")


def type_in(page, text):
    page.run("(() => { const code = document.getElementById('code'); code.focus(); code.select(); })()")
    page.call("Input.insertText", text=text)
    assert page.run("document.getElementById('code').value") == text


def press(page, button):
    page.run(f"document.getElementById('{button}').click()")


def check(page, passes):
    press(page, "check")
    word = "passed" if passes else "not yet"
    until(page, f"!document.getElementById('check').disabled && document.querySelector('#result p').textContent.startsWith({json.dumps(word)})")


def solution(course, folder):
    with open(os.path.join(course, folder, "solution.py")) as file:
        return file.read()


def go_through(page, server, pictures):
    visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}")
    right = solution(web_oracle.COURSE, "double")
    assert page.run("document.querySelector('#lesson h1').textContent") == "Twice as much"
    check(page, False)
    assert page.run("document.querySelector('#result canvas').width") > 100
    if pictures:
        page.picture(os.path.join(pictures, "unwritten.png"))
    type_in(page, right.replace("2 * x", "2 * y"))
    check(page, False)
    assert page.run("document.querySelector('#numbers .bad').textContent") == "11"
    type_in(page, right)
    until(page, "document.getElementById('saved').textContent === 'saved'")
    first = page.session
    visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}#double")  # a second tab has what was typed
    assert page.run("document.getElementById('code').value") == right
    type_in(page, right + "# second\n")
    until(page, "document.getElementById('saved').textContent === 'saved'")
    page.session = first
    type_in(page, right + "# first\n")
    until(page, "document.getElementById('take-mine')")
    press(page, "take-mine")
    until(page, "document.getElementById('saved').textContent === 'saved'")
    check(page, True)
    assert page.run("document.getElementById('done').textContent") == "1 of 2 passed"
    if pictures:
        page.picture(os.path.join(pictures, "passed.png"))
    problems = [problem for problem in page.problems() if "409" not in problem and not problem.startswith("request:")]
    assert not problems, problems


def other_course(page, server, course, units, pictures):
    with open(os.path.join(course, "course.json")) as file:
        folders = {unit["id"]: unit["folder"] for unit in json.load(file)["units"]}
    for unit in units:
        visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}#{unit}")
        check(page, False)
        if pictures:
            page.picture(os.path.join(pictures, f"{unit.replace('/', '-')}-begin.png"))
        type_in(page, solution(course, folders[unit]))
        check(page, True)
        if pictures:
            page.picture(os.path.join(pictures, f"{unit.replace('/', '-')}.png"))


def main():
    program = browser.find() if browser else None
    if not program:
        print("skipped: there is no Chromium\n0 passed, 0 failed, 1 skipped")
        return 0
    words = sys.argv[1:]
    pictures = words.pop(0) if words and not os.path.exists(os.path.join(words[0], "course.json")) else None
    folder = tempfile.mkdtemp()
    if words:
        web_oracle.COURSE = words[0]
    server, page = web_oracle.Server(folder, *(["--timeout", "50"] if words else [])), browser.Browser(program)
    try:
        if words:
            other_course(page, server, words[0], words[1:], pictures)
        else:
            go_through(page, server, pictures)
    finally:
        page.close()
        server.kill()
        shutil.rmtree(folder)
    print("1 passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
