// Traits.h: facts about ops of the tile dialect, for passes to ask (`op->hasTrait<tile::View>()`). Interfaces.td has those that
// need an answer; MLIR's own say the rest: Elementwise, Pure, memory effects.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace nereid::tile {

template <template <typename> class Trait, typename Op> using Fact = mlir::OpTrait::TraitBase<Op, Trait>;

// Each element of a result is an element of the operand, at another place or several times.
template <typename Op> struct Rearranges : Fact<Rearranges, Op> {};
// The same where no element has to move: the operand, seen in another shape.
template <typename Op> struct View : Fact<View, Op> {};
// The elements of its operands, each once, in another shape.
template <typename Op> struct Reshapes : Fact<Reshapes, Op> {};
// Each element has the bits of the operand's element at its place.
template <typename Op> struct SameBits : Fact<SameBits, Op> {};
// An element of a result is made of elements at many places, which threads must exchange.
template <typename Op> struct AcrossElements : Fact<AcrossElements, Op> {};
// The result depends on the order of the elements along an axis.
template <typename Op> struct InOrder : Fact<InOrder, Op> {};
// All tiles that the op takes have one layout on a GPU.
template <typename Op> struct OneLayout : Fact<OneLayout, Op> {};
// So have those that it gives, a reduction without its axis.
template <typename Op> struct KeepsLayout : Fact<KeepsLayout, Op> {};
// Reads and changes memory in one step, in an order with other programs.
template <typename Op> struct Atomic : Fact<Atomic, Op> {};
// All threads of a program run it together, and in order with what stands around it.
template <typename Op> struct AllThreads : Fact<AllThreads, Op> {};
// What it does depends on the thread that runs it.
template <typename Op> struct SeesThread : Fact<SeesThread, Op> {};
// In a function of single elements it is run for one element after the other.
template <typename Op> struct ByElement : Fact<ByElement, Op> {};
// Its region is such a function.
template <typename Op> struct OfElements : Fact<OfElements, Op> {};
// A loop that does this and reads may be one that waits for another program.
template <typename Op> struct WaitsForOthers : Fact<WaitsForOthers, Op> {};
// Says something about values: the effect that it has keeps it where it stands, and memory is as before.
template <typename Op> struct StatesFact : Fact<StatesFact, Op> {};
// Runs code that we do not know.
template <typename Op> struct ForeignCode : Fact<ForeignCode, Op> {};

} // namespace nereid::tile
