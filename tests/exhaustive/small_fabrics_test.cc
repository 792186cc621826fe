// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every PGFT of up to three levels, arities up to 3 and up to two parallel links, whole and with each single link and
// each single switch gone, through every engine: verify() must find nothing. All drawn oddities likewise, with LMC.
//
// By default each damaged PGFT meets two engines, dmodc and one other; with ESPALIER_EVERY_ENGINE set, as the campaign
// does, all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <random>

#include "core/analysis/soundness/verify.h"
#include "core/base/parallel.h"
#include "core/engines/engines.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/engines.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

// Every combination of `count` numbers from 1 .. most.
std::vector<std::vector<unsigned>> tuples(unsigned count, unsigned most) {
  std::vector<std::vector<unsigned>> all{{}};
  for (unsigned i = 0; i < count; ++i) {
    std::vector<std::vector<unsigned>> longer;
    for (const auto& head : all)
      for (unsigned value = 1; value <= most; ++value) {
        longer.push_back(head);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<PgftSpec> all_small_specs() {
  std::vector<PgftSpec> specs;
  for (unsigned h = 1; h <= 3; ++h)
    for (const auto& m : tuples(h, 3))
      for (const auto& w : tuples(h, 3))
        for (const auto& p : tuples(h, 2))
          if (w[0] == 1 && p[0] == 1) specs.push_back({h, m, w, p});  // a host has one port
  return specs;
}

// What verify() says against the tables of `engine`; empty: nothing, or an engine for perfect trees declined.
std::string complaint(const Fabric& fabric, std::string_view engine) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return tree.error().text();
  const Result<Routing> routing = make_engine(engine)->route(*tree);
  if (!routing) return test::may_decline(engine) ? "" : routing.error().text();
  return test::complaint(verify(fabric, routing->tables, routing->lanes));
}

// Which engines route a fabric.
enum class Engines : std::uint8_t { kAll, kSample };

std::vector<std::string_view> chosen(Engines engines, const std::string& what) {
  const auto all = engine_names();
  if (engines == Engines::kAll || std::getenv("ESPALIER_EVERY_ENGINE") != nullptr) return {all.begin(), all.end()};
  const auto sum = std::accumulate(what.begin(), what.end(), std::size_t{0}, [](std::size_t so_far, char c) {
    return so_far * 31 + static_cast<unsigned char>(c);
  });
  return {all[0], all[1 + sum % (all.size() - 1)]};
}

// Routes fabrics from many threads; remembers the first complaint and how many fabrics there were.
class Judge {
 public:
  explicit Judge(Engines engines = Engines::kAll) : engines_(engines) {}

  void ask(const Fabric& fabric, const std::string& what) {
    for (const std::string_view engine : chosen(engines_, what)) {
      ++asked_;
      const std::string said = complaint(fabric, engine);
      if (said.empty()) continue;
      const std::lock_guard lock(mutex_);
      if (first_.empty()) first_ = fmt::format("{} on {}: {}", engine, what, said);
    }
  }
  [[nodiscard]] std::size_t asked() const { return asked_; }
  [[nodiscard]] const std::string& first_complaint() const { return first_; }

 private:
  Engines engines_;
  std::atomic<std::size_t> asked_ = 0;
  std::mutex mutex_;
  std::string first_;
};

void ask_with_every_single_fault(Judge& judge, const Fabric& fabric, const std::string& what) {
  judge.ask(fabric, what);
  for (const SwitchId s : fabric.switches()) {
    judge.ask(without_switch(fabric, s), fmt::format("{} without {}", what, fabric.label(s)));
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
      const PortNum port = id_at<PortNum>(p);
      const Peer& peer = fabric.peer(s, port);
      if (peer.is_switch() && s < peer.as_switch())
        judge.ask(without_link(fabric, s, port), fmt::format("{} without port {} of {}", what, p, fabric.label(s)));
    }
  }
}

TEST(EverySmallPgft, IsRoutedSoundlyWholeAndWithEverySingleFault) {
  Judge judge(Engines::kSample);
  const auto specs = all_small_specs();
  parallel_for(specs.size(), [&](std::size_t number) {
    const PgftSpec& spec = specs[number];
    const Result<Fabric> fabric = generate_pgft(spec);
    if (!fabric) throw std::runtime_error(fabric.error().text());
    ask_with_every_single_fault(judge, test::with_lmc(*fabric, 0), spec.text());
  });
  EXPECT_EQ(judge.first_complaint(), "");
  EXPECT_GT(judge.asked(), 30000U);
}

TEST(EveryDrawnFabric, IsRoutedSoundlyWithEverySingleFaultAndEveryLmc) {
  Judge judge;
  for (const std::uint8_t lmc : std::initializer_list<std::uint8_t>{0, 1, 3})
    for (const auto& [name, fabric] : test::all_drawn_fabrics())
      ask_with_every_single_fault(judge, test::with_lmc(fabric, lmc), fmt::format("{} (LMC {})", name, lmc));
  EXPECT_EQ(judge.first_complaint(), "");
}

// Larger trees under heavy damage: up to half of all links, or a third of the switches above the leaves.
TEST(RandomlyDamagedPgft, IsRoutedSoundly) {
  Judge judge;
  const std::vector<std::string> specs{"2;4,9;1,4;1,1",
                                       "2;4,8;1,2;1,2",
                                       "3;4,3,6;1,4,3;1,1,1",
                                       "3;3,3,6;1,3,3;1,1,1",
                                       "3;4,4,4;1,2,2;1,2,2",
                                       "4;2,2,3,3;1,2,2,3;1,1,1,1",
                                       "4;2,2,2,2;1,2,2,2;1,1,2,1"};
  std::vector<std::uint64_t> seeds(60);
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = i;
  parallel_for(seeds.size(), [&](std::size_t number) {
    const std::uint64_t seed = seeds[number];
    for (const std::string& text : specs) {
      const Fabric whole = test::pgft(text, seed % 3 == 0 ? 1 : 0);
      std::size_t movable = 0;
      for (const SwitchId s : whole.switches()) movable += count_hosts(whole)[s] == 0;
      Damage damage;
      damage.seed = seed;
      damage.links = whole.num_switch_links() * (seed % 11) / 20;
      const Result<Fabric> fewer_links = degrade(whole, damage);
      judge.ask(*fewer_links, fmt::format("PGFT({}) without {} links (seed {})", text, damage.links, seed));
      damage.links = 0;
      damage.switches = movable * (seed % 7) / 20;
      judge.ask(*degrade(whole, damage),
                fmt::format("PGFT({}) without {} switches (seed {})", text, damage.switches, seed));
    }
  });
  EXPECT_EQ(judge.first_complaint(), "");
}

// Fabrics that are no tree at all: random graphs of 3 to 14 switches, some of them in several parts.
TEST(EveryRandomGraph, IsRoutedSoundly) {
  Judge judge;
  std::vector<unsigned> seeds(3000);
  for (unsigned i = 0; i < seeds.size(); ++i) seeds[i] = i;
  parallel_for(seeds.size(), [&](std::size_t number) {
    const unsigned seed = seeds[number];
    std::mt19937 generator(seed);
    const auto random = [&] { return static_cast<unsigned>(generator()); };
    const unsigned switches = 3 + random() % 12;
    std::string text;
    for (unsigned s = 0; s < switches; ++s) text += fmt::format("X{}:{} ", s, random() % 3);
    for (unsigned links = switches - 1 + random() % (2 * switches); links > 0; --links) {
      const unsigned a = random() % switches;
      const unsigned b = random() % switches;
      if (a != b) text += fmt::format("X{}-X{} ", a, b);
    }
    judge.ask(test::draw(text), text);
  });
  EXPECT_EQ(judge.first_complaint(), "");
}

}  // namespace
}  // namespace espalier
