// LearnWeb.cpp: `nereid learn --web`: the course in a browser. Only this machine reaches it, and only with the token in the
// address; a page of another host or origin does not. What learners write runs in children with bounds; of their files nothing
// but those of the course can be read or written.
#include "LaunchWords.h"
#include "course/Child.h"
#include "course/HttpServer.h"
#include "course/Learn.h"

#include "learn/CourseFiles.h"
#include "learn/JsonFields.h"
#include "runtime/WriteFile.h"
#include "support/ReadFile.h"
#include "support/Sha256.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <sys/random.h>

namespace nereid::tool {

namespace {

constexpr size_t kLargestCode = 1 << 19;
constexpr int kRunsAtOnce = 4;

HttpResponse said(int status, const std::string &message) {
  return {.status = status,
          .body = llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{{"error", message}})).str()};
}

HttpResponse given(llvm::json::Object object) {
  return {.body = llvm::formatv("{0}", llvm::json::Value(std::move(object))).str()};
}

std::string utf8(const std::string &text) { return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text); }

std::string versionOf(const std::string &text) { return hexText(sha256(text)).substr(0, 16); }

std::string randomToken() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return {};
  std::string text;
  for (unsigned char byte : bytes)
    text += llvm::formatv("{0:x-2}", byte).str();
  return text;
}

