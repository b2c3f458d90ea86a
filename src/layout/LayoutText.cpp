// LayoutText.cpp: layouts as short text, and back.
//
//   layout  := out ":" [ dim basis* ("," dim basis*)* ]
//   out     := size ("x" size)* | "scalar" | "(" name ":" bits (" " name ":" bits)* ")"      a tile, or any other space
//   basis   := "0" | term ("+" term)*                                                        one input bit; 0: copies
//   term    := index "@" axis | first ".." last "@" axis                                     a run doubles: 1..8 = 1 2
//   4 8
//
// Of register, lane, warp and block those without bits are left out; they are there all the same.
#include "layout/LinearLayout.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <charconv>

namespace nereid::layout {

namespace {

bool isTile(const Space &space) {
  auto entries = space.entries();
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].dim != axisDim(entries.size() - 1 - i))
      return false;
  return true;
}

bool isThreads(const Space &space) {
  auto is = [&](size_t i, Dim dim) { return space.entries()[i].dim == dim; };
  return space.entries().size() == 4 && is(0, Dim::Register) && is(1, Dim::Lane) && is(2, Dim::Warp) &&
         is(3, Dim::Block);
}

std::string axisName(Dim dim) { return isAxis(dim) ? std::to_string(axisOf(dim)) : nameOf(dim); }

