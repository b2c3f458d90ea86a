// LoadedObject.cpp: one mapping for an object, in three parts by what may be done with them:
//
//   code and stubs        written, then made executable and read-only
//   constants, addresses  written, then made read-only
//   data                  stays writable
//
// No page is writable and executable at once.
#include "runtime/cpu/LoadedObject.h"

#include "runtime/cpu/ElfFile.h"
#include "runtime/cpu/GdbInterface.h"
#include "runtime/cpu/PerfMap.h"
#include "runtime/cpu/Relocation.h"
#include "runtime/cpu/RuntimeFunctions.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace nereid::cpu {

// Far more than a kernel has, and small enough for 32-bit distances.
static constexpr uint64_t kMaximumBytes = 256u << 20;
static constexpr uint64_t kMaximumAlignment = 4096;

#if defined(__aarch64__)
static constexpr uint16_t kMachine = EM_AARCH64;
#else
static constexpr uint16_t kMachine = EM_X86_64;
#endif

LoadedObject::LoadedObject(LoadedObject &&other) noexcept
    : base(std::exchange(other.base, nullptr)), size(std::exchange(other.size, 0)),
      functions(std::move(other.functions)), gdb(std::move(other.gdb)) {}

LoadedObject &LoadedObject::operator=(LoadedObject &&other) noexcept {
  std::swap(base, other.base);
  std::swap(size, other.size);
  std::swap(functions, other.functions);
  std::swap(gdb, other.gdb);
  return *this;
}

LoadedObject::~LoadedObject() {
  gdb.reset(); // before its addresses are free for others
  if (base)
    munmap(base, size);
}

void *LoadedObject::find(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return function.address;
  return nullptr;
}

// The steps of one load.
class ObjectLoader {
public:
  ObjectLoader(const ElfFile &file, const LoadOptions &options) : file(file), options(options) {}

  Result<LoadedObject> load(std::span<const std::byte> bytes);

private:
  enum Part { Code, Constants, Data, kParts };

  Result<void> placeSections();
  Result<void> place(size_t section, const Elf64_Shdr &header);
  Result<void> resolveSymbols();
  void planReach();
  Result<void> mapMemory();
  void copySections();
  void writeStubsAndTable();
  Result<void> relocate();
  Result<void> protect();
  void listFunctions();
  void tellDebugger(std::span<const std::byte> bytes);

  std::byte *partBegin(Part part) const { return loaded.base + partOffset[part]; }
  uint64_t addressOf(const std::byte *place) const { return reinterpret_cast<uintptr_t>(place); }
  Result<uint64_t> undefinedSymbol(const Elf64_Sym &symbol) const;

  const ElfFile &file;
  const LoadOptions &options;
  LoadedObject loaded;
  std::vector<bool> isLoaded;     // by section
  std::vector<Part> partOf;       // by section
  std::vector<uint64_t> offsetOf; // by section, in its part
  std::array<uint64_t, kParts> partSize{};
  std::array<uint64_t, kParts + 1> partOffset{};
  std::vector<RelocationTable> tables;
  std::vector<uint64_t> symbolAddress; // by symbol
  // By symbol: 1 + the number of its stub or table slot, 0 where it has none.
  std::vector<uint32_t> stubOf, slotOf;
  uint32_t stubCount = 0, slotCount = 0;
  uint64_t stubsOffset = 0, tableOffset = 0; // in their parts
};

static uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

Result<void> ObjectLoader::place(size_t section, const Elf64_Shdr &header) {
  if (header.sh_type == SHT_INIT_ARRAY || header.sh_type == SHT_FINI_ARRAY || header.sh_type == SHT_PREINIT_ARRAY)
    return damaged("it has constructors, which a kernel has not");
  if (header.sh_flags & (SHF_TLS | SHF_COMPRESSED))
    return damaged("it has thread-local or compressed sections, which a kernel has not");
  uint64_t alignment = header.sh_addralign ? header.sh_addralign : 1;
  if (alignment > kMaximumAlignment || (alignment & (alignment - 1)))
    return damaged("a section has an alignment that is no power of two up to 4096");
  Part part = header.sh_flags & SHF_EXECINSTR ? Code : header.sh_flags & SHF_WRITE ? Data : Constants;
  if (part == Code && header.sh_flags & SHF_WRITE)
    return damaged("a section is writable and executable");
  uint64_t offset = roundUp(partSize[part], alignment);
  if (header.sh_size > kMaximumBytes || offset + header.sh_size > kMaximumBytes)
    return damaged("its sections are larger than " + std::to_string(kMaximumBytes >> 20) + " MB");
  isLoaded[section] = true;
  partOf[section] = part;
  offsetOf[section] = offset;
  partSize[part] = offset + header.sh_size;
  return {};
}

