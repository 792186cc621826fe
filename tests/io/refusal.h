// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What readers refuse, with the words in which they do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/result.h"

namespace espalier::test {

struct BadText {
  std::string text;
  const char* error;  // begins so

  friend void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.error; }
};

class Refusal : public ::testing::TestWithParam<BadText> {
 protected:
  template <typename Value>
  void expect_refused(const Result<Value>& value) const {
    ASSERT_FALSE(value);
    EXPECT_THAT(value.error().text(), ::testing::StartsWith(GetParam().error));
  }
};

}  // namespace espalier::test
