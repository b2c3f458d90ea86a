#include "LanguageHelp.h"

#include "lang/Parameters.h"

namespace nereid::tool {

std::string wholeSignature(const lang::CatalogueEntry &entry) {
  return entry.name + entry.signature.substr(std::min(entry.signature.find('('), entry.signature.size()));
}

std::string commandOf(const lang::Example &example) {
  size_t blank = std::min(example.words.find(' '), example.words.size());
  return example.words.substr(0, blank) + " " + example.kernel + ".py:" + example.kernel + example.words.substr(blank);
}

static void printParameters(const lang::CatalogueEntry &entry, Console &console) {
  std::vector<lang::ParameterText> parameters = lang::parametersOf(entry);
  size_t width = 0;
  for (const lang::ParameterText &parameter : parameters)
    width = std::max(width, parameter.name.size());
  for (const lang::ParameterText &parameter : parameters)
    console.out << (&parameter == parameters.data() ? "\n" : "") << "    "
                << console.paint(Tint::Place, std::string(parameter.name))
                << std::string(width - parameter.name.size() + 2, ' ') << parameter.text << "\n";
}

int printLanguageHelp(const lang::CatalogueEntry &entry, bool exampleOnly, Console &console) {
  std::optional<lang::Example> example = lang::findExample(entry.name);
  if (exampleOnly) {
    console.out << (example ? example->text : "");
    return kFine;
  }
  console.out << console.paint(Tint::Strong, wholeSignature(entry)) << "\n\n    " << entry.documentation
              << (entry.isMember ? " Also a method of tensors." : "") << "\n";
  printParameters(entry, console);
  if (!example)
    return kFine;
  console.out << "\n" << console.paint(Tint::Strong, "example:") << "\n";
  for (std::string_view text = example->text; !text.empty();) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    console.out << (line.empty() ? "" : "    ") << line << "\n";
  }
  console.out << "\n    " << console.paint(Tint::Place, "nereid " + commandOf(*example)) << "\n";
  return kFine;
}

std::vector<std::string> languageNames() {
  std::vector<std::string> names;
  for (const lang::CatalogueEntry &entry : lang::catalogue())
    names.push_back(entry.name);
  return names;
}

} // namespace nereid::tool
