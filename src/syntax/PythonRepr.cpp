#include "syntax/PythonRepr.h"

#include "syntax/NumberLiteral.h"
#include "syntax/Unicode.h"

#include <charconv>
#include <cmath>

namespace nereid::syntax {

static void appendHex(std::string &out, const char *prefix, uint32_t value, int digits) {
  out += prefix;
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    out += "0123456789abcdef"[(value >> shift) & 0xF];
}

// Single quotes, unless the text has some and no double ones.
static char chooseQuote(std::string_view text) {
  bool hasSingle = text.find('\'') != std::string_view::npos;
  return hasSingle && text.find('"') == std::string_view::npos ? '"' : '\'';
}

// The escapes that strings and bytes share. False: not one of them.
static bool appendCommonEscape(std::string &out, unsigned char c, char quote) {
  switch (c) {
  case '\\': out += "\\\\"; return true;
  case '\t': out += "\\t"; return true;
  case '\n': out += "\\n"; return true;
  case '\r': out += "\\r"; return true;
  }
  if (c == static_cast<unsigned char>(quote)) {
    out += '\\';
    out += quote;
    return true;
  }
  return false;
}

void appendStringRepr(std::string &out, std::string_view text) {
  char quote = chooseQuote(text);
  out += quote;
  for (const char *p = text.data(), *end = p + text.size(); p < end;) {
    unsigned char lead = static_cast<unsigned char>(*p);
    if (lead < 0x80 && appendCommonEscape(out, lead, quote)) {
      ++p;
      continue;
    }
    if (lead >= 0x20 && lead < 0x7F) {
      out += *p++;
      continue;
    }
    const char *begin = p;
    char32_t c = decodeUtf8(p, end);
    if (isPrintable(c))
      out.append(begin, p - begin);
    else if (c < 0x100)
      appendHex(out, "\\x", c, 2);
    else if (c < 0x10000)
      appendHex(out, "\\u", c, 4);
    else
      appendHex(out, "\\U", c, 8);
  }
  out += quote;
}

void appendBytesRepr(std::string &out, std::string_view bytes) {
  char quote = chooseQuote(bytes);
  out += 'b';
  out += quote;
  for (char byte : bytes) {
    unsigned char c = static_cast<unsigned char>(byte);
    if (appendCommonEscape(out, c, quote))
      continue;
    if (c >= 0x20 && c < 0x7F)
      out += byte;
    else
      appendHex(out, "\\x", c, 2);
  }
  out += quote;
}

// The shortest digits that read back as `value`; an exponent below 1e-4 and from 1e16. `integral`: what a whole number
// gets ("" in complex numbers, ".0" otherwise).
static void appendDouble(std::string &out, double value, const char *integral) {
  if (std::isinf(value)) {
    out += "inf";
    return;
  }
  char buffer[40];
  auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, scientific.ptr - buffer); // d.ddde+XX
  size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 1)
    digits += text.substr(2, mark - 2);
  int exponent = 0;
  std::string_view power = text.substr(mark + 2);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (text[mark + 1] == '-')
    exponent = -exponent;
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1)
      out.append(".").append(digits, 1);
    out.append("e").append(text.substr(mark + 1));
  } else if (exponent < 0) {
    out.append("0.").append(-exponent - 1, '0').append(digits);
  } else if (count <= exponent + 1) {
    out.append(digits).append(exponent + 1 - count, '0').append(integral);
  } else {
    out.append(digits, 0, exponent + 1).append(".").append(digits, exponent + 1);
  }
}

void appendFloatRepr(std::string &out, double value) { appendDouble(out, value, ".0"); }

void appendConstantRepr(std::string &out, const Constant &constant) {
  switch (constant.constantKind) {
  case ConstantKind::None: out += "None"; return;
  case ConstantKind::True: out += "True"; return;
  case ConstantKind::False: out += "False"; return;
  case ConstantKind::Ellipsis: out += "Ellipsis"; return;
  case ConstantKind::Int: out += decimalDigits(constant.text); return;
  case ConstantKind::Float: return appendFloatRepr(out, constant.number);
  case ConstantKind::Complex:
    appendDouble(out, constant.number, "");
    out += 'j';
    return;
  case ConstantKind::Str: return appendStringRepr(out, constant.text);
  case ConstantKind::Bytes: return appendBytesRepr(out, constant.text);
  }
}

} // namespace nereid::syntax
