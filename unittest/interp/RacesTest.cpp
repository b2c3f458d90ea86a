// RacesTest.cpp: which accesses of two programs are ordered.
#include "interp/check/Races.h"

#include <gtest/gtest.h>

using nereid::interp::Races;

namespace {

constexpr uint64_t kMemory = 4096, kLock = 8192;

struct RacesTest : testing::Test {
  RacesTest() { races.addMemory(kMemory, 64); }
  Races races{4};
};

TEST_F(RacesTest, ReadsDoNotRace) {
  EXPECT_FALSE(races.read(0, 1, kMemory, 4));
  EXPECT_FALSE(races.read(1, 1, kMemory, 4));
}

TEST_F(RacesTest, WritesOfTwoProgramsRace) {
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  EXPECT_FALSE(races.write(0, 2, kMemory, 4));
  auto conflict = races.write(1, 3, kMemory, 4);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->program, 0u);
  EXPECT_EQ(conflict->fact, 2u);
  EXPECT_TRUE(conflict->isWrite);
}

TEST_F(RacesTest, NeighboursDoNotRace) {
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  EXPECT_FALSE(races.write(1, 1, kMemory + 4, 4));
  EXPECT_TRUE(races.write(2, 1, kMemory, 8));
}

TEST_F(RacesTest, AWriteRacesWithAnEarlierReaderThoughTheWriterReadLast) {
  EXPECT_FALSE(races.read(0, 1, kMemory, 4));
  EXPECT_FALSE(races.read(1, 2, kMemory, 4));
  auto conflict = races.write(1, 3, kMemory, 4);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->program, 0u);
  EXPECT_FALSE(conflict->isWrite);
}

TEST_F(RacesTest, ReleaseAndAcquireOrder) {
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  races.release(0, kLock);
  races.acquire(1, kLock);
  EXPECT_FALSE(races.read(1, 2, kMemory, 4));
}

TEST_F(RacesTest, OrderPassesOnThroughAThirdProgram) {
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  races.release(0, kLock);
  races.acquire(1, kLock);
  races.release(1, kLock + 4);
  races.acquire(2, kLock + 4);
  EXPECT_FALSE(races.write(2, 2, kMemory, 4));
}

TEST_F(RacesTest, WhatComesAfterTheReleaseIsNotOrdered) {
  races.release(0, kLock);
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  races.acquire(1, kLock);
  EXPECT_TRUE(races.read(1, 2, kMemory, 4));
}

TEST_F(RacesTest, AnotherLockDoesNotOrder) {
  EXPECT_FALSE(races.write(0, 1, kMemory, 4));
  races.release(0, kLock);
  races.acquire(1, kLock + 4);
  EXPECT_TRUE(races.touchAtomically(1, kMemory, 4));
}

} // namespace
