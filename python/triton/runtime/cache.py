"""Files that outlive a process, by key: tuning results, what tools of other people keep.

Compiled kernels have their own cache in the library; this one is for Python code that uses Triton's. Many may share its folder:
what is only data is read as it is, code only where nobody but this user and root can have written it.
"""
import os

from .. import knobs


class Distrusted(Exception):
    """Code of the cache that somebody else may have written."""


class Damaged(ValueError):
    """Files of the cache that are not what was written there."""


def _check(descriptor, path):
    from nereid import _native
    why = _native.distrust(descriptor)
    if why is None:
        return
    if not _check.has_warned:
        import warnings
        _check.has_warned = True
        warnings.warn(f"code in the cache is not used, but compiled again: `{path}` {why}", RuntimeWarning, stacklevel=4)
    raise Distrusted(f"`{path}` {why}: its code is not loaded")


_check.has_warned = False


def read_code(path):
    """The bytes of a file, as they were when it was found to be trusted."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        import errno
        if error.errno == errno.ELOOP:
            raise Distrusted(f"`{path}` is a link: its code is not loaded") from error
        raise
    with os.fdopen(descriptor, "rb") as file:
        _check(descriptor, path)
        return file.read()


def check_library(path):
    """For a file that the system loads by its name: its folder is trusted, too, so that it stays what it is."""
    for name in (os.path.dirname(path), path):
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            _check(descriptor, name)
        finally:
            os.close(descriptor)


def private_manager(key):
    """The files of a key for this process alone, in a folder that goes with it."""
    import atexit
    import shutil
    import tempfile
    manager = FileCacheManager.__new__(FileCacheManager)
    CacheManager.__init__(manager, key)
    manager.cache_dir = tempfile.mkdtemp(prefix="nereid-")
    manager.lock_path = os.path.join(manager.cache_dir, "lock")
    atexit.register(shutil.rmtree, manager.cache_dir, ignore_errors=True)
    return manager


class CacheManager:
    """The files of one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    def get_file(self, filename):
        raise NotImplementedError

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        raise NotImplementedError

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """A folder a key, below the cache, dump or override folder."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        if not root:
            raise RuntimeError("Could not create or locate cache dir: set TRITON_CACHE_DIR")
        self.cache_dir = os.path.join(root, key)
        self.lock_path = None
        if dump or not override:
            self.lock_path = os.path.join(self.cache_dir, "lock")
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """Writes a file beside its place and moves it there, so that a reader never sees a part of it."""
        import tempfile
        assert self.lock_path is not None, "the override folder is only read"
        handle, temporary = tempfile.mkstemp(dir=self.cache_dir, prefix=f"tmp.pid_{os.getpid()}_")
        path = self._make_path(filename)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data if isinstance(data, bytes) else str(data).encode())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:  # a full disk, say: nothing of it is left
            os.unlink(temporary)
            raise
        return path

    def get_group(self, filename):
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        children = _read_group(path)
        if not isinstance(children, dict):
            return None
        return {name: at for name, at in children.items() if isinstance(at, str) and os.path.exists(at)}

    def put_group(self, filename, group):
        return self.put(_group_text(group), f"__grp__{filename}", binary=False)


def _read_group(path):
    """What its writer gave; None for a file that is damaged."""
    import json
    with open(path, "rb") as file:
        try:
            group = json.load(file)
        except (ValueError, RecursionError):
            return None
    return group.get("child_paths") if isinstance(group, dict) else None


def _group_text(children):
    import json
    return json.dumps({"child_paths": children})


class RemoteCacheBackend:
    """Where a `RemoteCacheManager` keeps its bytes."""

    def __init__(self, key):
        pass

    def get(self, filenames):
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):

    def __init__(self, key):
        import redis
        self._key = key
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _get_key(self, filename):
        return knobs.redis.key_format.format(key=self._key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._get_key(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._get_key(filename), data)


class RemoteCacheManager(CacheManager):
    """Asks a backend elsewhere, and keeps what it gives as files here."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        backend = knobs.cache.remote_manager_class
        if not backend:
            raise RuntimeError("Unable to instantiate RemoteCacheManager, "
                               "TRITON_REMOTE_CACHE_BACKEND doesn't point to a valid class")
        self._backend = backend(key)
        self._files = FileCacheManager(key, override=override, dump=dump)
        self._local = override or dump

    def get_file(self, filename):
        if self._local:
            return self._files.get_file(filename)
        found = self._backend.get([filename])
        return self._files.put(found[filename], filename) if filename in found else None

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        if not self._local:
            self._backend.put(filename, data)
        return self._files.put(data, filename)

    def get_group(self, filename):
        if self._local:
            return self._files.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        children = path and _read_group(path)
        if not isinstance(children, list) or not children:
            return None
        return {name: self._files.put(data, name) for name, data in self._backend.get(list(children)).items()}

    def put_group(self, filename, group):
        if self._local:
            return self._files.put_group(filename, group)
        return self.put(_group_text(sorted(group)), f"__grp__{filename}")


def _base32(key):
    from base64 import b32encode
    return b32encode(bytes.fromhex(key)).decode().rstrip("=")


def _manager(key, **options):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), **options)


def get_cache_manager(key):
    """The files of a key, which is hexadecimal."""
    return _manager(key)


def get_override_manager(key):
    return _manager(key, override=True)


def get_dump_manager(key):
    return _manager(key, dump=True)


def overriding_file(key, name):
    """What the user has put into TRITON_OVERRIDE_DIR for a kernel; None where there is nothing. A dump may be copied there as it is: of
    what it has, the PTX is taken."""
    manager = get_override_manager(key)
    for stage in ("ptx", "cubin", "ttir", "ttgir", "llir"):
        path = manager.get_file(f"{name[:150]}.{stage}")
        if path is not None:
            return path  # the compiler refuses those that it does not take
    return None


def triton_key():
    """What identifies this compiler: a result of another one is not taken for its own."""
    from nereid import _native
    from .. import __version__
    return f"{__version__}-nereid-{_native.version}-{_native.build_id()}"


def get_cache_key(src, backend, backend_options, env_vars):
    return (f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}-"
            f"{sorted(env_vars.items())}")
