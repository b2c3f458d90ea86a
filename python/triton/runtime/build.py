"""Building C extensions at run time, for host code that brings its own C: kernels need no C compiler."""
import os

from .. import knobs


def _compiler():
    from shutil import which
    found = knobs.build.cc or which("gcc") or which("clang")
    if found is None:
        raise RuntimeError("Failed to find C compiler. Please specify via CC environment variable or set "
                           "triton.knobs.build.impl.")
    return found


def _library_flag(library):
    name = library.split(".so")[0]
    return f"-l:{library}" if name != library or library.endswith(".a") else f"-l{library}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags=()):
    """Compiles a C file to an extension in `srcdir`; its path."""
    import subprocess
    import sysconfig
    if knobs.build.impl:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    output = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    scheme = sysconfig.get_default_scheme()
    python = sysconfig.get_paths("posix_prefix" if scheme == "posix_local" else scheme)["include"]
    command = [_compiler(), src, "-O3", "-shared", "-fPIC", "-o", output]
    command += [_library_flag(library) for library in libraries] + [f"-L{folder}" for folder in library_dirs]
    command += [f"-I{folder}" for folder in [*include_dirs, srcdir, python, *knobs.build.backend_dirs] if folder]
    subprocess.check_call(command + list(ccflags), stdout=subprocess.DEVNULL)
    return output


def platform_key():
    from platform import architecture, machine, system
    return ",".join([machine(), system(), *architecture()])


def _load_module_from_path(name, path):
    from importlib.util import module_from_spec, spec_from_file_location
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"Failed to load newly compiled {name} from {path}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The extension module that C text makes, from the cache where it was built before."""
    import hashlib
    import sysconfig
    import tempfile
    from .cache import Distrusted, check_library, get_cache_manager
    cache = get_cache_manager(hashlib.sha256((src + platform_key()).encode()).hexdigest())
    filename = name + sysconfig.get_config_var("EXT_SUFFIX")
    path = cache.get_file(filename)
    is_kept = True
    if path is not None:
        try:
            check_library(path)
            return _load_module_from_path(name, path)
        except Distrusted:
            is_kept = False
        except (RuntimeError, ImportError):
            import logging
            logging.getLogger(__name__).warning(f"Triton cache error: compiled module {name}.so could not be loaded")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name + ".c")
        with open(source, "w") as file:
            file.write(src)
        built = _build(name, source, folder, library_dirs or [], include_dirs or [], libraries or [], ccflags or [])
        if not is_kept:
            return _load_module_from_path(name, built)
        with open(built, "rb") as file:
            path = cache.put(file.read(), filename)
    return _load_module_from_path(name, path)
