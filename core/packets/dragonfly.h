// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The groups of a dragonfly (core/dragonfly) as policies need them: flat, with members in the order of traffic
// patterns.
//
// Links and routers may be missing. Within a group that is no longer whole packets go up*/down* (up_down.h). Where two
// groups have lost all links between them, a minimal path goes by way of a third that is cabled to both: it uses the
// virtual channels of Valiant's, so policies need none more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/flat_lists.h"
#include "core/base/result.h"
#include "core/dragonfly/grid_fit.h"
#include "core/packets/network.h"
#include "core/packets/random.h"
#include "core/packets/up_down.h"

namespace espalier::packets {

struct DragonflyParts;

class Dragonfly {
 public:
  // A router of a group that has a link to another group, and the port.
  struct Exit {
    Router router = kNone;
    Port port = kNone;
  };

  // Finds groups that are complete graphs or grids (grid_fit.h) of one size, with a link between any two: those whose
  // switches have names that differ in their last number alone, or else by cabling, which can be read in two ways where
  // groups are small. If there are none, the same with links and routers missing, by cabling first.
  // Groups and their members are numbered by the names of their switches ("g10" after "g9"), then by GUID. Sets
  // PortEnd::kind of the network's ports.
  // Errors: no such groups; two that have neither a link nor a third group that both are cabled to.
  [[nodiscard]] static Result<Dragonfly> find(const Fabric& fabric, Network& network);

  [[nodiscard]] std::uint32_t num_groups() const { return num_groups_; }
  // Routers of the largest group, and of one.
  [[nodiscard]] std::uint32_t group_size() const { return group_size_; }
  [[nodiscard]] std::uint32_t group_size(std::uint32_t group) const { return size_[group]; }
  [[nodiscard]] std::uint32_t group(Router r) const { return group_[r]; }
  [[nodiscard]] std::uint32_t member(Router r) const { return member_[r]; }
  [[nodiscard]] Router router(std::uint32_t group, std::uint32_t member) const {
    return router_[group * group_size_ + member];
  }
  // Whether groups are grids; else each is a complete graph. Both but for what is missing.
  [[nodiscard]] bool has_grids() const { return !place_.empty(); }
  // Whether no link within groups is missing, and any two of them are cabled.
  [[nodiscard]] bool is_whole() const;
  // Whether no link within the group is missing.
  [[nodiscard]] bool is_whole(std::uint32_t group) const { return whole_[group] != 0; }
  // The port of r on the way to a member of its group: in grids along the row first, then along the column, which makes
  // no cycle of channels. The first of parallel links. REQUIRES: member != member(r).
  [[nodiscard]] Port local_port(Router r, std::uint32_t member) const { return local_port_[r * group_size_ + member]; }
  // One of these parallel links.
  [[nodiscard]] Port local_port(Router r, std::uint32_t member, Random& random) const {
    const Port first = local_port(r, member);
    return parallel_[first] == 1 ? first : other_parallel(first, random.below(parallel_[first]));
  }
  // The position of r's port on the minimal path to another router, or to any router of another group, if there is but
  // one to choose; else kSeveral.
  static constexpr std::uint8_t kSeveral = 0xFF;
  [[nodiscard]] std::uint8_t only_position(Router r, Router to) const {
    const Seat& goal = seat_[to];
    const std::uint32_t same = seat_[r].group == goal.group ? 0xFFFFFFFF : 0;  // as likely as not, so without a branch
    return only_position_[first_column(r) + (goal.group ^ ((goal.group ^ (num_groups_ + goal.member)) & same))];
  }
  [[nodiscard]] std::uint8_t only_position_to_group(Router r, std::uint32_t group) const {
    return only_position_[first_column(r) + group];
  }
  [[nodiscard]] Port first_port(Router r) const { return seat_[r].first_port; }
  // Local links beside this one, with it; 1 of a global link.
  [[nodiscard]] std::uint32_t num_parallel(Port port) const { return std::max<std::uint32_t>(1, parallel_[port]); }
  // Local hops between two routers of a group.
  [[nodiscard]] std::uint32_t local_hops(Router a, Router b) const {
    if (a == b) return 0;
    if (!is_whole(group_[a])) return local_hops_[a * group_size_ + member_[b]];
    return has_grids() && place_[a].row != place_[b].row && place_[a].column != place_[b].column ? 2 : 1;
  }
  // Whether any two groups are cabled.
  [[nodiscard]] bool all_linked() const { return all_linked_; }
  // Whether two groups are cabled.
  [[nodiscard]] bool linked(std::uint32_t a, std::uint32_t b) const { return linked_[a * num_groups_ + b] != 0; }
  // Links from one group to another; if they have none, those to groups that are cabled to the other. REQUIRES:
  // from != to.
  [[nodiscard]] std::span<const Exit> exits(std::uint32_t from, std::uint32_t to) const {
    return exits_.at(std::size_t{from} * num_groups_ + to);
  }
  // The group behind a global port.
  [[nodiscard]] std::uint32_t leads_to(Port port) const { return leads_to_[port]; }
  // Ports of a router by position, a bit each.
  [[nodiscard]] std::uint64_t local_ports(Router r) const { return local_ports_[r]; }
  [[nodiscard]] std::uint64_t global_ports(Router r) const { return global_ports_[r]; }

