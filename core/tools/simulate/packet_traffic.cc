// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/packet_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/traffic.h"
#include "core/base/number.h"
#include "core/io/lists/path_shares_file.h"
#include "core/tools/command.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

std::uint32_t number_after(const std::string& word, std::size_t colon) {
  if (const auto number = parse_number<std::uint32_t>(std::string_view(word).substr(colon + 1))) return *number;
  throw Refused{{fmt::format("--traffic {} needs a number", word), {}, 0, "for example shift:1 or permutation:0"}};
}

// One of the paths, by their shares.
std::uint8_t offset_drawn(const Fabric& fabric, EndportId destination, std::span<const WeightedPath> paths,
                          packets::Random& random) {
  constexpr std::uint32_t kSteps = 1U << 24;
  double left = static_cast<double>(random.below(kSteps)) / kSteps;
  std::size_t i = 0;
  for (; i + 1 < paths.size() && left >= paths[i].share; ++i) left -= paths[i].share;
  return static_cast<std::uint8_t>(index(paths[i].to) - index(fabric.at(destination).lid));
}

}  // namespace

std::shared_ptr<const packets::Flows> flows_of_word(const std::string& word, const Fabric& fabric,
                                                    const packets::Network& network, std::uint64_t seed) {
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon);
  if (colon == std::string::npos || (kind != "shift" && kind != "permutation" && kind != "matrix")) return nullptr;

  const std::vector<EndportId> hosts = traffic_order(fabric, "topology").hosts;
  if (hosts.empty()) throw Refused{{"the fabric has no hosts", {}, 0, {}}};
  std::vector<packets::Node> node_of(fabric.num_endports(), packets::kNone);
  for (packets::Node n = 0; n < network.num_hosts; ++n) node_of[index(network.endport[n])] = n;
  auto flows = std::make_shared<packets::Flows>(network.num_nodes());
  const auto add = [&](std::size_t from, std::size_t to, double weight) {
    const packets::Node source = node_of[index(hosts[from])];
    const packets::Node destination = node_of[index(hosts[to])];
    if (source == packets::kNone || destination == packets::kNone) return;  // cabled to no switch
    if (from != to && weight > 0) flows->add(source, destination, weight);
  };
  if (kind == "matrix") {
    for (const Flow& flow : flows_in_file(fabric, hosts, word.substr(colon + 1)))
      add(flow.source, flow.destination, flow.weight);
    return flows;
  }
  const std::uint32_t number = number_after(word, colon);
  const auto destinations = kind == "shift"
                                ? shift_permutation(hosts.size(), number % static_cast<std::uint32_t>(hosts.size()))
                                : random_permutation(hosts.size(), seed, number);
  for (std::size_t i = 0; i < hosts.size(); ++i) add(i, destinations[i], 1);
  return flows;
}

std::vector<Lid> lids_of(const Fabric& fabric, const packets::Network& network) {
  std::vector<Lid> lids;
  for (const EndportId e : network.endport) lids.push_back(fabric.at(e).lid);
  for (packets::Node n = network.num_hosts; n < network.num_nodes(); ++n)
    lids.push_back(fabric.at(SwitchId{n - network.num_hosts}).lid);
  return lids;
}

packets::OffsetChoice offsets_of_word(const std::string& word, const Fabric& fabric, const packets::Network& network) {
  if (word == "0") return {};
  const std::vector<EndportId> hosts = traffic_order(fabric, "topology").hosts;
  auto use = std::make_shared<const LidUse>(lid_use(fabric, hosts, word));
  std::vector<std::uint32_t> lids(network.num_nodes(), 1);  // of each node
  std::vector<std::size_t> rank_of_endport(fabric.num_endports(), 0);
  std::vector<std::size_t> rank(network.num_hosts, 0);  // among the hosts
  for (std::size_t i = 0; i < hosts.size(); ++i) rank_of_endport[index(hosts[i])] = i;
  for (packets::Node n = 0; n < network.num_hosts; ++n) {
    lids[n] = 1U << fabric.at(network.endport[n]).lmc;
    rank[n] = rank_of_endport[index(network.endport[n])];
  }
  const Fabric* whole = &fabric;
  const std::vector<EndportId> ends(network.endport.begin(), network.endport.begin() + network.num_hosts);
  return [use, lids, rank, whole, ends](packets::Node from, packets::Node to, packets::Random& random) -> std::uint8_t {
    if (to >= rank.size() || lids[to] == 1) return 0;
    if (use->kind == LidUse::Kind::kEvenly) return static_cast<std::uint8_t>(random.below(lids[to]));
    if (use->kind == LidUse::Kind::kChoices) {
      if (from >= ends.size()) return 0;
      const std::vector<WeightedPath> paths = weighted_paths(*whole, *use->choices, nullptr, ends[from], ends[to]);
      return offset_drawn(*whole, ends[to], paths, random);
    }
    const bool named = use->kind == LidUse::Kind::kTable && from < rank.size();
    const std::uint32_t offset = named                               ? use->table->at(rank[from], rank[to])
                                 : use->kind == LidUse::Kind::kTable ? 0
                                                                     : use->offset;
    return static_cast<std::uint8_t>(offset % lids[to]);
  };
}

