#include "support/JsonDepth.h"

namespace nereid {

bool isTooDeepForJson(std::string_view text) {
  size_t depth = 0;
  bool isText = false;
  for (size_t i = 0; i < text.size() && depth <= kDeepestJson; ++i) {
    char c = text[i];
    if (isText && c == '\\')
      ++i;
    else if (c == '"')
      isText = !isText;
    else if (!isText && (c == '[' || c == '{'))
      ++depth;
    else if (!isText && (c == ']' || c == '}') && depth)
      --depth;
  }
  return depth > kDeepestJson;
}

} // namespace nereid
