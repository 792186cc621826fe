// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Multicast trees on fabrics of any shape, where some switches do not multicast: the members that a trunk contains are
// joined by a tree of links between switches that do; a member on a switch that does and that others of the same
// component see is never lost, unless switches that do not stand between.
//
// The input: number of switches, a byte for each (support), pairs of bytes (links) until a zero pair, members.
#include <algorithm>

#include "core/fabric/fabric_builder.h"
#include "core/tree/rank.h"
#include "plugin/multicast/multicast_tree.h"
#include "tests/fuzz/expect.h"
#include "tests/opensm/tree_fault.h"

namespace {

using namespace espalier;

constexpr std::uint8_t kPorts = 24;

struct Scene {
  std::vector<McastSupport> support;
  std::vector<std::pair<std::size_t, std::size_t>> links;
  std::vector<SwitchId> members;
};

Scene read_scene(const std::uint8_t* data, std::size_t size) {
  Scene scene;
  std::size_t at = 0;
  const auto byte = [&] { return at < size ? data[at++] : std::uint8_t{0}; };
  const std::size_t n = 1 + byte() % 14;
  for (std::size_t s = 0; s < n; ++s) scene.support.push_back(byte() % 8 == 7 ? McastSupport::kNo : McastSupport::kYes);
  while (at < size) {
    const std::uint8_t a = byte();
    const std::uint8_t b = byte();
    if (a == 0 && b == 0) break;
    scene.links.emplace_back(a % n, b % n);
  }
  for (int left = 12; at < size && left > 0; --left) scene.members.push_back(id_at<SwitchId>(byte() % n));
  return scene;
}

Result<Fabric> build(const Scene& scene) {
  FabricBuilder builder;
  std::vector<std::uint8_t> used(scene.support.size(), 1);  // port 1 is for a host
  for (std::size_t s = 0; s < scene.support.size(); ++s) {
    Switch made;
    made.guid = Guid{s + 1};
    made.num_ports = kPorts;
    const auto handle = builder.add_switch(made);
    if (s % 2 != 0) continue;
    Endport host;
    host.node_guid = host.port_guid = Guid{1000 + s};
    builder.connect(handle, PortNum{1}, builder.add_endport(host), {});
  }
  for (const auto& [a, b] : scene.links) {
    if (a == b || used[a] >= kPorts || used[b] >= kPorts) continue;
    builder.connect(id_at<FabricBuilder::SwitchHandle>(a), PortNum{++used[a]}, id_at<FabricBuilder::SwitchHandle>(b),
                    PortNum{++used[b]}, {});
  }
  if (Status ok = builder.assign_lids(0, FabricBuilder::Numbering::kRenumber); !ok) return tl::unexpected(ok.error());
  return std::move(builder).build();
}

void check_group(const FatTree& tree, const IdVector<SwitchId, McastSupport>& support, MulticastPlan& plan,
                 std::span<const SwitchId> members, std::uint16_t mlid) {
  std::map<std::uint32_t, std::vector<SwitchId>> components;
  for (const SwitchId s : members) {
    const Trunk* trunk = plan.trunk(tree.component(s), mlid);
    if (trunk == nullptr) {
      for (const SwitchId other : tree.fabric().switches())
        expect(tree.component(other) != tree.component(s) || support[other] == McastSupport::kNo,
               "no trunk where one can be");
    } else if (trunk->contains(s)) {
      expect(support[s] == McastSupport::kYes, "a switch that does not multicast is in a trunk");
      components[tree.component(s)].push_back(s);
    }
  }
  for (const auto& [component, reached] : components) {
    const std::string fault = test::tree_fault(tree.fabric(), join(*plan.trunk(component, mlid), reached), reached);
    expect(fault.empty(), fault);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Scene scene = read_scene(data, size);
  const Result<Fabric> fabric = build(scene);
  expect(fabric.has_value(), "a fabric that is not built");
  const Result<FatTree> tree = rank(*fabric);
  if (!tree) return 0;
  IdVector<SwitchId, McastSupport> support;
  for (const McastSupport s : scene.support) support.push_back(s);
  MulticastPlan plan(*tree, support);
  for (std::uint16_t mlid = 0xC000; mlid < 0xC004; ++mlid) check_group(*tree, support, plan, scene.members, mlid);
  return 0;
}
