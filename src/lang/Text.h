// Text.h: texts of compile-time Python are UTF-8, but Python counts characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::lang {

bool isAscii(std::string_view text);
size_t characterCount(std::string_view text);
// Where a character begins; the size of the text for its end and all behind it.
size_t byteOf(std::string_view text, size_t character);
// The characters one by one, as views of the text.
std::vector<std::string_view> charactersOf(std::string_view text);
uint32_t codePointOf(std::string_view character);
std::string utf8(uint32_t codePoint);
bool isSpace(uint32_t codePoint);     // as str.isspace
bool isLineBreak(uint32_t codePoint); // as str.splitlines
// Where `wanted` stands first (last) in `text`, in time that grows with both sizes; npos when nowhere.
size_t findText(std::string_view text, std::string_view wanted, size_t begin = 0);
size_t findLastText(std::string_view text, std::string_view wanted);

} // namespace nereid::lang
