"""`nereid learn` on a machine with nothing else: a root folder that holds the program and the C library, and no shell, no Python, no /tmp, no
/dev and no network. The portable program where it is built, else the one of the build with its libraries."""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
FEWEST = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}


def program():
    """The newest of the programs, the portable one before the others."""
    own, portable = (os.path.join(BUILD, "bin", name) for name in ("nereid", "nereid-portable"))
    return portable if os.path.exists(portable) and os.path.getmtime(portable) >= os.path.getmtime(own) else own


class Machine:

    def __init__(self, folder):
        self.folder = folder
        path = program()
        for name in ("proc", "home"):
            os.mkdir(os.path.join(folder, name))
        self.libraries = re.findall(r"(/\S+) \(0x", subprocess.check_output(["ldd", path], text=True))
        for library in self.libraries:
            os.makedirs(folder + os.path.dirname(library), exist_ok=True)
            shutil.copy(library, folder + library)
        shutil.copy(path, os.path.join(folder, "nereid"))
        self.is_portable = path.endswith("-portable")

    def words(self, *words, network=False):
        """The command, in a root, a table of processes and (where it is not said otherwise) a network of its own."""
        alone = ["unshare", "-r", "-m", "-p", "-f", "--kill-child", f"--mount-proc={self.folder}/proc"] + ([] if network else ["-n"])
        return [*alone, "env", "-i", "HOME=/home", shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin"), self.folder, "/nereid", "learn", *words]

    def start(self, *words, network=False):
        return subprocess.Popen(self.words(*words, network=network), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def learn(self, *words, status=0):
        done = subprocess.run(self.words(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == status, (words, done.returncode, done.stdout)
        return done.stdout

    def write(self, path, text):
        with open(self.folder + path, "w") as file:
            file.write(text)


def nothing_else(machine):
    here = {name for _, _, names in os.walk(machine.folder) for name in names}
    assert "nereid" in here and (here - {"nereid"} <= FEWEST or not machine.is_portable), here


def in_the_terminal(machine):
    assert "Next is day-01" in machine.learn()
    assert "exam" in machine.learn("list")
    assert "Your file: /home/mine/day-01-hello/kernel.py" in machine.learn("start", "1", "/home/mine")
    assert "still says `# YOUR CODE`" in machine.learn("check", status=1)
    assert "hint 1 of 3" in machine.learn("hint")
    assert "is not passed yet" in machine.learn("solution", status=1)
    machine.write("/home/mine/day-01-hello/kernel.py", machine.learn("solution", "--anyway"))
    assert "day-01 is passed." in machine.learn("check")
    machine.write("/home/late.py", machine.learn("solution", "28", "--anyway"))  # it has goals: the compiler for GPUs counts
    assert "day-28 is passed." in machine.learn("check", "28", "--file", "/home/late.py")
    progress = json.loads(machine.learn("progress", "--json"))
    assert progress["passed"] == 2, progress
    machine.learn("certificate", "/home/page.html")


def watching(machine):
    process = machine.start("watch", "2")
    try:
        read_until(process, "watching ")
        solution = machine.learn("solution", "2", "--anyway")
        machine.write("/home/mine/day-02-memory/kernel.py", solution)
        read_until(process, "day-02 is passed.")
        process.stdin.write("q\n")
        process.stdin.flush()
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()


def read_until(process, text):
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"it ended without `{text}`")


def in_a_browser(machine):
    process = machine.start("--web", "--port", "0", network=True)
    try:
        port, token = re.search(r":(\d+)/\?token=(\w{32})", read_until(process, "token=")).groups()

        def ask(method, path, body=None):
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
            connection.request(method, path, json.dumps(body) if body else None, {"X-Nereid-Token": token})
            return connection.getresponse().read().decode()

        assert "<title>" in ask("GET", f"/?token={token}")
        unit = json.loads(ask("POST", "/api/unit", {"id": "day-03"}))
        body = {"id": "day-03", "code": machine.learn("solution", "3", "--anyway"), "base": unit["version"]}
        answer = json.loads(ask("POST", "/api/check", body))
        assert answer["report"]["passed"], answer
    finally:
        process.kill()
        process.wait()
    assert json.loads(machine.learn("progress", "--json"))["passed"] == 4


def teaching(machine):
    os.makedirs(machine.folder + "/home/class/ada")
    machine.write("/home/class/ada/day-01.py", machine.learn("solution", "1"))
    assert "1 of 1 passed" in machine.learn("grade", "/home/class")
    machine.learn("new", "/home/conv", status=2)
    os.mkdir(machine.folder + "/home/course")
    machine.learn("new", "conv", "--course", "/home/course")
    assert "0 units do not hold" in machine.learn("validate", "/home/course/conv")


def main():
    probe = subprocess.run(["unshare", "-r", "-m", "-p", "-f", "-n", "true"], stderr=subprocess.DEVNULL)
    if probe.returncode != 0:
        print("skipped: there are no namespaces here\n0 passed, 0 failed, 1 skipped")
        return 0
    failed = 0
    cases = (nothing_else, in_the_terminal, watching, in_a_browser, teaching)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder)
        print(f"{program()}, which needs {' '.join(sorted(map(os.path.basename, machine.libraries)))}")
        for case in cases:
            print(f"RUN: {case.__name__}")
            try:
                case(machine)
            except Exception as problem:  # noqa: BLE001
                failed += 1
                print(f"FAILED: {case.__name__}: {type(problem).__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
