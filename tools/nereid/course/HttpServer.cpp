#include "course/HttpServer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace nereid::tool {

namespace {

constexpr size_t kLargestHead = 1 << 14, kLargestBody = 1 << 20;
constexpr int kMostAtOnce = 32;

int hexDigit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    int high = text[i] == '%' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
    int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
    if (low < 0) {
      result += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

void parseQuery(std::string_view text, std::map<std::string, std::string> &query) {
  while (!text.empty()) {
    size_t end = std::min(text.find('&'), text.size());
    std::string_view pair = text.substr(0, end);
    size_t equals = std::min(pair.find('='), pair.size());
    query[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(equals + 1, pair.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

const char *reasonOf(int status) {
  switch (status) {
  case 200: return "OK";
  case 400: return "Bad Request";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 409: return "Conflict";
  case 413: return "Content Too Large";
  case 429: return "Too Many Requests";
  default: return "Internal Server Error";
  }
}

// One request on a connection. It has a time for all of the request, and one for all of the answer: somebody who sends a byte now and then would
// otherwise keep a place for hours.
class Connection {
public:
  Connection(int socket, std::chrono::milliseconds patience) : socket(socket), patience(patience) {}
  ~Connection() { close(socket); }
  Connection(const Connection &) = delete;

  void answer(const HttpServer::Handler &handler) {
    HttpRequest request;
    deadline = Clock::now() + patience;
    int problem = readRequest(request);
    if (problem < 0)
      return; // nobody is there
    HttpResponse response{.status = problem, .type = "text/plain", .body = reasonOf(problem)};
    if (!problem)
      response = handler(request);
    deadline = Clock::now() + patience;
    send(response);
  }

private:
  using Clock = std::chrono::steady_clock;

  // Waits until the socket can be read or written; false: the time is over.
  bool wait(short events) {
    pollfd waiting{socket, events, 0};
    while (true) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
      if (ready >= 0 || errno != EINTR)
        return ready > 0;
    }
  }

  // 0, a status that says what is wrong with the request, or -1: there is none.
  int readRequest(HttpRequest &request) {
    std::string text;
    size_t end;
    while ((end = text.find("\r\n\r\n")) == std::string::npos) {
      if (text.size() > kLargestHead)
        return 413;
      if (!readMore(text))
        return -1;
    }
    if (!parseRequestHead(text.substr(0, end + 2), request) || request.headers.contains("transfer-encoding"))
      return 400;
    size_t length = 0;
    if (std::string given = request.header("content-length"); !given.empty()) {
      auto [rest, error] = std::from_chars(given.data(), given.data() + given.size(), length);
      if (error != std::errc() || rest != given.data() + given.size())
        return 400;
    }
    if (length > kLargestBody)
      return 413;
    request.body = text.substr(end + 4);
    while (request.body.size() < length)
      if (!readMore(request.body))
        return -1;
    request.body.resize(length);
    return 0;
  }

  bool readMore(std::string &text) {
    char buffer[1 << 14];
    ssize_t count = wait(POLLIN) ? recv(socket, buffer, sizeof buffer, MSG_DONTWAIT) : 0;
    if (count > 0)
      text.append(buffer, static_cast<size_t>(count));
    return count > 0;
  }

  void send(const HttpResponse &response) {
    std::string head =
        "HTTP/1.1 " + std::to_string(response.status) + " " + reasonOf(response.status) +
        "\r\nContent-Type: " + response.type +
        "; charset=utf-8\r\nContent-Length: " + std::to_string(response.body.size()) +
        "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";
    if (!response.policy.empty())
      head += "Content-Security-Policy: " + response.policy + "\r\n";
    std::string all = head + "\r\n" + response.body;
    for (size_t sent = 0; sent < all.size();) {
      ssize_t count =
          wait(POLLOUT) ? ::send(socket, all.data() + sent, all.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
      if (count <= 0)
        return;
      sent += static_cast<size_t>(count);
    }
  }

  int socket;
  std::chrono::milliseconds patience;
  Clock::time_point deadline;
};

// Whether a later accept may succeed: all but what says that this is no socket that listens.
bool mayAcceptLater(int problem) { return problem != EBADF && problem != EINVAL && problem != ENOTSOCK; }

bool isOutOfResources(int problem) {
  return problem == EMFILE || problem == ENFILE || problem == ENOBUFS || problem == ENOMEM;
}

} // namespace

bool parseRequestHead(const std::string &head, HttpRequest &request) {
  size_t end = head.find("\r\n");
  if (end == std::string::npos)
    return false;
  std::string first = head.substr(0, end);
  size_t method = first.find(' '), target = method == std::string::npos ? method : first.find(' ', method + 1);
  if (target == std::string::npos || !first.substr(target + 1).starts_with("HTTP/1.") || first[method + 1] != '/')
    return false;
  request.method = first.substr(0, method);
  std::string whole = first.substr(method + 1, target - method - 1);
  size_t mark = std::min(whole.find('?'), whole.size());
  request.path = whole.substr(0, mark);
  parseQuery(std::string_view(whole).substr(std::min(mark + 1, whole.size())), request.query);
  for (size_t begin = end + 2; begin < head.size();) {
    size_t stop = std::min(head.find("\r\n", begin), head.size());
    std::string line = head.substr(begin, stop - begin);
    begin = stop + 2;
    size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0)
      return false;
    std::string name = line.substr(0, colon);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    size_t value = line.find_first_not_of(" \t", colon + 1);
    // Said twice, a name has two meanings.
    if (!request.headers.emplace(name, value == std::string::npos ? "" : line.substr(value)).second)
      return false;
  }
  return true;
}

Result<HttpServer> HttpServer::listen(int port) {
  auto failed = [&](const char *what) {
    return Error{Status::Environment, std::string("the port ") + std::to_string(port) + " of 127.0.0.1: " + what +
                                          ": " + std::strerror(errno)};
  };
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return failed("socket");
  HttpServer server(socket, port);
  int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
    return failed("bind");
  if (::listen(socket, 64) != 0)
    return failed("listen");
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size);
  server.number = ntohs(address.sin_port);
  return server;
}

HttpServer::~HttpServer() {
  if (socket >= 0)
    close(socket);
}

void HttpServer::serve(const Handler &handler, std::chrono::milliseconds patience) {
  static std::atomic<int> running{0}; // outlives the threads
  constexpr int kMillisecondsToRecover = 20;
  while (true) {
    int client = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) {
      if (!mayAcceptLater(errno))
        return;
      if (isOutOfResources(errno))
        poll(nullptr, 0, kMillisecondsToRecover); // until connections have ended
      continue;
    }
    if (running >= kMostAtOnce) {
      close(client);
      continue;
    }
    ++running;
    try {
      std::thread([client, patience, &handler] {
        Connection(client, patience).answer(handler);
        --running;
      }).detach();
    } catch (const std::system_error &) { // no thread is to be had
      close(client);
      --running;
    }
  }
}

} // namespace nereid::tool
