#include "jit/SpecializedTile.h"

#include "jit/Reproducer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::jit {

Result<compiler::TileModule> compileTile(KernelModule &module, const Binding &binding,
                                         const Specialization &specialization) {
  auto compile = [&] { return module.compiler.compile(*binding.kernel, specialization.specs, binding.options); };
  if (compiler::TileModule tile = compile(); tile.module)
    return tile;
  return withReproducer(module.takeError(), {module, binding, specialization, ""}, [&] {
    (void)compile();
    (void)module.takeError();
  });
}

Result<TileCode> emitTile(KernelModule &module, const Binding &binding, const Specialization &specialization) {
  Result<compiler::TileModule> tile = compileTile(module, binding, specialization);
  if (!tile)
    return tile.error();
  return TileCode{std::move(*tile), module.compiler.takeDiagnostics().render()};
}

Result<SpecializedTile> compileTile(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    std::vector<NamedHostValue> arguments, const Settings &settings) {
  Result<Binding> binding = bind(module, kernel, std::move(arguments), settings);
  if (!binding)
    return binding.error();
  Result<Specialization> specialization = specialize(*binding);
  if (!specialization)
    return specialization.error();
  Result<compiler::TileModule> tile = compileTile(module, *binding, *specialization);
  if (!tile)
    return tile.error();
  return SpecializedTile{std::move(*binding), std::move(*specialization), std::move(*tile)};
}

std::string keyOf(const Binding &binding, const Specialization &specialization) {
  return std::to_string(reinterpret_cast<uintptr_t>(binding.kernel.get())) + "|" + specialization.key;
}

} // namespace nereid::jit
