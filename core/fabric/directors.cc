// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/directors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/made_up_nodes.h"

namespace espalier {
namespace {

using SwitchHandle = FabricBuilder::SwitchHandle;

// What follows from a spec.
struct Plan {
  unsigned outside;          // ports of a line card to leaves, and spines of a director
  unsigned blocks;           // of leaves
  unsigned cards_per_block;  // in each director
  unsigned cards;            // in use, in each director
};

Result<Plan> make_plan(const DirectorsSpec& spec) {
  const std::string name = fmt::format("directors({})", spec.text());
  if (std::min({spec.leaves, spec.hosts, spec.uplinks, spec.directors}) < 1)
    return fail(fmt::format("{}: all numbers have to be 1 or more", name));
  if (spec.radix < 2 || spec.radix % 2 != 0)
    return fail(fmt::format("{}: chips with {} ports cannot have half of them up", name, spec.radix));
  if (spec.uplinks % spec.directors != 0)
    return fail(fmt::format("{}: {} uplinks of a leaf do not spread evenly over {} directors", name, spec.uplinks,
                            spec.directors));
  Status ok = check_ports(name, "a leaf", std::uint64_t{spec.hosts} + spec.uplinks);
  if (ok) ok = check_ports(name, "a chip of a director", spec.radix);
  if (!ok) return tl::unexpected(ok.error());

  Plan plan{};
  plan.outside = spec.radix / 2;
  plan.blocks = (spec.leaves + plan.outside - 1) / plan.outside;
  plan.cards_per_block = spec.uplinks / spec.directors;
  plan.cards = plan.blocks * plan.cards_per_block;
  if (plan.cards > spec.radix)
    return fail(
        fmt::format("{}: the leaves need {} line cards of each director, which takes {}", name, plan.cards, spec.radix),
        "take more directors or a larger radix");
  ok = check_lids(name, std::uint64_t{spec.leaves} * (spec.hosts + 1) +
                            std::uint64_t{spec.directors} * (plan.cards + plan.outside));
  if (!ok) return tl::unexpected(ok.error());
  return plan;
}

}  // namespace

Result<DirectorsSpec> DirectorsSpec::from(const NumberLists& lists) {
  if (lists.size() != 2 || lists[0].size() != 3 || lists[1].size() != 2)
    return fail("it needs 3 and 2 numbers between ';'");
  return DirectorsSpec{lists[0][0], lists[0][1], lists[0][2], lists[1][0], lists[1][1]};
}

std::string DirectorsSpec::text() const {
  return fmt::format("{},{},{};{},{}", leaves, hosts, uplinks, directors, radix);
}

Result<Fabric> generate_directors(const DirectorsSpec& spec) {
  const Result<Plan> plan = make_plan(spec);
  if (!plan) return tl::unexpected(plan.error());

  FabricBuilder builder;  // leaves, then the cards of all directors, then the spines of all directors
  const auto card = [&](unsigned d, unsigned i) { return id_at<SwitchHandle>(spec.leaves + d * plan->cards + i); };
  const auto spine = [&](unsigned d, unsigned i) {
    return id_at<SwitchHandle>(spec.leaves + spec.directors * plan->cards + d * plan->outside + i);
  };
  for (unsigned i = 0; i < spec.leaves; ++i)
    builder.add_switch(made_up_switch(1, i, made_up_name(1, i, 1), spec.hosts + spec.uplinks));
  for (const unsigned level : {2U, 3U}) {
    const unsigned count = level == 2 ? plan->cards : plan->outside;
    for (unsigned i = 0; i < spec.directors * count; ++i)
      builder.add_switch(made_up_switch(
          level, i, fmt::format("director {} {} {}", i / count, level == 2 ? "card" : "spine", i % count), spec.radix));
  }

  // Inside the directors.
  for (unsigned d = 0; d < spec.directors; ++d)
    for (unsigned c = 0; c < plan->cards; ++c)
      for (unsigned s = 0; s < plan->outside; ++s)
        builder.connect(card(d, c), id_at<PortNum>(plan->outside + 1 + s), spine(d, s), id_at<PortNum>(1 + c),
                        kMadeUpRate);

  // Below them. Blocks are as equal as can be: `next` is the port of its cards that the next leaf of a block takes.
  unsigned next = 1;
  for (unsigned leaf = 0, block = 0; leaf < spec.leaves; ++leaf, ++next) {
    const unsigned own_block = static_cast<unsigned>(std::uint64_t{leaf} * plan->blocks / spec.leaves);
    if (std::exchange(block, own_block) != own_block) next = 1;
    for (unsigned port = 1; port <= spec.hosts; ++port)
      builder.connect(id_at<SwitchHandle>(leaf), id_at<PortNum>(port),
                      builder.add_endport(made_up_host(builder.num_endports(), 1, 1)), kMadeUpRate);
    for (unsigned up = 0; up < spec.uplinks; ++up)
      builder.connect(id_at<SwitchHandle>(leaf), id_at<PortNum>(spec.hosts + 1 + up),
                      card(up / plan->cards_per_block, block * plan->cards_per_block + up % plan->cards_per_block),
                      id_at<PortNum>(next), kMadeUpRate);
  }
  if (Status ok = builder.assign_lids(0, FabricBuilder::Numbering::kRenumber); !ok) return tl::unexpected(ok.error());
  return std::move(builder).build();
}

}  // namespace espalier
