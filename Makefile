# The front doors of the project. Each one sets the machine up by itself (scripts/setup), so that a fresh Debian 12 with
# git, make and root or sudo needs no other step. `make help` lists them.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

# The precompiled header carries no time stamp; this tells ccache that it may trust that, here and in other checkouts.
export CCACHE_SLOPPINESS := pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR    := $(CURDIR)
export CCACHE_NOHASHDIR  := 1
export CCACHE_PCH_EXTSUM := 1

.PHONY: build run test install uninstall portable wheel bench site format help setup configure
.DEFAULT_GOAL := build

build: configure          ## build/bin/nereid and build/lib/libnereid*
	@ninja -C build -j $(JOBS)

# A fresh machine gets a tree of its own, with the program alone and several files compiled at a time; a developer's build is used where there is one.
RUN_TREE := $(if $(wildcard build/build.ninja),build,build/run)
run:                      ## build the program alone, then run kernels and check their results
	@scripts/setup run
	@[ -f $(RUN_TREE)/build.ninja ] || { echo "run: configuring"; mkdir -p build; cmake --preset run >build/run-configure.log 2>&1 || { cat build/run-configure.log; exit 3; }; }
	@ninja -C $(RUN_TREE) -j $(JOBS) nereid softmax-example
	@scripts/demo $(RUN_TREE)

test: setup               ## build, then every test; ends with `N passed, N failed, N skipped`
	@scripts/test --jobs $(JOBS)

install: build            ## install below PREFIX (default /usr/local)
	@cmake --install build --prefix "$(PREFIX)" >/dev/null
	@echo "installed nereid below $(PREFIX)"

uninstall:                ## remove what the last `make install` put below PREFIX
	@scripts/uninstall "$(PREFIX)"

portable: setup           ## build/portable/nereid (LLVM inside, needs glibc 2.28 and nothing else) and nereid.xz
	@scripts/portable $(JOBS)

wheel: setup              ## build/wheel/*.whl: the Python package with the portable library
	@scripts/wheel $(JOBS)

bench: build              ## time the compiler, and the kernels against OpenBLAS and memcpy
	@scripts/bench

site: build               ## build/site: the lessons, the language reference and the documentation as pages that need no network
	@docs/site/build.py build/site

format: setup             ## format the C++ sources in place
	@git ls-files '*.cpp' '*.h' '*.hpp' | xargs -r clang-format-22 -i

help:                     ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup:
	@scripts/setup

configure: setup
	@[ -f build/build.ninja ] || cmake --preset dev >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 3; }
	@rm -f build-configure.log
