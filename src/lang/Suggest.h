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

// What to write for what NumPy, PyTorch, `math` and CUDA call `name`, where this language has another word for it:
// "write `tl.maximum(x, 0.0)`"; or nothing.
std::string recipeFor(std::string_view name);
// The same where `name` may also be a function of this language, of the same meaning: "write `tl.exp(…)`".
std::string functionFor(std::string_view name);
// Methods that move or copy the tensors of the host.
bool isHostMethod(std::string_view name);

} // namespace nereid::lang
