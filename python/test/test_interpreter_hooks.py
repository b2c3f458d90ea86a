"""What visualizers and courses put into the interpreter: steps of the builder, functions of the language, the loop over the grid."""
import ast
import inspect

import numpy as np
import pytest
from test_interpreter_operations import _KERNELS, N, launch

import triton
import triton.language as tl
from triton import knobs
from triton.runtime import interpreter
from triton.runtime.interpreter import GridExecutor, InterpretedFunction, TensorHandle, interpreter_builder


@pytest.fixture(autouse=True)
def interpreter_mode(monkeypatch):
    monkeypatch.setattr(knobs.runtime, "interpret", True)


def scaled(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2 + tl.sum(i), mask=i < n)


def launched(kernel=scaled):
    x, out = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    triton.jit(kernel)[(2, )](x, out, 6, B=4)
    return x, out


def expected(x):
    return x * 2 + np.array([6, 6, 6, 6, 22, 22])


def test_steps_of_the_builder_see_arrays(monkeypatch):
    seen = []

    def recorded(name):
        step = getattr(interpreter_builder, name)

        def record(*args):
            result = step(*args)
            seen.append((name, args, result))
            return result

        return record

    names = ["create_masked_load", "create_masked_store", "binary_op", "create_make_range", "create_splat", "create_addptr",
             "create_get_program_id"]  # yapf: disable
    for name in names:
        monkeypatch.setattr(interpreter_builder, name, recorded(name))
    x, out = launched()
    np.testing.assert_array_equal(out, expected(x))
    assert {name for name, _, _ in seen} == set(names)
    loads = [args for name, args, _ in seen if name == "create_masked_load"]
    address = x.__array_interface__["data"][0]
    np.testing.assert_array_equal([(args[0].data - address) // 4 for args in loads], [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal([args[1].data for args in loads], [[True] * 4, [True, True, False, False]])
    assert {args[2] for name, args, _ in seen if name == "binary_op"} >= {np.multiply, np.add, np.less}
    assert all(isinstance(result, TensorHandle) for name, _, result in seen if name != "create_masked_store")


def test_a_step_may_change_what_an_operation_gives(monkeypatch):
    add = interpreter_builder.binary_op

    def doubled(lhs, rhs, op):
        result = add(lhs, rhs, op)
        return TensorHandle(result.data * 2, result.dtype) if op is np.multiply and lhs.data.dtype == np.float32 else result

    monkeypatch.setattr(interpreter_builder, "binary_op", doubled)
    x, out = launched()
    np.testing.assert_array_equal(out, expected(x) + x * 2)


def test_without_hooks_the_library_runs_again(monkeypatch):
    runs = []
    original = InterpretedFunction.run_in_library
    monkeypatch.setattr(InterpretedFunction, "run_in_library", lambda self, *args: (runs.append(self), original(self, *args))[1])
    step = interpreter_builder.create_expand_dims
    interpreter_builder.create_expand_dims = lambda *args: step(*args)
    launched()
    assert not runs
    interpreter_builder.create_expand_dims = step  # how visualizers put back what they have found
    launched()
    assert len(runs) == 1
    del interpreter_builder.create_expand_dims


@pytest.mark.parametrize("kernel", _KERNELS, ids=lambda kernel: kernel.__name__)
def test_step_by_step_is_the_same(kernel, monkeypatch):
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(N).astype(np.float32) for _ in range(2))
    results = []
    for is_stepped in (False, True):
        out = np.zeros(N, np.float32)
        if is_stepped:
            step = interpreter_builder.binary_op
            monkeypatch.setattr(interpreter_builder, "binary_op", lambda *args: step(*args))
        launch(kernel, x, y, out, B=N, python=is_stepped, monkeypatch=monkeypatch)
        results.append(out)
    np.testing.assert_array_equal(results[0].view(np.uint32), results[1].view(np.uint32))


def test_a_function_of_the_language_may_be_replaced(monkeypatch):
    sums, total = [], tl.sum

    def noted(input, axis=None, **kwargs):
        sums.append(input.handle.data.copy())
        return total(input, axis, **kwargs)

    monkeypatch.setattr(tl, "sum", noted)
    x, out = launched()
    np.testing.assert_array_equal(sums, [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal(out, expected(x))


def test_the_loop_over_the_grid_may_be_replaced(monkeypatch):
    order = []

    def backwards(self, *args_dev, **kwargs):
        kwargs = {name: value for name, value in kwargs.items() if name not in interpreter.RESERVED_KWS}
        args_hst, kwargs_hst = self._init_args_hst(args_dev, kwargs)
        scope = interpreter._patch_lang(self.fn)
        args = {name: arg if name in self.constexprs else interpreter._implicit_cvt(arg)
                for name, arg in inspect.getcallargs(self.fn, *args_hst, **kwargs_hst).items()}  # yapf: disable
        assert args["x"].handle.data[0] == args_dev[0].__array_interface__["data"][0]
        grid = (*self.grid, 1, 1)
        interpreter_builder.set_grid_dim(*grid)
        for x in reversed(range(grid[0])):
            interpreter_builder.set_grid_idx(x, 0, 0)
            order.append(x)
            self.fn(**args)
        self._restore_args_dev(args_dev, args_hst, kwargs, kwargs_hst)
        scope.restore()

    monkeypatch.setattr(GridExecutor, "__call__", backwards)
    x, out = launched()
    assert order == [1, 0]
    np.testing.assert_array_equal(out, expected(x))


def test_the_changes_to_the_text_may_be_added_to(monkeypatch):
    loops = []

    def looped(x, out, n, B: tl.constexpr):
        for i in range(3):
            tl.store(out + i, i)

    def visit_for(transformer, node):
        loops.append((node.lineno, ast.unparse(node.iter)))
        return transformer.generic_visit(node)

    monkeypatch.setattr(interpreter.ASTTransformer, "visit_For", visit_for)
    _, out = launched(looped)
    assert loops == [(2, "range(3)")] and list(out[:3]) == [0, 1, 2]


def test_functions_of_the_language_exist_outside_of_kernels_only_in_a_scope():
    with pytest.raises(ValueError, match="triton.jit"):
        tl.arange(0, 4)
    scope = interpreter._patch_lang(launched)
    np.testing.assert_array_equal((tl.arange(0, 4) + 1).handle.data, [1, 2, 3, 4])
    scope.restore()
    with pytest.raises(ValueError, match="triton.jit"):
        tl.arange(0, 4)
