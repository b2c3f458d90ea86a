"""An installed nereid as others use it: `cmake --install` to a temporary prefix, an outside CMake project with find_package,
C programs with pkg-config and a kernel that is compiled ahead of time, and an uninstall that leaves nothing behind."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("NEREID_BUILD", os.path.join(ROOT, "build"))
OUTSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "outside")
MANIFEST = os.path.join(BUILD, "install_manifest.txt")
COMPILER = shutil.which("cc") or shutil.which("clang-22")
CASES = []


def case(function):
    CASES.append(function)
    return function


def run(command, status=0, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(command)}\nexit status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(got, want):
    if got != want:
        raise AssertionError(f"got      {got!r}\nexpected {want!r}")


def cpu_features():
    """What this CPU has, as the compiler sees it."""
    devices = json.loads(run([os.path.join(BUILD, "bin", "nereid"), "info", "--json"]))["devices"]
    return next(device["features"] for device in devices if device["name"] == "cpu").split(",")


class Place:
    """A temporary folder with an installed nereid below `prefix`."""

    def __init__(self, folder):
        self.folder, self.prefix = folder, os.path.join(folder, "prefix")
        self.environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(self.prefix, "lib", "pkgconfig"),
                                LD_LIBRARY_PATH=os.path.join(self.prefix, "lib"), NEREID_CACHE_DIR=os.path.join(folder, "cache"))

    def nereid(self, *words):
        return run([os.path.join(self.prefix, "bin", "nereid"), *words], cwd=self.folder, env=self.environment)

    def files(self):
        return sorted(os.path.relpath(os.path.join(at, name), self.prefix) for at, _, names in os.walk(self.prefix) for name in names)

    def compile_kernel(self, name, signature, *words):
        """The object and the header of one kernel in the folder."""
        for stage, ending in (("obj", "o"), ("header", "h")):
            self.nereid("compile", os.path.join(OUTSIDE, "kernels.py"), "-n", name, "-s", signature, *words,
                        "--emit", stage, "-o", f"{name}.{ending}")

    def build_c(self, name, *words, source=None, output=None):
        output = os.path.join(self.folder, output or name)
        run([COMPILER, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", self.folder, "-o", output,
             os.path.join(OUTSIDE, source or f"{name}.c"), *words], cwd=self.folder)
        return output

    def libraries_of(self, program):
        return run(["ldd", program], env=self.environment)

    def package(self, name, *words):
        return run(["pkg-config", *words, name], env=self.environment).split()


@case
def installs_what_is_promised(place):
    files = place.files()
    for name in ("bin/nereid", "include/nereid/nereid.h", "include/nereid/nereid.hpp", "include/nereid/runtime.h", "lib/libnereid.so",
                 "lib/libnereid-rt.so", "lib/libnereid-rt.a", "lib/cmake/nereid/nereidConfig.cmake", "include/nereid/kernels/softmax.hpp", "lib/pkgconfig/nereid.pc",
                 "lib/pkgconfig/nereid-rt.pc", "share/man/man1/nereid.1", "share/bash-completion/completions/nereid",
                 "share/zsh/site-functions/_nereid", "share/fish/vendor_completions.d/nereid.fish"):
        if name not in files:
            raise AssertionError(f"`{name}` is not installed")


@case
def outside_cmake_project(place):
    tree = os.path.join(place.folder, "tree")
    run(["cmake", "-S", OUTSIDE, "-B", tree, f"-DCMAKE_PREFIX_PATH={place.prefix}", "-DCMAKE_CXX_COMPILER=clang++-22",
         "-DCMAKE_C_COMPILER=clang-22"], env=place.environment)
    run(["cmake", "--build", tree], env=place.environment)
    expect(run([os.path.join(tree, "double_it")], env=place.environment).split(), ["2", "4", "6", "8", "10"])
    expect(run([os.path.join(tree, "soften")], env=place.environment), "0.25 0.25 0.25 0.25\n")
    expect(run([os.path.join(tree, "blend_it")]), "right bounded\n")


@case
def c_program_needs_no_compiler(place):
    for target in ("x86-64", *(["x86-64-v3"] if "avx2" in cpu_features() else []), "native"):
        place.compile_kernel("blend", "*fp32, *fp32, *fp32, i32, fp32, 64", "--target", target)
        program = place.build_c("blend_it", "blend.o", *place.package("nereid-rt", "--cflags", "--libs"), "-lm")
        expect(run([program], env=place.environment), "right bounded\n")
    libraries = place.libraries_of(program)
    if "libLLVM" in libraries or "libMLIR" in libraries or "libnereid.so" in libraries:
        raise AssertionError(f"the program needs a compiler:\n{libraries}")


@case
def c_program_links_statically(place):
    place.compile_kernel("blend", "*fp32, *fp32, *fp32, i32, fp32, 64", "--target", "x86-64")
    program = place.build_c("blend_it", "blend.o", *place.package("nereid-rt", "--cflags"),
                            os.path.join(place.prefix, "lib", "libnereid-rt.a"), "-lstdc++", "-lm", "-lpthread", output="static_it")
    expect(run([program]), "right bounded\n")


@case
def assertions_prints_and_refused_arguments(place):
    place.compile_kernel("guarded", "*i32:16, i32, 16", "--debug")
    program = place.build_c("guarded_it", "guarded.o", *place.package("nereid-rt", "--cflags", "--libs"))
    lines = run([program], env=place.environment).splitlines()
    printed = ["pid (0, 0, 0) idx () x?: (operand 0) 5", *(f"pid (0, 0, 0) idx ({i:2d}) x?: (operand 1) {i}" for i in range(16))]
    where = os.path.join(OUTSIDE, "kernels.py")
    expect(lines[:19], [*printed, "0 fine", "42"])
    expect(lines[19:24], [f"1 {where}:17:5: error: assertion failed: too \"large\"", "note: in program (0, 0, 0)", "",
                          "2 kernel `guarded`: `x_ptr` must be aligned to 16 bytes", "0 fine"])
    expect(lines[24:], [*printed, *(line.replace("pid (0", "pid (1") for line in printed), "0 fine"])


@case
def kernels_call_the_run_time(place):
    place.compile_kernel("ordered", "*fp32, 16")
    for library in (place.package("nereid-rt", "--libs"), [os.path.join(place.prefix, "lib", "libnereid-rt.a"), "-lstdc++", "-lm", "-lpthread"]):
        program = place.build_c("ordered_it", "ordered.o", *place.package("nereid-rt", "--cflags"), *library)
        expect(run([program], env=place.environment), "".join(f"{i} " for i in range(16)))


@case
def header_does_not_fit_another_object(place):
    place.compile_kernel("blend", "*fp32, *fp32, *fp32, i32, fp32, 64", "--target", "x86-64")
    place.nereid("compile", os.path.join(OUTSIDE, "kernels.py"), "-n", "blend", "-s", "*fp32, *fp32, *fp32, i64, fp32, 64",
                 "--target", "x86-64", "--emit", "header", "-o", "blend.h")
    try:
        place.build_c("blend_it", "blend.o", *place.package("nereid-rt", "--cflags", "--libs"), "-lm", output="other")
    except AssertionError as problem:
        if "undefined reference" in str(problem) or "undefined symbol" in str(problem):
            return
        raise
    raise AssertionError("a header for i64 was linked with an object for i32")


@case
def headers_are_also_cxx(place):
    place.compile_kernel("guarded", "*i32:16, i32, 16", "--debug")
    run(["clang++-22", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-I", place.folder,
         *place.package("nereid-rt", "--cflags"), "-"], input='#include "guarded.h"\nint main() { return guarded_launch(1, 1, 1, nullptr, 5); }\n')


@case
def uninstall_leaves_nothing(place):
    run([os.path.join(ROOT, "scripts", "uninstall"), place.prefix])
    expect(place.files(), [])


def main():
    passed = failed = 0
    before = open(MANIFEST).read() if os.path.exists(MANIFEST) else None
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        try:
            run(["cmake", "--install", BUILD, "--prefix", place.prefix])
            for function in CASES:
                try:
                    function(place)
                    passed += 1
                except (AssertionError, subprocess.TimeoutExpired, OSError) as problem:
                    failed += 1
                    print(f"FAILED: {function.__name__}: {problem}")
        finally:
            # `make uninstall` of the user's own installation still finds its list.
            if before is not None:
                with open(MANIFEST, "w") as file:
                    file.write(before)
            elif os.path.exists(MANIFEST):
                os.remove(MANIFEST)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
