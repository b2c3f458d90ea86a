// Launch.h: one jit function of the process: its compiler, and what was compiled for which arguments. A call like an
// earlier one finds its code by a key made on the stack; all else is bound, specialized and compiled.
#pragma once

#include "Code.h"
#include "Embedding.h"
#include "ForkGate.h"
#include "Memory.h"
#include "PatientLock.h"

#include "compiler/Target.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Launch.h"
#include "jit/call/CallTable.h"
#include "jit/count/Count.h"
#include "runtime/profile/Recorder.h"

#include <atomic>
#include <mutex>

namespace nereid::python {

// What was compiled for one kind of arguments.
struct Compiled {
  jit::LoadedKernelRef kernel; // of the processor; neither of the two: it runs on the interpreter
  // How much of its tensors may still be copied for launches that are guarded; see FirstLaunches.cpp.
  static constexpr int64_t kGuardedBytes = 4 << 20;
  mutable std::atomic<int64_t> guardedBytes = kGuardedBytes;
  jit::CudaKernelRef cudaKernel;            // of a GPU
  mutable jit::CudaKernelRef mapFreeKernel; // the same without tensor maps, once a call has needed it
  std::string key;                          // of the specialization
  std::vector<lang::ArgumentSpec> specs;
  lang::EmitOptions options;
  gpu::CodeChoices choices;
  bool mayOverlap = false;
  bool isCached = false;                    // on disk: it was not compiled just now
  std::vector<jit::WordSource> sources;     // one for each word of a call
  std::vector<uint64_t> words;              // as the first call had them
  std::optional<std::vector<bool>> written; // which of the words are addresses that it may write to, once asked for
  PyObject *object = nullptr;               // the CompiledKernel that a launch returns; the KernelState owns it
  std::vector<Reference> alive;             // objects that stand in keys by their address
  std::vector<ReadAttribute> reads;         // what its compilation asked objects for
};

// The options of a launch that are not parameters of the kernel.
struct CallOptions {
  ProgramShape shape = kNoShape;
  bool debug = false;
  int sanitizeOverflow = -1;    // -1: as `debug`
  cuda::LaunchFlags gpu;        // launch_cooperative_grid, launch_pdl
  std::optional<void *> stream; // a CUDA stream; none: torch's current one
  gpu::CodeChoices choices;     // maxnreg, enable_fp_fusion, arch …
  std::string dotPrecision;     // of products that name none; empty: the device's usual one
  std::string override;         // a file with code in the place of what would be compiled (Replace.h)
  double timeout = 0;           // in seconds; 0: none
  bool anyExtent = false;       // tiles may have extents that are no powers of two, which Triton has not
  bool check = false;           // under the checker, whose findings are an exception
};

struct Call {
  PyObject *grid = nullptr; // a tuple, a number or a callable
  Reference calledGrid;     // what that gave
  PyObject *positional = nullptr, *named = nullptr;
  bool warmup = false;

  static constexpr size_t kMaxParameters = 255;
  // One for each parameter; what lies beyond is never cleared, which would cost as much as a launch may.
  PyObject *bound[kMaxParameters];   // borrowed
  Memory memories[kMaxParameters];   // of the tensors among them, which are
  uint64_t integers[kMaxParameters]; // of the integers among them, which are exactly `int`
  uint8_t tensors[kMaxParameters];
  size_t tensorCount = 0;
  bool holdsMemory = false;    // tuples or descriptors hold tensors
  bool isCuda = false;         // one of them, or of what the arguments hold, is on a GPU
  cuda::Device *gpu = nullptr; // where it runs; null: on the processor
  CallOptions options;
  jit::CallKey key;
  std::vector<uint64_t> words;    // of a call that is described by no key
  std::vector<Reference> numbers; // those among `bound` that stand for scalars of numpy
};

class KernelState {
public:
  explicit KernelState(PyObject *function) : function(function) {}