Result<void> ObjectLoader::placeSections() {
  size_t count = file.sections().size();
  isLoaded.assign(count, false);
  partOf.assign(count, Code);
  offsetOf.assign(count, 0);
  for (size_t i = 0; i < count; ++i) {
    const Elf64_Shdr &header = file.sections()[i];
    // Tables for unwinding have a type of their own and no user here: kernels throw nothing.
    bool hasContents = header.sh_type != SHT_NULL && header.sh_type != SHT_X86_64_UNWIND;
    if (!(header.sh_flags & SHF_ALLOC) || !hasContents || header.sh_size == 0)
      continue;
    if (Result<void> done = place(i, header); !done)
      return done;
  }
  if (partSize[Code] == 0)
    return damaged("it has no code");
  return {};
}

// Which symbols need a stub or a slot in the table of addresses.
void ObjectLoader::planReach() {
  stubOf.assign(file.symbols().size(), 0);
  slotOf.assign(file.symbols().size(), 0);
  for (const RelocationTable &table : tables)
    for (const Elf64_Rela &entry : table.entries) {
      size_t symbol = ELF64_R_SYM(entry.r_info);
      Reach reach = reachOf(kMachine, ELF64_R_TYPE(entry.r_info));
      if (reach.usesTable && !slotOf[symbol])
        slotOf[symbol] = ++slotCount;
      if (reach.isCall && !stubOf[symbol] && file.symbols()[symbol].st_shndx == SHN_UNDEF)
        stubOf[symbol] = ++stubCount;
    }
  stubsOffset = roundUp(partSize[Code], kStubBytes);
  partSize[Code] = stubsOffset + stubCount * kStubBytes;
  tableOffset = roundUp(partSize[Constants], 8);
  partSize[Constants] = slotCount ? tableOffset + slotCount * 8 : partSize[Constants];
}

Result<void> ObjectLoader::mapMemory() {
  auto page = uint64_t(sysconf(_SC_PAGESIZE));
  for (size_t part = 0; part < kParts; ++part)
    partOffset[part + 1] = partOffset[part] + roundUp(partSize[part], page);
  uint64_t size = partOffset[kParts];
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error{Status::Environment, "no memory for " + std::to_string(size) + " bytes of compiled code"};
  loaded.base = static_cast<std::byte *>(memory);
  loaded.size = size;
  return {};
}

void ObjectLoader::copySections() {
  for (size_t i = 0; i < isLoaded.size(); ++i) {
    const Elf64_Shdr &header = file.sections()[i];
    if (!isLoaded[i] || header.sh_type == SHT_NOBITS)
      continue;
    std::span<const std::byte> contents = file.contents(header);
    std::memcpy(partBegin(partOf[i]) + offsetOf[i], contents.data(), contents.size());
  }
}

Result<uint64_t> ObjectLoader::undefinedSymbol(const Elf64_Sym &symbol) const {
  std::string_view name = file.nameOf(symbol);
  void *address = options.resolve ? options.resolve(name) : nullptr;
  if (!address)
    address = findRuntimeFunction(name);
  if (!address && ELF64_ST_BIND(symbol.st_info) != STB_WEAK && !name.empty())
    return Error{Status::Environment, "the object calls `" + std::string(name) + "`, which the run time does not have"};
  return reinterpret_cast<uintptr_t>(address);
}

Result<void> ObjectLoader::resolveSymbols() {
  symbolAddress.reserve(file.symbols().size());
  for (const Elf64_Sym &symbol : file.symbols()) {
    uint64_t address = symbol.st_value; // SHN_ABS: a file name, or a number
    if (symbol.st_shndx == SHN_UNDEF) {
      Result<uint64_t> found = undefinedSymbol(symbol);
      if (!found)
        return found.error();
      address = *found;
    } else if (symbol.st_shndx != SHN_ABS) {
      bool isHere = isLoaded[symbol.st_shndx];
      address =
          isHere ? addressOf(partBegin(partOf[symbol.st_shndx]) + offsetOf[symbol.st_shndx]) + symbol.st_value : 0;
    }
    symbolAddress.push_back(address);
  }
  return {};
}

