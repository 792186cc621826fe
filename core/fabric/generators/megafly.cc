// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The global ports of a group are numbered spine by spine, 0 .. s g - 1, in rounds of G - 1. Within a round, port o - 1
// of group i leads to group i + o (modulo G), and there to port G - o - 1, since seen from there group i is at G - o.
#include "core/fabric/generators/megafly.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"

namespace espalier {
namespace {

using SwitchHandle = FabricBuilder::SwitchHandle;

Status check_spec(const MegaFlySpec& spec) {
  const std::string name = fmt::format("MegaFly({})", spec.text());
  if (std::min({spec.groups, spec.hosts, spec.leaves, spec.spines, spec.globals}) < 1)
    return fail(fmt::format("{}: all numbers must be 1 or more", name));
  Status ok = check_ports(name, "a leaf", std::uint64_t{spec.hosts} + spec.spines);
  if (ok) ok = check_ports(name, "a spine", std::uint64_t{spec.leaves} + spec.globals);
  if (ok)  // with this few ports each, no product overflows
    ok = check_lids(name, std::uint64_t{spec.groups} *
                              (std::uint64_t{spec.leaves} * (1 + std::uint64_t{spec.hosts}) + spec.spines));
  if (!ok) return ok;
  if (spec.groups - 1 > spec.spines * spec.globals)
    return fail(fmt::format("{}: a group has {} global ports, too few for {} other groups", name,
                            spec.spines * spec.globals, spec.groups - 1));
  return {};
}

}  // namespace

Result<MegaFlySpec> MegaFlySpec::from(const NumberLists& lists) {
  if (lists.size() != 3 || lists[0].size() != 1 || lists[1].size() != 3 || lists[2].size() != 1)
    return fail("it needs 1, 3 and 1 numbers between ';'");
  return MegaFlySpec{lists[0][0], lists[1][0], lists[1][1], lists[1][2], lists[2][0]};
}

std::string MegaFlySpec::text() const { return fmt::format("{};{},{},{};{}", groups, hosts, leaves, spines, globals); }

Result<Fabric> generate_megafly(const MegaFlySpec& spec) {
  ESPALIER_TRY_STATUS(check_spec(spec));

  FabricBuilder builder;
  const auto leaf = [&](unsigned group, unsigned i) { return id_at<SwitchHandle>(group * spec.leaves + i); };
  const auto spine = [&](unsigned group, unsigned i) {
    return id_at<SwitchHandle>(spec.groups * spec.leaves + group * spec.spines + i);
  };
  for (unsigned i = 0; i < spec.groups * spec.leaves; ++i)
    builder.add_switch(made_up_switch(1, i, made_up_name(1, i, spec.leaves), spec.hosts + spec.spines));
  for (unsigned i = 0; i < spec.groups * spec.spines; ++i)
    builder.add_switch(made_up_switch(2, i, made_up_name(2, i, spec.spines), spec.leaves + spec.globals));

  for (unsigned group = 0; group < spec.groups; ++group) {
    for (unsigned l = 0; l < spec.leaves; ++l) {
      for (unsigned port = 1; port <= spec.hosts; ++port)
        builder.connect(leaf(group, l), id_at<PortNum>(port),
                        builder.add_endport(made_up_host(builder.num_endports(), 1, 1)), kMadeUpRate);
      for (unsigned s = 0; s < spec.spines; ++s)
        builder.connect(leaf(group, l), id_at<PortNum>(spec.hosts + 1 + s), spine(group, s), id_at<PortNum>(1 + l),
                        kMadeUpRate);
    }
  }

  const unsigned others = spec.groups - 1;
  const unsigned rounds = others == 0 ? 0 : spec.spines * spec.globals / others;
  const auto global_port = [&](unsigned port) { return id_at<PortNum>(spec.leaves + 1 + port % spec.globals); };
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned group = 0; group < spec.groups; ++group) {
      for (unsigned offset = 1; group + offset < spec.groups; ++offset) {
        const unsigned here = round * others + offset - 1;
        const unsigned there = round * others + spec.groups - offset - 1;
        builder.connect(spine(group, here / spec.globals), global_port(here),
                        spine(group + offset, there / spec.globals), global_port(there), kMadeUpRate);
      }
    }
  }
  ESPALIER_TRY_STATUS(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build();
}

}  // namespace espalier
