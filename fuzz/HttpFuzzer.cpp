// HttpFuzzer.cpp: bytes as the head of a request to `nereid learn --web`, which anything on the machine can send. What is accepted has a method
// and a path, and no name or value carries the end of a line, which would be a head of its own further on.
// libraries: nereidTool
#include "TokenMutator.h"

#include "course/HttpServer.h"

#include <cstdlib>

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tool::HttpRequest request;
  if (!tool::parseRequestHead(std::string(reinterpret_cast<const char *>(data), size), request))
    return 0;
  if (request.path.empty() || request.path[0] != '/' || request.path.find(' ') != std::string::npos)
    std::abort();
  for (const auto &[name, value] : request.headers)
    for (const std::string &text : {name, value})
      if (text.find("\r\n") != std::string::npos || (&text == &name && text.find(':') != std::string::npos))
        std::abort();
  (void)request.header("host");
  (void)request.parameter("token");
  return 0;
}
