// Strings.cpp: methods of str. Positions are counted in characters; what depends on tables of Unicode (upper case, kinds
// of letters) is done for ASCII and refused for the rest.
#include "lang/Text.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>
#include <cctype>

namespace nereid::lang {

namespace {

const std::string &asciiText(LibraryCall &call) {
  if (!isAscii(call.text(0)))
    call.session().fail("`" + std::string(call.function.name) + "` is supported at compile time for ASCII text only",
                        {}, "NotImplementedError");
  return call.text(0);
}

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

template <int (*Convert)(int)> Value converted(LibraryCall &call) {
  std::string text = asciiText(call);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(Convert(c)); });
  return text;
}

int swapped(int c) { return std::isupper(c) ? std::tolower(c) : std::toupper(c); }

// The first letter of the text, or of each of its words, in upper case.
template <bool OfWords> Value capitalized(LibraryCall &call) {
  std::string text = asciiText(call);
  bool isFirst = true;
  for (char &c : text) {
    c = char(isFirst ? std::toupper(c) : std::tolower(c));
    isFirst = OfWords && !isLetter(c);
  }
  return text;
}

template <int (*Test)(int)> Value allAre(LibraryCall &call) {
  const std::string &text = asciiText(call);
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return Test(c) != 0; });
}
int isAsciiSpace(int c) { return isSpace(uint32_t(c)); }

// isupper and islower: there are letters, and all of them are so.
template <int (*Test)(int)> Value lettersAre(LibraryCall &call) {
  const std::string &text = asciiText(call);
  return std::ranges::any_of(text, isLetter) &&
         std::ranges::all_of(text, [](unsigned char c) { return !std::isalpha(c) || Test(c); });
}

Value isTitle(LibraryCall &call) {
  bool wasLetter = false, hasLetter = false;
  for (unsigned char c : asciiText(call)) {
    if (std::isalpha(c) && bool(std::isupper(c)) == wasLetter)
      return false;
    wasLetter = std::isalpha(c) != 0;
    hasLetter |= wasLetter;
  }
  return hasLetter;
}

Value isIdentifier(LibraryCall &call) {
  const std::string &text = asciiText(call);
  auto isPart = [](char c) { return isLetter(c) || c == '_' || (c >= '0' && c <= '9'); };
  return !text.empty() && std::ranges::all_of(text, isPart) && !(text[0] >= '0' && text[0] <= '9');
}

Value isPrintable(LibraryCall &call) {
  return std::ranges::all_of(asciiText(call), [](unsigned char c) { return c >= 32 && c < 127; });
}
Value isAsciiText(LibraryCall &call) { return isAscii(call.text(0)); }

Value stripped(LibraryCall &call, bool left, bool right) {
  std::vector<std::string_view> characters = charactersOf(call.text(0)), set;
  bool isGiven = call[1] && !call[1].isNone();
  if (isGiven)
    set = charactersOf(call.text(1));
  std::ranges::sort(set);
  auto isGone = [&](std::string_view c) {
    return isGiven ? std::ranges::binary_search(set, c) : isSpace(codePointOf(c));
  };
  size_t first = 0, last = characters.size(), begin = 0, end = call.text(0).size();
  while (left && first < last && isGone(characters[first]))
    begin += characters[first++].size();
  while (right && last > first && isGone(characters[last - 1]))
    end -= characters[--last].size();
  return call.text(0).substr(begin, end - begin);
}
Value stripBoth(LibraryCall &call) { return stripped(call, true, true); }
Value stripLeft(LibraryCall &call) { return stripped(call, true, false); }
Value stripRight(LibraryCall &call) { return stripped(call, false, true); }

// The part of a text that [start, end) names, counted in characters as a slice counts; nothing when it begins behind the
// end.
struct Part {
  std::string_view text;
  size_t start; // the characters before it
};
std::optional<Part> partOf(LibraryCall &call, size_t startIndex) {
  std::string_view text = call.text(0);
  auto size = Integer(characterCount(text));
  auto bound = [&](size_t index, Integer whenAbsent) {
    if (!call[index] || call[index].isNone())
      return whenAbsent;
    Integer at = call.integer(index);
    return at < 0 ? std::max(std::max(at, -size) + size, Integer(0)) : at;
  };
  Integer start = bound(startIndex, 0), end = std::min(bound(startIndex + 1, size), size);
  if (start > end)
    return std::nullopt;
  size_t begin = byteOf(text, size_t(start));
  return Part{text.substr(begin, byteOf(text, size_t(end)) - begin), size_t(start)};
}

