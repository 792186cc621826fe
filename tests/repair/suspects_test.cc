// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/suspects.h"

#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "core/repair/new_paths/path_chooser.h"
#include "tests/repair/begun_repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

struct Found {
  std::size_t searched = 0, suspects = 0, others = 0;
};

// The paths of all who are not suspected lead to their end, over steps that are allowed.
void look_for_suspects(const PreparedReference& reference, const Fabric& now, Found& found) {
  test::BegunRepair repair(reference, now);
  WorkingState& state = repair.state;
  OpenEntries& open = repair.open;
  PathChooser(state, open).run();
  const SwitchLists lost_paths = find_lost_paths(state);
  const LostPairs pairs(state, open, lost_paths, LostTurns::kOfUnmended);
  Suspects suspects(state, pairs);
  const auto arrives = [&](SwitchId s, std::size_t lid) {
    const SwitchId t = reference.destination(lid);
    while (!state.reaches(s, t)) {
      const ChannelId c = state.channel(s, state.entry(s, lid));
      if (c == kNoChannel) return false;
      s = reference.far(c);
      if (s != t && !pairs.order().has(c, state.entry(s, lid))) return false;
    }
    return true;
  };
  for (const std::uint32_t lid : pairs.lids()) {
    if (!suspects.find(lid)) continue;
    ++found.searched;
    found.suspects += suspects.found().size();
    for (const SwitchId s : reference.fabric().switches()) {
      const auto& those = suspects.found();
      if (!state.is_alive(s) || state.reaches(s, reference.destination(lid)) ||
          std::find(those.begin(), those.end(), s) != those.end())
        continue;
      ++found.others;
      EXPECT_TRUE(arrives(s, lid)) << reference.fabric().label(s) << " to LID " << lid;
    }
  }
}

TEST(Suspects, are_all_who_have_lost_their_path) {
  // Where links are parallel, a leaf can lose the port that packets turn to, and send on by another.
  for (const char* spec : {"3;8,6,10;1,8,3;1,1,1", "3;4,6,6;1,6,2;1,2,1"}) {
    const Fabric whole = test::pgft(spec);
    const PreparedReference reference(test::reference_by(whole, "balanced"));
    Found found;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      look_for_suspects(reference, degrade(whole, {.links = 1, .seed = seed}).value(), found);
      look_for_suspects(reference, degrade(whole, {.links = 4, .seed = seed}).value(), found);
      look_for_suspects(reference, degrade(whole, {.switches = 1, .seed = seed}).value(), found);
    }
    EXPECT_GT(found.searched, 100U);
    EXPECT_GT(found.others, 5 * found.suspects);
  }
}

}  // namespace
}  // namespace espalier
