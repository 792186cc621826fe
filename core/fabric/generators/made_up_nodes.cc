// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/made_up_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace espalier {
namespace {

constexpr std::uint64_t kSwitchGuids = 0x0002c90000000000;
constexpr std::uint64_t kHostGuids = 0x0002c90100000000;

}  // namespace

std::uint64_t count_product(std::span<const unsigned> factors) {
  std::uint64_t result = 1;
  for (const unsigned factor : factors) result = std::min(kManyNodes, result * factor);
  return result;
}

Switch made_up_switch(unsigned level, std::uint64_t i, std::string description, unsigned num_ports) {
  Switch s;
  s.guid = Guid{kSwitchGuids + (std::uint64_t{level} << 24) + i};
  s.description = std::move(description);
  s.num_ports = static_cast<std::uint8_t>(num_ports);
  return s;
}

Endport made_up_host(std::uint64_t i, unsigned port, unsigned num_ports) {
  std::uint64_t stride = 16;
  while (stride <= num_ports) stride *= 2;
  Endport e;
  e.node_guid = Guid{kHostGuids + i * stride};
  e.port_guid = Guid{index(e.node_guid) + port};
  e.description = fmt::format("host {}", i);
  e.port = id_at<PortNum>(port);
  return e;
}

std::string made_up_name(unsigned level, std::uint64_t i, std::uint64_t pod_width) {
  if (level == 1) return fmt::format("leaf {}", i);
  return fmt::format("L{} {}.{}", level, i / pod_width, i % pod_width);
}

Status check_ports(std::string_view what, std::string_view node, std::uint64_t ports) {
  if (ports > kMaxSwitchPorts)
    return fail(fmt::format("{}: {} would have {} ports; at most {} are possible", what, node, ports, kMaxSwitchPorts));
  return {};
}

Status check_lids(std::string_view what, std::uint64_t lids) {
  if (lids > index(kMaxUnicastLid))
    return fail(fmt::format("{}: {}{} switches and end ports need more than the {} unicast LIDs of a subnet", what,
                            lids >= kManyNodes ? "at least " : "", lids, index(kMaxUnicastLid)));
  return {};
}

}  // namespace espalier
