// System.cpp: what module-level code asks about its surroundings: os, sys, platform, importlib, packaging. The answers
// describe the target: Linux, no environment variables set, the Triton version of the session.
#include "lang/Loader.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

using enum LibraryFunction::Takes;

constexpr const char *kTorchVersion = "2.9.0";

Value nothing(LibraryCall &) { return None{}; }

Value environmentGet(LibraryCall &call) { return call[2] ? call[2] : Value(None{}); }
Value environmentItem(LibraryCall &call) {
  call.session().fail("no environment variable is set at compile time: " + repr(call[1]), {}, "KeyError");
}
Value environmentContains(LibraryCall &) { return false; }
Value getEnvironment(LibraryCall &call) { return call[1] ? call[1] : Value(None{}); }
const LibraryFunction environmentMethods[] = {{"environ.get", "self name default?", environmentGet},
                                              {"environ.setdefault", "self name default?", environmentGet},
                                              {"environ.pop", "self name default?", environmentGet},
                                              {"environ.__getitem__", "self name", environmentItem},
                                              {"environ.__contains__", "self name", environmentContains},
                                              {"environ.__setitem__", "self name value", nothing, Unknown},
                                              {"environ.copy", "self", unknownCall},
                                              {"environ.items", "self", unknownCall},
                                              {"environ.update", "self *values **names", nothing, Unknown}};

const LibraryFunction osFunctions[] = {{"os.getenv", "name default?", getEnvironment}};
void populateOs(Scope &globals) {
  globals.names["environ"] = makeInstance("environ");
  globals.names["name"] = "posix";
  globals.names["sep"] = "/";
}

void populateSys(Scope &globals) {
  auto cls = std::make_shared<Class>();
  cls->name = "version_info";
  cls->kind = Class::Kind::NamedTuple;
  cls->fields = {"major", "minor", "micro", "releaselevel", "serial"};
  globals.names["version_info"] = Value::tuple({3, 12, 0, "final", 0}, cls);
  globals.names["version"] = "3.12.0";
  globals.names["platform"] = "linux";
  globals.names["byteorder"] = "little";
  globals.names["maxsize"] = Value(int64_t(INT64_MAX));
}

template <const char *const &Text> Value constantText(LibraryCall &) { return Text; }
constexpr const char *kSystem = "Linux";
constexpr const char *kMachine = "x86_64";
constexpr const char *kPython = "3.12.0";
constexpr const char *kImplementation = "CPython";
const LibraryFunction platformFunctions[] = {{"platform.system", "", constantText<kSystem>},
                                             {"platform.machine", "", constantText<kMachine>},
                                             {"platform.python_version", "", constantText<kPython>},
                                             {"platform.python_implementation", "", constantText<kImplementation>}};

Value findSpec(LibraryCall &call) {
  const std::string &name = call.text(0);
  bool isKnown = name == "triton" || name == "torch" || name.starts_with("triton.");
  return makeOpaque("importlib.util.find_spec(" + quoted(name) + ")", isKnown);
}
const LibraryFunction importlibUtilFunctions[] = {{"importlib.util.find_spec", "name package?", findSpec}};

Value packageVersion(LibraryCall &call) {
  if (call.text(0) == "triton")
    return call.session().target.tritonVersion;
  if (call.text(0) == "torch")
    return kTorchVersion;
  return makeOpaque("the version of " + call.text(0));
}
const LibraryFunction importlibMetadataFunctions[] = {{"importlib.metadata.version", "name", packageVersion}};

Value importModule(LibraryCall &call) {
  const std::string &name = call.text(0);
  size_t level = std::min(name.find_first_not_of('.'), name.size());
  const Activation *activation = call.eval.activation;
  if (!activation || !activation->module || !activation->module->loader)
    return makeOpaque("the module " + name);
  if (auto module =
          activation->module->loader->import(name.substr(level), int(std::min(level, size_t(64))), *activation->module))
    return module;
  call.session().fail("there is no module `" + name + "`", {}, "ModuleNotFoundError");
}
const LibraryFunction importlibFunctions[] = {{"importlib.import_module", "name package?", importModule}};

