// ProfileApiTest.cpp: profiles from C++ and C: sessions, scopes, what they give, what is refused.
#include "nereid/nereid.hpp"
#include "nereid/profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace nereid;

static constexpr const char *kFill = R"(
import triton
import triton.language as tl

@triton.jit
def fill(x_ptr, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, value, mask=i < n)
)";

namespace {
class ProfileApi : public ::testing::Test {
protected:
  void SetUp() override {
    auto module = Module::parse("fill.py", kFill);
    ASSERT_TRUE(module) << module.error().message;
    auto found = module->kernel("fill");
    ASSERT_TRUE(found) << found.error().message;
    kernel.emplace(std::move(*found));
    kernel->on(Device::cpu());
  }
  void fill(const Tensor &x) {
    auto done = (*kernel)(4, x, 100, 2.5, named("BLOCK", 32));
    ASSERT_TRUE(done) << done.error().message;
  }
  std::optional<Kernel> kernel;
};

void expectHas(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in: " << text;
}
} // namespace

TEST_F(ProfileApi, ASession) {
  auto x = Tensor::zeros(DType::Fp32, {4, 25});
  fill(*x);
  Profile profile;
  ASSERT_TRUE(profile.begun());
  {
    ProfileScope scope("work");
    fill(*x);
    fill(*x);
  }
  profile.end();
  fill(*x);
  auto table = profile.table();
  ASSERT_TRUE(table);
  expectHas(*table, "fill       cpu      2 ");
  expectHas(*table, "\nwork");
  expectHas(*table, "2 launches:");
  expectHas(*profile.json(),
            R"({"name":"x_ptr","type":"*f32","shape":[4,25]},{"name":"n","type":"int","value":"100"},)"
            R"({"name":"value","type":"float","value":"2.5"},{"name":"BLOCK","type":"constexpr","value":"32"})");
  expectHas(*profile.records(), R"("grid":[4,1,1])");
}

TEST_F(ProfileApi, Files) {
  auto x = Tensor::zeros(DType::Fp32, {100});
  Profile profile;
  fill(*x);
  std::string path = std::filesystem::temp_directory_path() / ("profile-api-" + std::to_string(getpid()));
  EXPECT_TRUE(profile.write(path + ".json")); // while it goes on
  profile.end();
  EXPECT_TRUE(profile.write(path + ".html"));
  for (const char *ending : {".json", ".html"}) {
    std::ifstream file(path + ending);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    expectHas(text, "\"name\":\"fill\",\"cat\":\"kernel\"");
    std::filesystem::remove(path + ending);
  }
  auto wrong = profile.write(path + ".txt");
  ASSERT_FALSE(wrong);
  expectHas(wrong.error().message, "a profile is written to a file `….json` (a trace) or `….html` (a page)");
  EXPECT_EQ(profile.write("/nowhere/at/all.json").error().status, Status::Environment);
}

TEST_F(ProfileApi, WhatIsRefused) {
  EXPECT_EQ(nereid_profile_end(), NEREID_BAD_INPUT);
  expectHas(nereid_last_error(), "there is no profile to end");
  EXPECT_EQ(nereid_profile_scope_begin(nullptr), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_profile_scope_end(), NEREID_OK); // nobody profiles
  Profile profile;
  EXPECT_EQ(nereid_profile_scope_end(), NEREID_BAD_INPUT);
  expectHas(nereid_last_error(), "there is no scope to end on this thread");
  Profile second;
  EXPECT_FALSE(second.begun());
  EXPECT_FALSE(second.table());
  expectHas(second.begun().error().message, "a profile goes on already");
  char *text = nullptr;
  EXPECT_EQ(nereid_profile_text("picture", &text), NEREID_BAD_INPUT);
  expectHas(nereid_last_error(), "the forms `table`, `json` and `records`, not `picture`");
  EXPECT_EQ(nereid_profile_text("table", nullptr), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_profile_write(nullptr), NEREID_BAD_INPUT);
  EXPECT_EQ(*profile.table(), "no kernel was launched\n");
}
