// HttpServerTest.cpp: clients that are no browsers.
#include "course/HttpServer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace nereid::tool {
namespace {

// Serves until the process ends, as the program does.
int startServer() {
  Result<HttpServer> listening = HttpServer::listen(0);
  if (!listening)
    return 0;
  auto *server = new HttpServer(std::move(*listening));
  auto *handler = new HttpServer::Handler([](const HttpRequest &) { return HttpResponse{.body = "here"}; });
  std::thread([=] { server->serve(*handler, std::chrono::milliseconds(200)); }).detach();
  return server->port();
}

int connectTo(int port) {
  int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(client, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0 ? client : -1;
}

std::string readToEnd(int client) {
  std::string text;
  char buffer[1024];
  for (ssize_t count; (count = recv(client, buffer, sizeof buffer, 0)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  return text;
}

std::string ask(int port) {
  int client = connectTo(port);
  std::string request = "GET / HTTP/1.1\r\n\r\n";
  send(client, request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer = readToEnd(client);
  close(client);
  return answer;
}

TEST(HttpServer, AByteNowAndThenKeepsNoPlace) {
  int port = startServer();
  ASSERT_GT(port, 0);
  int client = connectTo(port);
  ASSERT_GE(client, 0);
  int sent = 0;
  pollfd waiting{client, POLLIN, 0};
  // Each byte comes long before the time is over; a server that waits for each of them anew would hear all of its largest head.
  while (poll(&waiting, 1, 20) == 0 && sent < 5000)
    sent += send(client, "x", 1, MSG_NOSIGNAL) == 1;
  EXPECT_LT(sent, 5000);
  EXPECT_EQ(readToEnd(client), "");
  close(client);
  EXPECT_TRUE(ask(port).ends_with("here"));
}

TEST(HttpServer, SilentClientsLeaveTheirPlaces) {
  int port = startServer();
  ASSERT_GT(port, 0);
  std::vector<int> silent;
  for (int i = 0; i < 40; ++i)
    silent.push_back(connectTo(port));
  for (int client : silent) {
    EXPECT_EQ(readToEnd(client), "");
    close(client);
  }
  EXPECT_TRUE(ask(port).ends_with("here"));
}

} // namespace
} // namespace nereid::tool
