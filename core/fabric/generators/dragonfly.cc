// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/dragonfly.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

using Arrangement = DragonflySpec::Arrangement;
using SwitchHandle = FabricBuilder::SwitchHandle;

// Ports of a router to its group.
std::uint64_t local_ports(const DragonflySpec& spec) {
  if (spec.rows == 0) return spec.routers - 1;
  return std::uint64_t{spec.columns - 1} * spec.row_links + std::uint64_t{spec.rows - 1} * spec.column_links;
}

Status check_spec(const DragonflySpec& spec) {
  const std::string name = fmt::format("Dragonfly({})", spec.text());
  if (std::min({spec.hosts, spec.routers, spec.globals, spec.groups}) < 1)
    return fail(fmt::format("{}: all numbers must be 1 or more", name));
  Status ok = check_ports(name, "a router", std::uint64_t{spec.hosts} + local_ports(spec) + spec.globals);
  if (ok)  // with this few ports each, no product overflows
    ok = check_lids(name, std::uint64_t{spec.groups} * spec.routers * (1 + std::uint64_t{spec.hosts}));
  if (!ok) return ok;
  if (spec.groups - 1 > spec.routers * spec.globals)
    return fail(fmt::format("{}: a group has {} global ports, too few for {} other groups", name,
                            spec.routers * spec.globals, spec.groups - 1));
  return {};
}

// How many parallel links two routers of a group have.
unsigned links_between(const DragonflySpec& spec, unsigned i, unsigned j) {
  if (spec.rows == 0) return 1;
  if (i / spec.columns == j / spec.columns) return spec.row_links;
  return i % spec.columns == j % spec.columns ? spec.column_links : 0;
}

// Links the routers one after the other, each at its lowest port that is free.
class Cabling {
 public:
  explicit Cabling(const DragonflySpec& spec) : spec_(spec), next_port_(spec.groups * spec.routers, 1) {
    const auto ports = static_cast<unsigned>(spec.hosts + local_ports(spec) + spec.globals);
    for (unsigned i = 0; i < spec.groups * spec.routers; ++i)
      builder_.add_switch(
          made_up_switch(1, i, fmt::format("group {} router {}", i / spec.routers, i % spec.routers), ports));
  }

  void add_hosts() {
    for (unsigned i = 0; i < next_port_.size(); ++i)
      for (unsigned host = 0; host < spec_.hosts; ++host)
        builder_.connect(id_at<SwitchHandle>(i), take_port(i),
                         builder_.add_endport(made_up_host(builder_.num_endports(), 1, 1)), kMadeUpRate);
  }

  // Row before column on either side: rows are cabled first.
  void add_group(unsigned group) {
    const auto link_all = [&](bool within_row) {
      for (unsigned i = 0; i < spec_.routers; ++i)
        for (unsigned j = i + 1; j < spec_.routers; ++j) {
          if (spec_.rows != 0 && (i / spec_.columns == j / spec_.columns) != within_row) continue;
          for (unsigned k = 0; k < links_between(spec_, i, j); ++k)
            link(group * spec_.routers + i, group * spec_.routers + j);
        }
    };
    link_all(true);
    if (spec_.rows != 0) link_all(false);
  }

  // Global ports have fixed numbers, slot 0 .. a h - 1 of a group.
  void add_global(unsigned group, unsigned slot, unsigned other_group, unsigned other_slot) {
    builder_.connect(router(group, slot), global_port(slot), router(other_group, other_slot), global_port(other_slot),
                     kMadeUpRate);
  }

  Result<Fabric> build() && {
    ESPALIER_TRY_STATUS(builder_.assign_lids(0, FabricBuilder::Numbering::kRenumber));
    return std::move(builder_).build();
  }

 private:
  PortNum take_port(unsigned i) { return id_at<PortNum>(next_port_[i]++); }
  void link(unsigned i, unsigned j) {
    builder_.connect(id_at<SwitchHandle>(i), take_port(i), id_at<SwitchHandle>(j), take_port(j), kMadeUpRate);
  }
  [[nodiscard]] SwitchHandle router(unsigned group, unsigned slot) const {
    return id_at<SwitchHandle>(group * spec_.routers + slot / spec_.globals);
  }
  [[nodiscard]] PortNum global_port(unsigned slot) const {
    return id_at<PortNum>(1 + spec_.hosts + local_ports(spec_) + slot % spec_.globals);
  }

  const DragonflySpec& spec_;
  FabricBuilder builder_;
  std::vector<unsigned> next_port_;  // per router
};

// slot[G][round (g - 1) + X'], where X' counts the groups other than G: the global port of G to X.
using Slots = std::vector<std::vector<unsigned>>;

