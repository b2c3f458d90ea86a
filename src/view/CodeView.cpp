#include "view/CodeView.h"

#include "view/PlanView.h"

#include "codegen/LlvmWork.h"
#include "codegen/RunPasses.h"
#include "compiler/GpuOptions.h"
#include "compiler/Pipeline.h"
#include "cpu/Object.h"
#include "gpu/lower/SharedTrace.h"
#include "gpu/nvidia/Ptx.h"
#include "view/Disassemble.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace nereid::view {

namespace {

// IR beyond this is not kept pass by pass: the page would be mostly that.
constexpr size_t kMostPassBytes = 300'000;

// Keeps the text of the module behind each pass that changed it.
class Snapshots : public PassInstrumentation {
public:
  explicit Snapshots(std::vector<PassText> &texts) : texts(texts) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
    std::string name = pass->getArgument().str();
    if (name.empty() || !module || bytes > kMostPassBytes)
      return;
    std::string text = print(module);
    if (!texts.empty() && texts.back().text == text)
      return;
    bytes += text.size();
    texts.push_back({std::move(name), std::move(text)});
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().assumeVerified());
    return text;
  }

private:
  std::vector<PassText> &texts;
  size_t bytes = 0;
};

compiler::TileModule copyOf(const compiler::TileModule &tile) {
  compiler::TileModule copy;
  copy.module = ModuleOp(*tile.module).clone();
  return copy;
}

StageText named(StageText stage, std::string name, std::string title) {
  stage.name = std::move(name);
  stage.title = std::move(title);
  return stage;
}

StageText missing(std::string name, std::string title, std::string why) {
  StageText stage;
  stage.missing = std::move(why);
  return named(std::move(stage), std::move(name), std::move(title));
}

class Maker {
public:
  Maker(const CodeRequest &request, Places &places) : request(request), places(places) {}

  Result<CodeView> make() {
    Result<compiler::TileModule> emitted = emit(options());
    if (!emitted)
      return emitted.error();
    compiler::TileModule tile = std::move(*emitted);
    view.tilePasses.push_back({"", Snapshots::print(*tile.module)});
    PassManager passes(tile.kernel()->getContext());
    compiler::addTilePasses(passes);
    passes.addInstrumentation(std::make_unique<Snapshots>(view.tilePasses));
    if (Result<void> done = codegen::runPasses(passes, tile.kernel()); !done)
      return done.error();
    view.stages.push_back(named(textOf(*tile.module, places), "tile", "tile IR"));
    if (request.gpu)
      makeGpu(copyOf(tile));
    if (request.cpu)
      if (Result<void> done = makeCpu(); !done)
        return done.error();
    return std::move(view);
  }

private:
  const lang::EmitOptions &options() const { return request.binding.options; }

  // Tile IR before its first pass, with numbers for places.
  Result<compiler::TileModule> emit(const lang::EmitOptions &options) {
    compiler::Compiler &compiler = request.module.compiler;
    compiler::TileModule tile;
    tile.module = lang::emitKernel(compiler.context(), compiler.session(), *request.binding.kernel,
                                   request.specialization.specs, options);
    if (!tile.module)
      return request.module.takeError();
    places.number(*tile.module);
    return tile;
  }

  void makeGpu(compiler::TileModule tile) {
    const std::string target = request.gpu->name;
    compiler::CodeOptions code{.shape = options().shape, .choices = request.binding.choices, .remarks = true};
    code.usesTensorMaps = request.specialization.usesTensorMaps;
    gpu::Options planned = compiler::gpuOptions(*request.gpu->gpu, code);
    planned.remarks = &view.remarks;
    compiler::TileModule before = copyOf(tile);
    codegen::LlvmWork work;
    cuda::Artifact artifact;
    gpu::SharedTrace shared;
    Result<compiler::TileModule> lowered = compiler::lowerForGpu(std::move(tile), planned, work, artifact);
    if (!lowered) {
      view.stages.push_back(missing("gpu", "planned for " + target, lowered.error().message));
      return;
    }
    view.numWarps = planned.numWarps, view.numStages = planned.numStages, view.threads = artifact.threads;
    view.sharedBytes = artifact.sharedBytes;
    view.stages.push_back(named(textOf(*lowered->module, places), "gpu", "planned for " + target));
    viewPlan(*lowered, request.specialization, request.grid, places, view);
    viewShared(shared.uses, places, view);
    view.stages.push_back(named(textOf(*work.module, places), "llvm", "LLVM IR for " + target));
    Result<std::string> ptx = gpu::emitPtx(*work.module, planned);
    if (!ptx) {
      view.stages.push_back(missing("ptx", "PTX for " + target, ptx.error().message));
    } else {
      view.stages.push_back(named(textOfAssembly(*ptx, places), "ptx", "PTX for " + target));
      artifact.ptx = std::move(*ptx);
      makeMachineCode(artifact);
    }
    planned.remarks = nullptr;
    followPasses(std::move(before), planned);
  }

  void makeMachineCode(const cuda::Artifact &artifact) {
    const std::string &target = artifact.target;
    Result<MachineCode> code = disassemble(compiler::assembleRequest(request.binding.kernel->name, artifact));
    if (code) {
      view.registers = code->registers, view.spilledBytes = code->localBytes;
      view.fp32Lines = std::move(code->fp32Lines);
      if (!code->text.empty()) {
        view.stages.push_back(named(textOfDisassembly(code->text, places), "sass", "SASS for " + target));
        return;
      }
    }
    view.stages.push_back(missing("sass", "SASS for " + target, code ? code->missing : code.error().message));
  }

  // The same plan once more, with a look behind every pass.
  void followPasses(compiler::TileModule tile, const gpu::Options &planned) {
    view.gpuPasses.push_back({"", Snapshots::print(*tile.module)});
    PassManager passes(tile.kernel()->getContext());
    compiler::addGpuPasses(passes, planned);
    passes.addInstrumentation(std::make_unique<Snapshots>(view.gpuPasses));
    (void)codegen::runPasses(passes, tile.kernel());
  }

  Result<void> makeCpu() {
    // Products of f32 that name no precision are exact there.
    lang::EmitOptions exact = options();
    exact.defaultDotPrecision = "ieee";
    Result<compiler::TileModule> emitted = emit(exact);
    if (!emitted)
      return emitted.error();
    compiler::TileModule tile = std::move(*emitted);
    if (Result<void> done = compiler::runTilePasses(tile.kernel()); !done)
      return done;
    const cpu::Target &target = *request.cpu->cpu;
    cpu::Artifact artifact;
    codegen::LlvmWork work;
    if (Result<void> lowered = compiler::lowerForCpu(tile, target, {}, work, artifact); !lowered) {
      view.stages.push_back(missing("asm", "CPU assembly", lowered.error().message));
      return {};
    }
    view.stages.push_back(named(textOf(*work.module, places), "cpu-llvm", "LLVM IR for the CPU"));
    Result<std::string> text = cpu::emitAssembly(*work.module, target);
    view.stages.push_back(text ? named(textOfAssembly(*text, places), "asm", "CPU assembly")
                               : missing("asm", "CPU assembly", text.error().message));
    return {};
  }

  const CodeRequest &request;
  Places &places;
  CodeView view;
};

} // namespace

Result<CodeView> viewCode(const CodeRequest &request, Places &places) { return Maker(request, places).make(); }

} // namespace nereid::view
