"""Launches that never end, go outside of their arrays or are told to stop: an exception, and the process lives."""
import array
import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading

import nereid
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def wait_for(flag):
    i = 0
    while i < 1:
        i = tl.load(flag, volatile=True)
    tl.store(flag, i)


@triton.jit
def endless(x):
    i = 0
    while i < 1:
        i = tl.load(x)
    tl.store(x, i)


@triton.jit
def fill(x, far, BLOCK: tl.constexpr):
    tl.store(x + far + tl.arange(0, BLOCK), 1.0)


@pytest.mark.parametrize("grid", [1, 5])
def test_a_timeout_ends_a_launch(grid):
    line = endless.fn.__code__.co_firstlineno + 3
    for _ in range(2):
        with pytest.raises(TimeoutError, match="the launch took longer than 0.02 s") as error:
            endless[(grid, )](np.zeros(1, np.int32), timeout=0.02)
        assert f"test_safety.py:{line}:" in str(error.value)
    with pytest.raises(ValueError, match="timeout must be"):
        endless[(grid, )](np.zeros(1, np.int32), timeout=-1)


@pytest.mark.parametrize("grid", [1, 3])
def test_another_thread_interrupts_a_launch(grid):
    is_over = threading.Event()

    def interrupt():
        while not is_over.is_set():
            nereid.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(RuntimeError, match="the launch was interrupted"):
        endless[(grid, )](np.zeros(1, np.int32))
    is_over.set()
    thread.join()


@pytest.mark.parametrize("grid", [1, 3])
def test_python_goes_on_while_a_kernel_runs(grid):
    """The kernel ends only when another thread of Python has run."""
    flag = np.zeros(1, np.int32)
    endless[(1, )](np.ones(1, np.int32))  # compiled, and known to be quick
    thread = threading.Timer(0.05, lambda: flag.__setitem__(0, 1))
    thread.start()
    wait_for[(grid, )](flag, timeout=60)
    thread.join()