Slots arrange(const DragonflySpec& spec, unsigned rounds) {
  const unsigned others = spec.groups - 1;
  RandomOrder random(spec.seed, "dragonfly");
  std::vector<unsigned> ports(spec.routers * spec.globals);
  std::iota(ports.begin(), ports.end(), 0U);
  Slots slots(spec.groups);
  for (unsigned group = 0; group < spec.groups; ++group) {
    if (spec.arrangement == Arrangement::kRandom) {
      slots[group] = random.front(ports, std::size_t{rounds} * others);
      continue;
    }
    for (unsigned c = 0; c < rounds * others; ++c) {
      const unsigned other = c % others < group ? c % others : c % others + 1;
      const unsigned ahead = (other + spec.groups - group) % spec.groups;
      slots[group].push_back(spec.arrangement == Arrangement::kAbsolute ? c : c / others * others + ahead - 1);
    }
  }
  return slots;
}

void add_arranged(const DragonflySpec& spec, Cabling& cabling) {
  const unsigned others = spec.groups - 1;
  const unsigned rounds = others == 0 ? 0 : spec.routers * spec.globals / others;
  const Slots slots = arrange(spec, rounds);
  for (unsigned round = 0; round < rounds; ++round)
    for (unsigned group = 0; group < spec.groups; ++group)
      for (unsigned other = group + 1; other < spec.groups; ++other)
        cabling.add_global(group, slots[group][round * others + other - 1], other,
                           slots[other][round * others + group]);
}

Status add_listed(const DragonflySpec& spec, Cabling& cabling) {
  std::vector<unsigned> used(std::size_t{spec.groups} * spec.routers, 0);
  const auto take = [&](unsigned group, unsigned router) -> Result<unsigned> {
    if (group >= spec.groups || router >= spec.routers)
      return fail(fmt::format("there is no group {} router {} in Dragonfly({})", group, router, spec.text()));
    unsigned& taken = used[std::size_t{group} * spec.routers + router];
    if (taken == spec.globals)
      return fail(fmt::format("group {} router {} has more than {} global cables", group, router, spec.globals));
    return router * spec.globals + taken++;
  };
  for (const GlobalLink& link : spec.listed) {
    if (link.group == link.other_group)
      return fail(fmt::format("a global cable leads from group {} to itself", link.group));
    ESPALIER_TRY(const unsigned slot, take(link.group, link.router));
    ESPALIER_TRY(const unsigned other_slot, take(link.other_group, link.other_router));
    cabling.add_global(link.group, slot, link.other_group, other_slot);
  }
  return {};
}

}  // namespace

Result<DragonflySpec> DragonflySpec::from(const NumberLists& lists) {
  if (lists.empty() || lists.size() > 2 || lists[0].size() != 4 || (lists.size() == 2 && lists[1].size() != 4))
    return fail("it needs 4 numbers, or 4 and 4 between ';'");
  DragonflySpec spec;
  spec.hosts = lists[0][0];
  spec.routers = lists[0][1];
  spec.globals = lists[0][2];
  spec.groups = lists[0][3];
  if (lists.size() == 1) return spec;
  spec.rows = lists[1][0];
  spec.columns = lists[1][1];
  spec.row_links = lists[1][2];
  spec.column_links = lists[1][3];
  if (std::uint64_t{spec.rows} * spec.columns != spec.routers)
    return fail(fmt::format("{} rows of {} are not {} routers", spec.rows, spec.columns, spec.routers));
  return spec;
}

std::string DragonflySpec::text() const {
  std::string grid;
  if (rows != 0) grid = fmt::format(";{},{},{},{}", rows, columns, row_links, column_links);
  return fmt::format("{},{},{},{}{}", hosts, routers, globals, groups, grid);
}

Result<Arrangement> parse_arrangement(std::string_view word) {
  if (word == "absolute") return Arrangement::kAbsolute;
  if (word == "relative") return Arrangement::kRelative;
  if (word == "random") return Arrangement::kRandom;
  return fail(fmt::format("\"{}\" is not an arrangement of global cables", word),
              "write absolute, relative, random or the name of a file");
}

Result<std::vector<GlobalLink>> parse_global_links(std::string_view text, const std::string& file) {
  std::vector<GlobalLink> links;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    std::vector<unsigned> numbers;
    bool are_numbers = true;
    for (const std::string_view word : split_words(line, " \t\r")) {
      const std::optional<unsigned> value = parse_number<unsigned>(word);
      are_numbers = are_numbers && value;
      numbers.push_back(value.value_or(0));
    }
    if (numbers.empty()) continue;
    if (numbers.size() != 4 || !are_numbers)
      return fail_at(file, number, fmt::format("\"{}\" is not a global cable", line),
                     "write `group router group router`, counted from 0");
    links.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return links;
}

Result<Fabric> generate_dragonfly(const DragonflySpec& spec) {
  ESPALIER_TRY_STATUS(check_spec(spec));
  Cabling cabling(spec);
  cabling.add_hosts();
  for (unsigned group = 0; group < spec.groups; ++group) cabling.add_group(group);
  if (spec.arrangement == Arrangement::kListed) {
    ESPALIER_TRY_STATUS(add_listed(spec, cabling));
  } else {
    add_arranged(spec, cabling);
  }
  return std::move(cabling).build();
}

}  // namespace espalier