std::string spaceText(const Space &space) {
  std::string text;
  if (!isTile(space)) {
    for (const Space::Entry &entry : space.entries())
      text += (text.empty() ? "(" : " ") + nameOf(entry.dim) + ":" + std::to_string(entry.bits);
    return text + ")";
  }
  for (int64_t size : space.shape())
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

// The only dimension along which a vector moves, if it moves by a power of two along one.
std::optional<Dim> onlyDim(const Space &space, F2Vector vector) {
  if (llvm::popcount(vector) != 1)
    return std::nullopt;
  for (const Space::Entry &entry : space.entries())
    if (vector & space.mask(entry.dim))
      return entry.dim;
  return std::nullopt;
}

std::string basisText(const Space &space, F2Vector vector) {
  std::string text;
  for (size_t i = space.entries().size(); i-- > 0;) {
    Dim dim = space.entries()[i].dim;
    if (uint64_t index = space.index(vector, dim))
      text += (text.empty() ? "" : "+") + std::to_string(index) + "@" + axisName(dim);
  }
  return text.empty() ? "0" : text;
}

std::string columnsText(const Space &space, llvm::ArrayRef<F2Vector> columns) {
  std::string text;
  for (size_t i = 0; i < columns.size();) {
    size_t end = i + 1;
    std::optional<Dim> dim = onlyDim(space, columns[i]);
    while (dim && end < columns.size() && columns[end] == columns[end - 1] << 1 && (columns[end] & space.mask(*dim)))
      ++end;
    text += " ";
    if (end - i > 1)
      text += std::to_string(space.index(columns[i], *dim)) + ".." + basisText(space, columns[end - 1]);
    else
      text += basisText(space, columns[i]);
    i = end;
  }
  return text;
}

// Reads the grammar above. A method that fails leaves the reason in `problem`.
class Reader {
public:
  Reader(std::string_view text, std::string &problem) : rest(text), problem(problem) {}

  std::optional<LinearLayout> read() {
    Space out;
    if (!readOut(out) || !expect(":"))
      return std::nullopt;
    llvm::SmallVector<std::pair<Dim, F2Vectors>, 4> inputs;
    while (!atEnd()) {
      if (!inputs.empty() && !expect(","))
        return std::nullopt;
      if (!readInput(out, inputs))
        return std::nullopt;
    }
    return assemble(out, inputs);
  }

private:
  bool fail(std::string message) {
    if (problem.empty())
      problem = std::move(message);
    return false;
  }
  void skipSpaces() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n"), rest.size())); }
  bool atEnd() {
    skipSpaces();
    return rest.empty();
  }
  bool accept(std::string_view token) {
    skipSpaces();
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  bool expect(std::string_view token) {
    return accept(token) ||
           fail("expected `" + std::string(token) + "` before `" + std::string(rest.substr(0, 16)) + "`");
  }
  bool startsNumber() {
    skipSpaces();
    return !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
  }
  bool readNumber(uint64_t &number) {
    skipSpaces();
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc())
      return fail("expected a number before `" + std::string(rest.substr(0, 16)) + "`");
    rest.remove_prefix(end - rest.data());
    return true;
  }
  bool readDim(Dim &dim) {
    skipSpaces();
    size_t length = 0;
    while (length < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[length]))))
      ++length;
    for (unsigned i = 0; i < static_cast<unsigned>(Dim::Axis0) + kMaxAxes; ++i)
      if (nameOf(static_cast<Dim>(i)) == rest.substr(0, length)) {
        dim = static_cast<Dim>(i);
        rest.remove_prefix(length);
        return true;
      }
    return fail("expected the name of a dimension (register, lane, warp, block, offset, dim0, …) before `" +
                std::string(rest.substr(0, 16)) + "`");
  }

  bool readOut(Space &out) {
    if (accept("scalar"))
      return true;
    if (accept("(")) {
      while (!accept(")")) {
        Dim dim;
        uint64_t bits;
        if (!readDim(dim) || !expect(":") || !readNumber(bits))
          return false;
        if (out.has(dim) || bits + out.totalBits() > 48)
          return fail("the dimension `" + nameOf(dim) + "` is named twice or is too large");
        out.append(dim, bits);
      }
      return true;
    }
    llvm::SmallVector<int64_t, 4> shape;
    do {
      uint64_t size;
      if (!readNumber(size))
        return false;
      if (!llvm::has_single_bit(size) || size > (uint64_t(1) << 40) || shape.size() == kMaxAxes)
        return fail("a tile has at most 64 axes with sizes that are powers of two, found " + std::to_string(size));
      shape.push_back(size);
    } while (accept("x"));
    out = Space::tile(shape);
    return out.totalBits() <= 48 || fail("the tile is too large");
  }

  bool readInput(const Space &out, llvm::SmallVectorImpl<std::pair<Dim, F2Vectors>> &inputs) {
    Dim dim;
    if (!readDim(dim))
      return false;
    for (auto &[other, columns] : inputs)
      if (other == dim)
        return fail("the dimension `" + nameOf(dim) + "` is named twice");
    F2Vectors columns;
    while (startsNumber())
      if (!readBasis(out, columns))
        return false;
    if (columns.size() > 40)
      return fail("the dimension `" + nameOf(dim) + "` has more than 40 bits");
    inputs.push_back({dim, std::move(columns)});
    return true;
  }

  bool readBasis(const Space &out, F2Vectors &columns) {
    F2Vector vector = 0;
    do {
      uint64_t first, last;
      if (!readNumber(first))
        return false;
      if (!first && !vector && !rest.starts_with("@"))
        break; // copies
      last = first;
      bool isRun = accept("..");
      if (isRun && !readNumber(last))
        return false;
      Dim dim;
      if (!expect("@") || !readAxis(dim))
        return false;
      if (!first || first > last || last >= (uint64_t(1) << out.bits(dim)))
        return fail("the index " + std::to_string(last) + " is outside of `" + nameOf(dim) + "`, which has " +
                    std::to_string(uint64_t(1) << out.bits(dim)));
      for (; isRun && first < last; first *= 2)
        columns.push_back(out.point(dim, first));
      if (first != last)
        return fail("a run of bases doubles from its first to its last");
      vector ^= out.point(dim, last);
    } while (rest.starts_with("+") && accept("+"));
    columns.push_back(vector);
    return true;
  }

  bool readAxis(Dim &dim) {
    if (!startsNumber())
      return readDim(dim);
    uint64_t axis;
    if (!readNumber(axis))
      return false;
    if (axis >= kMaxAxes)
      return fail("there is no axis " + std::to_string(axis));
    dim = axisDim(axis);
    return true;
  }

  std::optional<LinearLayout> assemble(const Space &out, llvm::ArrayRef<std::pair<Dim, F2Vectors>> inputs) {
    auto isThread = [](const auto &input) { return input.first <= Dim::Block; };
    Space in;
    F2Vectors columns;
    auto add = [&](Dim dim, llvm::ArrayRef<F2Vector> bases) {
      in.append(dim, bases.size());
      columns.append(bases.begin(), bases.end());
    };
    if (!std::all_of(inputs.begin(), inputs.end(), isThread)) {
      for (const auto &[dim, bases] : inputs)
        add(dim, bases);
    } else {
      for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block}) {
        auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto &input) { return input.first == dim; });
        add(dim, found == inputs.end() ? llvm::ArrayRef<F2Vector>() : llvm::ArrayRef<F2Vector>(found->second));
      }
    }
    if (columns.size() > 48) {
      fail("the layout has more than 48 input bits");
      return std::nullopt;
    }
    return LinearLayout(in, out, columns);
  }

  std::string_view rest;
  std::string &problem;
};

} // namespace

std::string LinearLayout::toString() const {
  std::string text = spaceText(outSpace) + ":";
  bool isFirst = true;
  for (const Space::Entry &entry : inSpace.entries()) {
    if (isThreads(inSpace) && !entry.bits)
      continue;
    text += (isFirst ? " " : ", ") + nameOf(entry.dim) + columnsText(outSpace, columns(entry.dim));
    isFirst = false;
  }
  return text;
}

std::optional<LinearLayout> LinearLayout::parse(std::string_view text, std::string &problem) {
  problem.clear();
  return Reader(text, problem).read();
}

} // namespace nereid::layout
