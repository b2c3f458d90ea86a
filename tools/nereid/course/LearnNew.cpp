// LearnNew.cpp: `nereid learn new`: the skeleton of a unit, which `validate` accepts as it is.
#include "course/Learn.h"

#include "runtime/WriteFile.h"
#include "support/ReadFile.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace nereid::tool {

namespace {

struct SkeletonFile {
  const char *name, *text;
};

constexpr const char *kHead = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                              "def add_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
                              "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n";

constexpr SkeletonFile kFiles[] = {
    {"unit.json",
     "{\n  \"title\": \"Add one\", \"new\": \"the one new thing\",\n  \"file_kernel\": \"add_one\",\n  \"tests\": [\n"
     "    {\"name\": \"one block\", \"arguments\": [\"x_ptr=randn:f32[n]\", \"out_ptr=empty:f32[n]\", \"n=64\", "
     "\"BLOCK=64\"], \"grid\": \"cdiv(n, BLOCK)\"},\n"
     "    {\"name\": \"a tail\", \"arguments\": [\"x_ptr=randn:f32[n]\", \"out_ptr=empty:f32[n]\", \"n=100\", "
     "\"BLOCK=64\"], \"grid\": \"cdiv(n, BLOCK)\"},\n"
     "    {\"name\": \"hidden: one element\", \"hidden\": true, \"arguments\": [\"x_ptr=randn:f32[n]\", "
     "\"out_ptr=empty:f32[n]\", \"n=1\", \"BLOCK=16\"], \"grid\": \"1\"}\n"
     "  ],\n  \"outputs\": [\"out_ptr\"], \"tolerance\": 1e-6,\n  \"reference\": {\"grid\": \"n\"}\n}\n"},
    {"lesson.md", "# Add one\n\nThe idea, a picture, the one new thing, a worked fragment.\n\n## What real kernels do "
                  "here\n\nA pointer to a kernel, and "
                  "what it reaches.\n"},
    {"hints.md", "A nudge.\n---\nThe idea.\n---\nNearly the answer.\n"},
    {"start.py", "    # YOUR CODE: load, add one, store\n"},
    {"solution.py", "    # The last block may end behind the tensor.\n    mask = offsets < n\n    x = tl.load(x_ptr + "
                    "offsets, mask=mask)\n"
                    "    tl.store(out_ptr + offsets, x + 1, mask=mask)\n"},
    {"wrong/no_mask.py", "    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 1)\n"},
    {"wrong/adds_two.py",
     "    mask = offsets < n\n    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 2, mask=mask)\n"},
    {"wrong/first_block_only.py",
     "    mask = offsets < tl.minimum(n, BLOCK)\n"
     "    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)\n"},
};

std::string textOf(const SkeletonFile &file) {
  std::string name = file.name, text = file.text;
  if (!name.ends_with(".py"))
    return text;
  std::string expectation = name == "wrong/no_mask.py"    ? "# expect: out-of-bounds: the load reads element [100]\n"
                            : name == "wrong/adds_two.py" ? "# expect: `out_ptr[0]` is\n"
                            : name == "wrong/first_block_only.py" ? "# expect: `out_ptr[64]` was never written\n"
                                                                  : "";
  return expectation + kHead + text;
}

// The text of a course.json with one unit more, written as the others are; none: its list is not where one would look for it.
std::optional<std::string> withUnit(std::string text, const std::string &unit) {
  size_t end = text.rfind(']'), last = end == 0 ? end : text.find_last_not_of(" \t\r\n", end - 1);
  if (end == std::string::npos || last == std::string::npos || (text[last] != '}' && text[last] != '['))
    return std::nullopt;
  bool endsLine = text.find('\n', last) < end;
  text.insert(last + 1, (text[last] == '}' ? ",\n    " : "\n    ") + unit + (endsLine ? "" : "\n  "));
  return text;
}

// Notes the unit in the course's list, which is made where there is none yet; false: it has to be done by hand.
bool addToCourse(const std::string &folder, const std::string &name, const std::string &unit) {
  std::string path = (std::filesystem::path(folder) / "course.json").string(), problem;
  std::error_code none;
  std::optional<std::string> old, text = "{\n  \"title\": \"A course of my own\",\n  \"units\": [\n  ]\n}\n";
  constexpr size_t kLargest = 1 << 20;
  if (std::filesystem::exists(path, none)) {
    old = text = readFile(path, kLargest, problem);
    if (!text)
      return false;
  }
  text = withUnit(*text, unit);
  if (!text || runtime::writeFile(path, {*text}) != 0)
    return false;
  Result<learn::Course> course = learn::Course::open(folder);
  if (course && course->find(name))
    return true;
  old ? runtime::writeFile(path, {*old}) : std::remove(path.c_str());
  return false;
}

} // namespace

int learnNew(const LearnWords &words, Console &console) {
  namespace fs = std::filesystem;
  const std::string &name = words.operands[0];
  bool isName = !name.empty() && name[0] != '.' &&
                std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
  if (!isName)
    return fail(console, "`" + name.substr(0, 80) +
                             "` cannot be a unit: letters, digits and hyphens are expected, as in `day-36-conv`");
  fs::path folder = fs::path(words.courseFolder) / name;
  std::error_code problem;
  if (fs::exists(folder, problem))
    return fail(console, "`" + folder.string() + "` is there already");
  fs::create_directories(folder / "wrong", problem);
  auto write = [&](const std::string &file, const std::string &text) {
    int error = runtime::writeFile((folder / file).string(), {text});
    if (error)
      fail(console, "`" + (folder / file).string() + "`: " + std::strerror(error));
    return error == 0;
  };
  for (const SkeletonFile &file : kFiles)
    if (!write(file.name, textOf(file)))
      return kEnvironment;
  constexpr const char *kReference = "import triton\nimport triton.language as tl\n\n\n# One element a program, in "
                                     "float64: slow and obvious.\n@triton.jit\n"
                                     "def add_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0)\n "
                                     "   tl.store(out_ptr + i, tl.load(x_ptr + i) + 1)\n";
  if (!write("reference.py", kReference))
    return kEnvironment;
  console.out << "made " << folder.string() << "; `nereid learn validate " << folder.string() << "` proves it\n";
  if (words.courseFolder.empty())
    return kFine;
  std::string unit = "{\"id\": \"" + name + "\", \"folder\": \"" + name + "\", \"part\": \"days\"}";
  if (addToCourse(words.courseFolder, name, unit))
    console.out << "it is the last unit of " << (fs::path(words.courseFolder) / "course.json").string() << "\n";
  else
    console.out << "add it to course.json: " << unit << "\n";
  return kFine;
}

} // namespace nereid::tool
