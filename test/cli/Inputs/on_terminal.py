"""Runs a command on a terminal of its own and prints what it shows, escapes as `<1;31>`: on_terminal.py COMMAND…"""
import os
import pty
import re
import sys

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
try:
    while part := os.read(terminal, 4096):
        shown += part
except OSError:
    pass  # the other side is closed
os.waitpid(child, 0)
print(re.sub(r"\x1b\[([\d;]*)m", r"<\1>", shown.decode()))