void ObjectLoader::writeStubsAndTable() {
  for (size_t i = 0; i < symbolAddress.size(); ++i) {
    if (stubOf[i])
      writeStub(kMachine, partBegin(Code) + stubsOffset + (stubOf[i] - 1) * kStubBytes, symbolAddress[i]);
    if (slotOf[i])
      std::memcpy(partBegin(Constants) + tableOffset + (slotOf[i] - 1) * 8, &symbolAddress[i], 8);
  }
}

Result<void> ObjectLoader::relocate() {
  for (const RelocationTable &table : tables) {
    uint64_t sectionSize = file.sections()[table.target].sh_size;
    std::byte *section = partBegin(partOf[table.target]) + offsetOf[table.target];
    for (const Elf64_Rela &entry : table.entries) {
      size_t symbol = ELF64_R_SYM(entry.r_info);
      Patch patch;
      patch.place = {section + entry.r_offset, sectionSize - entry.r_offset};
      patch.placeAddress = addressOf(patch.place.data());
      patch.symbol = symbolAddress[symbol];
      patch.addend = entry.r_addend;
      if (slotOf[symbol])
        patch.tableSlot = addressOf(partBegin(Constants) + tableOffset) + (slotOf[symbol] - 1) * 8;
      if (stubOf[symbol])
        patch.stub = addressOf(partBegin(Code) + stubsOffset) + (stubOf[symbol] - 1) * kStubBytes;
      if (Result<void> done = applyRelocation(kMachine, ELF64_R_TYPE(entry.r_info), patch); !done)
        return done;
    }
  }
  return {};
}

Result<void> ObjectLoader::protect() {
  auto set = [&](Part part, int rights) {
    size_t size = partOffset[part + 1] - partOffset[part];
    return size == 0 || mprotect(partBegin(part), size, rights) == 0;
  };
  if (!set(Code, PROT_READ | PROT_EXEC) || !set(Constants, PROT_READ))
    return Error{Status::Environment, "this system does not allow code to be made at run time"};
  __builtin___clear_cache(reinterpret_cast<char *>(partBegin(Code)), reinterpret_cast<char *>(partBegin(Constants)));
  return {};
}

void ObjectLoader::listFunctions() {
  for (size_t i = 0; i < symbolAddress.size(); ++i) {
    const Elf64_Sym &symbol = file.symbols()[i];
    bool isDefined = symbol.st_shndx < isLoaded.size() && isLoaded[symbol.st_shndx] && partOf[symbol.st_shndx] == Code;
    if (!isDefined || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
      continue;
    std::string_view name = file.nameOf(symbol);
    auto *address = reinterpret_cast<void *>(symbolAddress[i]);
    if (wantsPerfMap())
      addToPerfMap(address, symbol.st_size, name);
    if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
      loaded.functions.push_back({std::string(name), address, symbol.st_size});
  }
}

void ObjectLoader::tellDebugger(std::span<const std::byte> bytes) {
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  for (size_t i = 0; i < isLoaded.size(); ++i) {
    if (!isLoaded[i])
      continue;
    uint64_t address = addressOf(partBegin(partOf[i]) + offsetOf[i]);
    std::memcpy(copy.data() + file.headerOffset(i) + offsetof(Elf64_Shdr, sh_addr), &address, sizeof(address));
  }
  loaded.gdb = registerWithGdb(std::move(copy));
}

Result<LoadedObject> ObjectLoader::load(std::span<const std::byte> bytes) {
  if (Result<void> done = placeSections(); !done)
    return done.error();
  Result<std::vector<RelocationTable>> found = file.relocations(isLoaded);
  if (!found)
    return found.error();
  tables = std::move(*found);
  planReach();
  for (auto step : {&ObjectLoader::mapMemory, &ObjectLoader::resolveSymbols})
    if (Result<void> done = (this->*step)(); !done)
      return done.error();
  copySections();
  writeStubsAndTable();
  for (auto step : {&ObjectLoader::relocate, &ObjectLoader::protect})
    if (Result<void> done = (this->*step)(); !done)
      return done.error();
  listFunctions();
  if (options.forDebugger)
    tellDebugger(bytes);
  return std::move(loaded);
}

Result<LoadedObject> LoadedObject::load(std::span<const std::byte> object, const LoadOptions &options) {
  Result<ElfFile> file = ElfFile::read(object);
  if (!file)
    return file.error();
  if (file->machine() != kMachine)
    return Error{Status::Environment, "the object is for another kind of processor"};
  return ObjectLoader(*file, options).load(object);
}

} // namespace nereid::cpu
