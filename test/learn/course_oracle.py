"""The course holds: for every unit the starter fails with a message that helps, the solution passes on the interpreter and compiled, each wrong
answer gets its own message, hints do not give the answer away, and the goals tell a good kernel from a naive one. The program carries all of
it."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEREID = os.path.join(os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build")), "bin", "nereid")


def main():
    course = os.path.join(ROOT, "learn")
    print("RUN: nereid learn validate")
    done = subprocess.run([NEREID, "learn", "validate", course, "--json"], text=True, stdout=subprocess.PIPE)
    units = json.loads(done.stdout)["units"]
    passed = 0
    for unit in units:
        passed += not unit["problems"]
        if unit["problems"]:
            print(f"FAILED: {unit['unit']}\n" + "\n".join(unit["problems"]))
    print("RUN: the program carries the course")
    folders = {os.path.dirname(os.path.relpath(os.path.join(folder, name), course)) for folder, _, names in os.walk(course) for name in names if name == "unit.json"}
    with open(os.path.join(course, "course.json")) as file:
        listed = {unit["folder"] for unit in json.load(file)["units"]}
    inside = subprocess.run([NEREID, "learn", "progress", "--json"], text=True, stdout=subprocess.PIPE, check=True)
    carried = {unit["unit"]: unit["title"] for unit in json.loads(inside.stdout)["units"]}
    whole = folders == listed and set(carried) == {unit["unit"] for unit in units} and not any(title.startswith("(") for title in carried.values())
    if not whole:
        print(f"FAILED: the program carries the course\nnot in course.json: {sorted(folders - listed)}; not there: {sorted(listed - folders)}")
    failed = len(units) - passed + (not whole)
    print(f"{passed + whole} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
