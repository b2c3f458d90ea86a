// Copies.cpp: copies beside the program (cp.async, and TMA), and the barriers in shared memory that count what TMA brings.
#include "gpu/nvidia/InlinePtx.h"

namespace nereid::gpu {

// ---- By a thread.

void Instructions::copyAsync(llvm::Value *to, llvm::Value *from, unsigned bytes, llvm::Value *filled,
                             llvm::Value *condition) {
  std::string text =
      std::string("cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global [$0], [$1], " + std::to_string(bytes);
  if (filled)
    callPtx(builder, text + ", $2;", "r,l,r", {to, from, filled}, condition);
  else
    callPtx(builder, text + ";", "r,l", {to, from}, condition);
}

void Instructions::commitCopies() { callPtx(builder, "cp.async.commit_group;", "", {}); }

void Instructions::waitForCopies(unsigned pending) {
  callPtx(builder, "cp.async.wait_group " + std::to_string(pending) + ";", "", {});
}

// Without `.noinc` the barrier would count one arrival more for each thread.
void Instructions::arriveAfterCopies(llvm::Value *barrier) {
  callPtx(builder, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r", {barrier});
}

// ---- Barriers in shared memory.

void Instructions::makeBarrier(llvm::Value *address, unsigned arrivals, llvm::Value *condition) {
  callPtx(builder, "mbarrier.init.shared::cta.b64 [$0], " + std::to_string(arrivals) + ";", "r", {address}, condition);
}

void Instructions::showBarriers() { callPtx(builder, "fence.mbarrier_init.release.cluster;", "", {}); }

void Instructions::endBarrier(llvm::Value *address, llvm::Value *condition) {
  callPtx(builder, "mbarrier.inval.shared::cta.b64 [$0];", "r", {address}, condition);
}

void Instructions::expectBytes(llvm::Value *barrier, uint64_t bytes, llvm::Value *condition) {
  callPtx(builder, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], " + std::to_string(bytes) + ";", "r", {barrier},
          condition);
}

void Instructions::arrive(llvm::Value *barrier, llvm::Value *condition) {
  callPtx(builder, "mbarrier.arrive.shared::cta.b64 _, [$0];", "r", {barrier}, condition);
}

void Instructions::waitForPhase(llvm::Value *barrier, llvm::Value *phase) {
  // Labels in braces are local to them.
  callPtx(builder,
          "{\n.reg .pred isDone;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 isDone, [$0], $1;\n"
          "@isDone bra done;\nbra again;\ndone:\n}",
          "r,r", {barrier, phase});
}

// ---- By TMA.

void Instructions::markMap(llvm::Argument &map) {
  map.addAttr(llvm::Attribute::get(map.getContext(), "nvvm.grid_constant"));
}

void Instructions::fenceForAsyncProxy() { callPtx(builder, "fence.proxy.async.shared::cta;", "", {}); }

// The name of a copy of so many axes, and `{$3, $4}`: their coordinates, which are operands behind the first ones.
static std::string boxCopy(unsigned axes, const char *way, bool adds = false) {
  return std::string("cp.") + (adds ? "reduce." : "") + "async.bulk.tensor." + std::to_string(axes) + "d." + way;
}
static std::string placeOfBox(llvm::ArrayRef<llvm::Value *> place, Values &arguments, std::string &constraints) {
  std::string text;
  for (llvm::Value *coordinate : place) {
    text += (text.empty() ? "$" : ", $") + std::to_string(arguments.size());
    arguments.push_back(coordinate);
    constraints += ",r";
  }
  return "{" + text + "}";
}

void Instructions::copyBox(llvm::Value *to, llvm::Value *map, llvm::ArrayRef<llvm::Value *> place, llvm::Value *barrier,
                           llvm::Value *condition) {
  Values arguments{to, map, barrier};
  std::string constraints = "r,l,r", at = placeOfBox(place, arguments, constraints);
  callPtx(builder,
          boxCopy(place.size(), "shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, ") + at + "], [$2];",
          constraints, arguments, condition);
}

void Instructions::storeBox(llvm::Value *from, llvm::Value *map, llvm::ArrayRef<llvm::Value *> place,
                            llvm::Value *condition, bool adds) {
  Values arguments{from, map};
  std::string constraints = "r,l", at = placeOfBox(place, arguments, constraints);
  const char *way = adds ? "global.shared::cta.add.tile.bulk_group [$1, " : "global.shared::cta.bulk_group [$1, ";
  callPtx(builder, boxCopy(place.size(), way, adds) + at + "], [$0];", constraints, arguments, condition);
}

void Instructions::commitBoxes(llvm::Value *condition) {
  callPtx(builder, "cp.async.bulk.commit_group;", "", {}, condition);
}

void Instructions::waitForBoxes(unsigned pending, llvm::Value *condition) {
  callPtx(builder, "cp.async.bulk.wait_group.read " + std::to_string(pending) + ";", "", {}, condition);
}

} // namespace nereid::gpu
