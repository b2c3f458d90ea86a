// The examples of FIPS 180-4, and every length around the size of a block, fed in pieces.
#include "support/Sha256.h"

#include <gtest/gtest.h>

namespace nereid {

TEST(Sha256, examplesOfTheStandard) {
  EXPECT_EQ(hexText(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexText(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexText(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexText(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, piecesGiveTheSameAsTheWhole) {
  for (size_t size = 0; size < 200; ++size) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>(i * 7);
    for (size_t step : {1, 3, 63, 64, 65}) {
      Sha256 hash;
      for (size_t i = 0; i < size; i += step)
        hash.update(std::string_view(text).substr(i, step));
      EXPECT_EQ(hash.finish(), sha256(text)) << size << " in steps of " << step;
    }
  }
}

TEST(Sha256, fieldsDoNotRunTogether) {
  Sha256 a, b;
  a.field("ab"), a.field("c");
  b.field("a"), b.field("bc");
  EXPECT_NE(a.finish(), b.finish());
}

} // namespace nereid