template <bool AtEnd> Value hasAffix(LibraryCall &call) {
  std::optional<Part> part = partOf(call, 2);
  Values affixes = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  return std::ranges::any_of(affixes, [&](const Value &affix) {
    if (!affix.str())
      call.expected(1, "a string or a tuple of strings");
    call.session().step(affix.str()->size() / 64);
    return part && (AtEnd ? part->text.ends_with(*affix.str()) : part->text.starts_with(*affix.str()));
  });
}

Value removePrefix(LibraryCall &call) {
  return call.text(0).starts_with(call.text(1)) ? call.text(0).substr(call.text(1).size()) : call.text(0);
}
Value removeSuffix(LibraryCall &call) {
  return call.text(0).ends_with(call.text(1)) ? call.text(0).substr(0, call.text(0).size() - call.text(1).size())
                                              : call.text(0);
}

// Adds pieces of a text to a list, each at its cost.
class Pieces {
public:
  explicit Pieces(LibraryCall &call) : call(call) {}
  void add(std::string_view piece) {
    call.eval.allocateText(piece.size());
    call.session().step();
    call.session().make(sizeof(Value) + 32);
    items.emplace_back(std::string(piece));
  }
  Value reversed() {
    std::ranges::reverse(items);
    return makeList(std::move(items));
  }
  Values items;

private:
  LibraryCall &call;
};

// Words between white space, at most `limit` cuts (from the right when so asked); the rest keeps its spaces inside.
Value splitWords(LibraryCall &call, Integer limit, bool fromRight) {
  std::vector<std::string_view> characters = charactersOf(call.text(0));
  if (fromRight)
    std::ranges::reverse(characters);
  auto isGap = [&](size_t i) { return isSpace(codePointOf(characters[i])); };
  auto textOf = [&](size_t first, size_t last) { // of a range of characters, which is not empty
    const char *begin = characters[fromRight ? last - 1 : first].data();
    std::string_view end = characters[fromRight ? first : last - 1];
    return std::string_view(begin, size_t(end.data() + end.size() - begin));
  };
  Pieces pieces(call);
  for (size_t i = 0; i < characters.size();) {
    if (isGap(i)) {
      ++i;
      continue;
    }
    size_t end = i;
    if (limit >= 0 && Integer(pieces.items.size()) >= limit)
      end = characters.size();
    while (end < characters.size() && !isGap(end))
      ++end;
    pieces.add(textOf(i, end));
    i = end;
  }
  return fromRight ? pieces.reversed() : makeList(std::move(pieces.items));
}

const std::string &separatorOf(LibraryCall &call) {
  if (call.text(1).empty())
    call.session().fail("empty separator");
  return call.text(1);
}

Value split(LibraryCall &call) {
  Integer limit = call.size(2, -1);
  if (!call[1] || call[1].isNone())
    return splitWords(call, limit, false);
  std::string_view text = call.text(0), separator = separatorOf(call);
  Pieces pieces(call);
  size_t begin = 0;
  for (size_t at; (limit < 0 || Integer(pieces.items.size()) < limit) &&
                  (at = findText(text, separator, begin)) != std::string_view::npos;
       begin = at + separator.size())
    pieces.add(text.substr(begin, at - begin));
  pieces.add(text.substr(begin));
  return makeList(std::move(pieces.items));
}

Value splitRight(LibraryCall &call) {
  Integer limit = call.size(2, -1);
  if (!call[1] || call[1].isNone())
    return splitWords(call, limit, true);
  std::string_view text = call.text(0), separator = separatorOf(call);
  Pieces pieces(call);
  for (size_t at;
       (limit < 0 || Integer(pieces.items.size()) < limit) && (at = text.rfind(separator)) != std::string_view::npos;
       text = text.substr(0, at)) {
    call.session().step((text.size() - at) * separator.size() / 64);
    pieces.add(text.substr(at + separator.size()));
  }
  pieces.add(text);
  return pieces.reversed();
}

