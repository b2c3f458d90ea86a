// Pieces.h: uneven tiles, which have an extent that is no power of two, as pieces that have none. Each family of ops says in its file
// how its ops work on pieces: rules that transforms/SplitExtents.cpp asks for.
#pragma once

#include "dialect/Tile.h"

namespace nereid::tile {

// A part of an axis.
struct Span {
  int64_t start, extent;
  int64_t end() const { return start + extent; }
};

// The powers of two that an extent is the sum of, largest first, so that each begins at a multiple of itself: 176 is 128, 32
// and 16.
llvm::SmallVector<Span, 4> spansOf(int64_t extent);

// Whether it is a tile with an extent that is no power of two.
bool isUneven(mlir::Type type);

// How a shape is cut: spans along each axis, and the pieces that they make, in row-major order. A place is the number of a
// span along each axis.
struct Cut {
  explicit Cut(llvm::ArrayRef<int64_t> shape);
  using Place = llvm::SmallVector<unsigned, 4>;

  size_t count() const;
  Place placeOf(size_t piece) const;
  size_t pieceAt(llvm::ArrayRef<unsigned> place) const;
  llvm::SmallVector<int64_t, 4> shapeAt(llvm::ArrayRef<unsigned> place) const;

  llvm::SmallVector<llvm::SmallVector<Span, 4>, 4> axes;
};

// Where a reshape leaves all pieces whole: for each piece of `to` the one of `from` in `order`. False: pieces would mix.
bool matchPieces(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to, llvm::SmallVectorImpl<size_t> &order);

// The type with another shape; of no axes: the element.
mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

// The values of a kernel that are cut, and what their pieces are.
class Pieces {
public:
  explicit Pieces(mlir::MLIRContext *context) : builder(mlir::UnknownLoc::get(context), context) {}

  // The piece of a value at a place; a value that is not cut is itself.
  mlir::Value at(mlir::Value value, llvm::ArrayRef<unsigned> place) const;
  llvm::ArrayRef<mlir::Value> of(mlir::Value value) const { return pieces.find(value)->second; }
  // The values, with the pieces of those that are cut.
  llvm::SmallVector<mlir::Value> expanded(mlir::ValueRange values) const;
  // A value that is not cut is replaced.
  void give(mlir::Value value, llvm::SmallVector<mlir::Value> its);

  // The op on each piece by itself: an element of a result is made of what the operands have in its place. `change` sees what was
  // made, and the whole shape.
  bool splitPlacewise(mlir::Operation *op,
                      llvm::function_ref<void(mlir::Operation *, llvm::ArrayRef<int64_t>)> change = {});
  // The op for each piece of its result, on pieces of the operands whose place follows from that of the result.
  bool splitMoved(mlir::Operation *op, llvm::function_ref<Cut::Place(llvm::ArrayRef<unsigned>)> sourceOf);

  // What to do about an op that cannot be split; false.
  bool refuse(llvm::StringRef why) { return problem = why.str(), false; }

  mlir::ImplicitLocOpBuilder builder;
  std::string problem;
  bool hasProducts = false;                                                  // in the kernel
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> described; // tensors in blocks of other shapes
  llvm::DenseSet<mlir::Value> unordered; // of one axis, with any parts as pieces, for reductions alone

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> pieces;
};

// Gives the pieces of an op's results. False: it cannot be split.
using PieceRule = bool (*)(Pieces &, mlir::Operation *);
// None where the op works on each place by itself, or knows no pieces.
PieceRule pieceRuleOf(mlir::Operation *op);

class PieceRules {
public:
  template <typename... Ops> void add() {
    ((rows[mlir::TypeID::get<Ops>()] = [](Pieces &pieces,
                                          mlir::Operation *op) { return split(pieces, llvm::cast<Ops>(op)); }),
     ...);
  }
  llvm::DenseMap<mlir::TypeID, PieceRule> rows;
};
void addShapePieces(PieceRules &rules);
void addElementwisePieces(PieceRules &rules);
void addReducePieces(PieceRules &rules);
void addDotPieces(PieceRules &rules);
void addMemoryPieces(PieceRules &rules);

// Changes of tiles that the rules of other families want (Shape.cpp, Elementwise.cpp).
mlir::Value reshaped(mlir::ImplicitLocOpBuilder &builder, mlir::Value tile, llvm::ArrayRef<int64_t> shape);
mlir::Value flipped(mlir::ImplicitLocOpBuilder &builder, mlir::Value tile, unsigned axis);
// A scalar, or a tile without the axis, in all places along it.
mlir::Value spread(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, unsigned axis, mlir::Type type);
// A region of scalars on each element of the sources.
llvm::SmallVector<mlir::Value> mapped(mlir::ImplicitLocOpBuilder &builder, mlir::Region &region,
                                      mlir::ValueRange sources, mlir::TypeRange results);
// A tile that lies somewhere along an axis, and what lies at `wanted`, a power of two of elements.
struct Placed {
  Span span;
  mlir::Value tile;
};
mlir::Value cutOut(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<Placed> tiles, unsigned axis, Span wanted);

} // namespace nereid::tile
