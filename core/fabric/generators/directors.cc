// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/directors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"

namespace espalier {
namespace {

using SwitchHandle = FabricBuilder::SwitchHandle;

// Of the core that has most.
unsigned leaves_of_core(const DirectorsSpec& spec) { return (spec.leaves + spec.cores - 1) / spec.cores; }

// What follows from a spec.
struct Plan {
  unsigned outside;          // ports of a line card to leaves; half the radix
  unsigned blocks;           // of leaves, in each core
  unsigned cards_per_block;  // in each director of their core
  unsigned cards;            // in use, in each director
  unsigned middles;          // of each director; 0 with two stages
  unsigned spines;           // of each director
};

// What the numbers must be before anything can be computed from them.
Status check_numbers(const std::string& name, const DirectorsSpec& spec) {
  if (std::min({spec.leaves, spec.hosts, spec.uplinks, spec.directors, spec.cores}) < 1)
    return fail(fmt::format("{}: all numbers except that of horizontal cables must be 1 or more", name));
  if (spec.radix < 2 || spec.radix % 2 != 0)
    return fail(fmt::format("{}: chips with {} ports cannot have half of them up", name, spec.radix));
  if (spec.stages != 2 && spec.stages != 3)
    return fail(fmt::format("{}: directors have 2 or 3 stages, not {}", name, spec.stages));
  if (spec.directors % spec.cores != 0)
    return fail(fmt::format("{}: {} cannot be divided into {}", name, counted(spec.directors, "director"),
                            counted(spec.cores, "core")));
  if (spec.uplinks % (spec.directors / spec.cores) != 0)
    return fail(fmt::format("{}: {} of a leaf cannot be spread evenly over {}", name, counted(spec.uplinks, "uplink"),
                            counted(spec.directors / spec.cores, "director")));
  if (spec.horizontal > 0 && spec.leaves % 2 != 0)
    return fail(fmt::format("{}: {} cannot be cabled in pairs", name, counted(spec.leaves, "leaf", "leaves")));
  return {};
}

Result<Plan> make_plan(const DirectorsSpec& spec) {
  const std::string name = fmt::format("directors({})", spec.text());
  ESPALIER_TRY_STATUS(check_numbers(name, spec));
  ESPALIER_TRY_STATUS(check_ports(name, "a leaf", std::uint64_t{spec.hosts} + spec.uplinks + spec.horizontal));
  ESPALIER_TRY_STATUS(check_ports(name, "a chip of a director", spec.radix));

  Plan plan{};
  plan.outside = spec.radix / 2;
  plan.blocks = (leaves_of_core(spec) + plan.outside - 1) / plan.outside;
  plan.cards_per_block = spec.uplinks / (spec.directors / spec.cores);
  plan.cards = plan.blocks * plan.cards_per_block;
  const unsigned most_cards = spec.stages == 2 ? spec.radix : spec.radix * plan.outside;
  if (plan.cards > most_cards)
    return fail(
        fmt::format("{}: the leaves need {} line cards of each director, which takes {}", name, plan.cards, most_cards),
        "take more directors or a larger radix");
  const unsigned pods = (plan.cards + plan.outside - 1) / plan.outside;
  plan.middles = spec.stages == 2 ? 0 : pods * plan.outside;
  plan.spines = spec.stages == 2 ? plan.outside : plan.outside * plan.outside;
  ESPALIER_TRY_STATUS(check_lids(name, std::uint64_t{spec.leaves} * (spec.hosts + 1) +
                                           std::uint64_t{spec.directors} * (plan.cards + plan.middles + plan.spines)));
  return plan;
}

class DirectorsBuilder {
 public:
  DirectorsBuilder(const DirectorsSpec& spec, const Plan& plan) : spec_(spec), plan_(plan) {}

  Result<Fabric> build() && {
    add_switches();
    for (unsigned d = 0; d < spec_.directors; ++d) spec_.stages == 2 ? link_two_stages(d) : link_three_stages(d);
    for (unsigned core = 0; core < spec_.cores; ++core) link_leaves(core);
    for (unsigned leaf = 0; leaf + 1 < spec_.leaves && spec_.horizontal > 0; leaf += 2)
      for (unsigned i = 0; i < spec_.horizontal; ++i) {
        const PortNum port = id_at<PortNum>(spec_.hosts + spec_.uplinks + 1 + i);
        connect(id_at<SwitchHandle>(leaf), port, id_at<SwitchHandle>(leaf + 1), port);
      }
    ESPALIER_TRY_STATUS(builder_.assign_lids(0, FabricBuilder::Numbering::kRenumber));
    return std::move(builder_).build();
  }

