"""Triton links ahead-of-time kernels of several specializations into one dispatcher; nereid's objects need no such step."""


class LinkerError(Exception):
    """There is nothing to link."""


def main():
    raise SystemExit("nereid's ahead-of-time kernels need no linker step: `python -m triton.tools.compile` writes a header and "
                     "an object; link the object with libnereid-rt")


if __name__ == "__main__":
    main()
