// TritonOps.cpp: each op that means the same as one of Triton's becomes that op; an op of ours that does two things becomes two
// (`warp.copy_async` into a slot: the slot, then the copy). Ops that Triton does not have keep their names.
//
//   before  %a = warp.read %buffer[%i]                                 after  %a = ttg.memdesc_index %buffer[%i]
//           %d = tile.dot %a, %b, %c {warp.instruction = #warp<instruction wgmma>} %d = ttng.warp_group_dot %a, %b, %c
#include "compiler/TritonOps.h"

#include "compiler/TritonDialects.h"
#include "compiler/TritonTypes.h"
#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"
#include "gpu/pipeline/SpecializeWarps.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::compiler {

namespace {

class Writer {
public:
  Writer(ModuleOp module, int numWarps) : module(module), numWarps(numWarps), builder(module.getContext()) {}

  void run() {
    drainLoops();
    SmallVector<Operation *> work;
    module.walk([&](Operation *op) {
      if (isa<tile::TileDialect, warp::WarpDialect>(op->getDialect()) || isa<func::CallOp, func::ReturnOp>(op))
        work.push_back(op);
    });
    // Products first: they ask where their operands come from. Inner ops before outer ones: ends of regions ask for their parents.
    SmallVector<tile::DotOp> dots;
    for (Operation *op : work)
      if (auto dot = dyn_cast<tile::DotOp>(op))
        dots.push_back(dot);
    llvm::erase_if(work, [](Operation *op) { return isa<tile::DotOp>(op); });
    for (tile::DotOp dot : dots)
      writeDot(dot);
    // Products that read memory leave reads, and views of what was read, behind.
    for (Operation *&op : llvm::reverse(work))
      if (isa<warp::ReadOp, tile::TransOp>(op) && op->use_empty())
        op->erase(), op = nullptr;
    for (Operation *op : work)
      if (op)
        write(op);
  }

private:
  using Attributes = ArrayRef<NamedAttribute>;

