// Strings.cpp: methods of str, and formatting with `%` and str.format.
#include "lang/host/Tables.h"

#include <algorithm>
#include <cctype>

namespace nereid::lang {

namespace {

template <int (*Convert)(int)> Value converted(HostCall &call) {
  std::string text = call.text(0);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return c < 128 ? char(Convert(c)) : char(c); });
  return text;
}

template <int (*Test)(int)> Value allAre(HostCall &call) {
  const std::string &text = call.text(0);
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return Test(c) != 0; });
}

Value capitalize(HostCall &call) {
  std::string text = call.text(0);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return c < 128 ? char(std::tolower(c)) : char(c); });
  if (!text.empty())
    text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string strip(HostCall &call, bool left, bool right) {
  const std::string &text = call.text(0);
  std::string set = call[1] && !call[1].isNone() ? call.text(1) : " \t\n\r\f\v";
  size_t first = left ? text.find_first_not_of(set) : 0, last = right ? text.find_last_not_of(set) : text.size() - 1;
  if (first == std::string::npos || last == std::string::npos || text.empty())
    return "";
  return text.substr(first, last - first + 1);
}
Value stripBoth(HostCall &call) { return strip(call, true, true); }
Value stripLeft(HostCall &call) { return strip(call, true, false); }
Value stripRight(HostCall &call) { return strip(call, false, true); }

template <bool AtEnd> Value hasAffix(HostCall &call) {
  const std::string &text = call.text(0);
  Values affixes = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  return std::ranges::any_of(affixes, [&](const Value &affix) {
    if (!affix.str())
      call.expected(1, "a string or a tuple of strings");
    return AtEnd ? text.ends_with(*affix.str()) : text.starts_with(*affix.str());
  });
}

Value removePrefix(HostCall &call) {
  return call.text(0).starts_with(call.text(1)) ? call.text(0).substr(call.text(1).size()) : call.text(0);
}
Value removeSuffix(HostCall &call) {
  return call.text(0).ends_with(call.text(1)) ? call.text(0).substr(0, call.text(0).size() - call.text(1).size())
                                              : call.text(0);
}

Values splitWords(const std::string &text, Integer limit) {
  Values pieces;
  for (size_t i = 0; i < text.size();) {
    while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i])))
      ++i;
    if (i == text.size())
      break;
    size_t end = i;
    if (limit >= 0 && Integer(pieces.size()) == limit)
      end = text.size();
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end])))
      ++end;
    pieces.push_back(text.substr(i, end - i));
    i = end;
  }
  return pieces;
}

Value split(HostCall &call) {
  const std::string &text = call.text(0);
  Integer limit = call.integer(2, -1);
  if (!call[1] || call[1].isNone())
    return makeList(splitWords(text, limit));
  const std::string &separator = call.text(1);
  if (separator.empty())
    call.session().fail("empty separator");
  Values pieces;
  size_t begin = 0;
  for (size_t at;
       (at = text.find(separator, begin)) != std::string::npos && (limit < 0 || Integer(pieces.size()) < limit);
       begin = at + separator.size())
    pieces.push_back(text.substr(begin, at - begin));
  pieces.push_back(text.substr(begin));
  return makeList(std::move(pieces));
}

Value splitRight(HostCall &call) {
  const std::string &text = call.text(0);
  Integer limit = call.integer(2, -1);
  if (!call[1] || call[1].isNone() || limit < 0)
    return split(call);
  const std::string &separator = call.text(1);
  if (separator.empty())
    call.session().fail("empty separator");
  Values pieces;
  size_t end = text.size();
  for (size_t at;
       end > 0 && Integer(pieces.size()) < limit && (at = text.rfind(separator, end - 1)) != std::string::npos;
       end = at) {
    if (at + separator.size() > end)
      break;
    pieces.insert(pieces.begin(), Value(text.substr(at + separator.size(), end - at - separator.size())));
  }
  pieces.insert(pieces.begin(), Value(text.substr(0, end)));
  return makeList(std::move(pieces));
}

