// Pack.cpp: loops that bring an operand into the layout that the kernel reads, in one pass over its memory.
//
// Vectors of the packed array are contiguous in memory (plain copies), or across it: then blocks are transposed, a
// register of 128-bit pieces at a time, so that all shuffles stay within those pieces.
#include "cpu/dot/Pack.h"

#include "cpu/dot/Loop.h"
#include "cpu/dot/UnitReader.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace nereid::cpu::dot {

using llvm::Value;

namespace {

class Packer {
public:
  Packer(llvm::IRBuilderBase &builder, const Target &target, const DotPlan &plan, const PackSpec &spec,
         llvm::Function *function)
      : builder(builder), plan(plan), spec(spec), reader(builder, target, spec.element, plan, spec.precision),
        from(function->getArg(0)), extentStride(function->getArg(1)), depthStride(function->getArg(2)),
        to(function->getArg(3)), lanes(plan.lanes) {
    if (spec.source == DotSource::AlongDepth)
      depthStride = builder.getInt64(1);
    if (spec.source == DotSource::AcrossDepth)
      extentStride = builder.getInt64(1);
  }

  void emit() {
    bool isTransposed = spec.source != DotSource::Strided && spec.layout.isAlongDepth != isSourceAlong();
    if (spec.layout.isAlongDepth)
      isTransposed ? transposeToRows() : copyToRows();
    else
      isTransposed ? transposeToPanels() : copyToPanels();
  }

private:
  bool isSourceAlong() const { return spec.source == DotSource::AlongDepth; }
  Value *constant(int64_t value) { return builder.getInt64(value); }
  Value *times(Value *value, int64_t factor) { return builder.CreateMul(value, constant(factor)); }

  // The element at extent e and unit u of the source.
  Value *sourceAt(Value *e, Value *u) {
    Value *depth = builder.CreateMul(times(u, plan.group), depthStride);
    return reader.elementAt(from, builder.CreateAdd(builder.CreateMul(e, extentStride), depth));
  }

  void store(Value *units, Value *offset) {
    llvm::Type *unit = unitType(builder.getContext(), plan.unit);
    builder.CreateAlignedStore(reader.round(units), builder.CreateInBoundsGEP(unit, to, offset),
                               llvm::Align(plan.unitBits / 8));
  }

  // Calls the body for every vector of the extent: its first element, its place in the packed array at unit 0, and how
  // many of its elements exist.
  using VectorBody = llvm::function_ref<void(Value *e, Value *offset, int64_t valid)>;
  void forEachVector(VectorBody body) {
    int64_t panel = spec.layout.panel, inPanels = spec.extent / panel * panel;
    emitLoop(builder, 0, inPanels, panel, [&](Value *first) {
      Value *base = times(builder.CreateUDiv(first, constant(panel)), spec.layout.panelStride);
      emitLoop(builder, 0, panel, lanes,
               [&](Value *e) { body(builder.CreateAdd(first, e), builder.CreateAdd(base, e), lanes); });
    });
    int64_t base = spec.extent / panel * spec.layout.panelStride - inPanels;
    int64_t inVectors = inPanels + (spec.extent - inPanels) / lanes * lanes;
    emitLoop(builder, inPanels, inVectors, lanes,
             [&](Value *e) { body(e, builder.CreateAdd(e, constant(base)), lanes); });
    if (inVectors < spec.extent)
      body(constant(inVectors), constant(inVectors + base), spec.extent - inVectors);
  }

  // Calls the body for every unit of the depth that has elements, with the number that it has.
  void forEachUnit(int64_t step, llvm::function_ref<void(Value *u, int64_t elements)> body) {
    int64_t full = spec.depth / (plan.group * step) * step;
    emitLoop(builder, 0, full, step, [&](Value *u) { body(u, plan.group * step); });
    if (full * plan.group < spec.depth)
      body(constant(full), spec.depth - full * plan.group);
  }

  // Units past the depth, as tile registers want them.
  void fillPanels(Value *offset) {
    for (int64_t u = llvm::divideCeil(spec.depth, int64_t(plan.group)); u < plan.units; ++u)
      store(reader.zeros(lanes), builder.CreateAdd(offset, constant(u * spec.layout.depthStride)));
  }

