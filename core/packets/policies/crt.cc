// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Credit round trip (CRT; Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks, ISCA
// 2009; Faizian 2018, 2.1.2). UGAL-L sees the router's own queues alone. So routers make the congestion of their global
// links felt one hop earlier: the credit for a packet that came by a local link and left by a global one is told late, by
// as much as credits of that global link take longer than those of the router's other ones. Behind congested global links
// the local queues then look fuller, and full queues stop the source. Credits over global links are never delayed.
//
//   paper    here
//   t_crt    latest_: cycles from when a packet was sent until its credit came back, of one packet at a time
//   t_d      t_crt less that without load, which cancels out where the global links of a router are as long
#include <algorithm>

#include "core/packets/policies/ugal.h"

namespace espalier::packets {
namespace {

constexpr Cycle kMostDelay = 1000;  // cycles

class Crt : public Ugal {
 public:
  explicit Crt(const PolicyInputs& in)
      : Ugal(in), probes_(std::size_t{in.network->num_ports()} * kVcs), latest_(in.network->num_ports(), 0) {
    for (Port p = 0; p < in.network->num_ports(); ++p) {
      const PortEnd& end = in.network->ports[p];
      if (end.kind == PortClass::kGlobal) latest_[p] = 2U * end.latency + in.parameters->unit_phits();
    }
  }

  [[nodiscard]] bool follows_departures() const override { return true; }
  [[nodiscard]] bool follows_credits() const override { return true; }
  [[nodiscard]] Cycle most_credit_delay() const override { return kMostDelay; }

  // Credits of a queue come in the order in which packets left, so that of this one comes after those that are out.
  void sent(const State& state, Packet& packet, Port out) override {
    if (!is_global(state, out)) return;
    const std::uint32_t vc = packet.global_hops;
    Probe& probe = probes_[out * kVcs + vc];
    if (probe.credits_ahead > 0) return;
    probe.credits_ahead = state.capacity[out] - state.credits[state.queue(out, vc)];
    probe.sent_at = state.now;
  }
  void credited(const State& state, Port out, std::uint32_t vc) override {
    if (!is_global(state, out)) return;
    Probe& probe = probes_[out * kVcs + vc];
    if (probe.credits_ahead > 0 && --probe.credits_ahead == 0) latest_[out] = state.now - probe.sent_at;
  }
  [[nodiscard]] Cycle credit_delay(const State& state, Port in, Port out) const override {
    const Network& network = *state.network;
    if (network.ports[in].kind != PortClass::kLocal || !is_global(state, out)) return 0;
    const Router r = network.ports[out].router;
    Cycle least = latest_[out];
    for (Port p = network.first_port[r]; p < network.first_port[r + 1]; ++p)
      if (is_global(state, p)) least = std::min(least, latest_[p]);
    return std::min(kMostDelay, latest_[out] - least);
  }

 private:
  static constexpr std::size_t kVcs = 2;  // of global links
  struct Probe {
    std::uint32_t credits_ahead = 0;  // until the one that is waited for, with it; 0: none is
    Cycle sent_at = 0;
  };
  std::vector<Probe> probes_;  // by port and virtual channel
  std::vector<Cycle> latest_;  // by port
};

}  // namespace

std::unique_ptr<Policy> make_credit_round_trip(const PolicyInputs& in) { return std::make_unique<Crt>(in); }

}  // namespace espalier::packets
