#include "jit/SpecializedTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::jit {

Result<SpecializedTile> compileTile(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    std::vector<NamedHostValue> arguments, const Settings &settings) {
  Result<Binding> binding = bind(module, kernel, std::move(arguments), settings);
  if (!binding)
    return binding.error();
  Result<Specialization> specialization = specialize(*binding);
  if (!specialization)
    return specialization.error();
  compiler::TileModule tile = module.compiler.compile(*binding->kernel, specialization->specs, binding->options);
  if (!tile.module)
    return module.takeError();
  return SpecializedTile{std::move(*binding), std::move(*specialization), std::move(tile)};
}

} // namespace nereid::jit