def test_programs_that_begin_late():
    """Threads that were started for programs that wait may begin when the caller's own programs have ended: on a core that others use,
    too, they are no less reminded of the timeout, and go on."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        for _ in range(10):
            flag = np.zeros(1, np.int32)
            thread = threading.Timer(0.02, lambda flag=flag: flag.__setitem__(0, 1))
            thread.start()
            wait_for[(4, )](flag, timeout=30)
            thread.join()
    finally:
        os.sched_setaffinity(0, cores)
        for other in others:
            other.kill()
            other.wait()


def test_an_illegal_access_is_an_exception():
    line = fill.fn.__code__.co_firstlineno + 2
    x = np.zeros(64, np.float32)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the kernel touched memory that belongs to no tensor") as error:
            fill[(1, )](x, 1 << 45, BLOCK=64)
        assert f"test_safety.py:{line}:" in str(error.value) and "in program (0, 0, 0)" in str(error.value)
    fill[(1, )](x, 0, BLOCK=64)
    assert (x == 1).all()


@triton.jit
def double(x, out, shift, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i + shift))


@triton.jit
def transpose(x, out, row, column, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(out + j * M + i, tl.load(x + i * row + j * column))


@triton.jit
def count_up(x, BLOCK: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, BLOCK), 1)


def launch_double(size, blocks, shift=0, out_size=None):
    x, out = np.arange(size, dtype=np.float32), np.zeros(out_size or size, np.float32)
    double[(blocks, )](x, out, shift, BLOCK=128)


@pytest.mark.parametrize("mistake, message", [
    (lambda: launch_double(1000, 8), r"it reads element \[1000\] of `x`"),
    (lambda: launch_double(1024, 9), r"it reads element \[10\d\d\] of `x`"),
    (lambda: launch_double(1024, 8, shift=1), r"it reads element \[10\d\d\] of `x`"),
    (lambda: launch_double(1024, 8, out_size=1000), r"it writes element \[10\d\d\] of `out`"),
    (lambda: launch_double(1024, 8, out_size=1022), r"it writes element \[1022\] of `out`"),
    (lambda: transpose[(1, )](np.ones((4, 64), np.float32), np.zeros((64, 4), np.float32), 64, 1, M=64, N=4),
     r"it reads element \[256\] of `x`"),
], ids=["no mask", "a block too many", "off by one", "too small", "off by two", "strides"])
def test_the_first_launches_do_not_leave_their_arrays(mistake, message):
    with pytest.raises(RuntimeError, match=f"the kernel touched memory that belongs to no tensor: {message}"):
        mistake()


@pytest.mark.parametrize("make", [
    lambda folder: np.zeros(4, [("a", np.float32)])["a"],
    lambda folder: np.zeros(2, np.complex64).view(np.float32),
    lambda folder: np.zeros(2, np.complex64).real,
    lambda folder: np.zeros(4, "V4").view(np.float32),
    lambda folder: np.frombuffer(bytearray(16), np.float32),
    lambda folder: np.frombuffer(memoryview(bytearray(32))[16:], np.float32),
    lambda folder: np.frombuffer(array.array("f", [0] * 4), np.float32),
    lambda folder: np.ctypeslib.as_array((ctypes.c_float * 4)()),
    lambda folder: np.memmap(folder / "mapped", np.float32, "w+", shape=(4, )),
], ids=["a field", "parts of complex numbers", "real parts", "bytes", "bytearray", "memoryview", "array", "ctypes", "a file"])
def test_views_of_other_memory_are_guarded(make, tmp_path):
    out = make(tmp_path)
    with pytest.raises(RuntimeError, match="the kernel touched memory that belongs to no tensor: it writes element .* of `out`"):
        double[(1, )](np.arange(128, dtype=np.float32), out, 0, BLOCK=128)


def strided(shape, strides):
    return np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), shape, strides)


@pytest.mark.parametrize("array", [np.zeros(0, np.float32), np.zeros((0, 5), np.float32), strided((64, ), (0, )), strided((64, ), (4, )), strided((1 << 40, ), (4, )),
                                   strided((8, 8), (16, 4))],
                         ids=["no element", "no row", "one element many times", "too long", "much too long", "rows that are not there"])  # yapf: disable
def test_arrays_that_have_less_memory_than_it_seems(array):
    with pytest.raises(RuntimeError, match="the kernel touched memory that belongs to no tensor"):
        fill[(1, )](array, 0, BLOCK=64)


def test_a_kernel_may_go_from_a_view_to_its_base():
    memory = np.arange(2048, dtype=np.float32)
    out = np.zeros(512, np.float32)
    double[(4, )](memory[1024:1030], out, -24, BLOCK=128)
    assert (out == 2 * memory[1000:1512]).all()


def test_views_of_one_array_stay_together():
    memory = np.arange(256, dtype=np.float32)
    double[(1, )](memory[:128], memory[128:], 0, BLOCK=128)
    assert (memory[128:] == 2 * memory[:128]).all()
    double[(1, )](memory[:128], memory, 0, BLOCK=128)
    assert (memory[:128] == 2 * np.arange(128)).all()


def test_launches_of_several_threads_meet():
    """On copies of their arrays one would undo what another one did."""
    counts, out = np.zeros(64, np.int32), np.zeros(8 * 128, np.float32)
    x = np.ones(128, np.float32)

    def work(k):
        for _ in range(20):
            count_up[(3, )](counts, BLOCK=64)
        double[(1, )](x, out[k * 128:(k + 1) * 128], 0, BLOCK=128)

    threads = [threading.Thread(target=work, args=(k, )) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (counts == 8 * 20 * 3).all() and (out == 2).all()


def test_the_checker_is_an_option_of_a_launch():
    x = np.zeros(64, np.float32)
    with pytest.raises(RuntimeError, match=r"out-of-bounds: the store writes element \[64\] of `x`"):
        fill[(1, )](x, 32, BLOCK=64, check=True)
    fill[(1, )](x, 0, BLOCK=64, check=True)
    assert (x == 1).all()


@pytest.mark.parametrize("option, variable", [(", check=True", ""), ("", "1")])
def test_the_checker_looks_at_interpreted_kernels_too(tmp_path, option, variable):
    script = tmp_path / "race.py"
    script.write_text("import numpy as np, triton, triton.language as tl\n@triton.jit\ndef race(x, B: tl.constexpr):\n"
                      "    tl.store(x + tl.program_id(0) + tl.arange(0, B), tl.program_id(0))\n"
                      f"race[(4, )](np.zeros(64, np.int32), B=16{option})\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), TRITON_INTERPRET="1", NEREID_CHECK=variable)
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "race: the store writes element [1] of `x`" in done.stderr, done.stderr


PROGRAM = """
import sys, threading
import numpy as np
import triton
import triton.language as tl

