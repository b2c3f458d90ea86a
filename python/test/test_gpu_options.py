"""Options of a launch that are about its code on a GPU, over the fake driver."""
import os

import pytest
from test_cuda import FAKE, run

pytestmark = pytest.mark.skipif(not os.path.exists(FAKE), reason="the fake driver is not built")


def test_options_reach_the_code(tmp_path):
    done = run(tmp_path, """
@triton.jit
def fused(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.exp2(tl.load(x + i)) * 3.0 + tl.rsqrt(tl.load(y + i)))

x, y = Tensor(128), Tensor(128)
def ptx(**options): return fused[(1, )](x, y, BLOCK=128, **options).asm["ptx"]
plain = ptx()
assert ".maxnreg" not in plain and "fma.rn.f32" in plain and "ex2.approx.ftz.f32" in plain and "rsqrt.approx.ftz.f32" in plain and ".target sm_90a" in plain, plain
assert ".maxnreg 40" in ptx(maxnreg=40)
assert "fma" not in ptx(enable_fp_fusion=False)
assert all(name in ptx(enable_reflect_ftz=False) for name in ("ex2.approx.f32", "rsqrt.approx.f32"))
assert ".target sm_80" in ptx(arch="sm80")
assert ptx() == plain and ptx(maxnreg=None, extern_libs={}) == plain
triton.knobs.language.default_fp_fusion = False
assert "fma" not in ptx() and "fma" in ptx(enable_fp_fusion=True)
print("fine")
""")
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.parametrize("options, message", [
    ("arch='gfx942'", "arch must look like `sm90`, got `gfx942`"),
    ("num_ctas=2, arch='sm80'", "num_ctas > 1 requires NVIDIA SM90+ (Hopper)"),
    ("extern_libs=3", "extern_libs must be a dictionary of names and paths"),
    ("extern_libs={'mine': '/nowhere.bc'}, maxnreg='many'", "'str' object cannot be interpreted as an integer"),
])
def test_wrong_options_are_refused(tmp_path, options, message):
    done = run(tmp_path, f"scale[(2, )](Tensor(100), Tensor(100), 7, 0.5, BLOCK=64, {options})")
    assert message in done.stderr, done.stderr


def test_floats_of_other_gpus_are_refused(tmp_path):
    done = run(tmp_path, """
@triton.jit
def copy(x, y):
    tl.store(y, tl.load(x))
copy[(1, )](Tensor(4, "float8_e4m3fnuz"), Tensor(4, "float8_e4m3fnuz"))
""")
    assert "CompilationError" in done.stderr and "type fp8e4b8 not supported in this architecture" in done.stderr, done.stderr
