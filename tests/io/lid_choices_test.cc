// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/choices/lid_choices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/fabric_builder.h"
#include "core/io/lists/lid_choices_file.h"
#include "tests/support/drawing.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;

constexpr EndportId kA{0}, kB{1}, kC{2}, kD{3};

Fabric four_hosts(std::uint8_t lmc) {
  FabricBuilder builder(draw("L0:2 L1:2 L0-S0 L1-S0"));
  EXPECT_TRUE(builder.assign_lids(lmc, FabricBuilder::Numbering::kRenumber).has_value());
  return std::move(builder).build().value();
}

TEST(LidChoices, BelongToClassesUnlessAPairHasItsOwn) {
  LidChoices choices(4, 2, 1);
  EXPECT_EQ(choices.at(kA, kB), (LidChoiceList{{0, 1}}));
  const std::uint32_t list = choices.add_list({{0, 1}, {1, 4}});
  EXPECT_EQ(choices.add_list({{0, 1}, {1, 4}}), list);
  choices.set_source_class(kB, 1);
  choices.use(1, 0, list);
  choices.use_between(kB, kD, choices.add_list({{3, 0.5}}));
  EXPECT_EQ(choices.list_of(kA, kC), 0U);
  EXPECT_EQ(choices.list_of(kB, kC), list);
  EXPECT_EQ(choices.at(kB, kD), (LidChoiceList{{3, 0.5}}));
}

TEST(LidChoices, BecomeLidsAndServiceLevelsAndSharesOfOne) {
  const Fabric fabric = four_hosts(1);
  LidChoices choices(fabric.num_endports());
  choices.use(0, 0, choices.add_list({{0, 1}, {1, 3}}));
  ServiceLevels levels(fabric.top_lid(), 1, 2);
  const Lid second = lid_at_offset(fabric.at(kC).lid, 1);
  levels.set_destination_class(second, 1);
  levels.set(0, 1, 7);
  LaneMaps maps(fabric);
  maps.add_map(1);
  const Lanes lanes(levels, maps);
  EXPECT_EQ(weighted_paths(fabric, choices, &lanes, kA, kC),
            (std::vector<WeightedPath>{{fabric.at(kC).lid, 0, 0.25}, {second, 7, 0.75}}));
}

TEST(LidChoices, AreReadAsTheyWereWritten) {
  const Fabric fabric = four_hosts(2);
  LidChoices choices(fabric.num_endports(), 2, 3);
  for (const EndportId e : fabric.endports()) {
    choices.set_source_class(e, static_cast<std::uint32_t>(index(e) / 2));
    choices.set_destination_class(e, static_cast<std::uint32_t>(index(e) % 3));
  }
  choices.use(1, 1, choices.add_list({{0, 1}, {1, 4}, {3, 4}}));
  choices.use(1, 2, choices.add_list({{2, 0.25}}));
  choices.use_between(kD, kA, choices.add_list({{1, 0.3}, {2, 0.7}}));
  const std::string text = write_lid_choices(fabric, choices);
  EXPECT_TRUE(has_lid_choices(text));
  const LidChoices again = read_lid_choices(text, "f", fabric).value();
  for (const EndportId from : fabric.endports())
    for (const EndportId to : fabric.endports()) EXPECT_EQ(again.at(from, to), choices.at(from, to));
  EXPECT_EQ(write_lid_choices(fabric, again), text);
}

TEST(LidChoices, OfPairsAloneNeedNoClasses) {
  const Fabric fabric = four_hosts(1);
  const auto guid = [&](EndportId e) { return fmt::format("0x{:x}", index(fabric.at(e).port_guid)); };
  const std::string text = "# by throughput --weights\n" + guid(kA) + " " + guid(kC) +
                           " 0:0.25 1:0.75  # a to c\n0xdead " + guid(kA) + " 1:1\n";
  EXPECT_TRUE(has_lid_choices(text));
  EXPECT_FALSE(has_lid_choices("a b 3\n"));
  EXPECT_FALSE(has_lid_choices("0x1 1/2 0/2\n"));
  const LidChoices choices = read_lid_choices(text, "f", fabric).value();
  EXPECT_EQ(choices.at(kA, kC), (LidChoiceList{{0, 0.25}, {1, 0.75}}));
  EXPECT_EQ(choices.at(kC, kA), (LidChoiceList{{0, 1}}));
}

TEST(LidChoices, RefuseWhatMakesNoSenseByFileAndLine) {
  const Fabric fabric = four_hosts(1);
  for (const char* bad : {"choices 2 2",   "list 2: 0:1",    "list 1: 0:1 0:2",    "list 1: 128:1",
                          "list 1: 0:0",   "list 1: 0:-1",   "list 1: 0:nan",      "list 1:",
                          "source 2: 0x1", "source 1: host", "destination 2: 0x1", "use 2: 0 0",
                          "use 0: 0",      "use 0: 0*3",     "use 0: 1 0",         "use 0 0 0",
                          "0x1 0:1",       "0x1 0x2",        "0x1 0x2 1",          "what 1: 2",
                          "list",          "choices"})
    EXPECT_THAT(read_lid_choices(std::string("choices 2 2\n") + bad, "f", fabric).error().text(), HasSubstr("f:2: "))
        << bad;
  EXPECT_THAT(read_lid_choices("use 0: 0\nuse 0: 0", "f", fabric).error().text(), HasSubstr("f:2: "));
  EXPECT_THAT(read_lid_choices("choices 49152 49152", "f", fabric).error().text(), HasSubstr("f:1: "));
}

}  // namespace
}  // namespace espalier::test
