"""The browser's door in a headless Chromium: the solution of a unit is typed into the editor, wrong code gets its mark, code without an end and code
without measure are told as such, what was typed outlives the tab and the server, a second tab is noticed, and a stolen address opens nothing.
`browser_oracle.py FOLDER` leaves pictures there; `COURSE UNIT…` goes through those units of another course instead."""
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


def tab(page, address):
    """A new tab."""
    page.session, page.events = None, []
    target = page.call("Target.createTarget", url="about:blank")["targetId"]
    page.session = page.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log"):
        page.call(domain + ".enable")
    page.call("Emulation.setDeviceMetricsOverride", width=1360, height=860, deviceScaleFactor=1, mobile=False)
    page.call("Page.navigate", url=address)


def visit(page, address):
    """A new tab with the course."""
    tab(page, address)
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


def message(page):
    return page.run("document.querySelector('#result .message').textContent")


def take_picture(page, pictures, name):
    if pictures:
        page.picture(os.path.join(pictures, name + ".png"))


def code_without_end(page, pictures, right):
    type_in(page, right.replace("    mask = ", web_oracle.ENDLESS))
    check(page, False)
    assert "longer than" in message(page), message(page)
    take_picture(page, pictures, "endless")
    type_in(page, right.replace("    mask = ", web_oracle.LARGE))
    check(page, False)
    assert "needs more than 2 GiB for its tiles" in message(page), message(page)
    take_picture(page, pictures, "large")


def server_that_is_killed(page, server, folder, pictures, right):
    """What is typed while no server is there is kept, and taken by the next one; the old address is worth nothing."""
    visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}#double")
    server.kill()
    type_in(page, right + "# while it was gone\n")
    until(page, "document.getElementById('saved').textContent.startsWith('the server is gone')")
    press(page, "check")
    until(page, "document.querySelector('#result p').textContent.startsWith('The server is gone')")
    take_picture(page, pictures, "gone")
    again = web_oracle.Server(folder, "--port", str(server.port))
    try:
        type_in(page, right + "# the old address\n")
        until(page, "document.getElementById('saved').textContent.includes('is not accepted')")
        take_picture(page, pictures, "old-address")
        visit(page, f"http://127.0.0.1:{again.port}/?token={again.token}#double")
        assert page.run("document.getElementById('code').value") == right + "# the old address\n"
        check(page, True)
    finally:
        again.kill()


def stolen_address(page, server, folder, pictures):
    """Without the token, by another name of this machine, and from a page of another origin: nothing."""
    for address in (f"http://127.0.0.1:{server.port}/", f"http://127.0.0.1:{server.port}/?token={'0' * 32}", f"http://a.localhost:{server.port}/?token={server.token}"):
        tab(page, address)
        until(page, "document.readyState === 'complete' && document.body.innerText.includes('is not accepted')")
    take_picture(page, pictures, "stolen")
    other = web_oracle.Server(tempfile.mkdtemp(dir=folder), "--port", "0")  # an origin of its own
    try:
        tab(page, f"http://127.0.0.1:{other.port}/")
        ask = f"fetch('http://127.0.0.1:{server.port}/api/course', {{headers: {{'X-Nereid-Token': '{server.token}'}}}})"
        assert until(page, "document.readyState === 'complete'") and page.run(f"{ask}.then(answer => answer.text(), () => 'refused')") == "refused"
        blind = f"fetch('http://127.0.0.1:{server.port}/api/save', {{method: 'POST', mode: 'no-cors', body: '{{\"id\": \"double\", \"code\": \"\", \"base\": \"\"}}'}})"
        page.run(f"{blind}.then(() => 'sent', () => 'refused')")
        assert server.post("unit", id="double")[1]["code"], "a page of another origin has written"
    finally:
        other.kill()


def go_through(page, server, folder, pictures):
    visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}")
    right = solution(web_oracle.COURSE, "double")
    assert page.run("document.querySelector('#lesson h1').textContent") == "Twice as much"
    formula = "(() => { const box = document.createElement('div'); markdown(box, 'so:\\n\\n    x = 1\\n    y = 2\\n\\nthen'); return box.querySelector('pre').textContent; })()"
    assert page.run(formula) == "x = 1\ny = 2"
    check(page, False)
    assert page.run("document.querySelector('#result canvas').width") > 100
    take_picture(page, pictures, "unwritten")
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
    take_picture(page, pictures, "two-tabs")
    press(page, "take-mine")
    until(page, "document.getElementById('saved').textContent === 'saved'")
    check(page, True)
    assert page.run("document.getElementById('done').textContent") == "1 of 2 passed"
    take_picture(page, pictures, "passed")
    page.run("show({passed: true, tests: [], time: {said: '12.3 us on a GPU'}})")
    assert "time: 12.3 us on a GPU" in page.run("document.getElementById('result').textContent")
    problems = [problem for problem in page.problems() if "409" not in problem and not problem.startswith("request:")]
    assert not problems, problems
    code_without_end(page, pictures, right)
    stolen_address(page, server, folder, pictures)
    server_that_is_killed(page, server, folder, pictures, right)


def other_course(page, server, course, units, pictures):
    with open(os.path.join(course, "course.json")) as file:
        folders = {unit["id"]: unit["folder"] for unit in json.load(file)["units"]}
    for unit in units:
        visit(page, f"http://127.0.0.1:{server.port}/?token={server.token}#{unit}")
        check(page, False)
        take_picture(page, pictures, f"{unit.replace('/', '-')}-begin")
        type_in(page, solution(course, folders[unit]))
        check(page, True)
        take_picture(page, pictures, unit.replace("/", "-"))


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
            go_through(page, server, folder, pictures)
    finally:
        page.close()
        server.kill()
        shutil.rmtree(folder)
    print("1 passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