Value splitLines(HostCall &call) {
  Values lines;
  const std::string &text = call.text(0);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return makeList(std::move(lines));
}

Value join(HostCall &call) {
  std::string result;
  bool isFirst = true;
  for (const Value &item : call.eval.iterate(call[1])) {
    if (item.constant<Opaque>())
      return makeOpaque("text with " + toString(item));
    if (!item.str())
      call.session().fail("`join` expects strings, not `" + typeName(item) + "`", {}, "TypeError");
    result += (isFirst ? "" : call.text(0)) + *item.str();
    isFirst = false;
    call.eval.allocate(result.size(), ConstEval::kMaxTextBytes);
  }
  return result;
}

Value replace(HostCall &call) {
  const std::string &text = call.text(0), &old = call.text(1), &fresh = call.text(2);
  if (old.empty())
    return text;
  std::string result;
  size_t begin = 0;
  Integer limit = call.integer(3, -1);
  for (size_t at; (at = text.find(old, begin)) != std::string::npos && limit-- != 0; begin = at + old.size()) {
    call.session().step();
    result.append(text, begin, at - begin).append(fresh);
    if (result.size() > ConstEval::kMaxTextBytes)
      call.eval.allocate(result.size(), ConstEval::kMaxTextBytes);
  }
  return result + text.substr(begin);
}

Value find(HostCall &call) {
  size_t at = call.text(0).find(call.text(1));
  return at == std::string::npos ? Value(-1) : Value(Integer(at));
}
Value findLast(HostCall &call) {
  size_t at = call.text(0).rfind(call.text(1));
  return at == std::string::npos ? Value(-1) : Value(Integer(at));
}
Value indexOfText(HostCall &call) {
  if (call.text(0).find(call.text(1)) == std::string::npos)
    call.session().fail("substring not found");
  return find(call);
}

Value count(HostCall &call) {
  if (call.text(1).empty())
    return Value(Integer(call.text(0).size() + 1));
  Integer found = 0;
  for (size_t at = 0; (at = call.text(0).find(call.text(1), at)) != std::string::npos; at += call.text(1).size())
    ++found;
  return found;
}

Value padLeft(HostCall &call) {
  return call.eval.format(call[0], 's', ">" + integerText(std::clamp(call.integer(1), Integer(0), Integer(4096))));
}
Value padRight(HostCall &call) {
  return call.eval.format(call[0], 's', "<" + integerText(std::clamp(call.integer(1), Integer(0), Integer(4096))));
}
Value padZeros(HostCall &call) {
  return call.eval.format(call[0], 's', "0>" + integerText(std::clamp(call.integer(1), Integer(0), Integer(4096))));
}

Value partition(HostCall &call) {
  size_t at = call.text(0).find(call.text(1));
  if (at == std::string::npos)
    return Value::tuple({call[0], "", ""});
  return Value::tuple({call.text(0).substr(0, at), call[1], call.text(0).substr(at + call.text(1).size())});
}

// One field of str.format: `{}`, `{0}`, `{name.attribute[key]!r:spec}`.
std::string formatField(HostCall &call, std::string_view field, size_t &next) {
  size_t colon = field.find(':');
  std::string spec(colon == std::string_view::npos ? "" : field.substr(colon + 1));
  std::string name(field.substr(0, colon));
  char conversion = 0;
  if (size_t mark = name.find('!'); mark != std::string::npos && mark + 1 < name.size()) {
    conversion = name[mark + 1];
    name.resize(mark);
  }
  std::string head = name.substr(0, name.find_first_of(".["));
  Value value;
  const Values &positional = call[1].asTuple()->items;
  if (head.empty() || std::isdigit(static_cast<unsigned char>(head[0]))) {
    size_t index = head.empty() ? next++ : size_t(std::min(std::stoul(head.substr(0, 9)), 1000000ul));
    if (index >= positional.size())
      call.session().fail("`format` has no argument " + std::to_string(index), {}, "IndexError");
    value = positional[index];
  } else if (Value *found = findItem(*call[2].object<DictObject>(), Value(head))) {
    value = *found;
  } else {
    call.session().fail("`format` has no argument `" + head + "`", {}, "KeyError");
  }
  for (size_t at = head.size(); at < name.size() && name[at] == '.';) {
    size_t end = std::min(name.find('.', at + 1), name.size());
    value = call.eval.attribute(value, name.substr(at + 1, end - at - 1));
    if (!value)
      call.session().fail("`format` finds no attribute `" + name + "`", {}, "AttributeError");
    at = end;
  }
  return call.eval.format(value, conversion, spec);
}

