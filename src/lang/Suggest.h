// Suggest.h: help for a name that is not there: the nearest name that is.
#pragma once

#include "lang/Value.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

// "did you mean `mask`?", or nothing when no name is near. The form of a list of notes.
std::vector<std::string> didYouMean(std::string_view name, const std::vector<std::string> &known);

// Where a value comes from that is not known at compile time, as a note.
std::string originOf(const Opaque &opaque);
// Its dotted name alone.
std::string pathOf(const Opaque &opaque);

// The attributes that a value has, as far as they can be listed.
std::vector<std::string> attributeNames(const Value &object);

// What to say about an attribute that is not there: "`tl` has no function `laod`".
std::string missingAttribute(const Value &object, const std::string &name);
// Help for it: the nearest attribute, or the word of this language for what NumPy and PyTorch call `name`.
std::vector<std::string> attributeHelp(const Value &object, const std::string &name);

} // namespace nereid::lang
