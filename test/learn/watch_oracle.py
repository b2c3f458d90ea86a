"""`nereid learn watch`: grades on each save, however the editor saves, says when a file never ends, and goes on to the next unit."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COURSE = os.path.join(HERE, "Inputs", "course")
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def read_until(process, mark):
    """The lines up to one that contains the mark."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if mark in line:
            return "".join(lines)
    raise AssertionError(f"`{mark}` was not printed:\n{''.join(lines)}")


def solution(unit):
    with open(os.path.join(COURSE, unit, "solution.py")) as file:
        return file.read()


def main():
    folder = tempfile.mkdtemp()
    environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
    process = subprocess.Popen([NEREID, "learn", "watch", "double", "--course", COURSE, "--timeout", "5"], cwd=folder, env=environment, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # yapf: disable
    try:
        kernel = os.path.join(folder, "nereid-course", "double", "kernel.py")
        assert "YOUR CODE" in read_until(process, "watching ")
        with open(kernel, "w") as file:
            file.write(solution("double").replace("2 * x", "3 * x"))
        assert "is expected" in read_until(process, "watching ")
        with open(kernel + ".new", "w") as file:  # as many editors save
            file.write(solution("double").replace("    mask = ", "    i = tl.program_id(0) + 1\n    while i > 0:\n        i = (i * 3 + 1) % 7 + 1\n        tl.store(out_ptr, 0.0)\n    mask = "))
        os.replace(kernel + ".new", kernel)
        text = read_until(process, "watching ")
        assert "took longer than" in text, text
        with open(kernel, "w") as file:
            file.write(solution("double"))
        assert "double is passed" in read_until(process, "Enter: the next unit")
        process.stdin.write("\n")
        process.stdin.flush()
        read_until(process, "watching ")
        assert os.path.exists(os.path.join(folder, "nereid-course", "two-steps", "kernel.py"))
        process.stdin.write("h\n")
        process.stdin.flush()
        read_until(process, "hint 1 of 3")
        process.stdin.write("q\n")
        process.stdin.flush()
        assert process.wait(60) == 0
    finally:
        process.kill()
        shutil.rmtree(folder)
    print("1 passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    sys.exit(main())
