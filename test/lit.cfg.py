# lit.cfg.py: how lit finds and runs the text tests. `lit test` uses the tools of build/; `--param build=DIR` another build.
import os
import shutil

import lit.formats

source = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(lit_config.params.get("build", os.path.join(source, "..", "build")))

config.name = "nereid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
# Inputs, found: files that tests read. python: what the oracle scripts import. *_oracle.py: whole programs, run by scripts/test.
config.excludes = ["Inputs", "found", "python", "lit.cfg.py"]
config.excludes += [name for _, _, names in os.walk(source) for name in names if name.endswith("_oracle.py")]
config.test_source_root = source
config.test_exec_root = os.path.join(build, "test")
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["NEREID_CACHE_DIR"] = os.path.join(build, "test", "kernel-cache")
config.substitutions.append(("%root", os.path.dirname(source)))
config.substitutions.append(("%fakecuda", os.path.join(build, "unittest", "libfake-cuda.so")))
config.substitutions.append(("%fakenvtx", os.path.join(build, "unittest", "libfake-nvtx.so")))
config.substitutions.append(("%python", "/usr/bin/python3"))
config.available_features.update(shell for shell in ("zsh", "fish") if shutil.which(shell))
try:
    import psutil  # lit needs it to end a test that hangs
    lit_config.maxIndividualTestTime = 120
except ImportError:
    pass