  Operation *make(StringRef name, ValueRange operands, TypeRange results = {}, Attributes attributes = {}) {
    OperationState state(location, name, operands, results, attributes);
    return builder.create(state);
  }

  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI32IntegerAttr(value));
  }
  NamedAttribute word(StringRef name, StringRef text) {
    return builder.getNamedAttr(name, builder.getStringAttr(text));
  }

  void replace(Operation *op, StringRef name, ValueRange operands, Attributes attributes = {}) {
    Operation *made = make(name, operands, op->getResultTypes(), attributes);
    op->replaceAllUsesWith(made);
    op->erase();
  }

  void write(Operation *op) {
    builder.setInsertionPoint(op);
    location = op->getLoc();
    if (isa<warp::WarpDialect>(op->getDialect()))
      return writeWarp(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](func::ReturnOp) { replace(op, "tt.return", op->getOperands()); })
        .Case([&](func::CallOp call) { writeSame(op, "tt.call"); })
        .Case([&](tile::ProgramIdOp id) { replace(op, "tt.get_program_id", {}, word("axis", axisName(id.getAxis()))); })
        .Case([&](tile::NumProgramsOp id) {
          replace(op, "tt.get_num_programs", {}, word("axis", axisName(id.getAxis())));
        })
        .Case([&](tile::DescStoreOp store) {
          replace(op, "tt.descriptor_store", blockOperands(store.getDesc(), store.getValue(), store.getIndices()));
        })
        .Case([&](tile::DescReduceOp reduce) {
          replace(op, "tt.descriptor_reduce", blockOperands(reduce.getDesc(), reduce.getValue(), reduce.getIndices()),
                  word("kind", stringifyRmwKind(reduce.getKind())));
        })
        .Case([&](tile::PrintOp print) {
          SmallVector<int32_t> isSigned(print.getIsSigned().begin(), print.getIsSigned().end());
          replace(op, "tt.print", op->getOperands(),
                  {builder.getNamedAttr("prefix", print.getPrefixAttr()),
                   builder.getNamedAttr("hex", builder.getBoolAttr(print.getHex())),
                   builder.getNamedAttr("isSigned", builder.getDenseI32ArrayAttr(isSigned))});
        })
        .Case([&](tile::ExternOp external) {
          replace(op, "tt.extern_elementwise", op->getOperands(),
                  {builder.getNamedAttr("libname", external.getLibraryAttr() ? external.getLibraryAttr()
                                                                             : builder.getStringAttr("")),
                   builder.getNamedAttr("libpath",
                                        external.getPathAttr() ? external.getPathAttr() : builder.getStringAttr("")),
                   builder.getNamedAttr("pure", builder.getBoolAttr(external.getIsPure())),
                   builder.getNamedAttr("symbol", external.getSymbolAttr())});
        })
        .Default([&](Operation *) {
          bool isEnd = op->hasTrait<OpTrait::ReturnLike>();
          writeSame(op, isEnd ? sameName(op->getParentOp()) + ".return" : sameName(op));
        });
  }

  // What has the same operands and regions, and attributes that mean the same.
  void writeSame(Operation *op, const std::string &name) {
    OperationState state(location, name, op->getOperands(), op->getResultTypes());
    bool isOurs = StringRef(name).starts_with("tile.");
    for (NamedAttribute each : op->getAttrs())
      if (each.getName() != "operandSegmentSizes" && each.getName() != "resultSegmentSizes")
        if (std::optional<NamedAttribute> written = isOurs ? each : inTritonsWords(each))
          state.attributes.push_back(*written);
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  }

  static std::string sameName(Operation *op) {
    StringRef name = op->getName().stripDialect();
    if (op->getName().getDialectNamespace() != "tile")
      return op->getName().getStringRef().str(); // a parent that is written already
    StringRef other =
        llvm::StringSwitch<StringRef>(name)
            .Case("arange", "tt.make_range")
            .Case("assume", "llvm.intr.assume")
            .Case("barrier", "ttg.local_barrier")
            .Case("div_rn", "tt.precise_divf")
            .Case("sqrt_rn", "tt.precise_sqrt")
            .Case("inline_asm", "tt.elementwise_inline_asm")
            .Case("map", "tt.map_elementwise")
            .Case("ptr_cast", "tt.bitcast")
            .Case("make_desc", "tt.make_tensor_descriptor")
            .Case("desc_load", "tt.descriptor_load")
            .Case("desc_gather", "tt.descriptor_gather")
            .Case("desc_scatter", "tt.descriptor_scatter")
            .Cases({"atomic_poll", "scope", "grid_dependency", "hint", "special_register", "sort", "flip"}, "tile.")
            .Default("tt.");
    return other.ends_with(".") ? (other + name).str() : other.str();
  }

  static StringRef axisName(uint32_t axis) { return axis == 0 ? "x" : axis == 1 ? "y" : "z"; }

  // By what kind of attribute it is, on whatever op it stands. Nothing: Triton does not write it.
  std::optional<NamedAttribute> inTritonsWords(NamedAttribute attribute) {
    using Written = std::optional<NamedAttribute>;
    StringRef name = attribute.getName();
    return llvm::TypeSwitch<Attribute, Written>(attribute.getValue())
        .Case([&](tile::CacheModifierAttr cache) -> Written {
          if (cache.getValue() == tile::CacheModifier::None)
            return std::nullopt;
          return word("cacheModifier", stringifyCacheModifier(cache.getValue()));
        })
        .Case([&](tile::EvictionPolicyAttr evict) -> Written {
          if (evict.getValue() == tile::EvictionPolicy::Normal)
            return std::nullopt;
          return word("evictionPolicy", ("evict_" + stringifyEvictionPolicy(evict.getValue())).str());
        })
        .Case([&](tile::PaddingAttr padding) -> Written {
          return padding.getValue() == tile::Padding::NaN ? Written(number("padding", 2)) : std::nullopt;
        })
        .Case([&](tile::MemSemAttr sem) { return word(name, stringifyMemSem(sem.getValue())); })
        .Case([&](tile::MemScopeAttr scope) { return word(name, stringifyMemScope(scope.getValue())); })
        .Case([&](tile::RmwKindAttr kind) {
          bool isExchange = kind.getValue() == tile::RmwKind::Xchg;
          return word(name, isExchange ? "exch" : stringifyRmwKind(kind.getValue()));
        })
        .Default([&](Attribute) -> Written {
          if (name == "allowReorder")
            return word("order", "allow_reorder");
          return name == "isVolatile" ? builder.getNamedAttr(name, builder.getBoolAttr(true)) : attribute;
        });
  }

  static SmallVector<Value> blockOperands(Value descriptor, Value tile, ValueRange indices) {
    SmallVector<Value> operands{descriptor, tile};
    llvm::append_range(operands, indices);
    return operands;
  }

  // ---- Products.

  // A tile that tensor cores read from shared memory is the memory itself.
  Value operandOf(tile::DotOp dot, unsigned index) {
    Value tile = dot->getOperand(index);
    std::optional<gpu::SharedOperand> shared = gpu::sharedOperand(tile, index);
    if (!shared || !gpu::isOnlyForTensorCores(shared->read))
      return tile;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(shared->read);
    Value slot = slotOf(shared->read.getBuffer(), shared->read.getSlot());
    if (!shared->isTransposed)
      return slot;
    auto order = builder.getNamedAttr("order", builder.getDenseI32ArrayAttr({1, 0}));
    return make("ttg.memdesc_trans", slot, transposedSlotType(cast<warp::BufferType>(slot.getType())), order)
        ->getResult(0);
  }

  void writeDot(tile::DotOp dot) {
    builder.setInsertionPoint(dot);
    location = dot.getLoc();
    bool isWgmma = warp::instructionOf(dot) == warp::Instruction::Wgmma;
    SmallVector<Value> operands(dot->getOperands());
    SmallVector<NamedAttribute> attributes;
    if (isWgmma) {
      operands[0] = operandOf(dot, 0);
      operands[1] = operandOf(dot, 1);
      attributes.push_back(number("inputPrecision", int64_t(dot.getPrecision())));
      if (dot->hasAttr(warp::kAsyncAttribute))
        attributes.push_back(builder.getNamedAttr("isAsync", builder.getBoolAttr(true)));
    } else if (dot.getPrecision() != tile::InputPrecision::IEEE) {
      attributes.push_back(word("inputPrecision", stringifyInputPrecision(dot.getPrecision())));
    }
    if (dot.getMaxImpreciseAcc())
      attributes.push_back(number("maxNumImpreciseAcc", dot.getMaxImpreciseAcc()));
    replace(dot, isWgmma ? "ttng.warp_group_dot" : "tt.dot", operands, attributes);
  }

  // Products of a loop's last iteration that are awaited behind it: the wait is an op in Triton.
  void drainLoops() {
    SmallVector<scf::ForOp> loops;
    module.walk([&](scf::ForOp loop) {
      if (loop->hasAttr(warp::kDrainAttribute))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      SmallVector<Value> products;
      for (auto [result, yielded] : llvm::zip(loop.getResults(), loop.getBody()->getTerminator()->getOperands()))
        if (auto dot = yielded.getDefiningOp<tile::DotOp>(); dot && dot->hasAttr(warp::kAsyncAttribute))
          products.push_back(result);
      if (products.empty())
        continue;
      builder.setInsertionPointAfter(loop);
      location = loop.getLoc();
      Operation *wait =
          make("ttng.warp_group_dot_wait", products, ValueRange(products).getTypes(), number("pendings", 0));
      for (auto [product, done] : llvm::zip(products, wait->getResults()))
        product.replaceAllUsesExcept(done, wait);
    }
  }

  // ---- Shared memory and copies.

  Value slotOf(Value buffer, Value slot) {
    return make("ttg.memdesc_index", {buffer, slot}, slotType(buffer.getType()))->getResult(0);
  }

  // A condition at the end, where there is one.
  static SmallVector<Value> with(std::initializer_list<Value> operands, Value condition) {
    SmallVector<Value> all(operands);
    if (condition)
      all.push_back(condition);
    return all;
  }

  void writeWarp(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](warp::ConvertLayoutOp) { replace(op, "ttg.convert_layout", op->getOperands()); })
        .Case([&](warp::BarrierOp barrier) {
          make("ttg.local_barrier", {});
          if (barrier.getFenced())
            fence();
          op->erase();
        })
        .Case([&](warp::AllocOp) { replace(op, "ttg.local_alloc", {}); })
        .Case([&](warp::ReleaseOp) { replace(op, "ttg.local_dealloc", op->getOperands()); })
        .Case([&](warp::CopyAsyncOp copy) { writeCopy(copy); })
        .Case([&](warp::CommitOp) { replace(op, "ttg.async_commit_group", {}); })
        .Case([&](warp::WaitOp wait) { replace(op, "ttg.async_wait", {}, number("num", wait.getPending())); })
        .Case([&](warp::StoreOp store) {
          replace(op, "ttg.local_store", {store.getTile(), slotOf(store.getBuffer(), store.getSlot())});
        })
        .Case([&](warp::ReadOp read) { replace(op, "ttg.local_load", slotOf(read.getBuffer(), read.getSlot())); })
        .Case([&](warp::AwaitOp wait) {
          replace(op, "ttng.warp_group_dot_wait", op->getOperands(), number("pendings", wait.getPending()));
        })
        .Case([&](warp::TensorMapOp map) { writeMap(map); })
        .Case([&](warp::MakeBarriersOp made) { writeBarriers(made); })
        .Case([&](warp::ExpectOp expect) {
          replace(op, "ttng.barrier_expect", with({slotOf(expect.getBarriers(), expect.getSlot())}, expect.getWhen()),
                  number("size", expect.getBytes()));
        })
        .Case([&](warp::WaitPhaseOp wait) {
          replace(op, "ttng.wait_barrier", {slotOf(wait.getBarriers(), wait.getSlot()), wait.getPhase()});
        })
        .Case([&](warp::ArriveOp arrive) {
          replace(op, "ttng.arrive_barrier", with({slotOf(arrive.getBarriers(), arrive.getSlot())}, arrive.getWhen()),
                  number("count", 1));
        })
        .Case([&](warp::CopyBlockOp copy) { writeCopyBlock(copy); })
        .Case([&](warp::CopyRowsOp copy) { writeCopyRows(copy); })
        .Case([&](warp::ArriveCopiesOp arrive) {
          replace(op, "ttng.async_copy_mbarrier_arrive", slotOf(arrive.getBarriers(), arrive.getSlot()),
                  builder.getNamedAttr("noIncrement", builder.getUnitAttr()));
        })
        .Case([&](warp::StoreBlockOp store) { writeStoreBlock(store); })
        .Case([&](warp::WaitStoresOp) { replace(op, "ttng.async_tma_store_wait", {}, number("pendings", 0)); })
        .Case([&](warp::SpecializeOp specialize) { writeSpecialize(specialize); })
        .Case([&](warp::DoneOp) {
          bool isProducer = op->getParentRegion()->getRegionNumber() == 0;
          replace(op, isProducer ? "ttg.warp_return" : "ttg.warp_yield", {});
        });
  }

  void fence() {
    make("ttng.fence_async_shared", {}, {}, builder.getNamedAttr("bCluster", builder.getBoolAttr(false)));
  }

  void writeCopy(warp::CopyAsyncOp copy) {
    SmallVector<Value> operands{copy.getPtr(), slotOf(copy.getBuffer(), copy.getSlot())};
    for (Value each : {Value(copy.getMask()), Value(copy.getWhen())})
      if (each)
        operands.push_back(each);
    replace(copy, "ttg.async_copy_global_to_local", operands);
  }

  // Triton has no such copy: it is written under our own name.
  void writeCopyRows(warp::CopyRowsOp copy) {
    SmallVector<Value> operands{copy.getPointer(), copy.getStride(), slotOf(copy.getBuffer(), copy.getSlot())};
    for (Value each : {Value(copy.getCount()), Value(copy.getLength())})
      if (each)
        operands.push_back(each);
    replace(copy, "tile.copy_rows", operands);
  }

  void writeMap(warp::TensorMapOp map) {
    Operation *made = make("tt.make_tensor_descriptor", map->getOperands(), mapType(map));
    map->replaceAllUsesWith(made);
    map.erase();
  }

  void writeBarriers(warp::MakeBarriersOp op) {
    Operation *made = make("ttg.local_alloc", {}, op->getResultTypes());
    make("ttng.init_barrier", made->getResults(), {}, number("count", op.getArrivals()));
    op->replaceAllUsesWith(made);
    op.erase();
  }

  void writeCopyBlock(warp::CopyBlockOp copy) {
    Value slot = slotOf(copy.getBuffer(), copy.getSlot()), barrier = slotOf(copy.getBarriers(), copy.getSlot());
    Value when = copy.getWhen();
    if (!when)
      when = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
    SmallVector<Value> operands{mapOf(copy), slot, barrier, when};
    llvm::append_range(operands, copy.getIndices());
    replace(copy, "ttng.async_tma_copy_global_to_local", operands);
  }

  void writeStoreBlock(warp::StoreBlockOp store) {
    if (store.getReused())
      make("ttng.async_tma_store_wait", {}, {}, number("pendings", 0));
    make("ttg.local_store", {store.getTile(), store.getBuffer()});
    fence();
    replace(store, store.getAdds() ? "ttng.async_tma_reduce" : "ttng.async_tma_copy_local_to_global",
            blockOperands(mapOf(store), store.getBuffer(), store.getIndices()));
  }

  // Its type is Triton's already.
  template <typename Copy> static Value mapOf(Copy copy) {
    return *copy.getODSOperands(isa<warp::CopyBlockOp>(copy) ? 0 : 2).begin();
  }

  // Triton specializes kernels for four warps on such a GPU, and none for eight; there the op has our own name.
  void writeSpecialize(warp::SpecializeOp specialize) {
    OperationState state(location, numWarps == 4 ? "ttg.warp_specialize" : "tile.specialize");
    state.addAttribute("num_warps", builder.getI32IntegerAttr(gpu::kProducerWarps));
    state.addRegion()->takeBody(specialize.getConsumer());
    state.addRegion()->takeBody(specialize.getProducer());
    builder.create(state);
    specialize.erase();
  }

  ModuleOp module;
  int numWarps;
  OpBuilder builder;
  Location location = UnknownLoc::get(builder.getContext());
};

} // namespace