bool equalTexts(const std::string &a, const std::string &b) { // in a time that says nothing about where they differ
  unsigned char difference = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

class Site {
public:
  Site(const LearnWords &words, Desk desk, std::string token, int port, double seconds)
      : words(words), desk(std::move(desk)), token(std::move(token)), port(port) {
    limits.seconds = seconds;
  }

  HttpResponse answer(const HttpRequest &request) {
    if (!isOurs(request))
      return said(403, "this address, host or origin is not accepted; take the address that the terminal shows");
    if (request.method == "GET" && request.path == "/")
      return page();
    if (request.path == "/api/course" && request.method == "GET")
      return courseJson();
    if (request.path.starts_with("/api/") && request.method == "POST")
      return post(request);
    return said(404, "there is no such page");
  }

private:
  bool isOurs(const HttpRequest &request) const {
    std::string host = request.header("host"), origin = request.header("origin"), number = ":" + std::to_string(port);
    if (host != "127.0.0.1" + number && host != "localhost" + number)
      return false;
    if (request.headers.contains("origin") && origin != "http://" + host)
      return false;
    std::string sent = request.path == "/" ? request.parameter("token") : request.header("x-nereid-token");
    return equalTexts(sent, token);
  }

  HttpResponse page() const {
    std::string text(learn::webFile("page.html")), nonce = randomToken();
    auto put = [&](const std::string &mark, std::string_view by) {
      for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
        text.replace(at, mark.size(), by);
    };
    put("{{style}}", learn::webFile("page.css"));
    put("{{script}}", learn::webFile("page.js"));
    put("{{nonce}}", nonce);
    put("{{token}}", token);
    return {.type = "text/html",
            .body = text,
            .policy = "default-src 'none'; style-src 'nonce-" + nonce + "'; script-src 'nonce-" + nonce +
                      "'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'"};
  }

  void refresh() { // children and other doors write it, too
    std::ostringstream none;
    Console quiet{none, none};
    int status = kFine;
    if (std::optional<Desk> fresh = Desk::open(words, quiet, status))
      desk.state = fresh->state;
  }

  HttpResponse courseJson() {
    std::lock_guard lock(mutex);
    refresh();
    llvm::json::Array units;
    for (const learn::CourseEntry &entry : desk.course.entries)
      units.push_back(llvm::json::Object{{"id", entry.id},
                                         {"part", entry.part},
                                         {"title", titleOf(desk.course, entry)},
                                         {"passed", desk.state.isPassed(entry.id)}});
    Result<learn::CourseEntry> current = desk.find({});
    return given(llvm::json::Object{
        {"title", desk.course.title}, {"units", std::move(units)}, {"current", current ? current->id : ""}});
  }

  HttpResponse post(const HttpRequest &request) {
    Result<llvm::json::Object> object = learn::parseJsonObject("request", request.body);
    if (!object)
      return said(400, "an object is expected");
    Result<learn::CourseEntry> entry = desk.course.find(object->getString("id").value_or("").str());
    if (!entry)
      return said(404, entry.error().message);
    std::string action = request.path.substr(std::strlen("/api/"));
    if (action == "unit")
      return unitJson(*entry);
    if (action == "save")
      return save(*entry, *object);
    if (action == "check" || action == "run")
      return grade(*entry, *object, action == "run");
    if (action == "hint" || action == "solution" || action == "reset")
      return ask(*entry, action, object->getBoolean("anyway").value_or(false));
    return said(404, "there is no such page");
  }

  // The learner's text of a unit, which is made where it is not there yet.
  Result<std::string> codeOf(const learn::CourseEntry &entry, std::string &path) {
    std::ostringstream none;
    Console quiet{none, none};
    Result<std::string> file = startUnit(desk, entry, "", quiet);
    if (!file)
      return file;
    path = *file;
    std::string problem;
    std::optional<std::string> text = readFile(path, kLargestCode, problem);
    return text ? Result<std::string>(*text) : Error{Status::Environment, "`" + path + "`: " + problem};
  }

  HttpResponse unitJson(const learn::CourseEntry &entry) {
    std::lock_guard lock(mutex);
    refresh();
    std::string path;
    Result<std::string> code = codeOf(entry, path), lesson = desk.course.text(entry, "lesson.md");
    Result<learn::Unit> unit = desk.course.unit(entry);
    Result<std::vector<std::string>> hints = desk.course.hints(entry);
    if (!code || !lesson || !unit)
      return said(500, !code ? code.error().message : !lesson ? lesson.error().message : unit.error().message);
    llvm::json::Array shown, tests;
    auto count = static_cast<size_t>(std::max<int64_t>(0, desk.state.units[entry.id].hints));
    for (size_t i = 0; hints && i < std::min(count, hints->size()); ++i)
      shown.push_back((*hints)[i]);
    for (const learn::Test &test : unit->tests)
      tests.push_back(llvm::json::Object{{"name", test.name}, {"hidden", test.isHidden}});
    return given(llvm::json::Object{{"id", entry.id},
                                    {"title", unit->title},
                                    {"new", unit->news},
                                    {"lesson", utf8(*lesson)},
                                    {"code", utf8(*code)},
                                    {"version", versionOf(*code)},
                                    {"file", utf8(path)},
                                    {"hints", std::move(shown)},
                                    {"hint_count", hints ? hints->size() : 0},
                                    {"tests", std::move(tests)},
                                    {"passed", desk.state.isPassed(entry.id)}});
  }

  // Writes the text, unless somebody else has: another tab, an editor. Null: it is written.
  std::optional<HttpResponse> write(const learn::CourseEntry &entry, const llvm::json::Object &object,
                                    std::string &path, std::string &version) {
    std::optional<llvm::StringRef> code = object.getString("code"), base = object.getString("base");
    if (!code || !base || code->size() > kLargestCode)
      return said(400, "`code` and `base` are expected");
    std::lock_guard lock(mutex);
    Result<std::string> old = codeOf(entry, path);
    if (!old)
      return said(500, old.error().message);
    std::string text = code->str();
    version = versionOf(text);
    if (text == *old)
      return std::nullopt;
    if (versionOf(*old) != base->str()) {
      HttpResponse conflict = given(llvm::json::Object{
          {"error", "the file was changed elsewhere"}, {"code", utf8(*old)}, {"version", versionOf(*old)}});
      conflict.status = 409;
      return conflict;
    }
    if (int error = runtime::writeFile(path, {text}))
      return said(500, "`" + path + "`: " + std::strerror(error));
    return std::nullopt;
  }

  HttpResponse save(const learn::CourseEntry &entry, const llvm::json::Object &object) {
    std::string path, version;
    if (std::optional<HttpResponse> problem = write(entry, object, path, version))
      return *problem;
    return given(llvm::json::Object{{"version", version}});
  }

  HttpResponse grade(const learn::CourseEntry &entry, const llvm::json::Object &object, bool isFirstOnly) {
    std::string path, version;
    if (std::optional<HttpResponse> problem = write(entry, object, path, version))
      return *problem;
    if (++runs > kRunsAtOnce) {
      --runs;
      return said(429, "other runs are under way; try again");
    }
    std::vector<std::string> line = {"learn", "check",  entry.id,    "--file",
                                     path,    "--json", "--timeout", std::to_string(static_cast<int>(limits.seconds))};
    if (isFirstOnly)
      line.push_back("--first");
    if (!words.courseFolder.empty())
      line.insert(line.end(), {"--course", words.courseFolder});
    ChildLimits bounds = limits;
    gradeOn(words.words.value("--device"), line, bounds);
    ChildResult result = runChild(line, bounds);
    --runs;
    llvm::json::Object answer{{"version", version}};
    auto report = llvm::json::parse(result.output);
    if (report && report->getAsObject()) {
      answer["report"] = std::move(*report);
    } else {
      if (!report)
        llvm::consumeError(report.takeError());
      answer["report"] = llvm::json::Object{{"passed", false},
                                            {"stage", "ended"},
                                            {"message", whyEnded(result, bounds)},
                                            {"line", 0},
                                            {"tests", llvm::json::Array()}};
    }
    return given(std::move(answer));
  }

  HttpResponse ask(const learn::CourseEntry &entry, const std::string &action, bool anyway) {
    std::vector<std::string> line = {"learn", action, entry.id};
    if (anyway && action == "solution")
      line.push_back("--anyway");
    if (!words.courseFolder.empty())
      line.insert(line.end(), {"--course", words.courseFolder});
    std::lock_guard lock(mutex);
    ChildResult result = runChild(line, limits, true);
    return given(llvm::json::Object{{"text", utf8(result.output)}, {"ok", result.status == kFine}});
  }

  const LearnWords &words;
  Desk desk;
  std::string token;
  int port;
  ChildLimits limits;
  std::mutex mutex;
  std::atomic<int> runs{0};
};

// The same address each time where it is free: a browser keeps by address what a server that was gone could not take.
Result<HttpServer> listenAtUsualPort() {
  constexpr int kUsualPort = 46421;
  Result<HttpServer> server = HttpServer::listen(kUsualPort);
  return server ? std::move(server) : HttpServer::listen(0);
}

} // namespace