  // Global ports by which a packet to another group may leave, by way of a third group or not: those that lead to where
  // it can go on to the other by one more global link.
  [[nodiscard]] std::uint64_t global_ports(Router r, std::uint32_t to) const {
    return ports_out_.empty() ? global_ports_[r] : ports_out_[r * num_groups_ + to].globals;
  }
  // Local ports to routers that have such a port.
  [[nodiscard]] std::uint64_t local_ports(Router r, std::uint32_t to) const {
    return ports_out_.empty() ? local_ports_[r] : ports_out_[r * num_groups_ + to].locals;
  }
  // In a complete group that is not whole: the local port toward the nearest router with a link to the other group.
  // REQUIRES: r has none.
  [[nodiscard]] Port toward_exit(Router r, std::uint32_t to) const { return toward_exit_[r * num_groups_ + to]; }
  // Whether two routers of a group are cabled.
  [[nodiscard]] bool adjacent(Router a, Router b) const {
    return is_whole(group_[a]) || damaged_[group_[a]]->adjacent(member_[a], member_[b]);
  }
  // In a complete group: whether a packet on one virtual channel may go from a over b to c: by the parity-sign rule
  // (core/dragonfly), or where links are missing by up*/down*.
  [[nodiscard]] bool turn_allowed(Router a, Router b, Router c) const;

 private:
  enum class Damage : std::uint8_t { kRefused, kTolerated };
  // Of a router: what each hop has to know.
  struct Seat {
    Port first_port = 0;
    std::uint16_t group = 0;
    std::uint16_t member = 0;
  };
  // Of a router and another group.
  struct PortsOut {
    std::uint64_t globals = 0;
    std::uint64_t locals = 0;
  };
  [[nodiscard]] static Result<Dragonfly> from_parts(const Fabric& fabric, const DragonflyParts& parts, Network& network,
                                                    Damage damage);
  void number(const Fabric& fabric, const std::vector<std::uint32_t>& part, std::uint32_t num_parts);
  [[nodiscard]] Status sort_ports(Network& network);
  [[nodiscard]] UpDown::Neighbors neighbors_in(std::uint32_t group, const Network& network) const;
  [[nodiscard]] Status find_shapes(const Network& network, bool are_known_grids);
  [[nodiscard]] Status find_damage(std::uint32_t group, UpDown::Neighbors neighbors);
  void list_local_ports(const Network& network);
  void list_ports_in_grid();
  void list_ports_in_damaged(std::uint32_t group, const Network& network);
  // The k-th of the links that lead where this one leads.
  [[nodiscard]] Port other_parallel(Port first, std::uint32_t k) const;
  [[nodiscard]] Status list_exits(const Network& network);
  void list_ports_out(const Network& network);
  void list_only_positions(const Network& network);
  [[nodiscard]] std::size_t first_column(Router r) const { return std::size_t{num_groups_ + group_size_} * r; }
  [[nodiscard]] Port find_only_port(Router r, std::uint32_t group) const;
  [[nodiscard]] Port find_only_local(Router r, std::uint32_t member) const;
  // `to`: a group, or num_groups() and more, a member of the router's own.
  void list_paths_to_exits();

  std::uint32_t num_groups_ = 0;
  std::uint32_t group_size_ = 0;
  std::vector<std::uint32_t> size_;  // of each group
  std::vector<std::uint32_t> group_;
  std::vector<std::uint32_t> member_;
  std::vector<Router> router_;
  std::vector<RowAndColumn> place_;  // of each router, in grids
  std::vector<Port> local_port_;
  std::vector<std::uint8_t> parallel_;  // of the first of parallel local links: how many there are
  std::vector<Port> next_parallel_;     // of a local link: the next of these
  FlatLists<Exit> exits_;               // per pair of groups
  std::vector<std::uint8_t> linked_;    // by group and group
  bool all_linked_ = false;
  std::vector<std::uint32_t> leads_to_;
  std::vector<std::uint64_t> local_ports_;
  std::vector<std::uint64_t> global_ports_;

  std::vector<std::uint8_t> whole_;             // of each group
  std::vector<std::optional<UpDown>> damaged_;  // of each group that is not whole
  std::vector<std::uint8_t> local_hops_;        // by router and member, in groups that are not whole
  std::vector<Port> toward_exit_;               // by router and group, in groups that are not whole
  std::vector<PortsOut> ports_out_;             // by router and group; empty: by any port
  std::vector<Seat> seat_;                      // of each router
  std::vector<std::uint8_t> only_position_;     // by router, and by group, then by member of the router's own
};

}  // namespace espalier::packets
