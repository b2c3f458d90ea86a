// HttpServer.h: HTTP for the pages of this program, on 127.0.0.1 alone: one request a connection, bounded in size and time. Debian's
// libraries for it come as shared objects, which one portable binary cannot carry along.
#pragma once

#include "nereid/result.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>

namespace nereid::tool {

struct HttpRequest {
  std::string method, path;
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers; // names in lower case
  std::string body;

  std::string header(const std::string &name) const {
    auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  std::string parameter(const std::string &name) const {
    auto found = query.find(name);
    return found == query.end() ? "" : found->second;
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::string policy = {}; // Content-Security-Policy
};

class HttpServer {
public:
  using Handler = std::function<HttpResponse(const HttpRequest &)>;

  // A port of 0: one that is free.
  static Result<HttpServer> listen(int port);
  HttpServer(HttpServer &&other) noexcept : socket(other.socket), number(other.number) { other.socket = -1; }
  HttpServer(const HttpServer &) = delete;
  ~HttpServer();

  int port() const { return number; }
  // Answers until the process ends; requests run at the same time. A client has `patience` for its request, and as much to take the answer.
  void serve(const Handler &handler, std::chrono::milliseconds patience = std::chrono::seconds(10));

private:
  HttpServer(int socket, int port) : socket(socket), number(port) {}
  int socket, number;
};

// Reads the head of a request; false: it is none. For the fuzzer and tests too.
bool parseRequestHead(const std::string &head, HttpRequest &request);

} // namespace nereid::tool
