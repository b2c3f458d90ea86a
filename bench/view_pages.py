"""view_pages.py: pages of large public kernels and of the library: how long they take to make, how large they are, and whether every tab of them opens in a headless
Chromium, is stepped and searched through, without an error in the console or a request.

    bench/view_pages.py [--checkouts FOLDER] [--library] [--only TEXT] [--keep FOLDER]

FOLDER holds checkouts of other projects by OWNER+NAME (public_launches.py). Exit status 1 where a page takes 3 s of a processor or 5 MB, or has an error."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "view"), os.path.join(ROOT, "test", "view", "python")]
import browser  # noqa: E402
import library_oracle  # noqa: E402
from public_launches import launches  # noqa: E402

MOST_SECONDS, MOST_BYTES = 3, 5_000_000


def make(words, path):
    """(seconds of the processor, of the clock, what went wrong)"""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([library_oracle.NEREID, "view", *words, "-o", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - begin, (done.stdout.strip() or f"it ended with {done.returncode}") if done.returncode else ""


DRIVE = """(() => {
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  document.querySelectorAll('[role=tab]').forEach((tab) => { tab.click(); });
  document.querySelectorAll('input[type=range]').forEach((input) => { input.value = input.max; input.dispatchEvent(new Event('input')); });
  const search = document.querySelector('input[type=search]');
  search.value = 'tl.load'; search.dispatchEvent(new Event('input'));
  search.value = ''; search.dispatchEvent(new Event('input'));
  document.querySelectorAll('#panel-steps button').forEach((button) => { if (!button.disabled) button.click(); });
  document.getElementById('tab-code').focus(); press('ArrowRight'); press('ArrowRight');
  return document.querySelectorAll('[role=tab]').length;
})()"""


def drive(page, path):
    problem = library_oracle.look(page, path)
    tabs = page.run(DRIVE)
    page.settle()
    problems = [problem] if problem else []
    problems += page.problems()
    if tabs < 6:
        problems.append(f"there are {tabs} tabs")
    return "; ".join(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkouts")
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", metavar="FOLDER", help="where pages stay")
    options = parser.parse_args()
    program = browser.find()
    if not program:
        sys.exit("error: there is no chromium")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    page = browser.Browser(program)
    bad = made = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            cases = [*(library_oracle.cases() if options.library else ()), *(launches(options.checkouts, folder) if options.checkouts else ())]
            for name, words in cases:
                if options.only not in name:
                    continue
                path = os.path.join(options.keep or folder, name.replace(":", "-").replace(" ", "-") + ".html")
                processor, clock, problem = make(words, path)
                size = 0 if problem else os.path.getsize(path)
                problem = problem or drive(page, path)
                is_bad = bool(problem) or processor >= MOST_SECONDS or size >= MOST_BYTES
                bad, made = bad + is_bad, made + 1
                print(f"{processor:5.2f} s of a processor {clock:6.2f} s {size / 1e6:5.2f} MB  {name}{'  FAILED: ' + problem if problem else ''}", flush=True)
    finally:
        page.close()
    print(f"{made} pages, {bad} of them bad")
    return 1 if bad or not made else 0


if __name__ == "__main__":
    sys.exit(main())
