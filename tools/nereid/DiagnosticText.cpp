#include "DiagnosticText.h"

#include "Summary.h"

#include <algorithm>
#include <charconv>

namespace nereid::tool {

namespace {

constexpr std::string_view kSeverities[] = {"error", "warning", "note", "remark"};

struct Place {
  std::string_view file;
  unsigned line = 0, column = 0;
};

// The number at the end of a text, with the `:` before it taken off too.
std::optional<unsigned> takeNumber(std::string_view &text) {
  size_t colon = text.rfind(':');
  unsigned number = 0;
  if (colon == std::string_view::npos)
    return std::nullopt;
  auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  text.remove_suffix(text.size() - colon);
  return number;
}

// `FILE:LINE:COLUMN: `, whatever the file is called.
std::optional<Place> readPlace(std::string_view before) {
  if (!before.ends_with(": "))
    return std::nullopt;
  before.remove_suffix(2);
  std::optional<unsigned> column = takeNumber(before), line = column ? takeNumber(before) : std::nullopt;
  if (!line || before.empty())
    return std::nullopt;
  return Place{before, *line, *column};
}

// One diagnostic of the text. Lines behind its first one belong to the message, but for the source line and its `^~~~`.
struct Item {
  std::string_view severity;
  std::optional<Place> place;
  std::string message;
  std::vector<std::string> notes;
};

std::string_view takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<Item> readItems(std::string_view text) {
  std::vector<Item> items;
  std::string *message = nullptr; // of the diagnostic or of its last note
  while (!text.empty()) {
    std::string_view line = takeLine(text), rest = text;
    if (message && isCaretLine(takeLine(rest))) { // a line of the source, whatever stands in it
      text = rest;
      continue;
    }
    std::optional<DiagnosticHead> head = readDiagnosticHead(line);
    std::optional<Place> place = head ? readPlace(head->before) : std::nullopt;
    // What stands before `error:` and is no place names a case that was measured, or the program.
    std::string own = head ? std::string(place ? "" : head->before) + std::string(head->after.substr(1)) : "";
    if (head && head->severity == "note" && !items.empty()) {
      message = &items.back().notes.emplace_back(std::move(own));
    } else if (head || (!message && !line.empty())) {
      items.push_back({head ? head->severity : "error", place, head ? std::move(own) : std::string(line), {}});
      message = &items.back().message;
    } else if (message) {
      message->append("\n").append(line);
    }
  }
  return items;
}

llvm::json::Object toJson(const Item &item, std::string_view key) {
  llvm::json::Array notes;
  for (const std::string &note : item.notes)
    notes.push_back(jsonText(note));
  llvm::json::Object object{{llvm::StringRef(key), jsonText(item.message)},
                            {"file", item.place ? llvm::json::Value(jsonText(std::string(item.place->file))) : nullptr},
                            {"line", item.place ? llvm::json::Value(item.place->line) : nullptr},
                            {"column", item.place ? llvm::json::Value(item.place->column) : nullptr},
                            {"notes", std::move(notes)}};
  return object;
}

} // namespace

bool isCaretLine(std::string_view line) {
  size_t caret = line.find_first_not_of(" \t");
  return caret != std::string_view::npos && line[caret] == '^' &&
         line.find_first_not_of('~', caret + 1) == std::string_view::npos;
}

std::optional<DiagnosticHead> readDiagnosticHead(std::string_view line) {
  std::optional<DiagnosticHead> first;
  for (std::string_view severity : kSeverities) {
    std::string word = std::string(severity) + ": ";
    size_t at = line.starts_with(word) ? 0 : line.find(": " + word);
    if (at == std::string_view::npos)
      continue;
    at += line.starts_with(word) ? 0 : 2;
    if (!first || at < first->before.size())
      first = {line.substr(0, at), line.substr(at, severity.size()), line.substr(at + severity.size() + 1)};
  }
  return first;
}

llvm::json::Object errorObject(std::string_view text, int status) {
  std::vector<Item> items = readItems(text);
  auto main = std::ranges::find(items, "error", &Item::severity);
  if (main == items.end()) // a check that failed without a word
    main = items.insert(items.end(), {"error", std::nullopt, "exit status " + std::to_string(status), {}});
  llvm::json::Object object = toJson(*main, "error");
  object["status"] = status;
  llvm::json::Array more;
  for (auto item = items.begin(); item != items.end(); ++item)
    if (item != main)
      more.push_back(toJson(*item, item->severity));
  if (!more.empty())
    object["more"] = std::move(more);
  return object;
}

LineStream::~LineStream() {
  if (!pending.empty())
    take(pending);
}

int LineStream::overflow(int character) {
  if (character == traits_type::eof())
    return 0;
  char one = static_cast<char>(character);
  return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize LineStream::xsputn(const char *text, std::streamsize count) {
  pending.append(text, static_cast<size_t>(count));
  size_t begin = 0;
  for (size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1)
    take(std::string_view(pending).substr(begin, end - begin));
  pending.erase(0, begin);
  return count;
}

int LineStream::sync() {
  if (pending.starts_with('\r') || !keepsParts) {
    terminal << pending << std::flush;
    pending.clear();
  }
  return 0;
}

} // namespace nereid::tool
