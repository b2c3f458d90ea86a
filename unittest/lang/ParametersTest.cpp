// ParametersTest.cpp: what may be left out of a call is explained: a parameter with a default has a text.
#include "lang/Parameters.h"
#include "lang/Catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

using namespace nereid::lang;

namespace {

bool isExplained(const CatalogueEntry &entry, const std::string &name) {
  return std::ranges::any_of(parametersOf(entry), [&](const ParameterText &each) { return each.name == name; });
}

TEST(Parameters, ThoseWithADefaultHaveAText) {
  // As of Python's own `print`, what a decorator is given by itself, and what older programs have.
  const std::vector<std::string> plain = {"sep",   "end",           "file",  "flush", "fn",
                                          "dim",   "other",         "k",     "minor", "ragged_dim",
                                          "const", "address_space", "value", "signed"};
  const std::regex optional(R"((\w+)=)");
  for (const CatalogueEntry &entry : catalogue()) {
    if (!entry.name.starts_with("tl.") || entry.name.starts_with("tl.extra."))
      continue;
    std::string text = entry.signature;
    for (std::sregex_iterator at(text.begin(), text.end(), optional), end; at != end; ++at)
      EXPECT_TRUE(std::ranges::count(plain, (*at)[1].str()) || isExplained(entry, (*at)[1].str()))
          << entry.signature << ": `" << (*at)[1].str() << "`";
  }
}

TEST(Parameters, OfAFunctionAloneComesFirst) {
  const CatalogueEntry *load = findCatalogueEntry("tl.load"), *add = findCatalogueEntry("tl.atomic_add");
  ASSERT_TRUE(load && add);
  std::vector<ParameterText> ofLoad = parametersOf(*load), ofAdd = parametersOf(*add);
  ASSERT_GE(ofLoad.size(), 3u);
  EXPECT_EQ(ofLoad[1].text, "elements where it is false are not read");
  ASSERT_GE(ofAdd.size(), 2u);
  EXPECT_EQ(ofAdd[1].text, "elements where it is false are left out");
}

} // namespace
