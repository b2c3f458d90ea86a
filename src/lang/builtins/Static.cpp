// Static.cpp: tl.target_info: what is known at compile time of the machine that the kernel is for.
#include "lang/builtins/Arguments.h"

namespace nereid::lang {
namespace {

Value emitIsCuda(Emitter &emitter, const BoundArguments &) { return emitter.session.target.backend == "cuda"; }
Value emitIsHip(Emitter &emitter, const BoundArguments &) { return emitter.session.target.backend == "hip"; }
Value emitFalse(Emitter &, const BoundArguments &) { return false; }

Value emitCapabilityGeq(Emitter &emitter, const BoundArguments &args) {
  int64_t major = intArgument(emitter, args, 0), minor = intArgument(emitter, args, 1);
  const TargetDescription &target = emitter.session.target;
  return target.backend == "cuda" && target.capability >= major * 10 + minor;
}

// An object with the fields of Triton's GPUTarget.
Value emitCurrentTarget(Emitter &emitter, const BoundArguments &) {
  const TargetDescription &target = emitter.session.target;
  auto cls = std::make_shared<Class>();
  cls->name = "GPUTarget";
  cls->fields = {"backend", "arch", "warp_size"};
  auto instance = std::make_shared<Instance>();
  instance->cls = cls;
  instance->fields = {{"backend", target.backend}, {"arch", target.capability}, {"warp_size", target.warpSize}};
  return instance;
}

constexpr Builtin kRows[] = {
    {"current_target()", "The target: `backend`, `arch`, `warp_size`.", emitCurrentTarget},
    {"is_cuda()", "Whether the target is an NVIDIA GPU.", emitIsCuda},
    {"cuda_capability_geq(major, minor=0)", "Whether the target is an NVIDIA GPU of at least this compute capability.", emitCapabilityGeq},
    {"is_hip()", "Whether the target is an AMD GPU.", emitIsHip},
    {"is_hip_cdna3()", "Whether the target is gfx942.", emitFalse},
    {"is_hip_cdna4()", "Whether the target is gfx950.", emitFalse},
    {"is_hip_gfx1250()", "Whether the target is gfx1250.", emitFalse},
};

} // namespace

BuiltinTable targetInfoBuiltins() { return {"tl.target_info", kRows}; }

} // namespace nereid::lang
