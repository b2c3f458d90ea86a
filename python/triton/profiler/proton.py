"""The command `proton`: runs a script, or pytest, as one session. Also `python -m triton.profiler.proton`."""
import argparse
import os
import sys

from .flags import flags
from .profile import finalize, start

_USAGE = """proton [options] script.py [arguments of the script]
       proton [options] pytest [arguments of pytest]
       python -m triton.profiler.proton [options] script.py [arguments of the script]"""


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(prog="proton", description="Profiles a script, or tests.", usage=_USAGE)
    parser.add_argument("-n", "--name", help="where it is written, without the ending (proton)")
    parser.add_argument("-b", "--backend", choices=["cupti", "roctracer", "instrumentation"], help="what is looked at")
    parser.add_argument("-c", "--context", choices=["shadow", "python"], default="shadow", help="scopes (shadow) or calls of Python")
    parser.add_argument("-m", "--mode", help="of the backend")
    parser.add_argument("-d", "--data", choices=["tree", "trace"], default="tree", help="a call tree, or every kernel")
    parser.add_argument("-k", "--hook", choices=["triton"], help="names and metrics from `launch_metadata`")
    parser.add_argument("target_args", nargs=argparse.REMAINDER, help="the script, or pytest, and its arguments")
    arguments = parser.parse_args(words)
    if not arguments.target_args:
        parser.error("a script or `pytest` is missing")
    return arguments, arguments.target_args


def is_pytest(script):
    return os.path.basename(script) == "pytest"


def execute_as_main(script, args):
    """Runs a script as Python does; what it raises is raised here."""
    import runpy
    before = sys.argv
    sys.argv = [script, *args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.argv = before


def main():
    arguments, target = parse_arguments()
    session = start(arguments.name, context=arguments.context, data=arguments.data, backend=arguments.backend, mode=arguments.mode,
                    hook=arguments.hook)  # yapf: disable
    flags.command_line = True
    status = 0
    try:
        if is_pytest(target[0]):
            import pytest
            status = pytest.main(target[1:])
        else:
            execute_as_main(target[0], target[1:])
    finally:  # also of a script that ends with an exception, or with sys.exit
        flags.command_line = False
        if session is not None:
            finalize()
    sys.exit(status)


if __name__ == "__main__":
    main()
