"""`nereid learn --web` as a stranger and as a learner see it: no token, another host or origin, requests that are none, an endless loop, more
memory than there is, more clients than it can have, a second tab, a server that is killed."""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COURSE = os.path.join(HERE, "Inputs", "course")
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def read_if_there(path):
    """Of /proc: threads and processes end while they are looked at."""
    try:
        with open(path) as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


class Server:

    def __init__(self, folder, *words):
        environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
        self.process = subprocess.Popen([NEREID, "learn", "--web", "--course", COURSE, "--timeout", "5", *words], cwd=folder, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # yapf: disable
        line = self.process.stdout.readline()
        self.port, self.token = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w{32})", line).groups()
        self.port = int(self.port)

    def ask(self, method, path, body=None, token=True, **headers):
        """The status and the text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {"X-Nereid-Token": self.token} if token is True else {"X-Nereid-Token": token} if token else {}
        names.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body, names)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def post(self, action, **body):
        status, text = self.ask("POST", f"/api/{action}", body)
        return status, json.loads(text)

    def raw(self, data):
        """What comes back for bytes that need not be a request."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                return connection.recv(1 << 16)
            except OSError:  # it would not hear more
                return b""

    def child(self):
        """The process that grades; waits until there is one that has become `nereid learn check`."""
        while True:
            for task in os.listdir(f"/proc/{self.process.pid}/task"):
                for child in read_if_there(f"/proc/{self.process.pid}/task/{task}/children").split():
                    if "check" in read_if_there(f"/proc/{child}/cmdline").split("\0"):
                        return int(child)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def solution(unit="double"):
    with open(os.path.join(COURSE, unit, "solution.py")) as file:
        return file.read()


ENDLESS = "    i = tl.program_id(0) + 1\n    while i > 0:\n        i = (i * 3 + 1) % 7 + 1\n        tl.store(out_ptr, 0.0)\n    mask = "

LARGE = """    tiles = ()
    for k in tl.static_range(300):
        tiles = tiles + (tl.arange(0, 1048576).to(tl.float64) * k + tl.program_id(0),)
    for k in tl.static_range(300):
        tl.store(out_ptr + tl.arange(0, 1048576), tiles[k])
    mask = """


def while_grading(server, code, look):
    """What `look` finds at the process that grades a text, and the answer."""
    unit, answers = server.post("unit", id="double")[1], []
    asking = threading.Thread(target=lambda: answers.append(server.post("check", id="double", code=code, base=unit["version"])))
    asking.start()
    found = look(server.child())
    asking.join()
    status, answer = answers[0]
    assert status == 200 and not answer["report"]["passed"], answer
    return found, answer["report"]["message"]


def test_strangers(server, folder):
    assert server.ask("GET", f"/?token={server.token}", token=None)[0] == 200
    assert server.ask("GET", "/", token=None)[0] == 403
    assert server.ask("GET", "/?token=" + "0" * 32, token=None)[0] == 403
    assert server.ask("GET", "/api/course", token=None)[0] == 403
    assert server.ask("GET", f"/api/course?token={server.token}", token=None)[0] == 403  # a link cannot do it
    assert server.ask("GET", "/api/course", Host=f"example.org:{server.port}")[0] == 403
    assert server.ask("GET", "/api/course", Host="127.0.0.1:1")[0] == 403
    assert server.ask("GET", "/api/course", Origin="http://example.org")[0] == 403
    assert server.ask("GET", "/api/course", Origin="null")[0] == 403
    assert server.ask("GET", "/api/course", Origin=f"http://127.0.0.1:{server.port}")[0] == 200
    assert server.ask("GET", "/api/course", Host=f"localhost:{server.port}")[0] == 200
    with socket.socket() as other:  # other addresses of the machine are not listened on
        other.settimeout(5)
        assert other.connect_ex(("127.0.0.2", server.port)) != 0


