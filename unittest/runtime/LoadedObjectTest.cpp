// LoadedObjectTest.cpp: objects of our own code generator run; damaged ones are errors.
#include "runtime/cpu/LoadedObject.h"
#include "CompileText.h"
#include "runtime/cpu/ElfFile.h"
#include "runtime/cpu/Relocation.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace nereid::cpu {

// Every way to reach an address: a constant beside the code, a writable global, a function of the object, a function of
// the C library called and taken as a value, and a table of addresses.
static const char *const kText = R"(
@weights = internal constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@calls = internal global i32 0
@zeros = internal global [64 x i32] zeroinitializer
@table = internal constant [2 x ptr] [ptr @twice, ptr @thrice]
@host_number = external global i32
declare i32 @host_add(i32, i32)
declare ptr @memset(ptr, i32, i64)
define internal i32 @twice(i32 %x) noinline { %r = mul i32 %x, 2 ret i32 %r }
define internal i32 @thrice(i32 %x) noinline { %r = mul i32 %x, 3 ret i32 %r }
define i32 @weight(i64 %i) {
  %p = getelementptr [4 x i32], ptr @weights, i64 0, i64 %i
  %w = load i32, ptr %p
  ret i32 %w
}
define i32 @countCalls() {
  %old = load i32, ptr @calls
  %new = add i32 %old, 1
  store i32 %new, ptr @calls
  ret i32 %new
}
define i32 @apply(i64 %which, i32 %x) {
  %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %which
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define i32 @callHost(i32 %x) {
  %r = call i32 @host_add(i32 %x, i32 5)
  ret i32 %r
}
define ptr @hostFunction() { ret ptr @host_add }
define i32 @readHost() { %r = load i32, ptr @host_number ret i32 %r }
define void @clear(ptr %p, i64 %n) {
  %r = call ptr @memset(ptr %p, i32 0, i64 %n)
  ret void
}
define i32 @zero(i64 %i) {
  %p = getelementptr [64 x i32], ptr @zeros, i64 0, i64 %i
  %r = load volatile i32, ptr %p
  ret i32 %r
}
)";

static int hostNumber = 1234;
static int addHere(int a, int b) { return a + b; }

static void *resolveHere(std::string_view name) {
  if (name == "host_add")
    return reinterpret_cast<void *>(addHere);
  return name == "host_number" ? &hostNumber : nullptr;
}

static const std::vector<std::byte> &sampleObject() {
  static const std::vector<std::byte> object = compileText(kText);
  return object;
}

static LoadOptions sampleOptions() { return {.resolve = resolveHere}; }

template <class Function> static Function *functionOf(const LoadedObject &object, const char *name) {
  void *address = object.find(name);
  EXPECT_TRUE(address) << name;
  return reinterpret_cast<Function *>(address);
}

TEST(LoadedObject, RunsCode) {
  Result<LoadedObject> object = LoadedObject::load(sampleObject(), sampleOptions());
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(functionOf<int(long)>(*object, "weight")(2), 30);
  EXPECT_EQ(functionOf<int()>(*object, "countCalls")(), 1);
  EXPECT_EQ(functionOf<int()>(*object, "countCalls")(), 2);
  EXPECT_EQ(functionOf<int(long, int)>(*object, "apply")(0, 7), 14);
  EXPECT_EQ(functionOf<int(long, int)>(*object, "apply")(1, 7), 21);
  EXPECT_EQ(functionOf<int(int)>(*object, "callHost")(37), 42);
  EXPECT_EQ(functionOf<void *()>(*object, "hostFunction")(), reinterpret_cast<void *>(addHere));
  EXPECT_EQ(functionOf<int()>(*object, "readHost")(), 1234);
  EXPECT_EQ(functionOf<int(long)>(*object, "zero")(63), 0);
  std::vector<char> buffer(1000, 'x');
  functionOf<void(void *, size_t)>(*object, "clear")(buffer.data(), 999);
  EXPECT_EQ(buffer[998], 0);
  EXPECT_EQ(buffer[999], 'x');
  EXPECT_EQ(object->find("twice"), nullptr); // not global
  EXPECT_EQ(object->find("weights"), nullptr);
  EXPECT_EQ(object->find(""), nullptr);
}

TEST(LoadedObject, EachLoadHasItsOwnData) {
  Result<LoadedObject> first = LoadedObject::load(sampleObject(), sampleOptions());
  Result<LoadedObject> second = LoadedObject::load(sampleObject(), sampleOptions());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(functionOf<int()>(*first, "countCalls")(), 1);
  EXPECT_EQ(functionOf<int()>(*second, "countCalls")(), 1);
  LoadedObject moved = std::move(*first);
  EXPECT_EQ(functionOf<int()>(moved, "countCalls")(), 2);
}