  void copyToPanels() {
    forEachUnit(1, [&](Value *u, int64_t elements) {
      forEachVector([&](Value *e, Value *offset, int64_t valid) {
        Value *place = sourceAt(e, u);
        auto exists = [&](int64_t lane, int64_t g) { return lane < valid && g < elements; };
        Value *units = spec.source == DotSource::AcrossDepth
                           ? reader.readAcross(place, depthStride, valid, elements, lanes)
                           : reader.readStrided(place, extentStride, depthStride, lanes, exists);
        store(units, builder.CreateAdd(offset, times(u, spec.layout.depthStride)));
      });
    });
    forEachVector([&](Value *, Value *offset, int64_t) { fillPanels(offset); });
  }

  void copyToRows() {
    emitLoop(builder, 0, spec.extent, 1, [&](Value *e) {
      Value *row = times(e, spec.layout.extentStride);
      forEachUnit(lanes, [&](Value *u, int64_t elements) {
        Value *place = sourceAt(e, u);
        auto exists = [&](int64_t lane, int64_t g) { return lane * plan.group + g < elements; };
        Value *laneStride = times(depthStride, plan.group);
        Value *units = isSourceAlong() ? reader.unitsOf(reader.loadElements(place, elements, lanes * plan.group))
                                       : reader.readStrided(place, laneStride, depthStride, lanes, exists);
        store(units, builder.CreateAdd(row, u));
      });
    });
  }

  // Units of 128 bits.
  unsigned pieceLanes() const { return 128 / plan.unitBits; }

  void transposeToPanels() {
    unsigned piece = pieceLanes();
    forEachVector([&](Value *e, Value *offset, int64_t valid) {
      forEachUnit(piece, [&](Value *u, int64_t elements) {
        if (elements < int64_t(piece * plan.group))
          return copyRest(e, u, offset, valid, elements);
        auto read = [&](unsigned lane) -> Value * {
          if (lane >= valid)
            return reader.zeroElements(piece * plan.group);
          Value *place = sourceAt(builder.CreateAdd(e, constant(lane)), u);
          return reader.loadElements(place, elements, piece * plan.group);
        };
        auto finish = [&](Value *elements) { return reader.unitsOf(elements); };
        Value *place = builder.CreateAdd(offset, times(u, spec.layout.depthStride));
        for (auto [i, units] : llvm::enumerate(transpose(read, finish)))
          store(units, builder.CreateAdd(place, constant(int64_t(i) * spec.layout.depthStride)));
      });
      fillPanels(offset);
    });
  }

  // The units of a depth that fills no piece, element by element: LLVM 22 loses the upper lanes of a transposition whose
  // last rows nobody reads (x86, two elements of 16 bits: the loads of lanes 4 to 7 are gone).
  void copyRest(Value *e, Value *u, Value *offset, int64_t valid, int64_t elements) {
    for (int64_t i = 0; i * plan.group < elements; ++i) {
      Value *unit = builder.CreateAdd(u, constant(i));
      auto exists = [&](int64_t lane, int64_t g) { return lane < valid && i * plan.group + g < elements; };
      Value *units = reader.readStrided(sourceAt(e, unit), extentStride, depthStride, lanes, exists);
      store(units, builder.CreateAdd(offset, times(unit, spec.layout.depthStride)));
    }
  }

  // Only for tile registers, whose extents are multiples of 16.
  void transposeToRows() {
    unsigned piece = pieceLanes();
    forEachUnit(lanes, [&](Value *u, int64_t elements) {
      emitLoop(builder, 0, spec.extent, piece, [&](Value *e) {
        auto read = [&](unsigned lane) -> Value * {
          int64_t rest = elements - int64_t(lane * plan.group);
          if (rest <= 0)
            return reader.zeros(piece);
          return reader.readAcross(sourceAt(e, builder.CreateAdd(u, constant(lane))), depthStride, piece, rest, piece);
        };
        auto finish = [](Value *units) { return units; };
        for (auto [i, units] : llvm::enumerate(transpose(read, finish))) {
          Value *row = times(builder.CreateAdd(e, constant(i)), spec.layout.extentStride);
          store(units, builder.CreateAdd(row, u));
        }
      });
    });
  }

