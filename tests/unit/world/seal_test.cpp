// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/seal.hpp"

#include <gtest/gtest.h>

namespace starling::world {
namespace {

using transport::tcp::Secret;

Secret secret_of(int first) {
  Secret secret;
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return secret;
}

TEST(Seal, OpensWithTheSameKeyOnly) {
  const Secret secret = secret_of(1);
  const Secret key = secret_of(100);
  const Secret wrong = secret_of(101);
  Result<Seal> seal = Seal::close(secret, &key);
  ASSERT_TRUE(seal.ok()) << seal.status().message();
  EXPECT_NE(seal.value().sealed, secret);
  Result<Secret> opened = seal.value().open(&key);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened.value(), secret);
  Result<Secret> guessed = seal.value().open(&wrong);
  ASSERT_TRUE(guessed.ok());
  EXPECT_NE(guessed.value(), secret);
}

TEST(Seal, OfTheSameSecretLooksDifferentEachTime) {
  const Secret secret = secret_of(1);
  const Secret key = secret_of(100);
  Result<Seal> one = Seal::close(secret, &key);
  Result<Seal> other = Seal::close(secret, &key);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one.value().nonce, other.value().nonce);
  EXPECT_NE(one.value().sealed, other.value().sealed);
}

TEST(Seal, IsOpenWhereNobodyElseCanRead) {
  Result<Seal> seal = Seal::close(secret_of(1), nullptr);
  ASSERT_TRUE(seal.ok());
  EXPECT_EQ(seal.value().sealed, secret_of(1));
}

}  // namespace
}  // namespace starling::world