TEST(LoadedObject, UnknownFunctionIsAnError) {
  Result<LoadedObject> object = LoadedObject::load(sampleObject());
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().status, Status::Environment);
  EXPECT_EQ(object.error().message, "the object calls `host_add`, which the run time does not have");
}

TEST(LoadedObject, OtherProcessorIsAnError) {
  Result<LoadedObject> object =
      LoadedObject::load(compileText("define void @f() { ret void }", *findTarget("aarch64")));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "the object is for another kind of processor");
}

TEST(LoadedObject, EveryTruncationIsAnError) {
  const std::vector<std::byte> &whole = sampleObject();
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> part(whole.begin(), whole.begin() + ptrdiff_t(size));
    EXPECT_FALSE(LoadedObject::load(part, sampleOptions())) << size;
  }
}

// A flipped bit in an instruction cannot be seen here (the cache has a checksum); what matters is that loading itself
// reads and writes nothing outside, which the sanitizer build of this test checks.
TEST(LoadedObject, FlippedBytesDoNotCrash) {
  std::vector<std::byte> object = sampleObject();
  LoadOptions options = sampleOptions();
  options.forDebugger = true;
  size_t refused = 0;
  for (size_t i = 0; i < object.size(); ++i)
    for (unsigned char pattern : {0x01, 0x80, 0xff, 0x10}) {
      std::byte before = object[i];
      object[i] ^= std::byte{pattern};
      refused += !LoadedObject::load(object, options);
      object[i] = before;
    }
  EXPECT_GT(refused, 0u);
  EXPECT_TRUE(LoadedObject::load(object, options));
}

TEST(LoadedObject, RandomDamageDoesNotCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> object = sampleObject();
    for (int flips = 1 + int(random() % 8); flips > 0; --flips) {
      size_t place = random() % object.size();
      uint64_t value = random() % 3 == 0 ? ~uint64_t(0) : (uint64_t(random()) << 32 | random()) >> random() % 64;
      std::memcpy(object.data() + place, &value, std::min<size_t>(object.size() - place, 1u << random() % 4));
    }
    Result<LoadedObject> loaded = LoadedObject::load(object, sampleOptions());
    if (!loaded)
      EXPECT_FALSE(loaded.error().message.empty());
  }
}

// AArch64 code cannot run here; the fields are those of the architecture manual.
TEST(Relocation, AArch64Fields) {
  auto apply = [](uint32_t instruction, uint32_t type, uint64_t place, uint64_t symbol, uint64_t stub = 0) {
    std::byte bytes[4];
    std::memcpy(bytes, &instruction, 4);
    Patch patch{.place = bytes, .placeAddress = place, .symbol = symbol, .tableSlot = symbol, .stub = stub};
    Result<void> done = applyRelocation(EM_AARCH64, type, patch);
    std::memcpy(&instruction, bytes, 4);
    return done ? instruction : 0;
  };
  EXPECT_EQ(apply(0x94000000, R_AARCH64_CALL26, 0x1000, 0x1008), 0x94000002u);                 // bl .+8
  EXPECT_EQ(apply(0x14000000, R_AARCH64_JUMP26, 0x1008, 0x1000), 0x17fffffeu);                 // b .-8
  EXPECT_EQ(apply(0x94000000, R_AARCH64_CALL26, 0x1000, 0x7f0000000000, 0x1010), 0x94000004u); // through its stub
  EXPECT_EQ(apply(0x94000000, R_AARCH64_CALL26, 0x1000, 0x7f0000000000), 0u);
  EXPECT_EQ(apply(0x90000000, R_AARCH64_ADR_PREL_PG_HI21, 0x1000, 0x6123), 0xb0000020u); // adrp x0, 5 pages on
  EXPECT_EQ(apply(0x91000000, R_AARCH64_ADD_ABS_LO12_NC, 0, 0x6123), 0x91048c00u);       // add x0, x0, #0x123
  EXPECT_EQ(apply(0xf9400000, R_AARCH64_LDST64_ABS_LO12_NC, 0, 0x6128), 0xf9409400u);    // ldr x0, [x0, #0x128]
  EXPECT_EQ(apply(0xf9400000, R_AARCH64_LDST64_ABS_LO12_NC, 0, 0x6123), 0u);             // misaligned
  EXPECT_EQ(apply(0x3dc00000, R_AARCH64_LDST128_ABS_LO12_NC, 0, 0x6120), 0x3dc04800u);   // ldr q0, [x0, #0x120]
  EXPECT_EQ(apply(0xf9400000, R_AARCH64_LD64_GOT_LO12_NC, 0, 0x6128), 0xf9409400u);
}

} // namespace nereid::cpu