std::vector<std::vector<packets::PacketTransfer>> packets_of(const Fabric& fabric, const packets::Network& network,
                                                             const std::vector<std::vector<Transfer>>& phases,
                                                             std::uint32_t packet_bytes) {
  std::vector<packets::Node> node_of(fabric.num_endports(), packets::kNone);
  for (packets::Node n = 0; n < network.num_hosts; ++n) node_of[index(network.endport[n])] = n;
  const auto node = [&](const LidOwner& owner) {
    if (owner.kind == LidOwner::Kind::kEndport) return node_of[owner.id];
    const bool takes_part = owner.kind == LidOwner::Kind::kSwitch && network.num_nodes() > network.num_hosts;
    return takes_part ? network.num_hosts + owner.id : packets::kNone;
  };
  std::vector<std::vector<packets::PacketTransfer>> all;
  for (const std::vector<Transfer>& phase : phases) {
    all.emplace_back();
    for (const Transfer& transfer : phase) {
      const LidOwner to = fabric.owner(transfer.to);
      const packets::Node source = node(fabric.owner(transfer.from));
      const packets::Node destination = node(to);
      if (source == packets::kNone || destination == packets::kNone || source == destination) continue;
      const double count = std::ceil(transfer.bytes / packet_bytes);
      all.back().push_back({source, destination, to.offset, static_cast<std::uint32_t>(std::clamp(count, 1.0, 1e9))});
    }
  }
  return all;
}

packets::SourcePaths paths_of_file(const std::string& file, const Fabric& fabric, const packets::Network& network) {
  std::vector<packets::Node> node_of(fabric.num_endports(), packets::kNone);
  for (packets::Node n = 0; n < network.num_hosts; ++n) node_of[index(network.endport[n])] = n;
  packets::SourcePaths paths(network);
  const std::vector<PathShare> shares = value_or_refuse(read_path_shares(load_text(file), file, fabric));
  if (shares.empty())
    throw Refused{{"it lists no path", file, 0, "--record-paths and throughput --write-paths write such files"}};
  for (const PathShare& share : shares) {
    std::vector<packets::Router> routers;
    for (const SwitchId s : share.switches) routers.push_back(static_cast<packets::Router>(index(s)));
    paths.add(node_of[index(share.from)], node_of[index(share.to)], share.weight, routers);
  }
  if (paths.longest() > 16)
    throw Refused{{fmt::format("a path has {} hops", paths.longest()), file, 0, "16 are the most: one VC for each"}};
  return paths;
}

std::string paths_text(const Fabric& fabric, const packets::Network& network,
                       const std::vector<packets::PathCounts>& runs) {
  packets::PathCounts sum;
  for (const packets::PathCounts& run : runs)
    for (const auto& [flow, counts] : run)
      for (const auto& [routers, count] : counts) sum[flow][routers] += count;
  std::vector<PathShare> shares;
  for (const auto& [flow, counts] : sum)
    for (const auto& [routers, count] : counts) {
      PathShare& share = shares.emplace_back();
      share.from = network.endport[flow.first];
      share.to = network.endport[flow.second];
      share.weight = static_cast<double>(count);
      for (const packets::Router r : routers) share.switches.push_back(SwitchId{r});
    }
  return write_path_shares(fabric, shares);
}

}  // namespace espalier::tools