// Versions: the numbers, and whether it is a release or comes before it (rc, dev, a, b).
Values releaseOf(const std::string &text) {
  Values numbers;
  for (size_t i = 0; i < text.size() && text[i] >= '0' && text[i] <= '9';) {
    Integer number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && number < 1000000000; ++i)
      number = number * 10 + (text[i] - '0');
    numbers.push_back(number);
    if (i < text.size() && text[i] == '.')
      ++i;
    else
      break;
  }
  return numbers;
}

Value parseVersion(LibraryCall &call) {
  if (call[0].object<Instance>())
    return call[0];
  std::string text = call.text(0);
  text = text.substr(0, text.find('+'));
  if (text.starts_with("v"))
    text.erase(0, 1);
  Values release = releaseOf(text);
  if (release.empty())
    call.session().fail(quoted(call.text(0)) + " is not a version");
  auto version = makeInstance("Version");
  bool isEarly = text.find_first_of("abrd") != std::string::npos;
  auto part = [&](size_t index) { return index < release.size() ? release[index] : Value(0); };
  version->fields["major"] = part(0);
  version->fields["minor"] = part(1);
  version->fields["micro"] = part(2);
  version->fields["early"] = isEarly;
  std::string base;
  for (const Value &number : release)
    base += (base.empty() ? "" : ".") + toString(number);
  version->fields["base_version"] = version->fields["public"] = base;
  version->fields["is_prerelease"] = version->fields["is_devrelease"] = isEarly;
  version->fields["release"] = Value::tuple(std::move(release));
  return version;
}

int compareVersions(LibraryCall &call) {
  auto *a = call[0].object<Instance>(), *b = call[1].object<Instance>();
  if (!a || !b || a->cls != libraryClass("Version") || b->cls != libraryClass("Version"))
    call.expected(1, "a version");
  for (const char *field : {"major", "minor", "micro"}) {
    Integer x = a->fields[field].integer().value_or(0), y = b->fields[field].integer().value_or(0);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return int(b->fields["early"].integer() == 1) - int(a->fields["early"].integer() == 1);
}
Value versionLess(LibraryCall &call) { return compareVersions(call) < 0; }
Value versionLessEqual(LibraryCall &call) { return compareVersions(call) <= 0; }
Value versionGreater(LibraryCall &call) { return compareVersions(call) > 0; }
Value versionGreaterEqual(LibraryCall &call) { return compareVersions(call) >= 0; }
Value versionEqual(LibraryCall &call) { return compareVersions(call) == 0; }
const LibraryFunction versionMethods[] = {{"Version.__lt__", "self other", versionLess},
                                          {"Version.__le__", "self other", versionLessEqual},
                                          {"Version.__gt__", "self other", versionGreater},
                                          {"Version.__ge__", "self other", versionGreaterEqual},
                                          {"Version.__eq__", "self other", versionEqual}};
const LibraryFunction versionNew{"packaging.version.Version", "text", parseVersion};
const LibraryFunction versionFunctions[] = {{"packaging.version.parse", "text", parseVersion}};
void populatePackagingVersion(Scope &globals) { globals.names["Version"] = libraryClass("Version"); }

} // namespace

const LibraryType versionType{"Version", &versionNew, versionMethods, ""};
const LibraryType environType{"environ", nullptr, environmentMethods, ""};

const LibraryModule osModule{"os", osFunctions, populateOs, true}, sysModule{"sys", {}, populateSys, true},
    platformModule{"platform", platformFunctions, nullptr, true},
    importlibModule{"importlib", importlibFunctions, nullptr, true},
    importlibUtilModule{"importlib.util", importlibUtilFunctions, nullptr, true},
    importlibMetadataModule{"importlib.metadata", importlibMetadataFunctions, nullptr, true},
    packagingModule{"packaging", {}, nullptr, true},
    packagingVersionModule{"packaging.version", versionFunctions, populatePackagingVersion, true};

} // namespace nereid::lang
