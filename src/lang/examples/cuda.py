import triton
import triton.language as tl

# tl.extra.cuda.globaltimer: compile -s '*i64' --target sm_90a --emit ptx
from triton.language.extra import cuda


@triton.jit
def globaltimer(out):
    start = cuda.globaltimer()
    tl.store(out, cuda.globaltimer() - start)


# tl.extra.cuda.smid: compile -s '*i32' --target sm_90a --emit ptx
from triton.language.extra import cuda


@triton.jit
def smid(out):
    tl.store(out + tl.program_id(0), cuda.smid())


# tl.extra.cuda.num_threads, tl.extra.cuda.num_warps: run out=empty:i32[2] --grid 1 --num-warps 4 --save out=counts.npy
from triton.language.extra import cuda


@triton.jit
def num_threads(out):
    tl.store(out, cuda.num_threads())
    tl.store(out + 1, cuda.num_warps())


# tl.extra.cuda.gdc_wait, tl.extra.cuda.gdc_launch_dependents: run x=randn:f32[8] out=empty:f32[8] --grid 1 --expect 'out=x'
from triton.language.extra import cuda


@triton.jit
def gdc_wait(x, out):
    i = tl.arange(0, 8)
    cuda.gdc_wait()  # what the kernel before wrote is there
    values = tl.load(x + i)
    cuda.gdc_launch_dependents()  # the kernel behind may begin
    tl.store(out + i, values)


# tl.extra.cuda.convert_custom_float8_sm80, tl.extra.cuda.convert_custom_float8_sm70: run x=rand:f16[8] out=empty:f16[8] --grid 1 --tolerance 0.1 --expect 'out=x'
from triton.language.extra import cuda


@triton.jit
def convert_custom_float8_sm80(x, out):
    i = tl.arange(0, 8)
    small = cuda.convert_custom_float8_sm80(tl.load(x + i), tl.float8e4b15, fp_downcast_rounding="rtne")
    tl.store(out + i, cuda.convert_custom_float8_sm70(small, tl.float16))


# tl.extra.cuda.experimental_device_tensormap_create2d, tl.extra.cuda.experimental_tensormap_fenceproxy_acquire, tl._experimental_descriptor_load, tl._experimental_descriptor_store: run x=randn:f32[16,32] out=empty:f32[16,32] map=zeros:i8[256] --grid 1 --expect 'out=x'
from triton.language.extra import cuda


@triton.jit
def experimental_device_tensormap_create2d(x, out, map):
    cuda.experimental_device_tensormap_create2d(map, x, [16, 32], [16, 32], tl.float32)
    cuda.experimental_tensormap_fenceproxy_acquire(map)
    tile = tl._experimental_descriptor_load(map, [0, 0], [16, 32], tl.float32)
    cuda.experimental_device_tensormap_create2d(map + 128, out, [16, 32], [16, 32], tl.float32)
    cuda.experimental_tensormap_fenceproxy_acquire(map + 128)
    tl._experimental_descriptor_store(map + 128, tile, [0, 0])


# tl.extra.cuda.experimental_device_tensormap_create1d: run x=randn:f32[32] out=empty:f32[32] map=zeros:i8[128] --grid 1 --expect 'out=x'
from triton.language.extra import cuda


@triton.jit
def experimental_device_tensormap_create1d(x, out, map):
    cuda.experimental_device_tensormap_create1d(map, x, 32, 32, tl.float32)
    cuda.experimental_tensormap_fenceproxy_acquire(map)
    tl.store(out + tl.arange(0, 32), tl._experimental_descriptor_load(map, [0], [32], tl.float32))


# tl.reinterpret_tensor_descriptor, tl._experimental_reinterpret_tensor_descriptor: run x=randn:f32[16,32] out=empty:f32[16,32] map=zeros:i8[128] --grid 1 --expect 'out=x'
from triton.language.extra import cuda


@triton.jit
def reinterpret_tensor_descriptor(x, out, map):
    cuda.experimental_device_tensormap_create2d(map, x, [16, 32], [16, 32], tl.float32)
    cuda.experimental_tensormap_fenceproxy_acquire(map)
    described = tl._experimental_reinterpret_tensor_descriptor(map, [16, 32], tl.float32)
    again = tl.reinterpret_tensor_descriptor(map, [16, 32], tl.float32)
    i, j = tl.arange(0, 16), tl.arange(0, 32)
    tile = (described.load([0, 0]) + again.load([0, 0])) / 2
    tl.store(out + i[:, None] * 32 + j[None, :], tile)


# tl.target_info.is_cuda, tl.target_info.is_hip, tl.target_info.cuda_capability_geq, tl.target_info.current_target: run out=empty:i32[4] --grid 1 --target sm_90a --save out=answers.npy
from triton.language import target_info


@triton.jit
def is_cuda(out):
    tl.store(out, target_info.is_cuda())
    tl.store(out + 1, target_info.is_hip())
    tl.store(out + 2, target_info.cuda_capability_geq(9, 0))
    tl.store(out + 3, target_info.current_target().arch)


# tl.target_info.is_hip_cdna2, tl.target_info.is_hip_cdna3, tl.target_info.is_hip_cdna4, tl.target_info.is_hip_gfx1250, tl.target_info.is_hip_rdna3, tl.target_info.is_hip_rdna4: run out=empty:i32[1] --grid 1 --expect out=0
from triton.language import target_info


@triton.jit
def is_hip_cdna3(out):
    old: tl.constexpr = target_info.is_hip_cdna2() or target_info.is_hip_cdna3() or target_info.is_hip_cdna4()
    new: tl.constexpr = target_info.is_hip_rdna3() or target_info.is_hip_rdna4() or target_info.is_hip_gfx1250()
    tl.store(out, old or new)
