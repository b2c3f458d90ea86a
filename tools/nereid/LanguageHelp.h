// LanguageHelp.h: help on a function of the language: signature, meaning, an example.
#pragma once

#include "Command.h"

#include "lang/Catalogue.h"
#include "lang/Examples.h"

namespace nereid::tool {

// tl.dot(input, other, …): the signature under the whole name.
std::string wholeSignature(const lang::CatalogueEntry &entry);
// The command that runs an example which lies in a file of its kernel's name.
std::string commandOf(const lang::Example &example);

// `exampleOnly`: nothing but the file. Gives an exit status.
int printLanguageHelp(const lang::CatalogueEntry &entry, bool exampleOnly, Console &console);
// The names of all functions.
std::vector<std::string> languageNames();

} // namespace nereid::tool
