#include "compiler/Target.h"

#include <charconv>

namespace nereid::compiler {

// The number of `sm_90a`, `gfx90a`: after the prefix, and before one of the endings, or none.
static std::optional<int> numberBehind(std::string_view prefix, std::string_view name, int base,
                                       std::string_view endings) {
  if (!name.starts_with(prefix))
    return std::nullopt;
  int number = 0;
  auto [end, problem] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number, base);
  std::string_view rest = name.substr(static_cast<size_t>(end - name.data()));
  bool isEnded = rest.empty() || (rest.size() == 1 && endings.find(rest[0]) != endings.npos);
  return problem == std::errc() && isEnded && number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<Target> findTarget(const std::string &name) {
  using Kind = Target::Kind;
  if (name == "interp")
    return Target{.kind = Kind::Interpreter, .name = name, .cpu = {}, .gpu = {}};
  if (std::optional<int> capability = numberBehind("sm_", name, 10, "af");
      capability && *capability >= 50 && *capability < 200)
    return Target{.kind = Kind::Nvidia, .name = name, .cpu = {}, .gpu = gpu::targetOf(name)};
  if (numberBehind("gfx", name, 16, ""))
    return Target{.kind = Kind::Amd, .name = name, .cpu = {}, .gpu = {}};
  if (std::optional<cpu::Target> found = cpu::findTarget(name))
    return Target{.kind = Kind::Cpu, .name = name, .cpu = std::move(found), .gpu = {}};
  return std::nullopt;
}

lang::TargetDescription Target::description() const {
  lang::TargetDescription seen;
  if (kind == Kind::Cpu)
    seen.platform = lang::Platform::Cpu;
  if (kind == Kind::Amd)
    seen.platform = lang::Platform::Hip;
  if (gpu)
    seen.capability = int(gpu->capability);
  return seen;
}

} // namespace nereid::compiler
