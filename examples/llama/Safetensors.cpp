// Safetensors.cpp: reading by mapping the file, and writing. Nothing that the header says is believed before it was checked
// against the size of the file.
#include "Safetensors.h"

#include "Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace llama {

using nereid::DType;
using nereid::Error;
using nereid::Result;
using nereid::Shape;
using nereid::Status;
using nereid::Tensor;

namespace {

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"BOOL", DType::Int1}, {"U8", DType::UInt8},  {"I8", DType::Int8},         {"I16", DType::Int16},
    {"I32", DType::Int32}, {"I64", DType::Int64}, {"F8_E4M3", DType::Fp8E4NV}, {"F8_E5M2", DType::Fp8E5},
    {"F16", DType::Fp16},  {"BF16", DType::Bf16}, {"F32", DType::Fp32},        {"F64", DType::Fp64},
};

Error environment(const std::string &path, const std::string &what) {
  return {Status::Environment, "error: `" + path + "`: " + what + "\n"};
}
Error damaged(const std::string &path, const std::string &what) {
  return {Status::BadInput, "error: `" + path + "` is no safetensors file: " + what + "\n"};
}

struct Mapping {
  std::shared_ptr<void> memory;
  size_t bytes = 0;
};

Result<Mapping> map(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return environment(path, std::strerror(errno));
  struct stat facts{};
  bool isFile = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  auto bytes = static_cast<size_t>(facts.st_size);
  void *memory = isFile && bytes ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED)
    return environment(path, isFile ? "it cannot be read" : "it is no file");
  return Mapping{std::shared_ptr<void>(memory, [bytes](void *p) { munmap(p, bytes); }), bytes};
}

// A whole number that is not negative.
bool readCount(const Json &json, int64_t &count) {
  const double *number = json.as<double>();
  if (!number || !(*number >= 0) || *number > 9e15 || *number != std::floor(*number))
    return false;
  count = static_cast<int64_t>(*number);
  return true;
}

bool readCounts(const Json *json, std::vector<int64_t> &counts) {
  const Json::List *list = json ? json->as<Json::List>() : nullptr;
  if (!list)
    return false;
  for (const Json &each : *list)
    if (!readCount(each, counts.emplace_back()))
      return false;
  return true;
}

// Where a tensor's bytes begin and end behind the header.
using Places = std::vector<std::pair<int64_t, int64_t>>;

// One entry of the header, whose data begin at `begin`; its place is added to `all`.
Result<Tensor> readTensor(const std::string &path, const std::string &name, const Json &entry, const Mapping &file,
                          size_t begin, Places &all) {
  const Json *type = entry.find("dtype");
  const std::string *typeName = type ? type->as<std::string>() : nullptr;
  const auto *known =
      typeName ? std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto &each) { return each.first == *typeName; })
               : std::end(kTypes);
  if (known == std::end(kTypes))
    return damaged(path, "`" + name + "` has no element type that is known");
  Shape shape;
  std::vector<int64_t> places;
  if (!readCounts(entry.find("shape"), shape) || !readCounts(entry.find("data_offsets"), places) || places.size() != 2)
    return damaged(path, "`" + name + "` lacks its shape or its place");
  Result<int64_t> count = Tensor::countOf(shape);
  size_t size = nereid::bytesOf(known->second);
  auto available = static_cast<int64_t>(file.bytes - begin);
  if (!count || places[0] > places[1] || places[1] > available ||
      static_cast<size_t>(places[1] - places[0]) != static_cast<size_t>(*count) * size)
    return damaged(path, "`" + name + "` does not lie within the file");
  if (places[0] % static_cast<int64_t>(size) != 0 || begin % size != 0)
    return damaged(path, "`" + name + "` does not lie at a multiple of its element's size");
  std::byte *data = static_cast<std::byte *>(file.memory.get()) + begin + places[0];
  all.emplace_back(places[0], places[1]);
  Shape strides = Tensor::contiguousStrides(shape);
  return Tensor::share(file.memory, data, known->second, std::move(shape), std::move(strides));
}

