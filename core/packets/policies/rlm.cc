// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// RLM: restricted local misrouting (Garcia et al. 2013, III-B). Both local hops in a group use one virtual channel, l1
// l1 g1 l2 l2 g2 l3 l3; the parity-sign rule leaves no cycle among them, so three virtual channels on local links and
// two on global ones are enough under any switching.
//
// rlm-no-table allows all detours on the same virtual channels, so its channels have cycles. It is here for
// comparison.
#include "core/packets/policies/in_transit.h"

namespace espalier::packets {
namespace {

class Rlm : public InTransit {
 public:
  explicit Rlm(const PolicyInputs& in) : InTransit(in), members_(in.dragonfly->group_size()) {
    between_.resize(std::size_t{in.network->num_routers()} * members_, 0);
    beyond_.resize(between_.size(), 0);
    for (Router r = 0; r < in.network->num_routers(); ++r) list_detours(*in.network, r);
  }

 protected:
  // The last hop may be on any virtual channel that is not below that of its group: nothing follows it.
  [[nodiscard]] std::uint32_t direct_vc(const LocalHop& hop) const override {
    if (!hop.last || !parameters_.spread_vcs) return hop.packet.global_hops;
    return emptiest(hop.state, hop.port, lowest_vc(hop), 2);
  }
  void offer_detours(const LocalHop& hop, Request& request) const override {
    const std::uint64_t ports = detours(hop);
    if (!hop.last || !parameters_.spread_vcs) return request.offer(ports, hop.packet.global_hops);
    request.offer(ports, hop.packet.global_hops, 2);
  }
  void offer_neighbors(const LocalHop& hop, Request& request) const override {
    std::uint64_t ports = neighbors(hop, hop.port);
    if (hop.packet.group_hops > 0) ports = next_hops(hop) & neighbors(hop, hop.place.in);
    request.offer(ports, hop.packet.global_hops);
  }

  // Detours from here to the router behind hop.port.
  [[nodiscard]] virtual std::uint64_t detours(const LocalHop& hop) const {
    return between_[hop.place.router * members_ + dragonfly_.member(behind(hop.state, hop.port))];
  }
  // Hops that may follow the one that the packet has made in this group.
  [[nodiscard]] virtual std::uint64_t next_hops(const LocalHop& hop) const {
    return beyond_[hop.place.router * members_ + dragonfly_.member(behind(hop.state, hop.place.in))];
  }

 private:
  // A second hop stays on the virtual channel of the first, or goes above.
  [[nodiscard]] static std::uint32_t lowest_vc(const LocalHop& hop) {
    return hop.packet.group_hops > 0 ? std::max<std::uint32_t>(hop.place.vc, hop.packet.global_hops)
                                     : hop.packet.global_hops;
  }
  void list_detours(const Network& network, Router r) {
    const std::uint32_t group = dragonfly_.group(r);
    for (std::uint32_t m = 0; m < dragonfly_.group_size(group); ++m)
      for (std::uint32_t k = 0; k < dragonfly_.group_size(group); ++k) {
        const Router other = dragonfly_.router(group, m);
        const Router by = dragonfly_.router(group, k);
        if (m == k || other == r || by == r || !dragonfly_.adjacent(r, by)) continue;
        const std::uint64_t to_k = std::uint64_t{1} << network.ports[dragonfly_.local_port(r, k)].position;
        if (dragonfly_.turn_allowed(r, by, other) && dragonfly_.adjacent(by, other)) between_[r * members_ + m] |= to_k;
        if (dragonfly_.turn_allowed(other, r, by)) beyond_[r * members_ + m] |= to_k;
      }
  }

  std::uint32_t members_;
  std::vector<std::uint64_t> between_;  // by router and member: ports to routers k with here -> k -> member allowed
  std::vector<std::uint64_t> beyond_;   // by router and member: ports to routers k with member -> here -> k allowed
};

class RlmWithoutTable : public Rlm {
 public:
  using Rlm::Rlm;

 protected:
  [[nodiscard]] std::uint64_t detours(const LocalHop& hop) const override { return all_detours(hop); }
  [[nodiscard]] std::uint64_t next_hops(const LocalHop& hop) const override { return neighbors(hop, hop.place.in); }
};

}  // namespace

std::unique_ptr<Policy> make_rlm(const PolicyInputs& in) { return std::make_unique<Rlm>(in); }
std::unique_ptr<Policy> make_rlm_without_table(const PolicyInputs& in) { return std::make_unique<RlmWithoutTable>(in); }

}  // namespace espalier::packets
