// NpyHeader.cpp: the header of a .npy file, a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape':
// (3, 4), }
#include "runtime/Npy.h"

#include "runtime/Memory.h"

#include <charconv>

namespace nereid::runtime {

namespace {

constexpr size_t kMaxRank = 32;

Error badHeader(std::string message) { return {Status::BadInput, "not a usable .npy file: " + std::move(message)}; }

// Walks over the text of the dict.
class Cursor {
public:
  explicit Cursor(std::string_view text) : text(text) {}

  void skipSpace() {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t'))
      text.remove_prefix(1);
  }
  bool take(char c) {
    skipSpace();
    if (text.empty() || text.front() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!text.starts_with(word))
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> takeString() {
    skipSpace();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return std::nullopt;
    size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view result = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return result;
  }
  std::optional<int64_t> takeInteger() {
    skipSpace();
    int64_t value = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc())
      return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  }

private:
  std::string_view text;
};

Result<void> parseDescr(std::string_view descr, NpyHeader &header) {
  struct Row {
    std::string_view code;
    DType type;
    bool isRaw;
  };
  static constexpr Row kRows[] = {
      {"b1", DType::Int1, false},   {"i1", DType::Int8, false},   {"i2", DType::Int16, false},
      {"i4", DType::Int32, false},  {"i8", DType::Int64, false},  {"u1", DType::UInt8, false},
      {"u2", DType::UInt16, false}, {"u4", DType::UInt32, false}, {"u8", DType::UInt64, false},
      {"f2", DType::Fp16, false},   {"f4", DType::Fp32, false},   {"f8", DType::Fp64, false},
      {"V1", DType::UInt8, true},   {"V2", DType::UInt16, true}};
  std::string_view code = descr;
  if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos)
    code.remove_prefix(1);
  for (const Row &row : kRows) {
    if (row.code != code)
      continue;
    header.dtype = row.type;
    header.isRaw = row.isRaw;
    header.isByteSwapped = descr.front() == '>' && bytesOf(row.type) > 1;
    return {};
  }
  return badHeader("its element type `" + std::string(descr.substr(0, 40)) + "` is not a plain number");
}

Result<void> parseShape(Cursor &cursor, NpyHeader &header) {
  if (!cursor.take('('))
    return badHeader("its `shape` is not a tuple");
  while (!cursor.take(')')) {
    std::optional<int64_t> extent = cursor.takeInteger();
    if (!extent)
      return badHeader("its `shape` is not a tuple of integers");
    if (header.shape.size() == kMaxRank)
      return badHeader("its `shape` has more than " + std::to_string(kMaxRank) + " axes");
    header.shape.push_back(*extent);
    if (cursor.take(','))
      continue;
    if (!cursor.take(')'))
      return badHeader("its `shape` is not a tuple of integers");
    break;
  }
  return {};
}

} // namespace

static Result<void> parseDict(std::string_view text, NpyHeader &header) {
  Cursor cursor(text);
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!cursor.take('{'))
    return badHeader("its header is not a dict");
  while (!cursor.take('}')) {
    auto key = cursor.takeString();
    if (!key || !cursor.take(':'))
      return badHeader("its header is not a dict of names and values");
    if (*key == "descr" && !hasDescr) {
      auto descr = cursor.takeString();
      if (!descr || descr->empty())
        return badHeader("it holds records, not plain numbers");
      if (auto parsed = parseDescr(*descr, header); !parsed)
        return parsed;
      hasDescr = true;
    } else if (*key == "fortran_order" && !hasOrder) {
      header.isFortranOrder = cursor.takeWord("True");
      if (!header.isFortranOrder && !cursor.takeWord("False"))
        return badHeader("its `fortran_order` is neither True nor False");
      hasOrder = true;
    } else if (*key == "shape" && !hasShape) {
      if (auto parsed = parseShape(cursor, header); !parsed)
        return parsed;
      hasShape = true;
    } else {
      return badHeader("its header has an unexpected key `" + std::string(key->substr(0, 40)) + "`");
    }
    cursor.take(',');
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return badHeader("its header lacks one of `descr`, `fortran_order` and `shape`");
  return {};
}

Result<NpyHeader> parseNpyHeader(std::string_view prefix, uint64_t fileSize) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(prefix[i])); };
  if (prefix.size() < 10 || !prefix.starts_with(kMagic))
    return badHeader("it does not begin as one");
  uint32_t major = byte(6);
  if (major < 1 || major > 3)
    return badHeader("its format version is " + std::to_string(major) + "; 1 to 3 are known");
  size_t start = major == 1 ? 10 : 12;
  if (prefix.size() < start)
    return badHeader("it ends inside its header");
  uint64_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= uint64_t(byte(10)) << 16 | uint64_t(byte(11)) << 24;
  if (start + length > prefix.size())
    return badHeader("its header claims " + std::to_string(length) + " bytes, but only " +
                     std::to_string(prefix.size() - start) + " may be one");
  NpyHeader header;
  header.dataOffset = start + length;
  if (auto parsed = parseDict(prefix.substr(start, length), header); !parsed)
    return parsed.error();
  Result<int64_t> count = Tensor::countOf(header.shape);
  if (!count)
    return badHeader(count.error().message);
  uint64_t expected = static_cast<uint64_t>(*count) * bytesOf(header.dtype), found = fileSize - header.dataOffset;
  if (fileSize < header.dataOffset || expected != found)
    return badHeader("its header says " + describe(header.dtype, header.shape) + ", " + std::to_string(expected) +
                     " bytes, but " + std::to_string(found) + " bytes follow");
  return header;
}

} // namespace nereid::runtime
