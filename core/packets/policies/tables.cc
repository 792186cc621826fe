// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Static forwarding tables: the port is that of the destination's LID. The virtual channel is the virtual lane that the
// switch's SL2VL map has for the packet's service level (core/fabric/lanes.h); without lanes all is on one.
#include "core/packets/policies/policies.h"

namespace espalier::packets {
namespace {

constexpr std::uint8_t kMostHops = 64;  // as in OpenSM: a packet that has come so far circles

class Tables : public Policy {
 public:
  explicit Tables(const PolicyInputs& in)
      : network_(*in.network), tables_(*in.tables), lanes_(in.lanes), lids_(in.lids) {
    position_.assign(std::size_t{network_.num_routers()} * kPorts, Request::kNowhere);
    for (Port p = 0; p < network_.num_ports(); ++p)
      position_[network_.ports[p].router * kPorts + index(network_.port_number[p])] = network_.ports[p].position;
  }

  [[nodiscard]] VcCounts vcs() const override {
    const std::uint32_t vls = lanes_ == nullptr ? 1 : lanes_->num_vls();
    return {.local = vls, .global = vls};
  }

  [[nodiscard]] Request request(const State& /*state*/, const Place& place, Packet& packet,
                                Random& /*random*/) override {
    Request request;
    const Lid lid = lids_[packet.destination];
    const PortNum port = tables_.at(SwitchId{place.router}, lid);
    request.position = packet.hops < kMostHops ? position_[place.router * kPorts + index(port)] : Request::kNowhere;
    if (lanes_ == nullptr || request.position == Request::kNowhere) return request;
    if (packet.hops == 0) packet.level = lanes_->sl(lids_[packet.source], lid);
    request.vc = lanes_->vl(SwitchId{place.router}, network_.port_number[place.in], port, packet.level);
    if (request.vc >= lanes_->num_vls()) request.position = Request::kNowhere;  // VL 15: thrown away
    return request;
  }

 private:
  static constexpr std::size_t kPorts = 256;
  const Network& network_;
  const ForwardingTables& tables_;
  const Lanes* lanes_;                  // nullptr: one
  std::vector<Lid> lids_;               // of each node
  std::vector<std::uint8_t> position_;  // by router and port number
};

}  // namespace

std::unique_ptr<Policy> make_tables(const PolicyInputs& in) { return std::make_unique<Tables>(in); }

}  // namespace espalier::packets