Value formatMethod(HostCall &call) {
  const std::string &text = call.text(0);
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      result += c;
      ++i;
    } else if (c == '{') {
      size_t end = text.find('}', i);
      if (end == std::string::npos)
        call.session().fail("`{` without `}` in a format string");
      result += formatField(call, std::string_view(text).substr(i + 1, end - i - 1), next);
      i = end;
    } else {
      result += c;
    }
  }
  return result;
}

Value percentFormat(HostCall &call) {
  const std::string &text = call.text(0);
  Values arguments = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  std::string result;
  size_t next = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    size_t end = text.find_first_of("diouxXeEfFgGcrsa%", i + 1);
    if (end == std::string::npos)
      call.session().fail("incomplete format after `%`");
    std::string spec = text.substr(i + 1, end - i - 1);
    char type = text[end];
    i = end;
    if (type == '%') {
      result += '%';
      continue;
    }
    if (next >= arguments.size())
      call.session().fail("not enough arguments for the format string", {}, "TypeError");
    const Value &value = arguments[next++];
    if (type == 's' || type == 'r' || type == 'a')
      result += call.eval.format(value, type, spec.empty() ? "" : ">" + spec);
    else
      result += call.eval.format(value, 0, spec + (type == 'i' || type == 'u' ? 'd' : type));
  }
  return result;
}

Value sameText(HostCall &call) { return call[0]; }

const HostFunction methods[] = {
    {"str.upper", "self", converted<std::toupper>},
    {"str.lower", "self", converted<std::tolower>},
    {"str.casefold", "self", converted<std::tolower>},
    {"str.capitalize", "self", capitalize},
    {"str.isdigit", "self", allAre<std::isdigit>},
    {"str.isnumeric", "self", allAre<std::isdigit>},
    {"str.isdecimal", "self", allAre<std::isdigit>},
    {"str.isalpha", "self", allAre<std::isalpha>},
    {"str.isalnum", "self", allAre<std::isalnum>},
    {"str.isspace", "self", allAre<std::isspace>},
    {"str.isupper", "self", allAre<std::isupper>},
    {"str.islower", "self", allAre<std::islower>},
    {"str.strip", "self characters?", stripBoth},
    {"str.lstrip", "self characters?", stripLeft},
    {"str.rstrip", "self characters?", stripRight},
    {"str.startswith", "self prefix", hasAffix<false>},
    {"str.endswith", "self suffix", hasAffix<true>},
    {"str.removeprefix", "self prefix", removePrefix},
    {"str.removesuffix", "self suffix", removeSuffix},
    {"str.split", "self sep? maxsplit?", split},
    {"str.rsplit", "self sep? maxsplit?", splitRight},
    {"str.splitlines", "self keepends?", splitLines},
    {"str.join", "self items", join},
    {"str.replace", "self old new count?", replace},
    {"str.find", "self text", find},
    {"str.rfind", "self text", findLast},
    {"str.index", "self text", indexOfText},
    {"str.count", "self text", count},
    {"str.rjust", "self width", padLeft},
    {"str.ljust", "self width", padRight},
    {"str.zfill", "self width", padZeros},
    {"str.partition", "self separator", partition},
    {"str.format", "self *values **names", formatMethod},
    {"str.encode", "self encoding?", sameText},
    {"str.decode", "self encoding?", sameText},
    {"str.__mod__", "self values", percentFormat},
};

} // namespace

const HostType strType{"str", strConstructor, methods, "", true};

} // namespace nereid::lang
