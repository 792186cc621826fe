// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Options of `espalier simulate --packets` that would do nothing beside the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;

class IdlePacketOptions : public EspalierCommand {
 protected:
  void SetUp() override { run_well("generate dragonfly 2,4,2,9 -o net"); }
  [[nodiscard]] std::string refusal(const std::string& arguments) const {
    const Outcome outcome = run("simulate --packets " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.err;
  }
};

TEST_F(IdlePacketOptions, refuses_what_would_do_nothing) {
  run_well("route net --engine dragonfly -o lfts");
  for (const auto& [arguments, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"net lfts --policy rlm --load 0.1", "LFTS is for packets that follow tables"},
           {"net --engine dragonfly --policy rlm --load 0.1", "--engine is for packets that follow tables"},
           {"net --policy rlm --lid-offset all --load 0.1", "--lid-offset is for packets that follow tables"},
           {"net --policy adaptive --table-bias 0.1 --load 0.1", "--table-bias is for --policy adaptive with LFTS"},
           {"net --policy rlm --flit-phits 2 --load 0.1", "--flit-phits is for --switching wormhole"},
           {"net --policy rlm --switch-rate 0.5 --load 0.1", "--switch-rate is for --with-switches"},
           {"net --policy rlm --gbps 200 --load 0.1", "--gbps is for flows"},
           {"net --policy rlm --bytes 9 --load 0.1", "--bytes is for --patterns and --schedule"},
           {"net --policy rlm --host-order lid --load 0.1", "--host-order is for --patterns"},
           {"net --policy rlm --patterns sp --traffic un", "--traffic is for packets without --patterns"},
           {"net --policy rlm --patterns sp --schedule s", "--patterns and --schedule are two kinds of traffic"},
           {"net --policy rlm --change-over 9 --load 0.1", "--change-over requires --then"},
           {"net --classify --policy rlm --traffic shift:8 --load 1", "--policy is for simulations"},
           {"net --classify --tpr-limit 1 --traffic shift:8 --load 1", "--tpr-limit is for simulations"},
           {"net --classify --preset faizian --traffic shift:8 --load 1", "--preset is for simulations"}})
    EXPECT_THAT(refusal(arguments), HasSubstr(why)) << arguments;
}

TEST_F(IdlePacketOptions, names_the_policies_that_go_by_a_parameter) {
  for (const auto& [parameter, why] : std::initializer_list<std::pair<const char*, std::string>>{
           {"--threshold 0.5", " is for --policy par-6/2, rlm, rlm-no-table, olm and contention-hybrid; omit it"},
           {"--occupancy port", " is for --policy pb, ugal-l, ugal-g, crt, par, par-6/2, rlm, "},
           {"--divert-when full", " is for --policy par-6/2, rlm, "},
           {"--global-misroute both", " is for --policy par-6/2, rlm, "},
           {"--last-hop-vc emptiest", " is for --policy par-6/2, rlm, rlm-no-table and olm; omit it"},
           {"--measure phits", " is for --policy pb, ugal-l, ugal-g, crt, par and tpr; omit it"},
           {"--weight hops", " is for --policy pb, ugal-l, crt, par and tpr; omit it"},
           {"--ugal-offset 4", " is for --policy pb, ugal-l, ugal-g, crt and par; omit it"},
           {"--pb-offset 4", " is for --policy pb; omit it"},
           {"--pb-period 4", " is for --policy pb and contention-ectn; omit it"},
           {"--tpr-limit 1", " is for --policy tpr; omit it"},
           {"--tpr-most-offset 9", " is for --policy tpr; omit it"},
           {"--contention-limit 4", " is for --policy contention-base, contention-hybrid and contention-ectn; omit it"},
           {"--record-paths p", " is for --policy pb, ugal-l, ugal-g, crt and tpr; omit it"}})
    EXPECT_THAT(refusal(std::string("net --policy valiant --load 0.1 ") + parameter),
                HasSubstr(std::string(parameter).substr(0, std::string_view(parameter).find(' ')) + why));
  EXPECT_THAT(refusal("net --policy min --load 0.1 --valiant router"),
              HasSubstr("--valiant is for --policy valiant, pb, ugal-l, ugal-g, crt and tpr; omit it"));
}

}  // namespace
}  // namespace espalier::test
