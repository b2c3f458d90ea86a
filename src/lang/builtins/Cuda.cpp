// Cuda.cpp: tl.extra.cuda: registers of the machine, dependent launches, and old spellings of tensor maps.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::lang {
namespace {

Value emitGlobaltimer(Emitter &emitter, const BoundArguments &) {
  return Tensor{emitter.create<tile::SpecialRegisterOp>(emitter.builder.getI64Type(), "globaltimer"), Scalar::Int64};
}
Value emitSmid(Emitter &emitter, const BoundArguments &) {
  return Tensor{emitter.create<tile::SpecialRegisterOp>(emitter.builder.getI32Type(), "smid"), Scalar::Int32};
}
Value emitNumThreads(Emitter &emitter, const BoundArguments &) { return emitter.options.shape.numWarps * 32; }
Value emitNumWarps(Emitter &emitter, const BoundArguments &) { return emitter.options.shape.numWarps; }

template <bool launch> Value emitGridDependency(Emitter &emitter, const BoundArguments &) {
  emitter.create<tile::GridDependencyOp>(launch);
  return None{};
}

// To and from fp8e4b15, by way of fp16, as the conversions that Triton writes in assembly.
Value emitCustomFloat8(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]);
  Type target = typeArgument(emitter, args, 1);
  if (source.type.scalarKind() == Scalar::Fp8E4B15)
    return castTo(emitter, source, target.scalarKind() == Scalar::Fp32 ? Scalar::Fp32 : Scalar::Fp16);
  if (source.type.scalarKind() != Scalar::Fp16 && source.type.scalarKind() != Scalar::Fp32)
    failType(emitter, args, 0, "fp8e4b15, f16 or f32", source.type, "float16");
  return castTo(emitter, source, Scalar::Fp8E4B15);
}

// Stores `value` as 8 bytes at byte `offset` of the tensor map.
void storeWord(Emitter &emitter, const Tensor &map, int64_t offset, mlir::Value value) {
  auto word = tile::PtrType::get(emitter.builder.getI64Type());
  mlir::Value base = emitter.create<tile::PtrCastOp>(word, map.ir);
  mlir::Value index = emitter.create<mlir::arith::ConstantIntOp>(offset / 8, 32);
  emitter.create<tile::StoreOp>(emitter.create<tile::AddPtrOp>(base, index).getResult(), value, mlir::Value());
}

// A tensor map in memory is ours to lay out (Triton's is opaque too): address, then the extents, as 64-bit words.
// _experimental_descriptor_load and _store read it back.
Value emitTensormapCreate(Emitter &emitter, const BoundArguments &args) {
  Tensor map = toTensor(emitter, args[0]), address = toTensor(emitter, args[1]);
  if (!map.type.isPointer() || map.type.isBlock())
    failType(emitter, args, 0, "a pointer to 128 bytes", map.type);
  if (!address.type.isPointer() || address.type.isBlock())
    failType(emitter, args, 1, "a pointer", address.type);
  Values extents = toItems(emitter, args, 3, true);
  if (toItems(emitter, args, 2, true).size() != extents.size())
    emitter.failAt(args.range(3), "`load_size` and `global_size` must have the same length");
  storeWord(emitter, map, 0, emitter.create<tile::PtrToIntOp>(emitter.builder.getI64Type(), address.ir));
  for (size_t i = 0; i < extents.size(); ++i)
    storeWord(emitter, map, 8 * int64_t(i + 1), castTo(emitter, toTensor(emitter, extents[i]), Scalar::Int64).ir);
  return None{};
}

// Writes to a tensor map are seen by the accesses through it that follow.
Value emitFenceProxyAcquire(Emitter &emitter, const BoundArguments &args) {
  if (Tensor map = toTensor(emitter, args[0]); !map.type.isPointer())
    failType(emitter, args, 0, "a pointer to a tensor map", map.type);
  emitter.create<tile::BarrierOp>();
  return None{};
}

constexpr Builtin kCudaRows[] = {
    {"globaltimer()", "Nanoseconds of a clock of the whole machine.", emitGlobaltimer},
    {"smid()", "Index of the multiprocessor that runs this program.", emitSmid},
    {"num_threads()", "Threads of one program.", emitNumThreads},
    {"num_warps()", "Warps of one program.", emitNumWarps},
    {"gdc_wait()", "Wait until the grid that this one depends on has finished its writes.", emitGridDependency<false>},
    {"gdc_launch_dependents()", "Let the dependent grid start.", emitGridDependency<true>},
    {"convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None)", "Convert to or from fp8e4b15.",
     emitCustomFloat8},
    {"convert_custom_float8_sm70(arg, dst_ty, fp_downcast_rounding=None)", "Convert to or from fp8e4b15.",
     emitCustomFloat8},
    {"experimental_device_tensormap_create1d(desc_ptr, global_address, load_size, global_size, element_ty)",
     "Write a one-dimensional tensor map to memory.", emitTensormapCreate},
    {"experimental_device_tensormap_create2d(desc_ptr, global_address, load_size, global_size, element_ty)",
     "Write a two-dimensional tensor map to memory.", emitTensormapCreate},
    {"experimental_tensormap_fenceproxy_acquire(desc_ptr)",
     "Make writes to a tensor map visible to accesses through it.", emitFenceProxyAcquire},
};

} // namespace

BuiltinTable cudaBuiltins() { return {"tl.extra.cuda", kCudaRows}; }

} // namespace nereid::lang