  // Runs the call; gives the CompiledKernel, or null with a Python exception.
  PyObject *launch(Call &call);
  // Runs the call under the sanitizer; gives what it finds, as text.
  PyObject *check(Call &call);
  // The page about the call (view/View.h), as text; `arguments` as people wrote them.
  using NamedTexts = std::vector<std::pair<std::string, std::string>>;
  PyObject *view(Call &call, const std::string &target, const NamedTexts &arguments);
  // What the call does, in numbers: JSON.
  PyObject *count(Call &call, const jit::CountRequest &request);
  // Begins to compile for a call on a GPU, on another thread; a call that cannot be compiled says so when it is made.
  PyObject *prepareCall(Call &call);
  // Compiles for argument types, options and a target ("cpu", "sm_90a"): each item of the list is a type as text with
  // its divisibility, or (None, value). Gives the code as bytes (Code.h) and a dictionary of facts about it.
  PyObject *compileTypes(PyObject *types, PyObject *options, const std::string &target);
  // The text of a stage of such code.
  PyObject *typesText(PyObject *types, PyObject *options, const std::string &target, const std::string &stage);
  // Its ops under Triton's names, the inner ones first, as tuples (compiler::TritonOp).
  PyObject *typesOps(PyObject *types, PyObject *options);
  // Runs code that was compiled before, by its number, with one argument for each parameter.
  PyObject *launchCompiled(size_t index, Call &call);
  // The text of a stage of such code: ttir, ttgir, llir, asm; on a GPU ttir, ttgir, llir, ptx, and the bytes of cubin.
  PyObject *stageText(size_t index, const std::string &stage);
  // (registers, spilled registers, shared bytes, most threads, threads of a program, module, function) of code on a
  // GPU; None on the processor.
  PyObject *gpuFacts(size_t index);
  // A digest of all that the names of the source stand for.
  PyObject *fingerprint();
  // Source or globals changed: compiled anew on the next call. What a call is using stays until that has ended.
  void forget();

  // A call that is at work, whatever it calls and however often it lets other threads go on.
  class InUse {
  public:
    explicit InUse(KernelState &state) : state(state) { ++state.calls; }
    ~InUse() {
      if (state.calls > 0 && --state.calls == 0 && state.isForgotten) [[unlikely]]
        state.drop();
    }
    InUse(const InUse &) = delete;
    KernelState *operator->() const { return &state; }

  private:
    KernelState &state;
  };

