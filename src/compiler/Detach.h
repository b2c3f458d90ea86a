// Detach.h: tile IR taken out of the compiler that made it, so that another thread can go on with it. IR lives in a context
// that serves one thread; what crosses is its text.
#pragma once

#include "compiler/Compiler.h"

namespace nereid::compiler {

// A kernel's module in a context of its own.
struct DetachedTile {
  DetachedTile();
  DetachedTile(DetachedTile &&) noexcept;
  ~DetachedTile();
  std::unique_ptr<mlir::MLIRContext> context; // first: the module must go before it
  TileModule tile;
};

// The text that attach() reads, with the places of the source.
std::string detach(const TileModule &tile);
// No module where the text is none: that would be our own bug.
DetachedTile attach(const std::string &text);

} // namespace nereid::compiler
