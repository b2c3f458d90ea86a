// Report.h: what went wrong in a launch, as diagnostics with source lines.
#pragma once

#include "jit/KernelModule.h"
#include "runtime/Failure.h"
#include "runtime/Site.h"

namespace nereid::jit {

std::string renderFailure(KernelModule &module, const runtime::Failure &failure);
// The same of compiled code: where, and in which program.
std::string renderFailure(KernelModule &module, const runtime::Site &site, const std::array<uint32_t, 3> &program);
std::string renderReport(KernelModule &module, const runtime::CheckReport &report);
bool hasErrors(const std::vector<runtime::CheckReport> &reports); // not only warnings
// All of them, one after another.
std::string renderReports(KernelModule &module, const std::vector<runtime::CheckReport> &reports);

} // namespace nereid::jit
