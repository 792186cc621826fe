// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/prepared_lanes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/base/topological_order.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/ids.h"
#include "core/repair/lanes/alike_lids.h"

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;

// Whether some packet would be on another lane.
bool differ(const LaneMaps& maps, std::uint8_t sl, std::uint8_t other) {
  for (std::size_t m = 0; m < maps.num_maps(); ++m)
    for (std::size_t in = 0; in < maps.num_classes(m); ++in)
      for (std::size_t out = 0; out < maps.num_classes(m); ++out)
        if (maps.entry(m, in, out)[sl] != maps.entry(m, in, out)[other]) return true;
  return false;
}

// Levels that no path has, on the lanes that there are, but not as any of the others has them.
std::vector<std::uint8_t> others_than(const Lanes& lanes, std::vector<std::uint8_t> known) {
  std::vector<std::uint8_t> found;
  for (std::uint8_t sl = 0; sl < kNumSls; ++sl) {
    if (lanes.maps().used(1U << sl) >> lanes.num_vls() != 0) continue;
    if (!std::all_of(known.begin(), known.end(), [&](std::uint8_t other) { return differ(lanes.maps(), sl, other); }))
      continue;
    found.push_back(sl);
    known.push_back(sl);
  }
  return found;
}

std::vector<double> loads_of(const Reference& reference) {
  const Fabric& fabric = reference.fabric;
  std::vector<double> loads(fabric.num_channels());
  const IdVector<SwitchId, std::uint32_t> hosts = count_hosts(fabric);
  for (const EndportId e : fabric.endports()) {
    if (!is_host(fabric.at(e)) || fabric.at(e).leaf == kNoSwitch) continue;
    for (const Lid lid : lids_of(fabric.at(e)))
      for (const SwitchId from : fabric.switches()) {
        if (hosts[from] == 0) continue;
        for (SwitchId s = from; s != fabric.at(e).leaf;) {
          const PortNum port = reference.tables.at(s, lid);
          if (port == kNoPort) break;  // the host is in another part of the fabric
          loads[index(fabric.channel(s, port))] += hosts[from];
          s = fabric.peer(s, port).as_switch();
        }
      }
  }
  return loads;
}

}  // namespace

std::optional<OrderedGraph> in_order(const ChannelDependencies& graph, unsigned num_vls) {
  const std::size_t size = graph.num_virtual_channels() / graph.num_vls() * num_vls;
  const auto vertex = [&](VirtualChannelId v) {
    return static_cast<Vertex>(index(graph.channel(v)) * num_vls + graph.vl(v));
  };
  const auto for_each_next = [&](Vertex v, const auto& visit) {
    const auto vl = static_cast<std::uint8_t>(v % num_vls);
    if (vl >= graph.num_vls()) return;
    graph.for_each_next(graph.virtual_channel(id_at<ChannelId>(v / num_vls), vl),
                        [&](VirtualChannelId next) { visit(vertex(next)); });
  };
  std::vector<std::uint32_t> in_degree;
  std::vector<Vertex> order;
  sort_topologically(size, for_each_next, in_degree, order);
  if (order.size() < size) return std::nullopt;
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex v = 0; v < size; ++v) for_each_next(v, [&](Vertex next) { edges.emplace_back(v, next); });
  return OrderedGraph(order, std::make_shared<const SharedEdges>(size, edges));
}

PreparedLanes::PreparedLanes(Reference reference)
    : reference_(std::move(reference)),
      lanes_(reference_.lanes ? *reference_.lanes : one_lane(reference_.fabric)),
      dependencies_({}) {
  const VerifyReport report = verify(reference_.fabric, reference_.tables, lanes_);
  if (!report.ok()) return;
  if (auto ordered = in_order(*report.dependencies, lanes().num_vls())) {
    graph_ = report.dependencies;
    dependencies_ = *std::move(ordered);
    loads_ = loads_of(reference_);
    first_alike_ = espalier::first_alike(reference_.fabric, reference_.tables, lanes_);
    const std::uint32_t used = lanes().levels().used();
    for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
      if ((used >> sl & 1U) != 0) levels_in_use_.push_back(sl);
    spare_levels_ = others_than(lanes(), levels_in_use_);
    is_sound_ = true;
  }
}

}  // namespace espalier
