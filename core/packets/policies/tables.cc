// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Static forwarding tables: the port is that of the destination's LID. The virtual channel is the virtual lane that the
// switch's SL2VL map has for the packet's service level (core/fabric/lanes.h); without lanes all is on one. Tables may
// be changed in the middle of a run, router by router, as a subnet manager uploads them.
#include "core/packets/policies/policies.h"

namespace espalier::packets {
namespace {

class Tables : public Policy {
 public:
  explicit Tables(const PolicyInputs& in)
      : network_(*in.network), tables_(*in.tables), lanes_(in.lanes), lids_(in.lids), next_tables_(in.next_tables) {
    changes_at_.assign(network_.num_routers(), kNeverChanges);
    for (Router r = 0; next_tables_ != nullptr && r < network_.num_routers(); ++r)
      changes_at_[r] = in.change_at + static_cast<Cycle>(std::uint64_t{in.change_over} * r / network_.num_routers());
    position_.assign(std::size_t{network_.num_routers()} * kPorts, Request::kNowhere);
    for (Port p = 0; p < network_.num_ports(); ++p)
      position_[network_.ports[p].router * kPorts + index(network_.port_number[p])] = network_.ports[p].position;
  }

  [[nodiscard]] bool diverts() const override { return false; }
  [[nodiscard]] VcCounts vcs() const override {
    const std::uint32_t vls = lanes_ == nullptr ? 1 : lanes_->num_vls();
    return {.local = vls, .global = vls};
  }

  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& /*random*/) override {
    Request request;
    const Lid lid = lid_at_offset(lids_[packet.destination], packet.offset);
    const ForwardingTables& tables = state.now < changes_at_[place.router] ? tables_ : *next_tables_;
    const PortNum port = tables.at(SwitchId{place.router}, lid);
    // A packet that has come so far is in a forwarding loop.
    request.position = packet.hops < kMostHops ? position_[place.router * kPorts + index(port)] : Request::kNowhere;
    if (is_somebody_elses(place.router, request.position, packet.destination)) request.position = Request::kNowhere;
    if (lanes_ == nullptr || request.position == Request::kNowhere) return request;
    if (packet.hops == 0) packet.level = lanes_->sl(lids_[packet.source], lid);
    request.vc = lanes_->vl(SwitchId{place.router}, network_.port_number[place.in], port, packet.level);
    if (request.vc >= lanes_->num_vls()) request.position = Request::kNowhere;  // VL 15: thrown away
    return request;
  }

 private:
  // Whether the tables lead to a node that the packet is not for: it takes nothing but its own LIDs.
  [[nodiscard]] bool is_somebody_elses(Router router, std::uint8_t position, Node destination) const {
    if (position == Request::kNowhere) return false;
    const PortEnd& end = network_.ports[network_.first_port[router] + position];
    return end.kind == PortClass::kNode && end.peer != destination;
  }

  static constexpr std::size_t kPorts = 256;
  static constexpr Cycle kNeverChanges = 0xFFFFFFFF;
  const Network& network_;
  const ForwardingTables& tables_;
  const Lanes* lanes_;                  // nullptr: one
  std::vector<Lid> lids_;               // of each node
  std::vector<std::uint8_t> position_;  // by router and port number
  const ForwardingTables* next_tables_;
  std::vector<Cycle> changes_at_;  // of each router
};

}  // namespace

std::unique_ptr<Policy> make_tables(const PolicyInputs& in) { return std::make_unique<Tables>(in); }

}  // namespace espalier::packets
