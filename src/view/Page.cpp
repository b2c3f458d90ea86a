// Page.cpp: the data and the page of viewer/ in one text that needs nothing else.
#include "support/EmbeddedText.h"
#include "view/View.h"

namespace nereid::view {

namespace {

// Named as the files in viewer/, without their endings.
constexpr EmbeddedText kParts[] = {
#include "view/Viewer.inc"
};

// Code in the order in which it is run: `start` is last.
constexpr std::string_view kScripts[] = {"elements", "stages",   "passes",   "memory",  "steps",
                                         "layouts",  "pipeline", "counters", "compare", "start"};

std::string_view partNamed(std::string_view name) {
  const char *text = findText(kParts, name);
  return text ? text : "";
}

void replace(std::string &text, std::string_view mark, std::string_view with) {
  if (size_t at = text.find(mark); at != std::string::npos)
    text.replace(at, mark.size(), with);
}

// JSON inside of a script element: nothing in it may end the element.
std::string embedded(llvm::json::Array kernels) {
  std::string text, safe;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(kernels));
  safe.reserve(text.size() + text.size() / 64);
  for (char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (char c : text)
    safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

} // namespace

std::string makePage(std::vector<llvm::json::Object> kernels) {
  std::string title, scripts;
  llvm::json::Array data;
  for (llvm::json::Object &kernel : kernels) {
    title += (title.empty() ? "" : " and ") + kernel.getString("kernel").value_or("").str();
    data.push_back(std::move(kernel));
  }
  for (std::string_view name : kScripts) {
    scripts += partNamed(name);
    scripts += '\n';
  }
  std::string page(partNamed("page"));
  replace(page, "{{title}}", escaped(title));
  replace(page, "{{style}}", partNamed("style"));
  replace(page, "{{script}}", scripts);
  replace(page, "{{data}}", embedded(std::move(data)));
  return page;
}

} // namespace nereid::view
