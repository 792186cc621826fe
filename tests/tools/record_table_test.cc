// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::ordered_json record_of(const char* via, double worst_shift) {
  return {{"fabric", "tree"}, {"outcome", "routed"}, {"engine", "balanced"}, {"via", via}, {"mu_sp_max", worst_shift}};
}

TEST(RecordTable, TellsAnEngineInOpenSmFromTheSameInTheLibrary) {
  const std::string text = record_table({record_of("library", 3), record_of("plugin", 5), record_of("library", 3)});
  EXPECT_THAT(text, HasSubstr("tree                 none         balanced                   -       -            3 "));
  EXPECT_THAT(text, HasSubstr("tree                 none         balanced in OpenSM         -       -            5 "));
}

TEST(RecordTable, NamesWhatOpenSmWentOnWith) {
  nlohmann::ordered_json record = record_of("opensm", 7);
  record["engine"] = "ftree";
  record["engine_used"] = "minhop";
  EXPECT_THAT(record_table({record}), HasSubstr("ftree -> minhop "));
  EXPECT_THAT(record_table({record}), HasSubstr("A -> B: A declined, and OpenSM used B."));
}

TEST(RecordTable, TakesFabricsOfOneNameForDifferentOnes) {
  nlohmann::ordered_json one = record_of("library", 3), other = record_of("library", 5);
  one["fingerprint"] = "1234567890abcdef";
  other["fingerprint"] = "fedcba0987654321";
  const std::string text = record_table({one, other});
  EXPECT_THAT(text, HasSubstr("tree 1234            none         balanced                   -       -            3 "));
  EXPECT_THAT(text, HasSubstr("tree fedc            none         balanced                   -       -            5 "));
}

TEST(RecordTable, SaysInWhatRunsDifferBesidesTheDraw) {
  nlohmann::ordered_json usual = record_of("library", 3), all = record_of("library", 5);
  usual["order"] = "names";
  all["order"] = "names";
  all["lid_offset"] = "all";
  const std::string text = record_table({usual, all});
  EXPECT_THAT(text, HasSubstr(" balanced                   -       -            3 "));
  EXPECT_THAT(text, HasSubstr(" balanced, LID offset all       -       -            5 "));
}

TEST(RecordTable, HasTheMedianOfAnEvenNumberOfDraws) {
  nlohmann::ordered_json one = record_of("library", 2), other = record_of("library", 5);
  other["trial"] = 1;
  EXPECT_THAT(record_table({one, other}), HasSubstr(" 3.50 "));
}

TEST(RecordTable, HasTheLastRecordOfARunThatWasRepeated) {
  EXPECT_THAT(record_table({record_of("library", 2), record_of("library", 5)}), HasSubstr("            5 "));
}

TEST(RecordTable, ForgetsAFailureThatWasRepeatedWithSuccess) {
  nlohmann::ordered_json failed = record_of("opensm", 0);
  failed["outcome"] = "failed";
  failed["reason"] = "too slow";
  EXPECT_THAT(record_table({failed}), HasSubstr("failed: too slow"));
  EXPECT_THAT(record_table({failed, record_of("opensm", 4)}), Not(HasSubstr("failed")));
}

}  // namespace
}  // namespace espalier::tools
