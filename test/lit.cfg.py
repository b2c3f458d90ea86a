# lit.cfg.py: how lit finds and runs the text tests. `lit test` uses the tools of build/; `--param build=DIR` another build.
import os

import lit.formats


class TextTest(lit.formats.ShTest):
    """A file with RUN lines. Python files named *_oracle.py are whole test programs: scripts/test runs those."""

    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            if not test.path_in_suite[-1].endswith("_oracle.py"):
                yield test


source = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(lit_config.params.get("build", os.path.join(source, "..", "build")))

config.name = "nereid"
config.test_format = TextTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
# Inputs: files that tests read. python: what the oracle scripts import.
config.excludes = ["Inputs", "python", "lit.cfg.py"]
config.test_source_root = source
config.test_exec_root = os.path.join(build, "test")
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.substitutions.append(("%root", os.path.dirname(source)))
config.substitutions.append(("%python", "/usr/bin/python3"))
lit_config.maxIndividualTestTime = 120