  // Pieces are read for all lanes of a vector, and become units when they fill one; the vector i of the result holds
  // the unit i of every piece.
  llvm::SmallVector<Value *, 4> transpose(llvm::function_ref<Value *(unsigned lane)> read,
                                          llvm::function_ref<Value *(Value *pieces)> finish) {
    unsigned piece = pieceLanes();
    llvm::SmallVector<Value *, 4> vectors;
    for (unsigned i = 0; i < piece; ++i) {
      llvm::SmallVector<Value *, 4> pieces;
      for (unsigned lane = i; lane < lanes; lane += piece)
        pieces.push_back(read(lane));
      vectors.push_back(finish(concatenate(pieces)));
    }
    auto pair = [&](Value *a, Value *b, unsigned width) {
      return std::pair(interleave(a, b, width, 0), interleave(a, b, width, 1));
    };
    auto [v0, v1] = pair(vectors[0], vectors[1], 1);
    if (piece == 2)
      return {v0, v1};
    auto [v2, v3] = pair(vectors[2], vectors[3], 1);
    auto [w0, w1] = pair(v0, v2, 2);
    auto [w2, w3] = pair(v1, v3, 2);
    return {w0, w1, w2, w3};
  }

  Value *concatenate(llvm::SmallVector<Value *, 4> pieces) {
    while (pieces.size() > 1) {
      llvm::SmallVector<Value *, 4> halves;
      for (size_t i = 0; i < pieces.size(); i += 2) {
        auto count = llvm::cast<llvm::FixedVectorType>(pieces[i]->getType())->getNumElements();
        llvm::SmallVector<int, 64> mask(2 * count);
        std::iota(mask.begin(), mask.end(), 0);
        halves.push_back(builder.CreateShuffleVector(pieces[i], pieces[i + 1], mask));
      }
      pieces = halves;
    }
    return pieces[0];
  }

  // Of each piece of a and b the low or high half, `width` units of a and b in turn.
  Value *interleave(Value *a, Value *b, unsigned width, unsigned half) {
    unsigned piece = pieceLanes();
    llvm::SmallVector<int, 16> mask;
    for (unsigned base = half * piece / 2; base < lanes; base += piece)
      for (unsigned i = 0; i < piece / 2; i += width)
        for (unsigned operand = 0; operand < 2; ++operand)
          for (unsigned j = 0; j < width; ++j)
            mask.push_back(operand * lanes + base + i + j);
    return builder.CreateShuffleVector(a, b, mask);
  }

  llvm::IRBuilderBase &builder;
  const DotPlan &plan;
  const PackSpec &spec;
  UnitReader reader;
  Value *from, *extentStride, *depthStride, *to;
  unsigned lanes;
};

} // namespace

static llvm::StringRef nameOf(DotSource source) {
  switch (source) {
  case DotSource::AlongDepth: return "along";
  case DotSource::AcrossDepth: return "across";
  case DotSource::Strided: return "strided";
  }
  return "";
}

// Functions of one module are for one target; what remains decides the code.
static std::string nameOf(const DotPlan &plan, const PackSpec &spec) {
  bool isSplit = plan.unit == DotUnit::F32 && spec.precision != DotPrecision::IEEE;
  return ("nereid.dot.pack." + nameOf(spec.source) + "." + llvm::Twine(int(spec.element)) + "." +
          llvm::Twine(int(plan.unit)) + "." + llvm::Twine(isSplit ? int(spec.precision) : 0) + "." +
          llvm::Twine(spec.extent) + "x" + llvm::Twine(spec.depth) + "." +
          (spec.layout.isAlongDepth ? "rows." : "panels.") + llvm::Twine(spec.layout.panel) + "x" +
          llvm::Twine(plan.units))
      .str();
}

llvm::Function *packFunction(llvm::Module &module, const Target &target, const DotPlan &plan, const PackSpec &spec) {
  std::string name = nameOf(plan, spec);
  if (llvm::Function *function = module.getFunction(name))
    return function;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *index = builder.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, index, index, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(3, llvm::Attribute::NoAlias);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  Packer(builder, target, plan, spec, function).emit();
  builder.CreateRetVoid();
  return function;
}

} // namespace nereid::cpu::dot
