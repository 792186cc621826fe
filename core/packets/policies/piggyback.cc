// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Piggybacking (PB): routers tell their group which of their global links are congested, on the back of other packets
// (Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks, ISCA 2009; Faizian 2018,
// 2.1.2).
//
// A global link is congested when its queue is longer than twice the mean of its router's and T more. What the group
// knows is one period of Parameters::piggyback_period cycles old. The source goes minimally unless the minimal global
// link is congested or UGAL-L is against it. Also within a group a packet may go by way of another group, as in the
// simulator of Garcia 2013 (IV-A), whose PB carries ADVL traffic so.
#include "core/packets/policies/ugal.h"

namespace espalier::packets {
namespace {

class Piggyback : public Ugal {
 public:
  explicit Piggyback(const PolicyInputs& in)
      : Ugal(in),
        measured_(in.network->num_ports(), 0),
        known_(in.network->num_ports(), 0),
        period_(in.parameters->piggyback_period),
        link_offset_(in.parameters->piggyback_offset) {
    for (Router r = 0; r < in.network->num_routers(); ++r) {
      first_.push_back(static_cast<std::uint32_t>(global_.size()));
      for (Port p = in.network->first_port[r]; p < in.network->first_port[r + 1]; ++p)
        if (in.network->ports[p].kind == PortClass::kGlobal) global_.push_back(p);
    }
    first_.push_back(static_cast<std::uint32_t>(global_.size()));
  }

  void tick(const State& state, const Region& region) override {
    if (state.now % period_ != 0) return;
    for (const Router r : region.routers) {
      double sum = 0;
      for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) sum += state.queued(global_[i]);
      const double limit = 2 * sum / std::max(1U, first_[r + 1] - first_[r]) + link_offset_;
      for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) {
        known_[global_[i]] = measured_[global_[i]];
        measured_[global_[i]] = state.queued(global_[i]) > limit ? 1 : 0;
      }
    }
  }

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, const Packet& packet, const CandidatePaths& candidates,
                                       Random& random) override {
    const std::uint32_t from = dragonfly_.group(candidates.r);
    const std::uint32_t to = dragonfly_.group(packet.target);
    const bool in_grids = candidates.minimal.global != kNone;
    if (from != to && known_[in_grids ? candidates.minimal.global : dragonfly_.exits(from, to)[0].port] != 0)
      return false;
    return Ugal::minimal_is_better(state, packet, candidates, random);
  }

 private:
  std::vector<std::uint32_t> first_;  // of each router, in global_
  std::vector<Port> global_;
  std::vector<std::uint8_t> measured_;  // by port: congested
  std::vector<std::uint8_t> known_;     // what others know
  std::uint32_t period_;
  double link_offset_;
};

}  // namespace

std::unique_ptr<Policy> make_piggyback(const PolicyInputs& in) { return std::make_unique<Piggyback>(in); }

}  // namespace espalier::packets
