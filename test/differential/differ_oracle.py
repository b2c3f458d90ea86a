"""Random programs: every device present against the interpreter, the interpreter against itself in another order of the
programs and without the passes that all devices share, compiled for GPUs that need not be here and run on emulated ones
(scripts/on-emulated-gpu), and the tool itself on bugs that are planted: it must see them and reduce them to a few lines.

A failure prints the reduced program; `nereid-differ --program SEED` makes the whole one again."""
import os
import platform
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
DIFFER = os.path.join(BUILD, "bin", "nereid-differ")
NO_DEVICE = 3
# Passes that GPUs alone have, on the interpreter.
GPU_PASSES = "emitted:canonicalize+tile-split-extents+cse+tile-fold-ranges+tile-scale-largest"
# What the compiler knows of numbers, compared with them.
CLAIMS = "interp:claims"
# A change of meaning that the tested device is made to have, and the most statements that a reduced kernel may keep; whether programs are such
# that the checker finds nothing (the others divide by 0, and so may the reduced one).
PLANTED = [("interp", "tl.maximum(=tl.minimum(", 8, True), ("interp", "tl.cumsum(=tl.flip(", 8, True), ("interp", " < = <= ", 10, False),
           (CLAIMS, "tl.multiple_of(=tl.multiple_of(1 + ", 6, True),
           ("sm_90a", "tl.maximum(=tl.no_maximum(", 4, True)]


def differ(*words, gpu=None):
    """`gpu`: (capability, what its order of warps and copies is drawn from), emulated on the host."""
    command, environment = [DIFFER, *words], dict(os.environ)
    if gpu:
        command.insert(0, os.path.join(ROOT, "scripts", "on-emulated-gpu"))
        environment.update(EMULATED_GPU=str(gpu[0]), EMULATED_GPU_SEED=str(gpu[1]))
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=800, env=environment)
    return done.returncode, done.stdout, done.stderr


class Tally:
    passed = failed = skipped = 0

    def check(self, what, holds, output=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}\n{output}")


def run_programs(tally, device, count, seed, *words, gpu=None):
    """The programs of one device, as one test each."""
    status, output, errors = differ("--programs", str(count), "--seed", str(seed), "--device", device, "--against", "interp",
                                    "--timeout", "60", "--most-reductions", "3", *words, gpu=gpu)
    if status == NO_DEVICE:
        tally.skipped += 1
        print(f"{device}: {errors.strip()}")
        return
    total = re.search(r"(\d+) passed, (\d+) failed\s*$", output)
    if not total:
        tally.check(device, False, output + errors)
        return
    tally.passed += int(total[1])
    tally.failed += int(total[2])
    if int(total[2]):
        print(f"FAILED: {total[2]} programs on {device}, seed {seed}\n{output}")
    else:
        print(output.strip().splitlines()[-2])


def run_found(tally, device, gpu=None):
    """Programs that once showed a difference."""
    folder = os.path.join(ROOT, "test", "differential", "found")
    for name in sorted(os.listdir(folder)):
        status, output, errors = differ("--replay", os.path.join(folder, name), "--device", device, "--check", gpu=gpu)
        if status == NO_DEVICE:
            tally.skipped += 1
        else:
            tally.check(f"{name} on {device}", status == 0, output + errors)


def kernel_lines(text):
    return [line for line in text.split("def kernel(")[-1].splitlines()[1:] if line.startswith("    ")]


def run_planted(tally):
    for device, change, most, is_checked in PLANTED:
        check = ["--check"] * is_checked
        with tempfile.TemporaryDirectory() as folder:
            status, output, _ = differ("--programs", "120", "--seed", "4", "--device", device, "--plant", change, "--save", folder,
                                       "--most-reductions", "1", *check)
            reduced = [name for name in os.listdir(folder) if name.endswith(".py") and not name.endswith(".full.py")]
            tally.check(f"planted `{change}` is found", status == 1 and len(reduced) == 1, output)
            for name in reduced:
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                tally.check(f"planted `{change}` is reduced", change.split("=")[0] in text and len(kernel_lines(text)) <= most, text)
                # What was saved runs again, alone: with the bug it differs, without it does not.
                replayed, _, _ = differ("--replay", os.path.join(folder, name), "--device", device, "--plant", change)
                sound, _, _ = differ("--replay", os.path.join(folder, name), "--device", device, *check)
                tally.check(f"planted `{change}` is replayed", replayed == 1 and sound == 0, text)


def older_processors():
    """Code for older processors; those that this one is not are skipped."""
    return ["cpu:x86-64", "cpu:x86-64-v2", "cpu:x86-64-v2+avx", "cpu:x86-64-v3"] if platform.machine() == "x86_64" else []


def main():
    tally = Tally()
    run_programs(tally, "interp", 50, 7)
    run_programs(tally, "emitted", 100, 4)
    run_programs(tally, GPU_PASSES, 50, 5)
    run_programs(tally, CLAIMS, 100, 6)
    run_programs(tally, CLAIMS, 300, 8, "--integers")
    run_programs(tally, "cpu", 300, 1)
    run_programs(tally, "cpu", 50, 9, "--integers")
    run_found(tally, "emitted")
    run_found(tally, CLAIMS)
    run_found(tally, "cpu")
    for device in older_processors():
        run_programs(tally, device, 50, 2)
        run_found(tally, device)
    for target, count in (("sm_90a", 150), ("sm_80", 50), ("sm_100", 50)):
        run_programs(tally, target, count, 3)
        run_found(tally, target)
    for gpu in ((90, 0), (90, 7), (80, 7), (120, 7)):
        run_programs(tally, "cuda", 40, 6, gpu=gpu)
        run_found(tally, "cuda", gpu)
    run_planted(tally)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
