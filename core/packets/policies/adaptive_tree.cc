// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Adaptive routing on trees, as vendors' switches have it: of all ports on shortest up-down paths the packet takes one
// with the least occupied queue (Gliksberg 2022, 4.6); with tables and a bias the table's port, unless another one is
// emptier by more than the bias (Parameters::table_bias). Packets go up until they can go down, then down alone, so one
// virtual channel is free of deadlock, on damaged trees as well.
#include <bit>
#include <deque>

#include "core/packets/policies/policies.h"

namespace espalier::packets {
namespace {

constexpr std::uint8_t kFarAway = 0xFF;

class AdaptiveTree : public Policy {
 public:
  explicit AdaptiveTree(const PolicyInputs& in)
      : network_(*in.network),
        levels_(in.levels),
        tables_(in.parameters->table_bias < 0 ? nullptr : in.tables),
        lids_(in.lids),
        bias_(static_cast<float>(in.parameters->table_bias)) {
    leaf_.assign(network_.num_routers(), kNone);
    std::uint32_t leaves = 0;
    for (Node n = 0; n < network_.num_nodes(); ++n)
      if (leaf_[network_.router_of(n)] == kNone) leaf_[network_.router_of(n)] = leaves++;
    minimal_ports_.assign(std::size_t{leaves} * network_.num_routers(), 0);
    for (Router r = 0; r < network_.num_routers(); ++r)
      if (leaf_[r] != kNone) find_ports(r);
  }

  [[nodiscard]] VcCounts vcs() const override { return {.local = 1, .global = 1}; }

  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    const std::uint64_t minimal =
        minimal_ports_[std::size_t{leaf_[packet.target]} * network_.num_routers() + place.router];
    Request request;
    request.position = Request::kNowhere;
    request.rule = Rule::kLeastOccupied;
    const Port first = network_.first_port[place.router];
    float least = 2;
    std::uint32_t equals = 0;
    for (std::uint64_t bits = minimal; bits != 0; bits &= bits - 1) {
      const auto position = static_cast<std::uint32_t>(std::countr_zero(bits));
      const float fill = state.fill(first + position, 0);
      if (fill > least) continue;
      equals = fill < least ? 1 : equals + 1;
      least = fill;
      if (random.below(equals) == 0) request.position = static_cast<std::uint8_t>(position);
    }
    if (tables_ != nullptr && minimal != 0) {
      const std::uint8_t wanted = position_of_table(place.router, packet);
      if (wanted < 64 && (minimal & bit_of(wanted)) != 0 && state.fill(first + wanted, 0) <= least + bias_)
        request.position = wanted;
    }
    if (minimal != 0) request.offer(minimal & ~(std::uint64_t{1} << request.position), 0);
    return request;
  }

 private:
  // Of the port that the table says; kNowhere: none.
  [[nodiscard]] std::uint8_t position_of_table(Router r, const Packet& packet) const {
    const PortNum port = tables_->at(SwitchId{r}, lid_at_offset(lids_[packet.destination], packet.offset));
    for (Port p = network_.first_port[r]; p < network_.first_port[r + 1]; ++p)
      if (network_.port_number[p] == port) return network_.ports[p].position;
    return Request::kNowhere;
  }
  [[nodiscard]] Router behind(Port port) const { return network_.ports[port].neighbor; }

  // The ports of all routers on shortest paths up and down to this leaf: two breadth-first searches from it.
  void find_ports(Router leaf) {
    const std::size_t base = std::size_t{leaf_[leaf]} * network_.num_routers();
    std::vector<std::uint8_t> down(network_.num_routers(), kFarAway);  // hops by going down alone
    std::vector<std::uint8_t> hops(network_.num_routers(), kFarAway);  // by going up and then down
    search(down, leaf, [&](Router lower, Router upper) { return levels_[upper] > levels_[lower]; });
    hops = down;
    search_up(hops);
    for (Port p = 0; p < network_.num_ports(); ++p) {
      const PortEnd& end = network_.ports[p];
      if (end.kind == PortClass::kNode || end.position >= kMostPositions || end.router == leaf) continue;
      const Router next = behind(p);
      const bool descends = levels_[next] < levels_[end.router];
      const bool on_path = down[end.router] != kFarAway
                               ? descends && down[next] + 1 == down[end.router]
                               : levels_[next] > levels_[end.router] && hops[end.router] != kFarAway &&
                                     hops[next] + 1 == hops[end.router];
      if (on_path) minimal_ports_[base + end.router] |= std::uint64_t{1} << end.position;
    }
  }

  template <class Allowed>
  void search(std::vector<std::uint8_t>& hops, Router start, const Allowed& allowed) {
    std::deque<Router> queue = {start};
    hops[start] = 0;
    for (; !queue.empty(); queue.pop_front()) {
      const Router r = queue.front();
      for (Port p = network_.first_port[r]; p < network_.first_port[r + 1]; ++p) {
        if (network_.ports[p].kind == PortClass::kNode) continue;
        const Router next = behind(p);
        if (hops[next] != kFarAway || !allowed(r, next)) continue;
        hops[next] = static_cast<std::uint8_t>(hops[r] + 1);
        queue.push_back(next);
      }
    }
  }

  // Routers that cannot go down to the leaf: one hop up from the nearest that can, level by level from the top.
  void search_up(std::vector<std::uint8_t>& hops) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Port p = 0; p < network_.num_ports(); ++p) {
        const PortEnd& end = network_.ports[p];
        if (end.kind == PortClass::kNode) continue;
        const Router next = behind(p);
        if (levels_[next] <= levels_[end.router] || hops[next] == kFarAway || hops[next] + 1 >= hops[end.router])
          continue;
        hops[end.router] = static_cast<std::uint8_t>(hops[next] + 1);
        changed = true;
      }
    }
  }

  const Network& network_;
  std::vector<std::uint32_t> levels_;  // of each router
  const ForwardingTables* tables_;     // nullptr: no port is preferred
  std::vector<Lid> lids_;              // with tables: of each node
  float bias_;
  std::vector<std::uint32_t> leaf_;           // number of each router that has nodes
  std::vector<std::uint64_t> minimal_ports_;  // by leaf and router: ports, a bit for each position
};

}  // namespace

std::unique_ptr<Policy> make_adaptive_tree(const PolicyInputs& in) { return std::make_unique<AdaptiveTree>(in); }

}  // namespace espalier::packets
