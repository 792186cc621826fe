// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/packet_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/traffic.h"
#include "core/packets/traffic/flows.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

std::uint32_t number_after(const std::string& word, std::size_t colon) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data() + colon + 1, word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    throw Refused{{fmt::format("--traffic {} needs a number", word), {}, 0, "for example shift:1 or permutation:0"}};
  return number;
}

}  // namespace

std::shared_ptr<const packets::Pattern> flows_of_word(const std::string& word, const Fabric& fabric,
                                                      const packets::Network& network, std::uint64_t seed) {
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon);
  if (colon == std::string::npos || (kind != "shift" && kind != "permutation" && kind != "matrix")) return nullptr;

  const std::vector<EndportId> hosts = traffic_order(fabric, "topology").hosts;
  std::vector<packets::Node> node_of(fabric.num_endports(), packets::kNone);
  for (packets::Node n = 0; n < network.num_nodes(); ++n) node_of[index(network.endport[n])] = n;
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

std::vector<std::vector<packets::PacketTransfer>> packets_of(const Fabric& fabric, const packets::Network& network,
                                                             const std::vector<std::vector<Transfer>>& phases,
                                                             std::uint32_t packet_bytes) {
  std::vector<packets::Node> node_of(fabric.num_endports(), packets::kNone);
  for (packets::Node n = 0; n < network.num_nodes(); ++n) node_of[index(network.endport[n])] = n;
  const auto node = [&](const LidOwner& owner) {
    return owner.kind == LidOwner::Kind::kEndport ? node_of[owner.id] : packets::kNone;
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

}  // namespace espalier::tools