// Tensors lie one behind the other, to the end of the file.
bool isGapless(Places places, int64_t bytes) {
  std::sort(places.begin(), places.end());
  int64_t end = 0;
  for (auto [first, last] : places) {
    if (first != end)
      return false;
    end = last;
  }
  return end == bytes;
}

} // namespace

Result<Safetensors> readSafetensors(const std::string &path) {
  Result<Mapping> file = map(path);
  if (!file)
    return file.error();
  uint64_t length = 0;
  if (file->bytes < sizeof length)
    return damaged(path, "it has " + std::to_string(file->bytes) + " bytes");
  std::memcpy(&length, file->memory.get(), sizeof length);
  if (length > file->bytes - sizeof length)
    return damaged(path, "its header is longer than the file");
  Result<Json> header =
      parseJson({static_cast<const char *>(file->memory.get()) + sizeof length, static_cast<size_t>(length)});
  const Json::Object *entries = header ? header->as<Json::Object>() : nullptr;
  if (!entries)
    return damaged(path, "its header is no JSON object");
  Safetensors result;
  Places places;
  size_t begin = sizeof length + static_cast<size_t>(length);
  for (auto &[name, entry] : *entries) {
    if (name == "__metadata__") {
      if (const Json::Object *metadata = entry.as<Json::Object>())
        for (auto &[key, value] : *metadata)
          if (const std::string *text = value.as<std::string>())
            result.metadata[key] = *text;
      continue;
    }
    Result<Tensor> tensor = readTensor(path, name, entry, *file, begin, places);
    if (!tensor)
      return tensor.error();
    result.tensors.emplace(name, *tensor);
  }
  if (!isGapless(std::move(places), static_cast<int64_t>(file->bytes - begin)))
    return damaged(path, "its tensors do not lie one behind the other, to its end");
  return result;
}

Result<void> writeSafetensors(const std::string &path, const Safetensors &file) {
  std::string header = "{\"__metadata__\":{";
  for (auto &[name, text] : file.metadata)
    header += (header.back() == '{' ? "" : ",") + quoteJson(name) + ":" + quoteJson(text);
  header += "}";
  size_t place = 0;
  for (auto &[name, tensor] : file.tensors) {
    const auto *known =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto &each) { return each.second == tensor.dtype(); });
    if (known == std::end(kTypes) || !tensor.isOnHost() ||
        tensor.strides() != Tensor::contiguousStrides(tensor.shape()))
      return Error{Status::BadInput,
                   "error: `" + name +
                       "` cannot be written: it must be contiguous, on the host and of a type that the file knows\n"};
    std::string shape;
    for (int64_t extent : tensor.shape())
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    header += "," + quoteJson(name) + ":{\"dtype\":\"" + std::string(known->first) + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(place) + "," + std::to_string(place + tensor.spanBytes()) + "]}";
    place += tensor.spanBytes();
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string unfinished = path + ".part";
  std::unique_ptr<FILE, int (*)(FILE *)> out(std::fopen(unfinished.c_str(), "wb"), std::fclose);
  if (!out)
    return environment(unfinished, std::strerror(errno));
  uint64_t length = header.size();
  bool isWritten = std::fwrite(&length, sizeof length, 1, out.get()) == 1 &&
                   std::fwrite(header.data(), header.size(), 1, out.get()) == 1;
  for (auto &[name, tensor] : file.tensors)
    isWritten = isWritten && (tensor.count() == 0 || std::fwrite(tensor.data(), tensor.spanBytes(), 1, out.get()) == 1);
  isWritten = isWritten && std::fflush(out.get()) == 0 && fsync(fileno(out.get())) == 0;
  if (!isWritten || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::remove(unfinished.c_str());
    return environment(path, "it cannot be written: " + std::string(std::strerror(errno)));
  }
  return {};
}

} // namespace llama