  // The CompiledKernels, for the garbage collector.
  std::vector<Reference> results;

private:
  PyObject *launchHere(Call &call, profile::Launch *recorded);
  bool describeForProfile(profile::Launch &launch, const Call &call, const Compiled &compiled,
                          const std::array<uint32_t, 3> &grid);
  struct Slot {                       // a parameter as calls see it
    PyObject *name = nullptr;         // interned
    PyObject *defaultValue = nullptr; // borrowed from `defaults`
    const lang::Parameter *parameter = nullptr;
  };
  bool prepare();
  Reference withConstants(PyObject *given) const;
  bool bind(Call &call);
  bool bindNamed(Call &call);
  bool takeOption(Call &call, PyObject *name, PyObject *value);
  std::string parameterNames() const;
  bool takeKnobs(Call &call);
  bool missing(const Call &call);
  bool globalsUnchanged();
  // Compiles anew where an attribute has changed that the names of the source lead to; false with an exception.
  bool refresh() { return reads.empty() || areUnchanged(reads) || beginAgain(); }
  bool beginAgain();
  std::vector<ReadAttribute> reads; // those attributes
  bool describe(Call &call, bool &isSimple);
  bool chooseDevice(Call &call);
  bool describeArgument(Call &call, size_t index, bool &isSimple);
  static constexpr int kDeepestConstant = 4; // that is described by a key
  void describeConstant(Call &call, PyObject *object, bool &isSimple, int depth);
  static void keepAlive(Compiled &compiled, PyObject *constant, int depth);
  void describeInteger(Call &call, size_t index, bool &isSimple);
  // Puts what a callable grid gives in its place. It may change the arguments, so it is called before they are looked at.
  bool callGrid(Call &call);
  Reference gridArguments(const Call &call);
  const Compiled *compile(Call &call, bool isSimple);
  bool refusesTypes(const Call &call);
  // Arguments that must not be written: the number of their word, and their name.
  using ReadOnly = std::vector<std::pair<size_t, std::string>>;
  bool writesTo(Compiled &compiled, const ReadOnly &arguments);
  // The same for a launch that is only bound so far; true, too, after raising what is wrong with it.
  bool writesToReadOnly(const jit::Binding &binding);
  Compiled *obtain(const jit::Binding &binding, const jit::Specialization &specialization, PyObject *arguments,
                   cuda::Device *gpu, const std::string &override);
  bool findOverride(const std::string &key, std::string &path);
  Result<std::string> findCode(const jit::Binding &binding, const jit::Specialization &specialization,
                               Compiled &compiled, cuda::Device *gpu, const std::string &replacement);
  bool warn(const std::string &warnings, bool isCached);
  jit::Binding withOptions(const Call &call, bool isForGpu) const;
  std::optional<jit::Binding> bindTypes(PyObject *types, const Call &call, bool isForGpu);
  struct TypedRequest { // what is compiled for types instead of arguments
    Call call;
    jit::Binding binding;
    jit::Specialization specialization;
  };
  std::optional<TypedRequest> requestFor(PyObject *types, PyObject *options, bool isForGpu);
  Result<CodePair> codeFor(const jit::Binding &binding, const jit::Specialization &specialization,
                           const compiler::Target &target, std::string &warnings);
  PyObject *textOfStage(const std::vector<lang::ArgumentSpec> &specs, const lang::EmitOptions &options,
                        const gpu::CodeChoices &choices, const compiler::Target &target, const std::string &stage,
                        bool mayOverlap);
  std::optional<jit::Binding> makeBinding(Call &call);
  // Whether a launch can get at the data; false with an exception set. A warm-up need not.
  bool isWithinReach(const Memory &memory, const lang::Parameter &parameter) const;
  std::optional<jit::HostValue> typedValue(PyObject *type, PyObject *constant, const lang::Parameter &parameter);
  std::optional<jit::HostValue> hostValue(PyObject *object, const lang::Parameter &parameter);
  std::optional<jit::HostValue> descriptorValue(PyObject *object, const lang::Parameter &parameter);
  std::optional<jit::HostValue> tupleValue(PyObject *object, const lang::Parameter &parameter);
  PyObject *run(Call &call, const Compiled &compiled, const std::array<uint32_t, 3> &grid);
  bool runWords(Call &call, const Compiled &compiled, const uint64_t *words, const std::array<uint32_t, 3> &grid);
  // On the interpreter, under the checker where that is asked for, or on copies of the tensors in guarded memory.
  bool runBound(Call &call, const std::array<uint32_t, 3> &grid);
  // One of the first launches of a kernel, on guarded copies of its tensors: whether it went well. Nothing: it is none of them.
  std::optional<bool> runGuarded(Call &call, const Compiled &compiled, std::span<const uint64_t> words,
                                 const std::array<uint32_t, 3> &grid);
  // What the call gave to its kernel, for messages.
  std::vector<runtime::Allocation> memoryOfCall(Call &call);
  jit::CudaKernelRef mapFreeKernelOf(const Compiled &compiled);
  bool runOnGpu(const cuda::LoadedKernel &loaded, std::span<const uint64_t> words, const std::array<uint32_t, 3> &grid,
                const CallOptions &options);
  void raise(const Error &error);

  // One thread at a time embeds and compiles; waiting for it lets Python go on, and callbacks may come back here.
  struct Busy : PatientLock {
    explicit Busy(KernelState &state) : PatientLock(state.mutex) {}
  };
  std::recursive_mutex mutex;
  unsigned forksSeen = countForks();
  void abandon();
  void drop();
  int calls = 0;                     // at work, in this process; the GIL guards it
  bool isForgotten = false;          // once the calls have ended
  std::atomic<bool> isReady = false; // it is embedded

  static constexpr size_t kMaxWords = 512;
  PyObject *function; // borrowed: it owns this state
  Reference defaults; // of its parameters, by name
  std::unique_ptr<Embedding> embedding;
  std::shared_ptr<jit::KernelModule> module;
  std::shared_ptr<lang::Function> kernel;
  std::vector<Slot> slots;
  int variadic = -1; // the parameter that takes the rest
  bool isInterpreted = false;
  bool acceptsCuda = false; // the call that is being bound runs on a GPU
  bool isWarmup = false;    // it only compiles
  // Code of a number; null with an exception where it was forgotten. Numbers are not given twice.
  Compiled *compiledBy(size_t number);
  std::vector<std::unique_ptr<Compiled>> all;
  size_t firstNumber = 0; // of the first of them
  std::map<std::string, Compiled *> bySpecialization;
  std::unique_ptr<jit::CallTable<const Compiled *>> table;
};

} // namespace nereid::python
