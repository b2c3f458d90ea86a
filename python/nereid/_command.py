"""The program `nereid` of the wheel: the command line lies in the native library, with the compiler that both share."""
from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Runs the words of the command line and ends the process as the program does."""
    from . import _native
    # Native code runs until it is done, and Python's handlers wait for it: Ctrl-C and a closed pipe end the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:]
    status = _native.run_command([os.fsencode(word) for word in words])
    if words == ["info"] and status == 0:
        from .which import found, sentence
        print(f"Python: {sentence(found())}")
    sys.exit(status)


if __name__ == "__main__":
    main()
