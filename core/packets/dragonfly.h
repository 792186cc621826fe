// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The groups of a dragonfly (core/dragonfly) as policies need them: flat, with members in the order of traffic
// patterns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/packets/grid.h"
#include "core/packets/network.h"
#include "core/packets/random.h"

namespace espalier::packets {

struct DragonflyParts;

class Dragonfly {
 public:
  // A router of a group that has a link to another group, and the port.
  struct Exit {
    Router router = kNone;
    Port port = kNone;
  };

  // Finds the groups by cabling, or else by names of switches that differ in their last number alone. They have to be complete graphs or grids (grid.h) of one size, with a link between any
  // two groups.
  // Groups and their members are numbered by the names of their switches ("g10" after "g9"), then by GUID. Sets
  // PortEnd::kind of the network's ports.
  // Errors: no such groups.
  [[nodiscard]] static Result<Dragonfly> find(const Fabric& fabric, Network& network);

  [[nodiscard]] std::uint32_t num_groups() const { return num_groups_; }
  [[nodiscard]] std::uint32_t group_size() const { return group_size_; }
  [[nodiscard]] std::uint32_t group(Router r) const { return group_[r]; }
  [[nodiscard]] std::uint32_t member(Router r) const { return member_[r]; }
  [[nodiscard]] Router router(std::uint32_t group, std::uint32_t member) const {
    return router_[group * group_size_ + member];
  }
  // Whether groups are grids; else each is a complete graph.
  [[nodiscard]] bool has_grids() const { return !place_.empty(); }
  // The port of r on the way to a member of its group: in grids along the row first, then along the column, which makes
  // no circle of channels. The first of parallel links. REQUIRES: member != member(r).
  [[nodiscard]] Port local_port(Router r, std::uint32_t member) const { return local_port_[r * group_size_ + member]; }
  // One of these parallel links.
  [[nodiscard]] Port local_port(Router r, std::uint32_t member, Random& random) const {
    const Port first = local_port(r, member);
    return parallel_[first] == 1 ? first : other_parallel(first, random.below(parallel_[first]));
  }
  // Local links beside this one, with it; 1 of a global link.
  [[nodiscard]] std::uint32_t num_parallel(Port port) const { return std::max<std::uint32_t>(1, parallel_[port]); }
  // Local hops between two routers of a group.
  [[nodiscard]] std::uint32_t local_hops(Router a, Router b) const {
    if (a == b) return 0;
    return has_grids() && place_[a].row != place_[b].row && place_[a].column != place_[b].column ? 2 : 1;
  }
  // REQUIRES: from != to.
  [[nodiscard]] std::span<const Exit> exits(std::uint32_t from, std::uint32_t to) const {
    const std::size_t i = std::size_t{from} * num_groups_ + to;
    return {exits_.data() + first_exit_[i], first_exit_[i + 1] - first_exit_[i]};
  }
  // The group behind a global port.
  [[nodiscard]] std::uint32_t leads_to(Port port) const { return leads_to_[port]; }
  // Ports of a router by position, a bit each.
  [[nodiscard]] std::uint64_t local_ports(Router r) const { return local_ports_[r]; }
  [[nodiscard]] std::uint64_t global_ports(Router r) const { return global_ports_[r]; }

 private:
  [[nodiscard]] static Result<Dragonfly> from_parts(const Fabric& fabric, const DragonflyParts& parts,
                                                    Network& network);
  void number(const Fabric& fabric, const std::vector<std::uint32_t>& part, std::uint32_t num_parts);
  [[nodiscard]] Status sort_ports(Network& network);
  [[nodiscard]] Status find_places(const Network& network);
  void list_local_ports(const Network& network);
  // The k-th of the links that lead where this one leads.
  [[nodiscard]] Port other_parallel(Port first, std::uint32_t k) const;
  [[nodiscard]] Status list_exits(const Network& network);

  std::uint32_t num_groups_ = 0;
  std::uint32_t group_size_ = 0;
  std::vector<std::uint32_t> group_;
  std::vector<std::uint32_t> member_;
  std::vector<Router> router_;
  std::vector<GridPlace> place_;  // of each router, in grids
  std::vector<Port> local_port_;
  std::vector<std::uint8_t> parallel_;  // of the first of parallel local links: how many there are
  std::vector<Port> next_parallel_;     // of a local link: the next of these
  std::vector<std::uint32_t> first_exit_;
  std::vector<Exit> exits_;
  std::vector<std::uint32_t> leads_to_;
  std::vector<std::uint64_t> local_ports_;
  std::vector<std::uint64_t> global_ports_;
};

}  // namespace espalier::packets