int learnWeb(const LearnWords &words, Console &console) {
  auto port = words.words.integer("--port", 0, 0, 65535, console);
  auto seconds = words.words.integer("--timeout", 60, 1, 3600, console);
  if (!port || !seconds)
    return kBadInput;
  if (!words.operands.empty())
    return fail(console, "`nereid learn --web` takes no words, but `" + words.operands[0].substr(0, 80) + "` is given");
  int status = kFine;
  std::optional<Desk> desk = Desk::open(words, console, status);
  if (!desk || !gradingDevice(words, console, status))
    return status;
  Result<HttpServer> server =
      words.words.value("--port") ? HttpServer::listen(static_cast<int>(*port)) : listenAtUsualPort();
  if (!server)
    return report(console, server.error());
  std::string token = randomToken();
  if (token.empty() || learn::webFile("page.html").empty())
    return fail(console, "there are no random numbers, or no pages", {}, kEnvironment);
  Site site(words, std::move(*desk), token, server->port(), static_cast<double>(*seconds));
  console.out << "The course is at http://127.0.0.1:" << server->port() << "/?token=" << token << "\n"
              << "It is reached from this machine alone, with this address. Ctrl-C ends it; your files stay.\n"
              << std::flush;
  server->serve([&](const HttpRequest &request) { return site.answer(request); });
  return kEnvironment;
}

} // namespace nereid::tool