// Loops and functions keep their ops; what we note on them has Triton's name, or goes.
static void renameAttributes(ModuleOp module) {
  module.walk([](Operation *op) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute each : op->getDiscardableAttrs()) {
      StringRef name = each.getName();
      if (name.consume_front("tile."))
        kept.emplace_back(StringAttr::get(op->getContext(), "tt." + name), each.getValue());
      else if (!name.starts_with("warp."))
        kept.push_back(each);
    }
    op->setDiscardableAttrs(kept);
  });
  module.walk([](func::FuncOp function) {
    function->setAttr("noinline", BoolAttr::get(function.getContext(), function.isPrivate()));
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      SmallVector<NamedAttribute> kept;
      DictionaryAttr given = function.getArgAttrDict(number);
      for (NamedAttribute each : given ? given.getValue() : ArrayRef<NamedAttribute>()) {
        StringRef name = each.getName();
        if (name == "tile.name")
          argument.setLoc(NameLoc::get(cast<StringAttr>(each.getValue()), argument.getLoc()));
        else if (name.consume_front("tile."))
          kept.emplace_back(StringAttr::get(function.getContext(), "tt." + name), each.getValue());
        else
          kept.push_back(each);
      }
      function.setArgAttrs(number, kept);
    }
  });
}

void writeAsTriton(ModuleOp module, int numWarps) {
  loadTritonDialects(*module.getContext());
  Writer(module, numWarps).run();
  renameAttributes(module);
  writeTypesAsTriton(module);
}

} // namespace nereid::compiler
