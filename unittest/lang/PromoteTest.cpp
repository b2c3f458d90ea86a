// PromoteTest.cpp: the type in which operands meet, for every pair of types, against a table that Triton 3.6.0's own
// rules wrote (promotion.txt); and the checks on numbers that meet tensors.
#include "EmitterFixture.h"

#include <fstream>
#include <sstream>

using namespace nereid;
using namespace nereid::lang;

namespace {

const std::vector<std::string> kTensors = {"int1",    "int8",     "int16",  "int32", "int64",    "uint8",
                                           "uint16",  "uint32",   "uint64", "fp8e5", "fp8e5b16", "fp8e4nv",
                                           "fp8e4b8", "fp8e4b15", "fp16",   "bf16",  "fp32",     "fp64"};
const std::vector<std::string> kConstants = {"int1", "int32", "uint32", "int64", "uint64", "fp32", "fp64"};

class PromoteTest : public EmitterTest {
protected:
  std::string promoted(const std::string &a, const std::string &b, bool bIsConstant, bool isDivision) {
    std::string result = "error";
    messageOf([&] {
      result = promoteTypes(emitter, *Type::parse(a), false, *Type::parse(b), bIsConstant, isDivision).name();
    });
    return result;
  }
};

TEST_F(PromoteTest, EveryPairAsTriton) {
  std::ifstream file(std::string(NEREID_TEST_DIR) + "/promotion.txt");
  ASSERT_TRUE(file);
  std::string line;
  bool withConstant = false, isDivision = false;
  int checked = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first, kind, operation, expected;
    words >> first;
    if (first == "mode") {
      words >> kind >> operation;
      withConstant = kind == "constant";
      isDivision = operation == "division";
      continue;
    }
    for (const std::string &second : withConstant ? kConstants : kTensors) {
      words >> expected;
      EXPECT_EQ(promoted(first, second, withConstant, isDivision), expected)
          << first << " " << second << " " << withConstant << isDivision;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 2 * 18 * (18 + 7));
}

TEST_F(PromoteTest, ANumberTakesTheTensorsType) {
  auto [a, b] = promoteOperands(emitter, argument("uint8", {16}), 200);
  EXPECT_EQ(b.type, Type(Scalar::UInt8).withShape({16}));
  EXPECT_EQ(bitsOf(b), 200u);
  auto [c, d] = promoteOperands(emitter, argument("int32"), 1.5);
  EXPECT_EQ(c.type, Type(Scalar::Fp32));
}

TEST_F(PromoteTest, NumbersThatDoNotFit) {
  EXPECT_EQ(messageOf([&] { promoteOperands(emitter, argument("uint32"), -1); }),
            "the negative number `-1` meets an unsigned tensor of type u32");
  EXPECT_EQ(messageOf([&] { promoteOperands(emitter, argument("int8"), 128); }),
            "the number `128` is out of range for the tensor's type i8");
  EXPECT_EQ(messageOf([&] { promoteOperands(emitter, argument("int8"), -128); }), "");
  EXPECT_EQ(messageOf([&] { promoteOperands(emitter, None{}, argument("int8")); }),
            "expected a tensor or a number, got None");
}

TEST_F(PromoteTest, TypesOfNumbers) {
  auto name = [&](const Value &value) { return toTensor(emitter, value).type.name(); };
  EXPECT_EQ(name(true), "int1");
  EXPECT_EQ(name(Integer(1) << 30), "int32");
  EXPECT_EQ(name(Integer(1) << 31), "uint32");
  EXPECT_EQ(name(-(Integer(1) << 31) - 1), "int64");
  EXPECT_EQ(name(Integer(1) << 63), "uint64");
  EXPECT_EQ(name(1e30), "fp32");
  EXPECT_EQ(name(1e39), "fp64");
  EXPECT_EQ(name(1e-40), "fp64");
  EXPECT_EQ(name(0.0), "fp32");
  EXPECT_EQ(name(std::numeric_limits<double>::infinity()), "fp32");
  EXPECT_EQ(messageOf([&] { toTensor(emitter, Integer(1) << 64); }),
            "integer `18446744073709551616` does not fit in 64 bits");
}

} // namespace