@triton.jit
def endless(x):
    tl.store(x + 1, 1)
    i = 0
    while i < 1:
        i = tl.load(x)
    tl.store(x, i)

def tell_when_it_runs(x):
    while not x[1]:
        pass
    print("running", flush=True)

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

"""


def program(tmp_path, text, **variables):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    # A job in the background of a shell ignores Ctrl-C, and so would its children.
    return subprocess.Popen([sys.executable, str(path)], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


@pytest.mark.parametrize("grid", [1, 4])
@pytest.mark.parametrize("interpreted", ["0", "1"])
def test_ctrl_c_ends_a_kernel(tmp_path, grid, interpreted):
    process = program(
        tmp_path, f"""
        x = np.zeros(2, np.int32)
        threading.Thread(target=tell_when_it_runs, args=(x, )).start()
        try:
            endless[({grid},)](x)
        except KeyboardInterrupt:
            print("ended", flush=True)
        endless[(1,)](np.ones(2, np.int32))
        """, TRITON_INTERPRET=interpreted)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("ended\n", 0), err


def test_a_handler_that_returns_lets_the_kernel_go_on(tmp_path):
    process = program(
        tmp_path, """
        import signal
        heard = []
        signal.signal(signal.SIGINT, lambda *_: (heard.append(1), print("heard", flush=True)))
        x = np.zeros(2, np.int32)
        threading.Thread(target=tell_when_it_runs, args=(x, )).start()
        try:
            endless[(2,)](x, timeout=0.5)
        except TimeoutError:
            print("ended", len(heard))
        """)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("heard\nended 1\n", 0), err


@pytest.mark.parametrize("variable, message", [
    ("NEREID_CHECK", "out-of-bounds: the store writes element [1000] of `x`"),
    ("NEREID_GUARD", "the kernel touched memory that belongs to no tensor: it writes element [10"),
])
def test_a_variable_makes_every_launch_safe(tmp_path, variable, message):
    process = program(
        tmp_path, """
        memory = np.zeros(1024, np.float32)
        x = memory[:1000].copy()
        fill[(1,)](x, BLOCK=512)
        assert x[:512].all() and not x[512:].any()
        fill[(1,)](x, BLOCK=1024)
        """, **{variable: "1"})
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and message in err, err


def test_guarded_neighbours_stay_apart(tmp_path):
    process = program(
        tmp_path, """
        memory = np.zeros(1024, np.float32)
        fill[(1,)](memory[512:], BLOCK=512)
        assert memory[512:].all() and not memory[:512].any()

        @triton.jit
        def copy(x, y, BLOCK: tl.constexpr):
            tl.store(y + tl.arange(0, BLOCK), 3 * tl.load(x + tl.arange(0, BLOCK)))

        copy[(1,)](memory[512:], memory[:512], BLOCK=512)
        assert (memory[:512] == 3).all() and (memory[512:] == 1).all()
        """, NEREID_GUARD="1")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


class Address:
    """Memory of which nothing is known but where it begins."""
    dtype = "float32"

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


@pytest.mark.parametrize("how", ["launch", "check", "count"])
def test_an_address_where_nothing_is(how):
    """Compiled code is stopped there by its signal, and the interpreter looks before it touches."""
    wrong = lambda: getattr(nereid, how)(fill, (1, ), Address(8), 0, BLOCK=4)
    if how == "check":
        assert "out-of-bounds: the store writes element [0] of `x`" in wrong()
    else:
        with pytest.raises(RuntimeError, match="touched memory that belongs to no tensor|writes through a null pointer"):
            wrong()
    x = np.zeros(8, np.float32)
    getattr(nereid, how)(fill, (1, ), Address(x.ctypes.data), 2, BLOCK=4)
    assert x.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