 private:
  // Leaves with their hosts, then the cards of all directors, then their middles, then their spines.
  void add_switches() {
    for (unsigned i = 0; i < spec_.leaves; ++i)
      builder_.add_switch(made_up_switch(1, i, made_up_name(1, i, 1), spec_.hosts + spec_.uplinks + spec_.horizontal));
    for (unsigned i = 0; i < spec_.leaves; ++i)
      for (unsigned port = 1; port <= spec_.hosts; ++port)
        builder_.connect(id_at<SwitchHandle>(i), id_at<PortNum>(port),
                         builder_.add_endport(made_up_host(builder_.num_endports(), 1, 1)), kMadeUpRate);
    unsigned level = 2;
    const auto add_stage = [&](unsigned count, std::string_view what) {
      for (unsigned i = 0; i < spec_.directors * count; ++i)
        builder_.add_switch(
            made_up_switch(level, i, fmt::format("director {} {} {}", i / count, what, i % count), spec_.radix));
      ++level;
    };
    add_stage(plan_.cards, "card");
    if (plan_.middles > 0) add_stage(plan_.middles, "middle");
    add_stage(plan_.spines, "spine");
  }

  [[nodiscard]] SwitchHandle card(unsigned d, unsigned i) const {
    return id_at<SwitchHandle>(spec_.leaves + d * plan_.cards + i);
  }
  [[nodiscard]] SwitchHandle middle(unsigned d, unsigned i) const {
    return id_at<SwitchHandle>(spec_.leaves + spec_.directors * plan_.cards + d * plan_.middles + i);
  }
  [[nodiscard]] SwitchHandle spine(unsigned d, unsigned i) const {
    return id_at<SwitchHandle>(spec_.leaves + spec_.directors * (plan_.cards + plan_.middles) + d * plan_.spines + i);
  }
  void connect(SwitchHandle a, PortNum a_port, SwitchHandle b, PortNum b_port) {
    builder_.connect(a, a_port, b, b_port, kMadeUpRate);
  }
  // The i-th port upward of a chip.
  [[nodiscard]] PortNum up_port(unsigned i) const { return id_at<PortNum>(plan_.outside + 1 + i); }

  void link_two_stages(unsigned d) {
    for (unsigned c = 0; c < plan_.cards; ++c)
      for (unsigned s = 0; s < plan_.spines; ++s) connect(card(d, c), up_port(s), spine(d, s), id_at<PortNum>(1 + c));
  }

  // Middle j of each pod is below spines j R/2 .. (j + 1) R/2 - 1.
  void link_three_stages(unsigned d) {
    const unsigned half = plan_.outside;
    for (unsigned c = 0; c < plan_.cards; ++c)
      for (unsigned j = 0; j < half; ++j)
        connect(card(d, c), up_port(j), middle(d, c / half * half + j), id_at<PortNum>(1 + c % half));
    for (unsigned m = 0; m < plan_.middles; ++m)
      for (unsigned k = 0; k < half; ++k)
        connect(middle(d, m), up_port(k), spine(d, m % half * half + k), id_at<PortNum>(1 + m / half));
  }

  // The leaves of a core below its cards. Blocks are as equal as can be: `next` is the port of its cards that the next
  // leaf of a block takes.
  void link_leaves(unsigned core) {
    const unsigned first_director = core * (spec_.directors / spec_.cores);
    unsigned next = 1;
    const unsigned leaves = leaves_of_core(spec_);
    for (unsigned i = 0, block = 0; i * spec_.cores + core < spec_.leaves; ++i, ++next) {
      const SwitchHandle leaf = id_at<SwitchHandle>(i * spec_.cores + core);
      const unsigned own_block = static_cast<unsigned>(std::uint64_t{i} * plan_.blocks / leaves);
      if (std::exchange(block, own_block) != own_block) next = 1;
      for (unsigned up = 0; up < spec_.uplinks; ++up)
        connect(leaf, id_at<PortNum>(spec_.hosts + 1 + up),
                card(first_director + up / plan_.cards_per_block,
                     block * plan_.cards_per_block + up % plan_.cards_per_block),
                id_at<PortNum>(next));
    }
  }

  const DirectorsSpec& spec_;
  const Plan& plan_;
  FabricBuilder builder_;
};

}  // namespace

Result<DirectorsSpec> DirectorsSpec::from(const NumberLists& lists) {
  const bool long_lists = lists.size() == 3 && lists[2].size() == 2;
  if ((lists.size() != 2 && !long_lists) || lists[0].size() != 3 || lists[1].size() < 2 || lists[1].size() > 3)
    return fail("it needs 3, then 2 or 3 numbers between ';', and perhaps another 2");
  DirectorsSpec spec{lists[0][0], lists[0][1], lists[0][2], lists[1][0], lists[1][1]};
  if (lists[1].size() == 3) spec.stages = lists[1][2];
  if (long_lists) {
    spec.horizontal = lists[2][0];
    spec.cores = lists[2][1];
  }
  return spec;
}

std::string DirectorsSpec::text() const {
  std::string text = fmt::format("{},{},{};{},{}", leaves, hosts, uplinks, directors, radix);
  if (stages != 2) text += fmt::format(",{}", stages);
  if (horizontal != 0 || cores != 1) text += fmt::format(";{},{}", horizontal, cores);
  return text;
}

Result<Fabric> generate_directors(const DirectorsSpec& spec) {
  ESPALIER_TRY(const Plan plan, make_plan(spec));
  return DirectorsBuilder(spec, plan).build();
}

}  // namespace espalier