Value splitLines(LibraryCall &call) {
  std::string_view text = call.text(0);
  bool keepsEnds = call.flag(1, false);
  Pieces pieces(call);
  size_t begin = 0, at = 0;
  std::vector<std::string_view> characters = charactersOf(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    size_t end = at;
    at += characters[i].size();
    if (!isLineBreak(codePointOf(characters[i])))
      continue;
    if (characters[i] == "\r" && i + 1 < characters.size() && characters[i + 1] == "\n")
      at += characters[++i].size();
    pieces.add(text.substr(begin, (keepsEnds ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size())
    pieces.add(text.substr(begin));
  return makeList(std::move(pieces.items));
}

Value join(LibraryCall &call) {
  std::string result;
  bool isFirst = true;
  for (const Value &item : call.eval.iterate(call[1])) {
    if (item.constant<Opaque>())
      return makeOpaque("text with " + toString(item));
    if (!item.str())
      call.session().fail("`join` expects strings, not `" + typeName(item) + "`", {}, "TypeError");
    size_t before = result.size();
    result += (isFirst ? "" : call.text(0)) + *item.str();
    isFirst = false;
    call.eval.allocateText(result.size() - before, result.size());
  }
  return result;
}

// An empty text stands before each character and at the end.
Value replaceNothing(LibraryCall &call, Integer limit) {
  std::string result;
  std::vector<std::string_view> characters = charactersOf(call.text(0));
  auto times = std::min(limit < 0 ? Integer(characters.size() + 1) : limit, Integer(characters.size() + 1));
  call.eval.allocateText(size_t(std::min(times * Integer(call.text(2).size()), Integer(1) << 60)) +
                         call.text(0).size());
  for (std::string_view character : characters) {
    if (limit-- != 0)
      result += call.text(2);
    else
      limit = 0;
    result += character;
  }
  return limit != 0 ? result + call.text(2) : result;
}

Value replace(LibraryCall &call) {
  const std::string &text = call.text(0), &old = call.text(1), &fresh = call.text(2);
  Integer limit = call.size(3, -1);
  if (old.empty())
    return replaceNothing(call, limit);
  std::string result;
  size_t begin = 0;
  for (size_t at; limit != 0 && (at = findText(text, old, begin)) != std::string::npos; begin = at + old.size()) {
    call.session().step();
    result.append(text, begin, at - begin).append(fresh);
    call.eval.allocateText(at - begin + fresh.size(), result.size());
    --limit;
  }
  call.eval.allocateText(text.size() - begin, result.size() + text.size() - begin);
  return result + text.substr(begin);
}

std::optional<Integer> found(LibraryCall &call, bool last) {
  std::optional<Part> part = partOf(call, 2);
  const std::string &wanted = call.text(1);
  size_t at = !part ? std::string_view::npos : last ? findLastText(part->text, wanted) : findText(part->text, wanted);
  if (at == std::string_view::npos)
    return std::nullopt;
  return Integer(part->start + characterCount(part->text.substr(0, at)));
}
template <bool Last> Value find(LibraryCall &call) { return found(call, Last).value_or(-1); }
template <bool Last> Value indexOfText(LibraryCall &call) {
  if (auto at = found(call, Last))
    return *at;
  call.session().fail("substring not found");
}

Value count(LibraryCall &call) {
  std::optional<Part> part = partOf(call, 2);
  std::string_view wanted = call.text(1);
  if (!part)
    return 0;
  if (wanted.empty())
    return Value(Integer(characterCount(part->text) + 1));
  Integer found = 0;
  for (size_t at = 0; (at = findText(part->text, wanted, at)) != std::string_view::npos; at += wanted.size()) {
    call.session().step();
    ++found;
  }
  return found;
}

std::string padding(LibraryCall &call, Integer count) {
  std::string fill = call[2] ? call.text(2) : " ";
  if (characterCount(fill) != 1)
    call.expected(2, "one character");
  count = std::max(count, Integer(0));
  call.eval.allocateText(size_t(std::min(count * Integer(fill.size()), Integer(1) << 60)) + call.text(0).size());
  call.session().step(size_t(count) / 16);
  std::string text;
  for (Integer i = 0; i < count; ++i)
    text += fill;
  return text;
}
Integer missing(LibraryCall &call) {
  Integer width = std::min(call.size(1, 0), Integer(1) << 60); // allocateText refuses it
  return std::max(width, Integer(-1)) - Integer(characterCount(call.text(0)));
}
Value padLeft(LibraryCall &call) { return padding(call, missing(call)) + call.text(0); }
Value padRight(LibraryCall &call) { return call.text(0) + padding(call, missing(call)); }
Value center(LibraryCall &call) {
  Integer count = std::max(missing(call), Integer(0)), width = call.integer(1);
  Integer left = count / 2 + (count & width & 1); // as CPython shares an odd number
  std::string before = padding(call, left);
  return before + call.text(0) + padding(call, count - left);
}
Value padZeros(LibraryCall &call) {
  const std::string &text = call.text(0);
  LibraryCall zeros{call.eval, call.function, {call[0], call[1], "0"}};
  bool isSigned = text.starts_with("-") || text.starts_with("+");
  return text.substr(0, isSigned) + padding(zeros, missing(call)) + text.substr(isSigned);
}

template <bool Last> Value partition(LibraryCall &call) {
  std::string_view text = call.text(0), separator = separatorOf(call);
  size_t at = Last ? findLastText(text, separator) : findText(text, separator);
  if (at == std::string_view::npos)
    return Last ? Value::tuple({"", "", call[0]}) : Value::tuple({call[0], "", ""});
  return Value::tuple({std::string(text.substr(0, at)), call[1], std::string(text.substr(at + separator.size()))});
}

Value expandTabs(LibraryCall &call) {
  Integer size = call.size(1, 8), column = 0;
  constexpr Integer kMaxTab = 1000;
  if (size > kMaxTab)
    call.session().fail("`str.expandtabs` is supported up to " + integerText(kMaxTab), {}, "NotImplementedError");
  std::string result;
  for (std::string_view character : charactersOf(call.text(0))) {
    std::string added(character);
    if (character == "\t")
      added = std::string(size > 0 ? size_t(size - column % size) : 0, ' ');
    column = character == "\n" || character == "\r" ? 0 : column + (character == "\t" ? Integer(added.size()) : 1);
    result += added;
    call.eval.allocateText(added.size(), result.size());
  }
  return result;
}

Value unknownBytes(LibraryCall &) { return makeOpaque("bytes"); }

const LibraryFunction methods[] = {
    {"str.upper", "self", converted<std::toupper>},
    {"str.lower", "self", converted<std::tolower>},
    {"str.casefold", "self", converted<std::tolower>},
    {"str.swapcase", "self", converted<swapped>},
    {"str.capitalize", "self", capitalized<false>},
    {"str.title", "self", capitalized<true>},
    {"str.isdigit", "self", allAre<std::isdigit>},
    {"str.isnumeric", "self", allAre<std::isdigit>},
    {"str.isdecimal", "self", allAre<std::isdigit>},
    {"str.isalpha", "self", allAre<std::isalpha>},
    {"str.isalnum", "self", allAre<std::isalnum>},
    {"str.isspace", "self", allAre<isAsciiSpace>},
    {"str.isupper", "self", lettersAre<std::isupper>},
    {"str.islower", "self", lettersAre<std::islower>},
    {"str.istitle", "self", isTitle},
    {"str.isidentifier", "self", isIdentifier},
    {"str.isprintable", "self", isPrintable},
    {"str.isascii", "self", isAsciiText},
    {"str.strip", "self characters?", stripBoth},
    {"str.lstrip", "self characters?", stripLeft},
    {"str.rstrip", "self characters?", stripRight},
    {"str.startswith", "self prefix start? end?", hasAffix<false>},
    {"str.endswith", "self suffix start? end?", hasAffix<true>},
    {"str.removeprefix", "self prefix", removePrefix},
    {"str.removesuffix", "self suffix", removeSuffix},
    {"str.split", "self sep? maxsplit?", split},
    {"str.rsplit", "self sep? maxsplit?", splitRight},
    {"str.splitlines", "self keepends?", splitLines},
    {"str.join", "self items", join},
    {"str.replace", "self old new count?", replace},
    {"str.find", "self text start? end?", find<false>},
    {"str.rfind", "self text start? end?", find<true>},
    {"str.index", "self text start? end?", indexOfText<false>},
    {"str.rindex", "self text start? end?", indexOfText<true>},
    {"str.count", "self text start? end?", count},
    {"str.rjust", "self width fill?", padLeft},
    {"str.ljust", "self width fill?", padRight},
    {"str.center", "self width fill?", center},
    {"str.zfill", "self width", padZeros},
    {"str.partition", "self separator", partition<false>},
    {"str.rpartition", "self separator", partition<true>},
    {"str.expandtabs", "self tabsize?", expandTabs},
    {"str.encode", "self encoding?", unknownBytes},
    {"str.format", "self *values **names", formatMethod},
    {"str.__mod__", "self values", percentFormat},
};

} // namespace

const LibraryType strType{"str", strConstructor, methods, "", true};

} // namespace nereid::lang