def test_files(server, folder):
    for path in ("/../../etc/passwd", "/etc/passwd", "/api/../learn.json", "/api/unit/../../x"):
        assert server.ask("GET", path)[0] in (403, 404), path
    for name in ("../../etc/passwd", "/etc/passwd", "double/../..", "nothing", ""):
        status, body = server.post("unit", id=name)
        assert status == 404 or body["id"] in ("double", "steps/sum"), (name, body)


def test_requests_that_are_none(server, folder):
    assert server.raw(b"hello\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert server.raw(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert server.raw(b"POST /api/save HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n").startswith(b"HTTP/1.1 413")
    assert server.raw(b"POST /api/save HTTP/1.1\r\nContent-Length: -1\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert server.raw(b"GET /" + b"a" * 100000).startswith((b"HTTP/1.1 413", b""))
    assert server.raw(b"\x00\xff" * 50) == b""
    for body in ("", "[]", "{", "[" * 100000, '{"id": 1}'):
        assert server.ask("POST", "/api/save", body)[0] in (400, 404), body[:10]
    assert server.post("save", id="double", code="x" * (1 << 19 | 1), base="")[0] == 400
    assert server.ask("POST", "/api/nothing", {"id": "double"})[0] == 404


def test_a_unit(server, folder):
    status, unit = server.post("unit", id="double")
    assert status == 200 and "YOUR CODE" in unit["code"] and unit["lesson"].startswith("# Twice"), unit
    status, answer = server.post("check", id="double", code=unit["code"], base=unit["version"])
    report = answer["report"]
    assert not report["passed"] and report["comparison"]["unwritten"] == 64, report
    status, answer = server.post("run", id="double", code=solution(), base=answer["version"])
    assert answer["report"]["passed"] and len(answer["report"]["tests"]) == 1, answer
    status, answer = server.post("check", id="double", code=solution().replace("2 * x", "2 * y"), base=answer["version"])
    assert answer["report"]["stage"] == "compile" and answer["report"]["line"] == 11, answer
    with open(os.path.join(folder, "nereid-course", "double", "kernel.py")) as file:
        assert "2 * y" in file.read()
    assert server.post("hint", id="double")[1]["text"].startswith("double, hint 1")
    assert not server.post("solution", id="double")[1]["ok"]
    status, answer = server.post("check", id="double", code=solution(), base=answer["version"])
    assert answer["report"]["passed"], answer
    assert server.post("solution", id="double")[1]["text"] == solution()
    course = json.loads(server.ask("GET", "/api/course")[1])
    assert [unit["passed"] for unit in course["units"]] == [True, False] and course["current"] == "steps/sum", course


def test_code_that_does_not_end(server, folder):
    endless = solution().replace("    mask = ", ENDLESS)
    bound, message = while_grading(server, endless, lambda child: resource.prlimit(child, resource.RLIMIT_AS))
    assert bound == (4 << 30, 4 << 30) and "longer than" in message, (bound, message)
    unit = server.post("unit", id="double")[1]
    used = solution().replace("2 * x", "2 * x + X")
    at_compile_time = used.replace("@triton", "def f():\n    x = 0\n    while True:\n        x += 1\n\n\nX = tl.constexpr(f())\n\n\n@triton")
    status, answer = server.post("check", id="double", code=at_compile_time, base=unit["version"])
    assert status == 200 and not answer["report"]["passed"], answer
    bomb = used.replace("@triton", "def f():\n    x = 'a'\n    for i in range(60):\n        x = x + x\n    return len(x)\n\n\nX = tl.constexpr(f())\n\n\n@triton")
    status, answer = server.post("check", id="double", code=bomb, base=answer["version"])
    assert status == 200 and not answer["report"]["passed"], answer
    large = solution().replace("    mask = ", LARGE)
    status, answer = server.post("check", id="double", code=large, base=answer["version"])
    assert "needs more than 2 GiB for its tiles" in answer["report"]["message"], answer
    prints = solution().replace("    mask = ", ENDLESS.replace("tl.store(out_ptr, 0.0)", "tl.device_print('i', offsets)"))
    few = solution().replace("    mask = ", "    for i in range(300):\n        tl.device_print('i', offsets)\n    mask = ").replace("2 * x", "3 * x")
    answer = server.post("check", id="double", code=few, base=answer["version"])[1]
    assert "lines are left out" in answer["report"]["printed"] and len(answer["report"]["printed"]) < 20000, answer
    message = while_grading(server, prints, lambda child: resource.prlimit(child, resource.RLIMIT_AS, (1, 1)))[1]
    assert "memory" in message, message
    assert server.ask("GET", "/api/course")[0] == 200


def test_a_second_tab(server, folder):
    first = server.post("unit", id="steps/sum")[1]
    second = server.post("unit", id="steps/sum")[1]
    status, answer = server.post("save", id="steps/sum", code="first", base=first["version"])
    assert status == 200
    status, conflict = server.post("save", id="steps/sum", code="second", base=second["version"])
    assert status == 409 and conflict["code"] == "first", conflict
    assert server.post("save", id="steps/sum", code="second", base=conflict["version"])[0] == 200
    assert server.post("save", id="steps/sum", code="second", base="")[0] == 200  # nothing would change


def test_a_killed_server(server, folder):
    server.kill()
    again = Server(folder, "--port", str(server.port))
    try:
        assert again.token != server.token
        assert again.ask("GET", "/api/course", token=server.token)[0] == 403
        assert again.post("unit", id="steps/sum")[1]["code"] == "second"
        assert json.loads(again.ask("GET", "/api/course")[1])["units"][0]["passed"]
    finally:
        again.kill()


def test_more_clients_than_descriptors(server, folder):
    few = Server(folder)
    try:
        bound = max(int(number) for number in os.listdir(f"/proc/{few.process.pid}/fd")) + 5
        resource.prlimit(few.process.pid, resource.RLIMIT_NOFILE, (bound, bound))
        clients = [socket.create_connection(("127.0.0.1", few.port)) for _ in range(20)]
        for client in clients:
            client.sendall(b"GET /")
        for client in clients:
            client.close()
        assert few.ask("GET", "/api/course")[0] == 200
    finally:
        few.kill()


def test_another_device(server, folder):
    """A GPU whose driver runs nothing: what it leaves unwritten is told of it."""
    build = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
    os.environ.update(NEREID_LIBCUDA=os.path.join(build, "unittest", "libfake-cuda.so"), NEREID_PTXAS=os.path.join(ROOT, "test", "cuda", "Inputs", "fake-ptxas"),
                      NEREID_CACHE_DIR=os.path.join(folder, "cache"))
    gpu = Server(folder, "--device", "cuda", "--timeout", "2")
    try:
        unit = gpu.post("unit", id="double")[1]
        answer = gpu.post("check", id="double", code=solution(), base=unit["version"])[1]
        assert "compiled for `cuda` it gives another result" in answer["report"]["message"], answer
        endless = solution().replace("    mask = ", ENDLESS)  # the driver of a GPU takes more addresses than there is memory
        bound, message = while_grading(gpu, endless, lambda child: resource.prlimit(child, resource.RLIMIT_DATA))
        assert bound == (4 << 30, 4 << 30) and "longer than" in message, (bound, message)
    finally:
        gpu.kill()


def main():
    passed = failed = 0
    folder = tempfile.mkdtemp()
    server = Server(folder)
    try:
        for name, test in list(globals().items()):
            if not name.startswith("test_"):
                continue
            print(f"RUN: {name}")
            try:
                test(server, folder)
                passed += 1
            except Exception as problem:  # noqa: BLE001
                failed += 1
                print(f"FAILED: {name}\n{type(problem).__name__}: {problem}")
    finally:
        server.kill()
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
