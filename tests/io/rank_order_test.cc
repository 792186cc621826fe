// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/rank_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(std::string_view text) {
  const std::vector<HostWord> hosts = read_rank_order(text, "hosts").value();
  std::vector<std::string> list;
  for (const HostWord& host : hosts) list.push_back(host.name);
  return list;
}

TEST(RankOrder, OfAListIsThatOfTheFirstMentions) {
  EXPECT_THAT(names("b\na\n# remark\n\nb\nc.site.org  # last\n"), ElementsAre("b", "a", "c.site.org"));
  EXPECT_EQ(read_rank_order("x\n\ny\n", "hosts").value()[1], (HostWord{"y", 3}));
}

TEST(RankOrder, OfSlurmsShortFormIsThatOfItsRanges) {
  EXPECT_THAT(names("n[01-03,07],login1"), ElementsAre("n01", "n02", "n03", "n07", "login1"));
  EXPECT_THAT(names("r[1-2]n[9-10]x"), ElementsAre("r1n9x", "r1n10x", "r2n9x", "r2n10x"));
  EXPECT_THAT(expand_host_list("a,b[1],c").value(), ElementsAre("a", "b1", "c"));
}

TEST(RankOrder, OfAnMpiHostfileLeavesSlotsOut) {
  EXPECT_THAT(names("n2 slots=4 max_slots=8\nn1:4\nn2 slots=4\n"), ElementsAre("n2", "n1"));
}

TEST(RankOrder, OfARankfileFollowsTheRanks) {
  EXPECT_THAT(names("rank 2=n1 slot=0\nrank 0=n3 slot=0-1\nrank 1=n3 slot=2\nrank 10 = n2 slot=0"),
              ElementsAre("n3", "n1", "n2"));
}

TEST(RankOrder, TakesTheGuidOfAGuidFileAndLeavesItsRemark) {
  EXPECT_THAT(names("0x10 H-10/U1\n0x11\n"), ElementsAre("0x10", "0x11"));
}

TEST(RankOrder, TakesNamesInQuotesAsTheyAre) {
  EXPECT_THAT(names("\"node 01 HCA-1\"\nnode02 \"node 03\"  # a \"remark\n"),
              ElementsAre("node 01 HCA-1", "node02", "node 03"));
  EXPECT_THAT(names("n[1-2],\"a [1-2], b:c=d #4\",n3"), ElementsAre("n1", "n2", "a [1-2], b:c=d #4", "n3"));
  EXPECT_THAT(names("\"node 01\" slots=4\n\"node 02\":4"), ElementsAre("node 01", "node 02"));
  EXPECT_THAT(names("rank 1=\"node 01 # 1\" slot=0\nrank 0 = \"node 02\""), ElementsAre("node 02", "node 01 # 1"));
  EXPECT_THAT(names("a\"b user=\"x"), ElementsAre("a\"b"));
}

TEST(RankOrder, RefusesQuotesThatMakeNoSense) {
  const auto refusal = [](std::string_view text) { return read_rank_order(text, "f").error().text(); };
  EXPECT_THAT(refusal("a\n\"node 01\nb\""), HasSubstr("f:2: a closing quote is missing in \"node 01; write"));
  EXPECT_THAT(refusal("rank 0=\"node 01 slot=0"),
              HasSubstr("f:1: a closing quote is missing in \"node 01 slot=0; write"));
  EXPECT_THAT(refusal("\"node 01\"b"), HasSubstr("unexpected \"b\" behind \"node 01\""));
  EXPECT_THAT(refusal("a,\"\""), HasSubstr("no name between two quotes"));
}

TEST(RankOrder, RefusesWhatMakesNoSenseByFileAndLine) {
  for (const char* bad :
       {"a\nn[1-", "a\nn]1", "a\nn[3-1]", "a\nn[x]", "a\nn[]", "a\nn[1-999999999]", "a\nn[1-99999999999999]",
        "a\nn[0-999]m[0-999]", "a\nn[1-60000,1-60000]", "a\nrank 0=b slot=0"}) {
    const auto result = read_rank_order(bad, "hosts");
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().file, "hosts") << bad;
    EXPECT_EQ(result.error().line, 2) << bad;
  }
  EXPECT_THAT(read_rank_order("rank 1=a slot=0\nrank 1=b slot=0", "f").error().text(), HasSubstr("f:2: rank 1"));
  EXPECT_THAT(read_rank_order("# nobody\n", "f").error().text(), HasSubstr("no host"));
}

}  // namespace
}  // namespace espalier::test
