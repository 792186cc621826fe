// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Faults that come one by one, and go: repaired tables with lanes are sound after each, do not depend on how it came to that,
// and are those of the reference when all is back.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/faults.h"
#include "core/fabric/random_order.h"
#include "core/repair/repairable_reference.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/shuffled_guids.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

struct SequenceCase {
  std::string kind, spec, engine;
  unsigned vls;
  std::uint8_t lmc;

  [[nodiscard]] std::string name() const {
    return kind + " " + spec + " " + engine + " on " + std::to_string(vls) + ", LMC " + std::to_string(lmc);
  }
};

const std::vector<SequenceCase>& sequence_cases() {
  static const std::vector<SequenceCase> all{{"dragonfly", "2,4,2,9", "dragonfly", 2, 0},
                                             {"dragonfly", "2,4,2,9", "dragonfly-rlm", 3, 1},
                                             {"dragonfly", "2,4,2,9", "dragonfly-rlm", 4, 2},
                                             {"dragonfly", "2,4,2,9", "layers", 2, 1},
                                             {"dragonfly", "2,6,2,9;2,3,1,1", "dragonfly", 4, 0},
                                             {"dragonfly", "2,6,2,9;2,3,1,1", "dragonfly-rlm", 4, 1},
                                             {"megafly", "5;4,4,4;2", "dragonfly", 4, 0},
                                             {"torus", "4,4,2", "layers", 2, 1},
                                             {"hyperx", "3,4;2,1;2", "layers", 3, 1},
                                             {"slimfly", "5,2", "layers", 2, 0},
                                             {"jellyfish", "24,4,2", "layers", 2, 2},
                                             {"jellyfish", "30,3,2", "layers", 1, 0}};
  return all;
}

// What is gone, of a fabric from which links, switches and end ports are taken and given back at random.
class Sequence {
 public:
  Sequence(const Fabric& whole, std::uint64_t seed) : whole_(whole), random_(seed, "sequence") {
    for (const SwitchId s : whole.switches())
      for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p)
        if (const Peer& peer = whole.peer(s, id_at<PortNum>(p)); peer.is_switch() && index(s) < peer.id)
          links_.push_back(whole.channel(s, id_at<PortNum>(p)));
  }

  void step() {
    const std::uint64_t what = random_.below(10);
    if (what < 7) return change(gone_.links, links_[random_.below(links_.size())]);
    if (what < 8) return change(gone_.switches, id_at<SwitchId>(random_.below(whole_.num_switches())));
    change(gone_.endports, id_at<EndportId>(random_.below(whole_.num_endports())));
  }
  [[nodiscard]] Fabric now() const { return without(whole_, gone_); }

 private:
  template <class Id>
  static void change(std::vector<Id>& gone, Id id) {
    if (const auto at = std::find(gone.begin(), gone.end(), id); at != gone.end())
      gone.erase(at);
    else
      gone.push_back(id);
  }

  const Fabric& whole_;
  RandomOrder random_;
  std::vector<ChannelId> links_;
  Removal gone_;
};

void expect_same_levels(const Fabric& fabric, const Lanes& one, const Lanes& other, const std::string& what) {
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid)
      ASSERT_EQ(one.sl(fabric.at(s).lid, id_at<Lid>(lid)), other.sl(fabric.at(s).lid, id_at<Lid>(lid))) << what;
}

void run_sequence(const SequenceCase& c, std::uint64_t seed) {
  const Fabric whole = test::with_shuffled_guids(test::generated(c.kind, c.spec, c.lmc, 1001), seed);
  const Reference reference = test::reference_on_lanes(whole, c.engine, c.vls);
  const auto prepared = prepare(Reference(reference));
  Sequence sequence(whole, seed);
  for (int i = 1; i <= 30; ++i) {
    const std::string what = c.name() + ", seed " + std::to_string(seed) + ", step " + std::to_string(i);
    sequence.step();
    const Fabric now = sequence.now();
    const auto repaired = prepared->patch(now, {});
    ASSERT_TRUE(repaired) << what << ": " << repaired.error().text();
    EXPECT_EQ(test::complaint(verify(now, repaired->tables.whole(), repaired->lanes)), "") << what;
    EXPECT_LE(repaired->lanes->num_vls(), reference.lanes->num_vls()) << what;
    if (i % 10 != 0) continue;
    const auto again = prepare(Reference(reference))->patch(now, {});
    ASSERT_TRUE(again) << what;
    EXPECT_EQ(again->tables.whole(), repaired->tables.whole()) << what;
    expect_same_levels(now, *again->lanes, *repaired->lanes, what);
  }
  const auto back = prepared->patch(whole, {});
  ASSERT_TRUE(back) << c.name();
  EXPECT_EQ(back->tables.whole(), reference.tables) << c.name();
  expect_same_levels(whole, *back->lanes, *reference.lanes, c.name());
}

TEST(LanesInSequence, are_sound_whatever_came_before) {
  for (const SequenceCase& c : sequence_cases()) run_sequence(c, 1);
}

}  // namespace
}  // namespace espalier
