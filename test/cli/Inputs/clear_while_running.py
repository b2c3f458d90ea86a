"""Kernels run while another process clears the cache again and again: all of them are right. clear_while_running.py FILE"""
import subprocess
import sys

WORDS = ["nereid", "run", sys.argv[1], "x_ptr=ones:f32[8]", "y_ptr=ones:f32[8]", "out_ptr=zeros:f32[8]", "n=8", "BLOCK=8", "--grid", "1", "--device", "cpu",
         "--expect", "out_ptr=x_ptr + y_ptr"]
runs = [subprocess.Popen(WORDS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(6)]
cleared = 0
while any(run.poll() is None for run in runs):
    subprocess.run(["nereid", "cache", "clear"], stdout=subprocess.DEVNULL, check=True)
    cleared += 1
for run in runs:
    assert run.returncode == 0, run.stderr.read()
assert cleared
