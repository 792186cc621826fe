// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::tools {
namespace {

using ::testing::HasSubstr;

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
}

}  // namespace
}  // namespace espalier::tools
